#include "api/table/table_description.h"

#include <optional>
#include <string>

#include "api/request/arn.h"
#include "api/request/member_constraints.h"
#include "api/table/row_count.h"
#include "api/table/table_lifecycle.h"
#include "api/table/throughput_rules.h"
#include "engine/base/errors.h"
#include "engine/base/messages/tables.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/families.h"

namespace dynolith {
namespace {

// Up to here a count is exact; beyond, writes of up to a hundredth of the rows may be missing.
constexpr int64_t kExactRowsMax = 100'000;
constexpr uint64_t kStaleFraction = 100;
// What the service adds to each index entry (facts/capacity.md §1).
constexpr int64_t kIndexEntryOverheadBytes = 100;

bool IsFresh(const LiveCounts::Count& count, uint64_t writes_now) {
  const uint64_t missed = writes_now - count.writes;
  if (count.rows <= kExactRowsMax) return missed == 0;
  return missed <= static_cast<uint64_t>(count.rows) / kStaleFraction;
}

absl::StatusOr<LiveCounts::Count> SizeOf(const OperationContext& context, Table* table,
                                         Family family, StorageId id, Sizes sizes) {
  const uint64_t writes = table->counts.writes();
  const auto last = table->counts.Last(id);
  if (sizes == Sizes::kRemembered) return last.value_or(LiveCounts::Count());
  if (last && IsFresh(*last, writes)) return *last;
  const int64_t overhead = family == Family::kTables ? 0 : kIndexEntryOverheadBytes;
  DYNOLITH_ASSIGN_OR_RETURN(LiveCounts::Count count,
                            CountRows(*context.store, family, id, overhead));
  count.writes = writes;
  table->counts.Remember(id, count);
  return count;
}

// Nobody finishes what changes nothing by its end.
bool IsUnderWay(const std::optional<absl::Time>& until, absl::Time now) {
  return until && now < *until;
}

// The number of decreases is one of the current day.
void ForgetOldDecreases(absl::Time now, Throughput* throughput) {
  throughput->decreases_today = DecreasesOn(*throughput, now);
}

// The service does not show global indexes of a table that is being deleted; vector indexes neither
// here.
void RemoveGlobalIndexes(TableMeta* meta) {
  for (size_t i = meta->schema.indexes.size(); i-- > 0;) {
    if (meta->schema.indexes[i].kind == IndexKind::kLocal) continue;
    meta->schema.indexes.erase(meta->schema.indexes.begin() + static_cast<ptrdiff_t>(i));
    meta->index_states.erase(meta->index_states.begin() + static_cast<ptrdiff_t>(i));
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<Table>> FindTable(const OperationContext& context,
                                                 std::string_view name_or_arn) {
  DYNOLITH_RETURN_IF_ERROR(CheckTableName(name_or_arn));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string_view name, ResolveTableName(context, name_or_arn));
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, FindSettled(context, name));
  if (table == nullptr) {
    return MakeError(ErrorKind::kResourceNotFound, messages::TableNotFound(name));
  }
  return table;
}

absl::StatusOr<TableDescription> Describe(const OperationContext& context, Table* table,
                                          const TableMeta& described, Sizes sizes) {
  TableDescription description;
  description.meta = described;
  const TableMeta& meta = description.meta;
  if (meta.status == TableStatus::kDeleting) RemoveGlobalIndexes(&description.meta);
  description.table_arn = TableArn(context, meta.schema.name);
  DYNOLITH_ASSIGN_OR_RETURN(const LiveCounts::Count size,
                            SizeOf(context, table, Family::kTables, meta.schema.id, sizes));
  description.item_count = size.rows;
  description.table_size_bytes = size.bytes;

  const absl::Time now = context.clock->Now();
  ForgetOldDecreases(now, &description.meta.throughput);
  description.warm_is_updating = IsUnderWay(meta.warm_until, now);
  if (!IsUnderWay(meta.encryption_until, now)) description.meta.encryption_until.reset();
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    const IndexSchema& index = meta.schema.indexes[i];
    ForgetOldDecreases(now, &description.meta.index_states[i].throughput);
    TableDescription::IndexSize& index_size = description.index_sizes.emplace_back();
    index_size.warm_is_updating = IsUnderWay(meta.index_states[i].warm_until, now);
    // Backfill adds rows without a write to the table, and what is being deleted loses them.
    const IndexStatus status = meta.index_states[i].status;
    const bool steady = status == IndexStatus::kActive || status == IndexStatus::kUpdating;
    DYNOLITH_ASSIGN_OR_RETURN(const LiveCounts::Count count,
                              SizeOf(context, table, FamilyOf(index.kind), index.id,
                                     steady ? sizes : Sizes::kRemembered));
    index_size.item_count = count.rows;
    index_size.size_bytes = count.bytes;
  }
  return description;
}

TableDescription DescribeNew(const OperationContext& context, const TableMeta& meta) {
  TableDescription description;
  description.meta = meta;
  description.meta.status = TableStatus::kCreating;
  for (IndexState& state : description.meta.index_states) state.status = IndexStatus::kCreating;
  description.table_arn = TableArn(context, meta.schema.name);
  description.index_sizes.resize(meta.schema.indexes.size());
  return description;
}

}  // namespace dynolith
