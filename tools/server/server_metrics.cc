#include "tools/server/server_metrics.h"

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "api/faults/fault_rules.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

void AddRequests(const RequestCounts& requests, MetricFamilies* families) {
  const std::vector<RequestCounts::OperationCounts> operations = requests.Take();
  MetricFamily& calls =
      AddCounters("requests_total", "Calls answered, by operation and outcome.", families);
  for (const RequestCounts::OperationCounts& of : operations) {
    for (const RequestCounts::Outcome& outcome : of.outcomes) {
      AddCounter({{"operation", std::string(of.operation)}, {"outcome", std::string(outcome.name)}},
                 static_cast<double>(outcome.count), &calls);
    }
  }
  MetricFamily& seconds =
      AddHistograms("request_duration_seconds",
                    "For how long calls were handled, without waits for a worker.", families);
  for (const RequestCounts::OperationCounts& of : operations) {
    auto& metric = seconds.metric.emplace_back();
    metric.label = {{"operation", std::string(of.operation)}};
    uint64_t count = 0;
    for (size_t i = 0; i < of.latencies.size(); ++i) {
      count += of.latencies[i];
      const bool is_last = i == RequestCounts::kLatencyBounds.size();
      metric.histogram.bucket.push_back({count, is_last ? std::numeric_limits<double>::infinity()
                                                        : RequestCounts::kLatencyBounds[i]});
    }
    metric.histogram.sample_count = count;
    metric.histogram.sample_sum = of.seconds;
  }
}

void AddRefused(const MetricLabels& labels, const UseCount& use, MetricFamily* family) {
  const auto add = [&](const char* reason, uint64_t count) {
    MetricLabels all = labels;
    all.push_back({"reason", reason});
    AddCounter(std::move(all), static_cast<double>(count), family);
  };
  add("provisioned", use.refused_provisioned);
  add("key_range", use.refused_key_range);
  add("max_on_demand", use.refused_max_on_demand);
  add("account", use.refused_account);
}

void AddUse(const std::vector<UseReport>& reports, MetricFamilies* families) {
  MetricFamily consumed;
  MetricFamily throttled;
  for (const UseReport& report : reports) {
    for (const auto& [kind, use] : {std::pair<const char*, const UseCount&>{"read", report.reads},
                                    {"write", report.writes}}) {
      const MetricLabels labels = {
          {"table", report.table_name}, {"index", report.index_name}, {"kind", kind}};
      AddCounter(labels, use.consumed, &consumed);
      AddRefused(labels, use, &throttled);
    }
  }
  AddCounters("consumed_capacity_units_total",
              "Capacity units, by table, index (empty: the table itself) and kind.", families)
      .metric = std::move(consumed.metric);
  AddCounters("throttled_accesses_total",
              "Accesses that were refused, by table, index, kind and reason.", families)
      .metric = std::move(throttled.metric);
}

void AddFaults(const std::vector<FaultReport>& reports, MetricFamilies* families) {
  MetricFamily& family =
      AddCounters("faults_injected_total", "Calls that a fault rule has hit.", families);
  for (const FaultReport& report : reports) {
    AddCounter(
        {{"rule", std::to_string(report.id)}, {"fault", std::string(FaultName(report.rule.fault))}},
        static_cast<double>(report.hits), &family);
  }
}

void AddStore(const StoreStatistics& store, MetricFamilies* families) {
  const auto gauge = [&](const std::string& name, const std::string& help, uint64_t value) {
    AddLevel(Concat("store_", name), help, static_cast<double>(value), families);
  };
  gauge("rows_estimated", "Rows of every kind, with those overwritten.", store.rows_estimated);
  gauge("table_file_bytes", "Of table files, compressed.", store.table_file_bytes);
  gauge("live_bytes_estimated", "Of those, what is not overwritten.", store.live_bytes_estimated);
  gauge("memtable_bytes", "What is not yet in table files.", store.memtable_bytes);
  gauge("log_bytes", "Of write-ahead logs.", store.log_bytes);
  gauge("block_cache_capacity_bytes", "Room in the block cache.", store.block_cache_capacity_bytes);
  gauge("block_cache_bytes", "In the block cache.", store.block_cache_bytes);
  gauge("row_cache_capacity_bytes", "Room for items that are read again and again.",
        store.row_cache_capacity_bytes);
  gauge("row_cache_bytes", "Of such items, with what finds them.", store.row_cache_bytes);
  gauge("snapshots", "Moments that are kept.", store.snapshots);
  gauge("pending_compaction_bytes", "Compaction that is due.", store.pending_compaction_bytes);
  gauge("running_compactions", "Compactions under way.", store.running_compactions);
  gauge("running_flushes", "Flushes under way.", store.running_flushes);
  gauge("writes_stopped", "1 while writes wait for compaction.", store.writes_are_stopped ? 1 : 0);
  gauge("delayed_write_bytes_per_second", "To which writes are slowed down; 0: they are not.",
        store.delayed_write_bytes_per_second);
  AddCount("store_block_cache_hits_total", "Blocks found in the cache.",
           static_cast<double>(store.block_cache_hits), families);
  AddCount("store_block_cache_misses_total", "Blocks read from files.",
           static_cast<double>(store.block_cache_misses), families);
  AddCount("store_row_cache_hits_total",
           "Items, and pages of a Query, found without asking RocksDB.",
           static_cast<double>(store.row_cache_hits), families);
  AddCount("store_row_cache_misses_total",
           "Items and pages of a Query that RocksDB was asked for, one by one.",
           static_cast<double>(store.row_cache_misses), families);
  AddCount("store_write_stall_seconds_total", "For how long writers have waited.",
           static_cast<double>(store.write_stall_microseconds) / 1e6, families);
}

}  // namespace

void AddServerMetrics(const Database& database, const RequestCounts& requests, size_t connections,
                      MetricFamilies* families) {
  AddRequests(requests, families);
  AddUse(database.ReportUse(), families);
  AddFaults(database.ListFaults(), families);
  AddLevel("open_connections", "Connections of clients.", static_cast<double>(connections),
           families);
  const Statistics statistics = database.TakeStatistics();
  AddLevel("tables", "Tables there are.", static_cast<double>(statistics.tables), families);
  AddLevel("indexes", "Their indexes.", static_cast<double>(statistics.indexes), families);
  AddStore(statistics.store, families);
}

}  // namespace dynolith
