// The states of tables, indexes and Kinesis destinations that are asked to take their time
// (TableDelays): entered by CreateTable, UpdateTable and DeleteTable, left by whoever looks when
// their time has come. Without delays nothing here does anything.
#ifndef DYNOLITH_API_TABLE_TABLE_LIFECYCLE_H_
#define DYNOLITH_API_TABLE_TABLE_LIFECYCLE_H_

#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// --- Entering ---

// A new table that is CREATING with its indexes for `delay`.
void DelayCreation(absl::Time now, absl::Duration delay, TableMeta* meta);
// A table that is UPDATING for `delay`.
void DelayUpdate(absl::Time now, absl::Duration delay, TableChange change, TableMeta* meta);
// A table that is DELETING: its rows go after `delay`.
void DelayDeletion(absl::Time now, absl::Duration delay, TableMeta* meta);
// An index that is `status` for `delay`; if that is CREATING, the second half of the time shows it
// as backfilling.
void DelayIndex(absl::Time now, absl::Duration delay, IndexStatus status, IndexState* state);
// A destination that is `status` for `delay`; without one, what comes after it.
void DelayDestination(absl::Time now, absl::Duration delay, KinesisDestinationStatus status,
                      KinesisDestination* destination);
// Takes an index out of the metadata, with all that is known of it.
void RemoveIndex(size_t position, TableMeta* meta);
// To be called once the states of indexes or destinations have been changed.
void FindNextTransition(TableMeta* meta);

// --- Leaving ---

// The table of that name with all states finished whose time has come; nullptr if there is none,
// also if it has just been deleted. Requires: no gate is held. Errors: only the store's.
absl::StatusOr<std::shared_ptr<Table>> FindSettled(const OperationContext& context,
                                                   std::string_view name);
// The same for all tables, for those who look at all.
absl::Status SettleAll(const OperationContext& context);

// Catalog::Modify for a table that may have been dropped since it was found: `gone` is the error
// then, unless it is OK.
absl::StatusOr<std::shared_ptr<const TableMeta>> ChangeTable(
    const OperationContext& context, Table* table,
    const std::function<absl::Status(TableMeta*)>& change, const absl::Status& gone,
    WriteBatch* batch = nullptr);

// Tell the change log of a new table, and of what has become of the stream of an old one.
absl::Status FollowNewStream(const OperationContext& context, const TableMeta& meta);
absl::Status FollowStream(const OperationContext& context, std::string_view table_name);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TABLE_LIFECYCLE_H_
