// Requests and outputs of UpdateTimeToLive and DescribeTimeToLive, with DynamoDB's member names in
// snake_case.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_TIME_TO_LIVE_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_TIME_TO_LIVE_H_

#include <cstdint>
#include <optional>
#include <string>

namespace dynolith {

struct TimeToLiveSpecification {
  bool enabled = false;
  std::string attribute_name;
};

struct UpdateTimeToLiveRequest {
  std::string table_name;
  TimeToLiveSpecification time_to_live_specification;
};

struct UpdateTimeToLiveOutput {
  TimeToLiveSpecification time_to_live_specification;
};

struct DescribeTimeToLiveRequest {
  std::string table_name;
};

enum class TimeToLiveStatus : uint8_t { kEnabling, kDisabling, kEnabled, kDisabled };

struct TimeToLiveDescription {
  TimeToLiveStatus time_to_live_status = TimeToLiveStatus::kDisabled;
  std::optional<std::string> attribute_name;  // while enabled
};

struct DescribeTimeToLiveOutput {
  TimeToLiveDescription time_to_live_description;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TIME_TO_LIVE_H_
