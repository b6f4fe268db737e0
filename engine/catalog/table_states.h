// The states of tables, indexes and Kinesis destinations that take their time: entered by whoever
// changes a table, left by whoever looks when their time has come. Without delays nothing here does
// anything.
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
// A destination that is `status` for `delay`; without one, what comes after it.
void DelayDestination(absl::Time now, absl::Duration delay, KinesisDestinationStatus status,
                      KinesisDestination* destination);
// Takes an index out of the metadata, with all that is known of it.
void RemoveIndex(size_t position, TableMeta* meta);
// To be called once the states of indexes or destinations have been changed.
void FindNextTransition(TableMeta* meta);

// --- Leaving ---

// Drops a table whose deletion is due: what is to be kept of it is not for the catalog to know.
using FinishDeletion = absl::FunctionRef<absl::Status(std::string_view table_name)>;

// The table of that name with all states finished whose time has come; nullptr if there is none,
// also if it has just been deleted. Requires: no gate is held. Errors: the store's;
// `finish_deletion`'s. Looks at the clock only if the table waits for something.
absl::StatusOr<std::shared_ptr<Table>> FindSettled(Catalog* catalog, std::string_view name,
                                                   const Clock& clock,
                                                   FinishDeletion finish_deletion);
// The same for all tables, for those who look at all.
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
