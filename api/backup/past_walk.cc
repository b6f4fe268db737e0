#include "api/backup/past_walk.h"

#include <utility>

#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/store/transaction/run_transaction.h"

namespace dynolith {
namespace {

// The least key behind it.
std::string Behind(const std::string& key) { return key + '\0'; }

}  // namespace

absl::Status WalkPast(const OperationContext& context, FrozenTable table, const KeyRange& rows,
                      FreezeAgain freeze_again, WalkRows walk) {
  if (context.store->local() != nullptr) {
    std::string last;
    return walk(*table.snapshot, rows, &last);
  }
  KeyRange left = rows;
  for (bool has_ended = false, is_done = false; !is_done;) {
    // Until rows have been visited, which may take some tries.
    DYNOLITH_RETURN_IF_ERROR(RunTransaction([&]() -> absl::Status {
      if (std::exchange(has_ended, true)) {
        // There are few at a time.
        table.snapshot.reset();
        DYNOLITH_ASSIGN_OR_RETURN(table, freeze_again(FrozenPart::kRowsToo));
      }
      std::string last;
      absl::Status status = walk(*table.snapshot, left, &last);
      is_done = status.ok();
      if (is_done || !IsAbortedByStore(status) || last.empty()) return status;
      left.begin = Behind(last);
      return absl::OkStatus();
    }));
  }
  table.snapshot.reset();
  DYNOLITH_RETURN_IF_ERROR(context.catalog->CatchUp());
  return freeze_again(FrozenPart::kMetaOnly).status();
}

}  // namespace dynolith
