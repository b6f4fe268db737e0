#include "api/database/table_use_report.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/control/messages.h"
#include "api/table/table_gate.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/key/key_codec.h"

namespace dynolith {
namespace {

UseCount ToUseCount(const UseTotals& totals, AccessKind kind) {
  const auto& refused = totals.refused[kind];
  return {
      .consumed = static_cast<double>(totals.consumed[kind]) / kThousandths,
      .refused_provisioned = refused[static_cast<size_t>(ThroughputLimit::kProvisionedThroughput)],
      .refused_key_range = refused[static_cast<size_t>(ThroughputLimit::kKeyRange)],
      .refused_max_on_demand = refused[static_cast<size_t>(ThroughputLimit::kMaxOnDemand)],
      .refused_account = refused[static_cast<size_t>(ThroughputLimit::kAccount)]};
}

// Decodes the keys at watched positions of a table (`index` is nullptr) or of an index, where they
// are positions in its first shard.
class KeyReader {
 public:
  KeyReader(const TableSchema& schema, const IndexSchema* index)
      : schema_(schema),
        index_(index),
        prefix_(RangeOfId(index != nullptr ? index->id : schema.id).begin) {}

  absl::StatusOr<Item> ReadPartitionKey(const std::string& position) const {
    // All of the row key, and so written otherwise than what others follow.
    if (index_ == nullptr && schema_.key.range.empty()) return ReadItem(position);
    const KeySchema& key = index_ != nullptr ? index_->key : schema_.key;
    return DecodeIndexRowKey({.hash = key.hash, .range = {}}, {}, 1, prefix_ + position);
  }
  absl::StatusOr<Item> ReadItem(const std::string& position) const {
    return index_ != nullptr ? DecodeIndexRowKey(index_->key, {}, 1, prefix_ + position)
                             : DecodeRowKey(schema_.key, prefix_ + position);
  }

 private:
  const TableSchema& schema_;
  const IndexSchema* const index_;
  const std::string prefix_;
};

enum class KeyPart : uint8_t { kPartitionKey, kItem };

absl::StatusOr<std::vector<HotKey>> ReadList(const KeyReader& reader, KeyPart part, double unit,
                                             const HotKeyLists::List& list) {
  std::vector<HotKey> keys;
  keys.reserve(list.size());
  for (const HeavyKeys::CountedKey& counted : list) {
    DYNOLITH_ASSIGN_OR_RETURN(Item key, part == KeyPart::kItem
                                            ? reader.ReadItem(counted.key)
                                            : reader.ReadPartitionKey(counted.key));
    keys.push_back({.key = std::move(key),
                    .count = static_cast<double>(counted.count.count) / unit,
                    .error = static_cast<double>(counted.count.error) / unit});
  }
  return keys;
}

absl::StatusOr<HotKeys> ReadLists(const KeyReader& reader,
                                  const std::array<HotKeyLists::List, kHotKeyKinds>& lists) {
  const auto read = [&](HotKeyKind list, KeyPart part, double unit) {
    return ReadList(reader, part, unit, lists[static_cast<size_t>(list)]);
  };
  HotKeys keys;
  DYNOLITH_ASSIGN_OR_RETURN(
      keys.accessed_partition_keys,
      read(HotKeyKind::kAccessedPartitionKeys, KeyPart::kPartitionKey, kThousandths));
  DYNOLITH_ASSIGN_OR_RETURN(keys.accessed_items,
                            read(HotKeyKind::kAccessedItems, KeyPart::kItem, kThousandths));
  DYNOLITH_ASSIGN_OR_RETURN(keys.throttled_partition_keys,
                            read(HotKeyKind::kThrottledPartitionKeys, KeyPart::kPartitionKey, 1));
  DYNOLITH_ASSIGN_OR_RETURN(keys.throttled_items,
                            read(HotKeyKind::kThrottledItems, KeyPart::kItem, 1));
  return keys;
}

// A table or one of its global indexes.
struct UsedResource {
  std::shared_ptr<Table> table;
  std::shared_ptr<const TableMeta> meta;
  const IndexSchema* index = nullptr;  // of `meta`; nullptr: the table

  StorageId id() const { return index != nullptr ? index->id : meta->schema.id; }
};

// Errors: those of DescribeTable; the same for an index that is not there.
absl::StatusOr<UsedResource> FindUsed(const OperationContext& context, std::string_view table,
                                      std::string_view index) {
  UsedResource used;
  DYNOLITH_ASSIGN_OR_RETURN(used.table, FindUsableTable(context, table));
  used.meta = used.table->meta();
  if (index.empty()) return used;
  used.index = used.meta->schema.FindIndex(index);
  if (used.index == nullptr || used.index->kind != IndexKind::kGlobal) {
    return MakeError(ErrorKind::kResourceNotFound, messages::InsightsIndexNotFound(index, table));
  }
  return used;
}

HeatUse ToHeatUse(const HeatSlot& slot, AccessKind kind) {
  const auto& refused = slot.refused[kind];
  return {
      .operations = slot.operations[kind],
      .units = static_cast<double>(slot.consumed[kind]) * kHeatUnit,
      .bytes = slot.bytes[kind],
      .refused_provisioned = refused[static_cast<size_t>(ThroughputLimit::kProvisionedThroughput)],
      .refused_key_range = refused[static_cast<size_t>(ThroughputLimit::kKeyRange)],
      .refused_max_on_demand = refused[static_cast<size_t>(ThroughputLimit::kMaxOnDemand)],
      .refused_account = refused[static_cast<size_t>(ThroughputLimit::kAccount)]};
}

}  // namespace

std::vector<UseReport> ReportTableUse(const OperationContext& context) {
  std::vector<UseReport> reports;
  for (const std::shared_ptr<Table>& table : context.catalog->All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    const auto report = [&](const std::string& index_name, StorageId id, const IndexSchema* index) {
      const UseTotals totals = table->use.FindTotals(id);
      const TableRates& rates = meta->RatesFor(index);
      const auto units = rates.on_demand ? PerKind<int64_t>() : rates.units;
      reports.push_back({.table_name = meta->schema.name,
                         .index_name = index_name,
                         .reads = ToUseCount(totals, AccessKind::kRead),
                         .writes = ToUseCount(totals, AccessKind::kWrite),
                         .provisioned_read_units = units.read,
                         .provisioned_write_units = units.write});
    };
    report("", meta->schema.id, nullptr);
    for (const IndexSchema& index : meta->schema.indexes) {
      if (index.kind == IndexKind::kGlobal) report(index.name, index.id, &index);
    }
  }
  return reports;
}

absl::StatusOr<HotKeyReport> ReportTableHotKeys(const OperationContext& context,
                                                std::string_view table, std::string_view index) {
  DYNOLITH_ASSIGN_OR_RETURN(const UsedResource used, FindUsed(context, table, index));
  HotKeyReport report;
  report.table_name = used.meta->schema.name;
  report.index_name = index;
  const std::optional<HotKeyLists> lists =
      used.table->use.FindHotKeys(used.id(), kHotKeysMax, absl::ToUnixMicros(context.clock->Now()));
  if (!lists) return report;
  report.is_watched = true;
  if (lists->since) report.since = absl::FromUnixMicros(*lists->since);
  report.recent_since = absl::FromUnixMicros(lists->recent_since);
  const KeyReader reader(used.meta->schema, used.index);
  DYNOLITH_ASSIGN_OR_RETURN(report.all, ReadLists(reader, lists->all));
  DYNOLITH_ASSIGN_OR_RETURN(report.recent, ReadLists(reader, lists->recent));
  return report;
}

absl::Status WatchTableHeat(const OperationContext& context, std::string_view table, bool watches) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> found, FindUsableTable(context, table));
  found->WatchHeat(watches);
  return absl::OkStatus();
}

absl::StatusOr<HeatReport> ReportTableHeat(const OperationContext& context, std::string_view table,
                                           std::string_view index, absl::Time since) {
  DYNOLITH_ASSIGN_OR_RETURN(const UsedResource used, FindUsed(context, table, index));
  HeatReport report;
  report.table_name = used.meta->schema.name;
  report.index_name = index;
  report.now = context.clock->Now();
  report.slot = absl::Microseconds(HeatRecord::kSlot);
  report.slots = HeatRecord::kSlots;
  report.buckets = HeatRecord::kBuckets;
  const std::optional<std::vector<HeatSlot>> slots = used.table->use.FindHeat(
      used.id(), absl::ToUnixMicros(since), absl::ToUnixMicros(report.now));
  if (!slots) return report;
  report.is_watched = true;
  report.times.reserve(slots->size());
  for (const HeatSlot& slot : *slots) {
    HeatTime& time = report.times.emplace_back();
    time.begin = absl::FromUnixMicros(slot.begin);
    time.reads = ToHeatUse(slot, AccessKind::kRead);
    time.writes = ToHeatUse(slot, AccessKind::kWrite);
    time.cells.reserve(slot.cells.size());
    for (const HeatSlot::Cell& cell : slot.cells) {
      time.cells.push_back({.bucket = cell.bucket,
                            .operations = cell.operations,
                            .units = static_cast<double>(cell.consumed) * kHeatUnit,
                            .throttled = cell.throttled,
                            .bytes = cell.bytes});
    }
  }
  return report;
}

}  // namespace dynolith
