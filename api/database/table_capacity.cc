#include "api/database/table_capacity.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "api/table/table_gate.h"
#include "engine/base/hex.h"
#include "engine/base/messages/partitions.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"

namespace dynolith {
namespace {

// Of the modes in which something is refused.
constexpr std::pair<CapacityMode, Admission> kAdmissions[] = {
    {CapacityMode::kStatic, Admission::kStatic},
    {CapacityMode::kBurst, Admission::kBurst},
    {CapacityMode::kAdaptive, Admission::kAdaptive},
    {CapacityMode::kGlobal, Admission::kGlobal}};

CapacityOptions OptionsOf(const std::optional<CapacitySettings>& settings) {
  CapacityOptions options;
  if (!settings) return options;
  options.scale = settings->scale;
  options.seed = settings->seed;
  options.account_limit_throttles = settings->account_limit_throttles;
  for (const auto& [mode, admission] : kAdmissions) {
    if (admission == settings->admission) options.mode = mode;
  }
  return options;
}

double Units(Tokens tokens) {
  return static_cast<double>(tokens) / static_cast<double>(kTokensPerUnit);
}

CapacityUse UseOf(const PartitionReport& report, AccessKind kind) {
  const auto& refused = report.refused[kind];
  return {
      .consumed = Units(report.consumed[kind]),
      .level = Units(report.maximum_level[kind]),
      .refused_provisioned = refused[static_cast<size_t>(ThroughputLimit::kProvisionedThroughput)],
      .refused_key_range = refused[static_cast<size_t>(ThroughputLimit::kKeyRange)],
      .refused_max_on_demand = refused[static_cast<size_t>(ThroughputLimit::kMaxOnDemand)],
      .refused_account = refused[static_cast<size_t>(ThroughputLimit::kAccount)]};
}

ThroughputCapacity CapacityOf(std::string_view index_name, const TableThroughput::Report& report) {
  ThroughputCapacity capacity;
  capacity.index_name = index_name;
  capacity.on_demand = report.rates.on_demand;
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
    shown.begin = Hex(partition.begin);
    shown.reads = UseOf(done, AccessKind::kRead);
    shown.writes = UseOf(done, AccessKind::kWrite);
    if (done.split_at) shown.split_at = absl::FromUnixMicros(*done.split_at);
  }
  return capacity;
}

}  // namespace

absl::StatusOr<std::optional<CapacitySettings>> SettingsOf(const CapacityOptions& options) {
  if (!(options.scale > 0 && std::isfinite(options.scale))) {
    return absl::InvalidArgumentError(messages::CapacityScaleNotAbove());
  }
  if (options.mode == CapacityMode::kAccount) return std::nullopt;
  CapacitySettings settings;
  settings.scale = options.scale;
  settings.seed = options.seed;
  settings.account_limit_throttles = options.account_limit_throttles;
  for (const auto& [mode, admission] : kAdmissions) {
    if (mode == options.mode) settings.admission = admission;
  }
  return settings;
}

absl::Status SetTableCapacity(const OperationContext& context, std::string_view table,
                              const CapacityOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<CapacitySettings> settings, SettingsOf(options));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> found, FindUsableTable(context, table));
  // Each write is of one mode: what is remembered of collections knows of all of them.
  absl::WriterMutexLock gate(&found->gate);
  found->collection_sizes.ForgetAll();
  found->throughput.Enforce(settings);
  return absl::OkStatus();
}

absl::StatusOr<CapacityReport> ReportTableCapacity(const OperationContext& context,
                                                   std::string_view table) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> found, FindUsableTable(context, table));
  CapacityReport report;
  report.options = OptionsOf(found->throughput.settings());
  const std::shared_ptr<const TableMeta> meta = found->meta();
  const Micros now = absl::ToUnixMicros(context.clock->Now());
  if (const auto own = found->throughput.ReportOf(meta->schema.id, now)) {
    report.throughputs.push_back(CapacityOf("", *own));
  }
  for (const IndexSchema& index : meta->schema.indexes) {
    if (const auto of_index = found->throughput.ReportOf(index.id, now)) {
      report.throughputs.push_back(CapacityOf(index.name, *of_index));
    }
  }
  return report;
}

}  // namespace dynolith
