// The metrics of AWS/DynamoDB that are measured here, and the names of their series
// (api/facts/cloudwatch.md §1).
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_METRIC_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_METRIC_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynolith::cloudwatch {

inline constexpr std::string_view kNamespace = "AWS/DynamoDB";

enum class Metric : uint8_t {
  kConditionalCheckFailedRequests,
  kConsumedReadCapacityUnits,
  kConsumedWriteCapacityUnits,
  kProvisionedReadCapacityUnits,
  kProvisionedWriteCapacityUnits,
  kReadThrottleEvents,
  kReadProvisionedThroughputThrottleEvents,
  kReadKeyRangeThroughputThrottleEvents,
  kReadMaxOnDemandThroughputThrottleEvents,
  kReadAccountLimitThrottleEvents,
  kReturnedBytes,
  kReturnedItemCount,
  kReturnedRecordsCount,
  kSuccessfulRequestLatency,
  kSystemErrors,
  kThrottledRequests,
  kTimeToLiveDeletedItemCount,
  kTransactionConflict,
  kUserErrors,
  kWriteThrottleEvents,
  kWriteProvisionedThroughputThrottleEvents,
  kWriteKeyRangeThroughputThrottleEvents,
  kWriteMaxOnDemandThroughputThrottleEvents,
  kWriteAccountLimitThrottleEvents,
};
inline constexpr size_t kMetrics = 24;

struct MetricInfo {
  std::string_view name;
  std::string_view unit;
};
const MetricInfo& InfoOf(Metric metric);

// The values of its dimensions; empty: it has no such dimension.
struct Series {
  Metric metric = Metric::kUserErrors;
  std::string table;
  std::string index;      // a global index
  std::string operation;  // "PutItem"
  std::string stream_label;

  friend bool operator==(const Series&, const Series&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a 0 that is compared with.
  friend auto operator<=>(const Series&, const Series&) = default;
};

using Dimensions = std::vector<std::pair<std::string, std::string>>;
Dimensions DimensionsOf(const Series& series);
// nullopt: no series has that name and these dimensions, in whatever order.
std::optional<Series> FindSeries(std::string_view metric_name, const Dimensions& dimensions);

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_METRIC_H_
