// What processes that have ended leave in a store that others use: the rows of their commit slots.
//
// Row in Family::kMeta (meta_keys.h):
//   kProcessKeys process:16 -> until:u64be   ; microseconds since 1970, by its clock: it lives, if
//                                            ; it does not say more
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_ENDED_PROCESSES_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_ENDED_PROCESSES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/store/transaction/leases.h"
#include "engine/store/transaction/shared_store.h"

namespace dynolith {

// A process counts as ended so long after its last sign of life. A long time, as what it leaves is
// small, and a process that lives on after it may not learn what became of a commit.
inline constexpr absl::Duration kProcessLife = absl::Hours(1);

// This process lives. Call it several times within kProcessLife.
absl::Status NoteAlive(SharedStore* store, absl::Time now);

// Deletes the rows of ended processes. One that has not given a sign of life yet is given the time
// for it. Returns how many have ended. Errors: kCancelled: the lease is lost; kDataLoss; the
// store's.
absl::StatusOr<int> ForgetEndedProcesses(SharedStore* store, const Lease& lease, absl::Time now);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_ENDED_PROCESSES_H_
