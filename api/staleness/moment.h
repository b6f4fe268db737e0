// One moment of the whole store that is kept to be read.
#ifndef DYNOLITH_API_STALENESS_MOMENT_H_
#define DYNOLITH_API_STALENESS_MOMENT_H_

#include <cstdint>
#include <memory>

#include "absl/time/time.h"
#include "engine/store/store.h"

namespace dynolith {

struct Moment {
  std::shared_ptr<const Snapshot> snapshot;
  // Every stream record up to this number belongs to the moment, whatever is seen beyond it.
  uint64_t stream_through = 0;
  // Moments are numbered from 1 on as they are taken: of two, the one with the greater number shows
  // all that the other shows.
  uint64_t number = 0;
  // Not later than the snapshot.
  absl::Time taken;
};

// What a read sees; nullptr: the newest state. Must be gone before the store.
using MomentPointer = std::shared_ptr<const Moment>;

}  // namespace dynolith

#endif  // DYNOLITH_API_STALENESS_MOMENT_H_
