#include "tools/proxy/proxy_admin.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "api/json/fault_rule_text.h"
#include "api/json/json_writer.h"
#include "api/service/admin_error.h"
#include "engine/base/strings.h"
#include "tools/proxy/messages.h"

namespace dynolith::proxy {
namespace {

constexpr std::string_view kProxy = "/_dynolith/proxy";
constexpr std::string_view kFaults = "/_dynolith/faults";

// Those of the server that mean something for calls that go elsewhere.
bool IsServersPath(std::string_view path) {
  constexpr std::string_view kPaths[] = {"/_dynolith/capacity", "/_dynolith/hot-keys",
                                         "/_dynolith/metrics", "/_dynolith/heat",
                                         "/_dynolith/live"};
  return path.starts_with(kFaults) || path.starts_with("/_dynolith/page/live.") ||
         std::find(std::begin(kPaths), std::end(kPaths), path) != std::end(kPaths);
}

// Statements of a batch have answers of their own, which only the endpoint can give.
bool IsImpossible(const FaultRule& rule) {
  return rule.fault == FaultKind::kTransactionConflict && rule.operation == "BatchExecuteStatement";
}

struct CountName {
  std::string_view member;
  std::string_view metric;
  std::string_view help;
  uint64_t ThrottleCounts::*count;
};
constexpr CountName kCounts[] = {
    {"calls", "measured_calls_total", "Calls of a table that were measured or throttled.",
     &ThrottleCounts::calls},
    {"throttled", "throttled_calls_total", "Calls that the endpoint has throttled.",
     &ThrottleCounts::throttled},
    {"would_throttle", "would_throttle_calls_total", "Calls that the model would have throttled.",
     &ThrottleCounts::would_throttle},
    {"both", "throttled_by_both_calls_total", "Calls that both have throttled.",
     &ThrottleCounts::both},
    {"unmeasured", "unmeasured_calls_total", "Calls of which nobody knows what they used.",
     &ThrottleCounts::unmeasured},
};

struct ShadowCountName {
  std::string_view name;
  uint64_t ShadowCounts::*count;
};
constexpr ShadowCountName kShadowCounts[] = {
    {"writes", &ShadowCounts::writes},
    {"failed_writes", &ShadowCounts::failed_writes},
    {"unclear_writes", &ShadowCounts::unclear_writes},
    {"equal_reads", &ShadowCounts::equal_reads},
    {"passing_reads", &ShadowCounts::passing_reads},
    {"different_reads", &ShadowCounts::different_reads},
    {"failed_reads", &ShadowCounts::failed_reads},
    {"incomparable_reads", &ShadowCounts::incomparable_reads},
    {"uncompared_reads", &ShadowCounts::uncompared_reads},
};

}  // namespace

bool ProxyAdmin::Answer(const AdminRequest& request, JsonResponse* answer) const {
  if (request.path == kProxy) {
    if (request.method == "GET") {
      Report(answer);
    } else {
      AnswerWrongMethod(kProxy, "GET", answer);
    }
    return true;
  }
  if (!IsServersPath(request.path)) {
    AnswerAdminError(404, messages::ProxyNoSuchPath(request.path), answer);
    return true;
  }
  if (request.path != kFaults || request.method != "POST") return false;
  const absl::StatusOr<FaultRule> rule = ReadFaultRule(request.body);
  if (!rule.ok() || !IsImpossible(*rule)) return false;
  AnswerAdminError(400, messages::ProxyImpossibleFault("transaction_conflict", *rule->operation),
                   answer);
  return true;
}

void ProxyAdmin::Report(JsonResponse* answer) const {
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("target");
  writer.String(target_->url());
  writer.Key("tables");
  writer.BeginArray();
  for (const auto& [table, counts] : mirror_->Counts()) {
    writer.BeginObject();
    writer.Key("table");
    writer.String(table);
    for (const CountName& each : kCounts) {
      writer.Key(each.member);
      writer.Integer(static_cast<int64_t>(counts.*each.count));
    }
    writer.EndObject();
  }
  writer.EndArray();
  if (shadow_ != nullptr) {
    const ShadowCounts counts = shadow_->Counts();
    writer.Key("shadow");
    writer.BeginObject();
    writer.Key("endpoint");
    writer.String(shadow_->url());
    for (const ShadowCountName& each : kShadowCounts) {
      writer.Key(each.name);
      writer.Integer(static_cast<int64_t>(counts.*each.count));
    }
    writer.EndObject();
  }
  writer.EndObject();
}

void ProxyAdmin::AddMetrics(MetricFamilies* families) const {
  const std::map<std::string, ThrottleCounts> counts = mirror_->Counts();
  for (const CountName& each : kCounts) {
    if (counts.empty()) break;
    MetricFamily& family = AddCounters(Concat("proxy_", each.metric), each.help, families);
    for (const auto& [table, of] : counts) {
      AddCounter({{"table", table}}, static_cast<double>(of.*each.count), &family);
    }
  }
  if (shadow_ == nullptr) return;
  const ShadowCounts shadow = shadow_->Counts();
  MetricFamily& calls =
      AddCounters("proxy_shadow_calls_total",
                  "Calls that a second endpoint got, or not, by outcome.", families);
  for (const ShadowCountName& each : kShadowCounts) {
    AddCounter({{"outcome", std::string(each.name)}}, static_cast<double>(shadow.*each.count),
               &calls);
  }
}

}  // namespace dynolith::proxy
