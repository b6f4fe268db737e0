// One moment of the whole store that is kept for reads.
#ifndef DYNOLITH_API_STALENESS_MOMENT_H_
#define DYNOLITH_API_STALENESS_MOMENT_H_

#include <cstdint>
#include <memory>

#include "absl/time/time.h"
#include "engine/store/store.h"
#include "engine/stream/sequence_numbers.h"

namespace dynolith {

struct Moment {
  std::shared_ptr<const Snapshot> snapshot;
  // Every stream record up to this number belongs to the moment; later ones may be visible in part.
  SequenceNumber stream_through = 0;
  // Moments are numbered from 1 on in the order of their creation: of two, the one with the greater
  // number includes all changes in the other.
  uint64_t number = 0;
  // Not later than the snapshot.
  absl::Time taken;
};

// The state for a read; nullptr: the newest. Must be destroyed before the store.
using MomentPointer = std::shared_ptr<const Moment>;

}  // namespace dynolith

#endif  // DYNOLITH_API_STALENESS_MOMENT_H_
