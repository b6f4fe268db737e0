// Makes a store of what was shipped, as it was at any second.
#ifndef DYNOLITH_TOOLS_SHIP_RESTORE_H_
#define DYNOLITH_TOOLS_SHIP_RESTORE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {

struct RestoreRequest {
  std::optional<absl::Time> at;  // nullopt: the newest there is
  std::string folder;            // new or empty
  std::string encryption_key;    // of the store (StoreOptions::encryption_key)
};

struct RestoredStore {
  // All that had been committed by then is there. What was committed later may be, too, if it was
  // before the time that was asked for.
  absl::Time time;
  std::string base;
  uint64_t segments = 0;
  uint64_t bytes = 0;
};

// The folder becomes a store with its last step; after a failure what was made is removed. Errors:
// kNotFound: nothing was shipped, or not so early; kFailedPrecondition: the folder is in use, a key
// is missing or not needed, or segments up to that time have no base, which names the time before
// them; kDataLoss naming the object; the target's and the file system's.
absl::StatusOr<RestoredStore> RestoreShipped(ShipTarget* target, const RestoreRequest& request);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_RESTORE_H_
