#include "api/table/table_description.h"

#include <optional>
#include <string>

#include "api/request/arn.h"
#include "api/table/messages.h"
#include "api/table/row_count.h"
#include "api/table/shown_schema.h"
#include "api/table/table_lifecycle.h"
#include "api/table/throughput_rules.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/families.h"
#include "engine/partition/stored_bytes.h"

namespace dynolith {
namespace {

// Up to here a count is exact; beyond, writes of up to a hundredth of the rows may be missing.
constexpr int64_t kExactRowsMax = 100'000;
constexpr uint64_t kStaleFraction = 100;

bool IsFresh(const LiveCounts::Count& count, uint64_t writes_now) {
  const uint64_t missed = writes_now - count.writes;
  if (count.rows <= kExactRowsMax) return missed == 0;
  return missed <= static_cast<uint64_t>(count.rows) / kStaleFraction;
}

absl::StatusOr<LiveCounts::Count> CountTable(const OperationContext& context, Table* table,
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

// Whether a change still shows as under way. Its end changes nothing else, so no job finishes it.
bool IsUnderWay(const std::optional<absl::Time>& until, absl::Time now) {
  return until && now < *until;
}

// A table, and what its description is made from.
struct DescribedTable {
  const OperationContext& context;
  const TableMeta& meta;
  std::string table_arn;
  // nullptr: nothing is counted, everything is empty.
  Table* table;
  Sizes sizes;
  absl::Time now;
};

ProvisionedThroughputDescription ShowThroughput(const Throughput& throughput, absl::Time now) {
  return {.last_increase_date_time = throughput.last_increase,
          .last_decrease_date_time = throughput.last_decrease,
          // The number of decreases is one of the current day.
          .number_of_decreases_today = DecreasesOn(throughput, now),
          .read_capacity_units = throughput.read_units,
          .write_capacity_units = throughput.write_units};
}

// Always there: what was asked for, or what the mode starts with (api/facts/newest.md §2).
WarmThroughput MakeWarmThroughput(const std::optional<WarmThroughput>& warm,
                                  const Throughput& throughput, BillingMode mode) {
  if (warm) return *warm;
  if (mode == BillingMode::kPayPerRequest) {
    return {kOnDemandInitialReadUnits, kOnDemandInitialWriteUnits};
  }
  return {throughput.read_units, throughput.write_units};
}

absl::StatusOr<LiveCounts::Count> CountIndex(const DescribedTable& shown, size_t i) {
  if (shown.table == nullptr) return LiveCounts::Count();
  const IndexSchema& index = shown.meta.schema.indexes[i];
  // Backfill adds rows without a write to the table, and what is being deleted loses them.
  const IndexStatus status = shown.meta.index_states[i].status;
  const bool steady = status == IndexStatus::kActive || status == IndexStatus::kUpdating;
  return CountTable(shown.context, shown.table, IndexFamily(index.kind), index.id,
                    steady ? shown.sizes : Sizes::kRemembered);
}

// Indexes that come with their table have nothing to fill.
std::optional<bool> IsBackfilling(const DescribedTable& shown, const IndexState& state) {
  const bool fills =
      state.status == IndexStatus::kCreating && shown.meta.status != TableStatus::kCreating;
  return fills ? std::optional<bool>(state.backfilling) : std::nullopt;
}

// What all kinds of indexes show.
template <typename Description>
absl::Status ShowIndexSizes(const DescribedTable& shown, size_t i, Description* description) {
  DYNOLITH_ASSIGN_OR_RETURN(const LiveCounts::Count count, CountIndex(shown, i));
  description->index_size_bytes = count.bytes;
  description->item_count = count.rows;
  description->index_arn = IndexArn(shown.table_arn, shown.meta.schema.indexes[i].name);
  return absl::OkStatus();
}

void ShowGlobalState(const DescribedTable& shown, size_t i,
                     SecondaryIndexDescription* description) {
  const IndexState& state = shown.meta.index_states[i];
  description->index_status = state.status;
  description->backfilling = IsBackfilling(shown, state);
  description->provisioned_throughput = ShowThroughput(state.throughput, shown.now);
  description->on_demand_throughput = state.on_demand;
  const WarmThroughput warm =
      MakeWarmThroughput(state.warm, state.throughput, shown.meta.billing_mode);
  description->warm_throughput = {.read_units_per_second = warm.read_units,
                                  .write_units_per_second = warm.write_units,
                                  .status = IsUnderWay(state.warm_until, shown.now)
                                                ? IndexStatus::kUpdating
                                                : IndexStatus::kActive};
}

absl::Status ShowVectorIndex(const DescribedTable& shown, size_t i, TableDescription* description) {
  const IndexState& state = shown.meta.index_states[i];
  VectorIndexDescription& index = description->vector_indexes.emplace_back();
  ShowVectorSchema(shown.meta.schema.indexes[i], &index);
  index.index_status = state.status;
  index.backfilling = IsBackfilling(shown, state);
  return ShowIndexSizes(shown, i, &index);
}

absl::Status ShowIndexes(const DescribedTable& shown, TableDescription* description) {
  // The service does not show global indexes of a table that is being deleted; vector indexes
  // neither here.
  const bool deleting = shown.meta.status == TableStatus::kDeleting;
  for (size_t i = 0; i < shown.meta.schema.indexes.size(); ++i) {
    const IndexSchema& schema = shown.meta.schema.indexes[i];
    if (deleting && schema.kind != IndexKind::kLocal) continue;
    if (schema.kind == IndexKind::kVector) {
      DYNOLITH_RETURN_IF_ERROR(ShowVectorIndex(shown, i, description));
      continue;
    }
    const bool is_global = schema.kind == IndexKind::kGlobal;
    auto& indexes =
        is_global ? description->global_secondary_indexes : description->local_secondary_indexes;
    SecondaryIndexDescription& index = indexes.emplace_back();
    ShowIndexSchema(schema, &index);
    DYNOLITH_RETURN_IF_ERROR(ShowIndexSizes(shown, i, &index));
    if (is_global) ShowGlobalState(shown, i, &index);
  }
  return absl::OkStatus();
}

// The same twice: the second, undocumented name is sent, too (api/facts/operations.md §5.1).
void ShowBilling(const TableMeta& meta, TableDescription* description) {
  if (meta.billing_mode != BillingMode::kPayPerRequest && !meta.last_pay_per_request) return;
  std::optional<absl::Time> last;
  if (meta.status != TableStatus::kCreating) last = meta.last_pay_per_request;
  description->billing_mode_summary = {.billing_mode = meta.billing_mode,
                                       .last_update_to_pay_per_request_date_time = last};
  description->table_throughput_mode_summary = {.table_throughput_mode = meta.billing_mode,
                                                .last_update_to_pay_per_request_date_time = last};
}

void ShowStream(const DescribedTable& shown, TableDescription* description) {
  const StreamState& stream = shown.meta.stream;
  if (stream.enabled) description->stream_specification = ShownStream(stream);
  // The last stream stays visible after it has been disabled.
  if (stream.label.empty()) return;
  description->latest_stream_label = stream.label;
  description->latest_stream_arn = StreamArn(shown.table_arn, stream.label);
}

// The way back to the default key is shown while it lasts.
void ShowEncryption(const DescribedTable& shown, TableDescription* description) {
  const TableMeta& meta = shown.meta;
  const bool enabled = meta.encryption && meta.encryption->enabled;
  const bool changes = IsUnderWay(meta.encryption_until, shown.now);
  if (!enabled && !changes) return;
  description->sse_description =
      DescribeEncryption(meta.encryption, changes ? SseStatus::kUpdating : SseStatus::kEnabled);
}

// As long as the table is being created, it is being restored.
void ShowRestore(const TableMeta& meta, TableDescription* description) {
  if (!meta.restore) return;
  TableRestoreSummary& restore = description->restore_summary.emplace();
  if (!meta.restore->source_backup_arn.empty()) {
    restore.source_backup_arn = meta.restore->source_backup_arn;
  }
  restore.source_table_arn = meta.restore->source_table_arn;
  restore.restore_date_time = meta.restore->restored;
  restore.restore_in_progress = meta.status == TableStatus::kCreating;
}

ReplicaDescription ShowReplica(const Replica& replica, absl::Time now) {
  const ReplicaSettings& settings = replica.settings;
  ReplicaDescription description;
  description.region_name = replica.region;
  description.replica_status = FindReplicaStatus(replica, now);
  if (!settings.kms_key.empty()) description.kms_master_key_id = settings.kms_key;
  if (settings.read_units) description.provisioned_throughput_override = {settings.read_units};
  if (settings.max_read_units) {
    description.on_demand_throughput_override = {settings.max_read_units};
  }
  if (settings.table_class) {
    description.replica_table_class_summary = {.table_class = *settings.table_class};
  }
  for (const ReplicaSettings::Index& index : settings.indexes) {
    if (!description.global_secondary_indexes) description.global_secondary_indexes.emplace();
    auto& shown = description.global_secondary_indexes->emplace_back();
    shown.index_name = index.name;
    if (index.read_units) shown.provisioned_throughput_override = {index.read_units};
    if (index.max_read_units) shown.on_demand_throughput_override = {index.max_read_units};
  }
  return description;
}

void ShowReplicas(const DescribedTable& shown, TableDescription* description) {
  if (shown.meta.replicas.empty()) return;
  description->global_table_version = "2019.11.21";
  if (shown.meta.is_strong) {
    description->multi_region_consistency = MultiRegionConsistency::kStrong;
  }
  for (const Replica& replica : shown.meta.replicas) {
    description->replicas.push_back(ShowReplica(replica, shown.now));
  }
  if (!shown.meta.witness) return;
  const Witness& witness = *shown.meta.witness;
  const bool is_made = shown.meta.NeedsMajority() && !IsUnderWay(witness.status_until, shown.now);
  GlobalTableWitnessDescription& shown_witness = description->global_table_witnesses.emplace_back();
  shown_witness.region_name = witness.region;
  shown_witness.witness_status = witness.is_deleting ? WitnessStatus::kDeleting
                                 : is_made           ? WitnessStatus::kActive
                                                     : WitnessStatus::kCreating;
}

absl::StatusOr<TableDescription> Show(const DescribedTable& shown, const LiveCounts::Count& size) {
  const TableMeta& meta = shown.meta;
  TableDescription description;
  description.attribute_definitions = ShownDefinitions(meta.attribute_definitions);
  description.table_name = meta.schema.name;
  description.key_schema = ShownKeySchema(meta.schema.key);
  description.table_status = meta.status;
  description.creation_date_time = meta.created;
  description.provisioned_throughput = ShowThroughput(meta.throughput, shown.now);
  description.table_size_bytes = size.bytes;
  description.item_count = size.rows;
  description.table_arn = shown.table_arn;
  description.table_id = meta.uuid;
  ShowBilling(meta, &description);
  DYNOLITH_RETURN_IF_ERROR(ShowIndexes(shown, &description));
  ShowStream(shown, &description);
  ShowReplicas(shown, &description);
  ShowRestore(meta, &description);
  ShowEncryption(shown, &description);
  if (meta.table_class) {
    description.table_class_summary = {.table_class = *meta.table_class,
                                       .last_update_date_time = meta.table_class_changed};
  }
  description.deletion_protection_enabled = meta.deletion_protection;
  description.on_demand_throughput = meta.on_demand;
  const WarmThroughput warm = MakeWarmThroughput(meta.warm, meta.throughput, meta.billing_mode);
  description.warm_throughput = {.read_units_per_second = warm.read_units,
                                 .write_units_per_second = warm.write_units,
                                 .status = IsUnderWay(meta.warm_until, shown.now)
                                               ? TableStatus::kUpdating
                                               : TableStatus::kActive};
  return description;
}

}  // namespace

ReplicaStatus FindReplicaStatus(const Replica& replica, absl::Time now) {
  if (replica.deleting_from) return ReplicaStatus::kDeleting;
  if (!replica.is_filled) return ReplicaStatus::kCreating;
  return IsUnderWay(replica.status_until, now) ? ReplicaStatus::kUpdating : ReplicaStatus::kActive;
}

absl::StatusOr<std::shared_ptr<Table>> FindTable(const OperationContext& context,
                                                 std::string_view name_or_arn) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string_view name, ResolveTableName(context, name_or_arn));
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, FindSettled(context, name));
  if (table == nullptr) {
    return MakeError(ErrorKind::kResourceNotFound, messages::TableNotFound(name));
  }
  return table;
}

absl::StatusOr<TableDescription> Describe(const OperationContext& context, Table* table,
                                          const TableMeta& meta, Sizes sizes) {
  DYNOLITH_ASSIGN_OR_RETURN(const LiveCounts::Count size,
                            CountTable(context, table, Family::kTables, meta.schema.id, sizes));
  return Show({.context = context,
               .meta = meta,
               .table_arn = TableArn(context, meta.schema.name),
               .table = table,
               .sizes = sizes,
               .now = context.clock->Now()},
              size);
}

TableDescription DescribeNew(const OperationContext& context, const TableMeta& meta) {
  TableMeta shown = meta;
  shown.status = TableStatus::kCreating;
  for (IndexState& state : shown.index_states) state.status = IndexStatus::kCreating;
  // Only counting can fail, and nothing is counted.
  return *Show({.context = context,
                .meta = shown,
                .table_arn = TableArn(context, meta.schema.name),
                .table = nullptr,
                .sizes = Sizes::kRemembered,
                .now = context.clock->Now()},
               LiveCounts::Count());
}

void HideDeleted(TableDescription* description) {
  description->attribute_definitions.clear();
  description->key_schema.clear();
  description->creation_date_time.reset();
  description->local_secondary_indexes.clear();
  description->global_secondary_indexes.clear();
  description->vector_indexes.clear();
  description->warm_throughput.reset();
}

}  // namespace dynolith
