// States of tables, indexes and Kinesis destinations that last for some time: a change of a table
// begins them, the first look-up after their end finishes them. Without delays nothing here has an
// effect.
#ifndef DYNOLITH_ENGINE_CATALOG_TABLE_STATES_H_
#define DYNOLITH_ENGINE_CATALOG_TABLE_STATES_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/base/clock.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/table_meta.h"
#include "engine/key/schema.h"

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
// A destination that is `status` for `delay`; without a delay, the following status. One from which
// somebody sends stays ENABLING until that caller knows whether its stream exists.
void DelayDestination(absl::Time now, absl::Duration delay, KinesisDestinationStatus status,
                      KinesisDestination* destination);
// Removes an index from the metadata, with its state.
void RemoveIndex(size_t position, TableMeta* meta);
// Call it after changing the states of indexes or destinations.
void FindNextTransition(TableMeta* meta);

// --- Leaving ---

// Drops a table whose deletion is due; the caller decides what to keep of it.
using FinishDeletion = absl::FunctionRef<absl::Status(std::string_view table_name)>;

// The table of that name with all due states finished; nullptr if there is none, also if it has
// just been deleted. Requires: no gate is held. Errors: the store's; `finish_deletion`'s. Reads the
// clock only if the table has a pending transition.
absl::StatusOr<std::shared_ptr<Table>> FindSettled(Catalog* catalog, std::string_view name,
                                                   const Clock& clock,
                                                   FinishDeletion finish_deletion);
// The same for all tables.
absl::Status SettleAll(Catalog* catalog, const Clock& clock, FinishDeletion finish_deletion);

// Catalog::Modify for a table that may have been dropped since it was found: `gone` is the error
// then, unless it is OK.
absl::StatusOr<std::shared_ptr<const TableMeta>> ChangeTable(
    Catalog* catalog, Table* table, const std::function<absl::Status(TableMeta*)>& change,
    const absl::Status& gone, WriteBatch* batch = nullptr);

// --- Key attributes ---

// The attributes of an index that must be defined, as a key schema would name them.
KeySchema DefinedAttributes(const IndexSchema& index);
// Whether the table's key, one of its indexes' keys or a search schema has the attribute.
bool IsKeyAttribute(const TableSchema& schema, std::string_view attribute);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_TABLE_STATES_H_
