#include "api/faults/fault_rules.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/faults/messages.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/model/shapes.h"
#include "engine/partition/random_numbers.h"

namespace dynolith {
namespace {

// In the order of FaultKind.
constexpr std::string_view kFaultNames[] = {
    "throttle",           "internal_error", "unavailable",          "latency",
    "dropped_connection", "partial_batch",  "transaction_conflict", "answer_lost",
};
static_assert(std::size(kFaultNames) == static_cast<size_t>(FaultKind::kAnswerLost) + 1);

struct KnownOperation {
  std::string_view name;
  CallKind kind;
  bool writes;
};

// What a statement does, it says itself.
constexpr KnownOperation kOperations[] = {
    {"BatchExecuteStatement", CallKind::kStatements, false},
    {"BatchGetItem", CallKind::kBatch, false},
    {"BatchWriteItem", CallKind::kBatch, true},
    {"DeleteItem", CallKind::kWrite, true},
    {"ExecuteStatement", CallKind::kWrite, false},
    {"ExecuteTransaction", CallKind::kTransaction, false},
    {"PutItem", CallKind::kWrite, true},
    {"TransactGetItems", CallKind::kTransaction, false},
    {"TransactWriteItems", CallKind::kTransaction, true},
    {"UpdateItem", CallKind::kWrite, true},
};

// Whether the fault can happen to such calls at all.
bool Concerns(FaultKind fault, CallKind kind) {
  if (fault == FaultKind::kPartialBatch) return kind == CallKind::kBatch;
  if (fault != FaultKind::kTransactionConflict) return true;
  return kind == CallKind::kWrite || kind == CallKind::kTransaction ||
         kind == CallKind::kStatements;
}

bool IsFraction(double number) { return number > 0 && number <= 1; }

absl::Status CheckRange(bool is_in, std::string_view member, const std::string& range) {
  if (is_in) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::FaultOutOfRange(member, range));
}

absl::Status CheckRule(const FaultRule& rule) {
  if (rule.operation) {
    if (FindOperation(Service::kDynamo, *rule.operation) == nullptr &&
        FindOperation(Service::kStreams, *rule.operation) == nullptr) {
      return absl::InvalidArgumentError(messages::FaultUnknownOperation(*rule.operation));
    }
    if (!Concerns(rule.fault, FaultCallForOperation(*rule.operation).kind)) {
      return absl::InvalidArgumentError(
          messages::FaultNotOfOperation(FaultName(rule.fault), *rule.operation));
    }
  }
  DYNOLITH_RETURN_IF_ERROR(CheckRange(rule.nth >= 0, "nth", messages::FaultWantsWhole()));
  DYNOLITH_RETURN_IF_ERROR(
      CheckRange(IsFraction(rule.probability), "probability", messages::FaultWantsFraction()));
  DYNOLITH_RETURN_IF_ERROR(
      CheckRange(IsFraction(rule.share), "share", messages::FaultWantsFraction()));
  DYNOLITH_RETURN_IF_ERROR(CheckRange(rule.hits_max >= 0, "hits_max", messages::FaultWantsWhole()));
  DYNOLITH_RETURN_IF_ERROR(
      CheckRange(rule.lifetime > absl::ZeroDuration(), "lifetime", messages::FaultWantsSeconds()));
  if (rule.share != 1 && rule.fault != FaultKind::kPartialBatch) {
    return absl::InvalidArgumentError(
        messages::FaultMemberOfOtherFault("share", FaultName(FaultKind::kPartialBatch)));
  }
  DYNOLITH_RETURN_IF_ERROR(
      CheckRange(rule.retry_after >= absl::ZeroDuration() && rule.retry_after <= absl::Hours(1) &&
                     rule.retry_after % absl::Milliseconds(1) == absl::ZeroDuration(),
                 "retry_after", messages::FaultWantsMilliseconds()));
  const bool is_refusal = rule.fault == FaultKind::kThrottle ||
                          rule.fault == FaultKind::kInternalError ||
                          rule.fault == FaultKind::kUnavailable;
  if (rule.retry_after != absl::ZeroDuration() && !is_refusal) {
    return absl::InvalidArgumentError(
        messages::FaultMemberOfOtherFault("retry_after", messages::FaultsThatRefuse()));
  }
  if (rule.fault == FaultKind::kLatency) {
    return CheckRange(rule.latency > absl::ZeroDuration() &&
                          rule.latency <= absl::Seconds(kFaultLatencySecondsMax),
                      "latency", messages::FaultWantsLatency());
  }
  if (rule.latency == absl::ZeroDuration()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      messages::FaultMemberOfOtherFault("latency", FaultName(FaultKind::kLatency)));
}

bool Matches(const FaultRule& rule, const CallElement& element) {
  if (rule.table && element.table != *rule.table) return false;
  return std::all_of(rule.key.view().begin(), rule.key.view().end(),
                     [&](const AttributeView& attribute) {
                       const std::optional<ValueView> value = element.item.Find(attribute.name);
                       return value && *value == attribute.value;
                     });
}

// The elements that the rule is about; nullopt: it is not about this call.
std::optional<std::vector<size_t>> FindMatches(const FaultRule& rule, const FaultCall& call) {
  if (rule.operation && *rule.operation != call.operation) return std::nullopt;
  if (!Concerns(rule.fault, call.kind)) return std::nullopt;
  // A read in one statement conflicts with nothing.
  if (rule.fault == FaultKind::kTransactionConflict && call.kind != CallKind::kTransaction &&
      !call.writes) {
    return std::nullopt;
  }
  std::vector<size_t> matches;
  for (size_t i = 0; i < call.elements.size(); ++i) {
    if (Matches(rule, call.elements[i])) matches.push_back(i);
  }
  const bool is_any_call = !rule.table && rule.key.view().empty();
  if (matches.empty() && !is_any_call) return std::nullopt;
  return matches;
}

// The seed of one call's random numbers, which do not depend on those of other calls.
uint64_t RandomState(const FaultReport& report) {
  uint64_t number = static_cast<uint64_t>(report.matches);
  return report.rule.seed ^ NextRandom(&number);
}

// From 0 to below 1.
double NextFraction(uint64_t* state) {
  return static_cast<double>(NextRandom(state) >> 11) * 0x1p-53;
}

// Whether the rule hits its `report.matches`-th call; leaves in `struck` the elements that it hits.
bool Hits(const FaultReport& report, std::vector<size_t>* struck) {
  const FaultRule& rule = report.rule;
  if (rule.nth != 0 && report.matches != rule.nth) return false;
  uint64_t state = RandomState(report);
  if (NextFraction(&state) >= rule.probability) return false;
  if (rule.fault != FaultKind::kPartialBatch) return true;
  std::erase_if(*struck, [&](size_t) { return NextFraction(&state) >= rule.share; });
  return !struck->empty();
}

}  // namespace

FaultCall FaultCallForOperation(std::string_view operation) {
  const auto found =
      std::find_if(std::begin(kOperations), std::end(kOperations),
                   [&](const KnownOperation& known) { return known.name == operation; });
  if (found == std::end(kOperations)) return {.operation = operation};
  return {.operation = operation, .kind = found->kind, .writes = found->writes};
}

std::string_view FaultName(FaultKind fault) { return kFaultNames[static_cast<size_t>(fault)]; }

std::optional<FaultKind> ParseFaultKind(std::string_view name) {
  const auto found = std::find(std::begin(kFaultNames), std::end(kFaultNames), name);
  if (found == std::end(kFaultNames)) return std::nullopt;
  return static_cast<FaultKind>(found - std::begin(kFaultNames));
}

absl::StatusOr<int64_t> FaultRules::Add(const FaultRule& rule) {
  DYNOLITH_RETURN_IF_ERROR(CheckRule(rule));
  const absl::Time now = clock_->Now();
  absl::MutexLock lock(&mutex_);
  ExpireBy(now);
  if (reports_.size() >= kFaultRulesMax && !ForgetOldest()) {
    return absl::ResourceExhaustedError(messages::FaultTooManyRules(reports_.size()));
  }
  FaultReport& report = reports_.emplace_back();
  report.id = next_id_++;
  report.rule = rule;
  report.expires = now + rule.lifetime;
  active_.fetch_add(1, std::memory_order_relaxed);
  return report.id;
}

bool FaultRules::Remove(int64_t id) {
  absl::MutexLock lock(&mutex_);
  const auto found = std::find_if(reports_.begin(), reports_.end(),
                                  [&](const FaultReport& report) { return report.id == id; });
  if (found == reports_.end()) return false;
  if (!found->expired) Expire(&*found);
  reports_.erase(found);
  return true;
}

void FaultRules::RemoveAll() {
  absl::MutexLock lock(&mutex_);
  reports_.clear();
  active_.store(0, std::memory_order_relaxed);
}

std::vector<FaultReport> FaultRules::List() const {
  const absl::Time now = clock_->Now();
  absl::MutexLock lock(&mutex_);
  ExpireBy(now);
  return {reports_.begin(), reports_.end()};
}

FaultDecision FaultRules::Decide(const FaultCall& call) {
  FaultDecision decision;
  const absl::Time now = clock_->Now();
  absl::MutexLock lock(&mutex_);
  ExpireBy(now);
  for (FaultReport& report : reports_) {
    if (report.expired) continue;
    std::optional<std::vector<size_t>> struck = FindMatches(report.rule, call);
    if (!struck) continue;
    ++report.matches;
    const bool hits = Hits(report, &*struck);
    if (hits) ++report.hits;
    if (report.hits == report.rule.hits_max && report.rule.hits_max != 0) Expire(&report);
    // The nth is gone, whether it was hit or not.
    if (report.matches == report.rule.nth && !report.expired) Expire(&report);
    if (!hits) continue;
    decision.rule = report.id;
    if (report.rule.fault != FaultKind::kLatency) {
      decision.fault = report.rule.fault;
      decision.retry_after = report.rule.retry_after;
      decision.struck = *std::move(struck);
      break;
    }
    decision.latency += report.rule.latency;
  }
  return decision;
}

void FaultRules::ExpireBy(absl::Time now) const {
  for (FaultReport& report : reports_) {
    if (!report.expired && now >= report.expires) Expire(&report);
  }
}

void FaultRules::Expire(FaultReport* report) const {
  report->expired = true;
  active_.fetch_sub(1, std::memory_order_relaxed);
}

bool FaultRules::ForgetOldest() {
  const auto oldest = std::find_if(reports_.begin(), reports_.end(),
                                   [](const FaultReport& report) { return report.expired; });
  if (oldest == reports_.end()) return false;
  reports_.erase(oldest);
  return true;
}

}  // namespace dynolith
