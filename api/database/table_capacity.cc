#include "api/database/table_capacity.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "api/database/messages.h"
#include "api/table/table_gate.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/key/key_codec.h"

namespace dynolith {
namespace {

// The modes in which requests may be throttled, each with its kind of admission.
constexpr std::pair<CapacityMode, Admission> kAdmissions[] = {
    {CapacityMode::kStatic, Admission::kStatic},
    {CapacityMode::kBurst, Admission::kBurst},
    {CapacityMode::kAdaptive, Admission::kAdaptive},
    {CapacityMode::kGlobal, Admission::kGlobal}};

// A shorter burst would save nothing from one second to the next, and throttle nearly everything.
constexpr absl::Duration kBurstLeast = absl::Seconds(1);

CapacityOptions ToCapacityOptions(const std::optional<CapacitySettings>& settings) {
  CapacityOptions options;
  if (!settings) return options;
  options.scale = settings->scale;
  options.seed = settings->seed;
  options.account_limit_throttles = settings->account_limit_throttles;
  options.burst = absl::Microseconds(settings->burst);
  options.split_delay = absl::Microseconds(settings->heat.delay);
  options.partition_reads = settings->partition_units.read;
  for (const auto& [mode, admission] : kAdmissions) {
    if (admission == settings->admission) options.mode = mode;
  }
  return options;
}

double Units(Tokens tokens) {
  return static_cast<double>(tokens) / static_cast<double>(kTokensPerUnit);
}

// `mode`: of the table, or kGlobal where its throughput is not divided between partitions.
CapacityUse ToCapacityUse(const PartitionReport& report, AccessKind kind, CapacityMode mode) {
  const auto& refused = report.refused[kind];
  CapacityUse use = {
      .consumed = Units(report.consumed[kind]),
      .level = Units(report.maximum_level[kind]),
      .share_level = std::nullopt,
      .saved_level = std::nullopt,
      .refused_provisioned = refused[static_cast<size_t>(ThroughputLimit::kProvisionedThroughput)],
      .refused_key_range = refused[static_cast<size_t>(ThroughputLimit::kKeyRange)],
      .refused_max_on_demand = refused[static_cast<size_t>(ThroughputLimit::kMaxOnDemand)],
      .refused_account = refused[static_cast<size_t>(ThroughputLimit::kAccount)]};
  if (mode != CapacityMode::kGlobal) use.share_level = Units(report.share_level[kind]);
  const bool saves = mode == CapacityMode::kBurst || mode == CapacityMode::kAdaptive;
  if (saves) use.saved_level = Units(report.saved_level[kind]);
  return use;
}

// `index`: nullptr for the table itself.
KeyPosition ToKeyPosition(const TableSchema& schema, const IndexSchema* index,
                          std::string_view position) {
  KeyPosition shown = {.hex = Hex(position)};
  std::string row_key =
      RangeOfId(index != nullptr ? index->id : schema.id).begin + std::string(position);
  if (row_key.size() <= kRowPrefixBytes) return shown;
  const KeySchema& key = index != nullptr ? index->key : schema.key;
  absl::StatusOr<Item> item = index != nullptr
                                  ? DecodeIndexRowKey(key, schema.key, index->shards, row_key)
                                  : DecodeRowKey(key, row_key);
  if (!item.ok()) {
    // Not an item's, but its collection's, which has no shard.
    MoveToFirstShard(key, &row_key);
    item = DecodeIndexRowKey({.hash = key.hash}, {}, 1, row_key);
  }
  if (item.ok()) shown.key = *std::move(item);
  return shown;
}

ThroughputCapacity ToThroughputCapacity(const TableSchema& schema, const IndexSchema* index,
                                        CapacityMode mode, const TableThroughput::Report& report) {
  ThroughputCapacity capacity;
  if (index != nullptr) capacity.index_name = index->name;
  capacity.on_demand = report.rates.on_demand;
  if (capacity.on_demand) mode = CapacityMode::kGlobal;
  const PerKind<int64_t>& units = report.rates.on_demand ? report.state.warm : report.rates.units;
  capacity.read_units = units.read;
  capacity.write_units = units.write;
  capacity.read_level = Units(report.table_level.read);
  capacity.write_level = Units(report.table_level.write);
  for (size_t i = 0; i < report.partitions.size(); ++i) {
    const Partition& partition = report.state.partitions[i];
    const PartitionReport& done = report.partitions[i];
    PartitionCapacity& shown = capacity.partitions.emplace_back();
    shown.id = partition.id;
    shown.parent = partition.parent;
    shown.begin = ToKeyPosition(schema, index, partition.begin);
    shown.reads = ToCapacityUse(done, AccessKind::kRead, mode);
    shown.writes = ToCapacityUse(done, AccessKind::kWrite, mode);
    if (done.split_at) shown.split_at = absl::FromUnixMicros(*done.split_at);
  }
  for (const auto& [at, split] : report.splits) {
    capacity.splits.push_back({.at = absl::FromUnixMicros(at),
                               .parent = split.parent,
                               .low = split.low,
                               .high = split.high,
                               .boundary = ToKeyPosition(schema, index, split.boundary)});
  }
  return capacity;
}

}  // namespace

absl::StatusOr<std::optional<CapacitySettings>> ToCapacitySettings(const CapacityOptions& options) {
  if (!(options.scale > 0 && std::isfinite(options.scale))) {
    return absl::InvalidArgumentError(messages::CapacityScaleNotAbove());
  }
  if (options.burst.value_or(kBurstLeast) < kBurstLeast ||
      options.split_delay.value_or(absl::ZeroDuration()) < absl::ZeroDuration() ||
      options.partition_reads.value_or(1) < 1) {
    return absl::InvalidArgumentError(messages::CapacityAssumptionTooLow());
  }
  if (options.mode == CapacityMode::kAccount) return std::nullopt;
  CapacitySettings settings;
  settings.scale = options.scale;
  settings.seed = options.seed;
  settings.account_limit_throttles = options.account_limit_throttles;
  if (options.burst) settings.burst = absl::ToInt64Microseconds(*options.burst);
  if (options.split_delay) settings.heat.delay = absl::ToInt64Microseconds(*options.split_delay);
  if (options.partition_reads) settings.partition_units.read = *options.partition_reads;
  for (const auto& [mode, admission] : kAdmissions) {
    if (mode == options.mode) settings.admission = admission;
  }
  return settings;
}

absl::Status SetTableCapacity(const OperationContext& context, std::string_view table,
                              const CapacityOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<CapacitySettings> settings,
                            ToCapacitySettings(options));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> found, FindUsableTable(context, table));
  // Each write is of one mode: what is remembered of collections knows of all of them.
  const SpreadMutex::WriteScope gate(&found->gate);
  found->collection_sizes.ForgetAll();
  found->throughput.Enforce(settings);
  return absl::OkStatus();
}

absl::StatusOr<CapacityReport> ReportTableCapacity(const OperationContext& context,
                                                   std::string_view table) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> found, FindUsableTable(context, table));
  CapacityReport report;
  report.options = ToCapacityOptions(found->throughput.settings());
  const std::shared_ptr<const TableMeta> meta = found->meta();
  report.table_name = meta->schema.name;
  const Micros now = absl::ToUnixMicros(context.clock->Now());
  if (const auto own = found->throughput.MakeReport(meta->schema.id, now)) {
    report.throughputs.push_back(
        ToThroughputCapacity(meta->schema, nullptr, report.options.mode, *own));
  }
  for (const IndexSchema& index : meta->schema.indexes) {
    if (const auto of_index = found->throughput.MakeReport(index.id, now)) {
      report.throughputs.push_back(
          ToThroughputCapacity(meta->schema, &index, report.options.mode, *of_index));
    }
  }
  return report;
}

}  // namespace dynolith
