// Carries the changes of a table over to its replica in one other region.
#ifndef DYNOLITH_API_REPLICA_CHANGE_SENDER_H_
#define DYNOLITH_API_REPLICA_CHANGE_SENDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "engine/catalog/catalog.h"
#include "engine/replica/replica_rows.h"

namespace dynolith {

// Writes an item of another region into a table, or deletes it, unless the item here is newer.
// Returns whether it was. `item_key`: the row key without the table's id. Errors: kNotFound: the
// table was dropped; those of Execute and of the write.
absl::StatusOr<bool> ReceiveWrite(const OperationContext& to, std::string_view table,
                                  std::string_view item_key, const ReplicaChange& change);

struct SendResult {
  int64_t arrived = 0;                 // of strong tables without what was there already
  int64_t lost = 0;                    // of those
  bool has_more = false;               // that are due
  std::optional<absl::Time> next_due;  // of those that are not
};

// When a change arrives; `key`: its own.
using DueTime = absl::FunctionRef<absl::Time(const ReplicaChange& change, std::string_view key)>;

// Sends at most `most` of the table's changes for the region of `to` that are due at `now`. Errors:
// as ReceiveWrite; what has been sent before is removed.
absl::StatusOr<SendResult> SendDue(const OperationContext& from, const TableMeta& meta,
                                   const OperationContext& to, absl::Time now, DueTime due,
                                   size_t most);

// Of the table's changes for a region.
struct PendingChanges {
  int64_t count = 0;
  std::optional<absl::Time> oldest;
};
absl::StatusOr<PendingChanges> CountPending(const OperationContext& from, const TableMeta& meta,
                                            std::string_view region);

}  // namespace dynolith

#endif  // DYNOLITH_API_REPLICA_CHANGE_SENDER_H_
