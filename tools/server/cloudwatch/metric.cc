#include "tools/server/cloudwatch/metric.h"

#include <algorithm>
#include <array>

namespace dynolith::cloudwatch {
namespace {

// In the order of Metric.
constexpr std::array<MetricInfo, kMetrics> kInfos = {{
    {"ConditionalCheckFailedRequests", "Count"},
    {"ConsumedReadCapacityUnits", "Count"},
    {"ConsumedWriteCapacityUnits", "Count"},
    {"ProvisionedReadCapacityUnits", "Count"},
    {"ProvisionedWriteCapacityUnits", "Count"},
    {"ReadThrottleEvents", "Count"},
    {"ReadProvisionedThroughputThrottleEvents", "Count"},
    {"ReadKeyRangeThroughputThrottleEvents", "Count"},
    {"ReadMaxOnDemandThroughputThrottleEvents", "Count"},
    {"ReadAccountLimitThrottleEvents", "Count"},
    {"ReturnedBytes", "Bytes"},
    {"ReturnedItemCount", "Count"},
    {"ReturnedRecordsCount", "Count"},
    {"SuccessfulRequestLatency", "Milliseconds"},
    {"SystemErrors", "Count"},
    {"ThrottledRequests", "Count"},
    {"TimeToLiveDeletedItemCount", "Count"},
    {"TransactionConflict", "Count"},
    {"UserErrors", "Count"},
    {"WriteThrottleEvents", "Count"},
    {"WriteProvisionedThroughputThrottleEvents", "Count"},
    {"WriteKeyRangeThroughputThrottleEvents", "Count"},
    {"WriteMaxOnDemandThroughputThrottleEvents", "Count"},
    {"WriteAccountLimitThrottleEvents", "Count"},
}};

}  // namespace

const MetricInfo& InfoOf(Metric metric) { return kInfos[static_cast<size_t>(metric)]; }

Dimensions DimensionsOf(const Series& series) {
  Dimensions dimensions;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) dimensions.emplace_back(name, value);
  };
  add("TableName", series.table);
  add("GlobalSecondaryIndexName", series.index);
  add("Operation", series.operation);
  add("StreamLabel", series.stream_label);
  return dimensions;
}

std::optional<Series> FindSeries(std::string_view metric_name, const Dimensions& dimensions) {
  const auto* const info = std::find_if(kInfos.begin(), kInfos.end(), [&](const MetricInfo& each) {
    return each.name == metric_name;
  });
  if (info == kInfos.end()) return std::nullopt;
  Series series;
  series.metric = static_cast<Metric>(info - kInfos.begin());
  for (const auto& [name, value] : dimensions) {
    std::string* const at = name == "TableName"                  ? &series.table
                            : name == "GlobalSecondaryIndexName" ? &series.index
                            : name == "Operation"                ? &series.operation
                            : name == "StreamLabel"              ? &series.stream_label
                                                                 : nullptr;
    if (at == nullptr || !at->empty() || value.empty()) return std::nullopt;
    *at = value;
  }
  return series;
}

}  // namespace dynolith::cloudwatch
