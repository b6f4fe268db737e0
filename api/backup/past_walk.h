// Walks over the past of a table (engine/history/past_items.h) in any store: where snapshots may
// end, a walk goes on in another one. The past does not change meanwhile.
#ifndef DYNOLITH_API_BACKUP_PAST_WALK_H_
#define DYNOLITH_API_BACKUP_PAST_WALK_H_

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/backup/row_copy.h"
#include "api/request/operation_context.h"
#include "engine/key/key_codec.h"
#include "engine/store/store.h"

namespace dynolith {

// The table, with a new snapshot if that is asked for, if it still has that past. Its errors are
// the walk's.
using FreezeAgain = absl::FunctionRef<absl::StatusOr<FrozenTable>(FrozenPart)>;

// Visits rows in their order, and stores the key of each one into `last` after its visit.
using WalkRows = absl::FunctionRef<absl::Status(const Snapshot& snapshot, const KeyRange& rows,
                                                std::string* last)>;

// Calls `walk` for `rows` of `table`, and again for what is behind the last visited row if the
// snapshot has ended. In a SharedStore, at last looks whether the past was there all the time: what
// another process takes away, it says in the catalog before. Errors: those of the two functions;
// kUnavailable if a snapshot after the other ends before the first row.
absl::Status WalkPast(const OperationContext& context, FrozenTable table, const KeyRange& rows,
                      FreezeAgain freeze_again, WalkRows walk);

}  // namespace dynolith

#endif  // DYNOLITH_API_BACKUP_PAST_WALK_H_
