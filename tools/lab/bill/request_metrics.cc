#include "tools/lab/bill/request_metrics.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/bill/messages.h"
#include "tools/lab/experiment/recorded_trace.h"
#include "tools/server/trace/trace_format.h"

namespace dynolith::lab {
namespace {

constexpr int64_t kMinuteSeconds = 60;
constexpr AccessKind kRequestKinds[] = {AccessKind::kRead, AccessKind::kWrite};

// What one table or index consumed, by seconds of the Unix epoch.
struct Seconds {
  PerKind<std::map<int64_t, double>> units;
  PerKind<std::map<int64_t, double>> throttled;
};

class RequestCounter {
 public:
  void Add(const trace::Request& request) {
    const int64_t second = request.at / kSecond;
    first_ = std::min(first_, second);
    last_ = std::max(last_, second);
    for (const trace::Use& use : request.uses) {
      Seconds& seconds = resources_[use.resource];
      if (use.throttled) {
        seconds.throttled[use.kind][second] += use.begins ? 1 : 0;
      } else {
        seconds.units[use.kind][second] += static_cast<double>(use.half_units) / 2;
      }
    }
  }

  // Whole minutes of the clock, so those of several files fit together.
  int64_t minutes() const {
    return last_ < first_ ? 0 : std::max<int64_t>(0, (last_ + 1 - begin()) / kMinuteSeconds);
  }

  void AddTo(const std::vector<trace::Resource>& resources, Metrics* metrics) const {
    for (const auto& [number, seconds] : resources_) {
      const trace::Resource& resource = resources[number];
      ResourceMetrics& target = metrics->resources[ResourceName(resource)];
      for (const AccessKind kind : kRequestKinds) {
        AddMinutes(seconds.units[kind], &target.consumed[kind]);
        AddMinutes(seconds.throttled[kind], &target.throttled[kind]);
        for (const int64_t end : {begin(), last_minute()}) {
          target.consumed[kind][end] += 0;
          if (resource.on_demand) continue;
          target.provisioned[kind][end] = static_cast<double>(resource.units[kind]);
        }
      }
    }
    metrics->known_period = kMinuteSeconds;
  }

 private:
  // Of the first whole minute. Requires: there are requests.
  int64_t begin() const { return (first_ + kMinuteSeconds - 1) / kMinuteSeconds * kMinuteSeconds; }

  int64_t last_minute() const { return begin() + (minutes() - 1) * kMinuteSeconds; }

  // Only minutes with requests have points: there may be years without any.
  void AddMinutes(const std::map<int64_t, double>& seconds, MetricPoints* points) const {
    for (const auto& [second, value] : seconds) {
      if (second < begin()) continue;
      const int64_t minute = (second - begin()) / kMinuteSeconds;
      if (minute < minutes()) (*points)[begin() + minute * kMinuteSeconds] += value;
    }
  }

  std::map<uint32_t, Seconds> resources_;  // by the numbers of the trace
  int64_t first_ = std::numeric_limits<int64_t>::max();
  int64_t last_ = std::numeric_limits<int64_t>::min();
};

// Whether one of these is a member of the object with which `json` begins.
bool HasMember(std::string_view json, std::initializer_list<std::string_view> names) {
  int depth = 0;
  bool is_name = false;
  for (size_t i = 0; i < json.size(); ++i) {
    switch (json[i]) {
      case '{':
      case '[':
        is_name = ++depth == 1;
        break;
      case '}':
      case ']':
        if (--depth == 0) return false;
        break;
      case ',':
        is_name = depth == 1;
        break;
      case '"': {
        const size_t begin = ++i;
        while (i < json.size() && json[i] != '"') i += json[i] == '\\' ? 2 : 1;
        const std::string_view text = json.substr(begin, i - begin);
        if (is_name && std::find(names.begin(), names.end(), text) != names.end()) return true;
        is_name = false;
        break;
      }
      default:
        break;
    }
  }
  return false;
}

}  // namespace

bool HoldsRequests(std::string_view bytes) {
  trace::FileHeader header;
  if (trace::DecodeHeader(bytes, &header) != trace::HeaderError::kNoTrace) return true;
  if (!IsAccessLog(bytes)) return false;
  // A compressed log is no JSON; metrics may be JSON, too.
  const size_t begin = bytes.find('{');
  return bytes.find_first_not_of(" \t\r\n") != begin ||
         HasMember(bytes.substr(begin), {"eventName", "Records"});
}

absl::StatusOr<std::vector<std::string>> AddRequestMetrics(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    const LogAssumptions& assumptions, Metrics* metrics) {
  RequestCounter counter;
  DYNOLITH_ASSIGN_OR_RETURN(
      RequestsRead requests,
      ReadRequests(file, read, assumptions,
                   [&counter](const trace::Request& request) { counter.Add(request); }));
  if (counter.minutes() < 2) {
    return absl::InvalidArgumentError(ToAbsl(messages::LabBillShortTrace(file)));
  }
  if (counter.minutes() > kBilledPeriodsMax) {
    return absl::InvalidArgumentError(ToAbsl(messages::LabBillTooLong(kBilledPeriodsMax)));
  }
  counter.AddTo(requests.contents.resources, metrics);
  return std::move(requests.contents.warnings);
}

}  // namespace dynolith::lab
