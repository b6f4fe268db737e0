#include "api/request/control_limit.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/time/time.h"
#include "engine/base/errors.h"
#include "engine/base/messages/partitions.h"

namespace dynolith {
namespace {

constexpr Micros kSaved = 10 * kSecond;
// More than that do not come.
constexpr double kCallsMax = 1e6;

// The most frequent ones first.
constexpr std::string_view kNotControl[] = {"GetItem",
                                            "PutItem",
                                            "Query",
                                            "UpdateItem",
                                            "DeleteItem",
                                            "BatchGetItem",
                                            "BatchWriteItem",
                                            "TransactGetItems",
                                            "Scan",
                                            "ExecuteStatement",
                                            "GetRecords",
                                            "TransactWriteItems",
                                            "SearchVectors",
                                            "GetShardIterator",
                                            "DescribeEndpoints",
                                            "BatchExecuteStatement",
                                            "ExecuteTransaction"};

Micros NowOf(const Clock& clock) { return absl::ToUnixMicros(clock.Now()); }

}  // namespace

std::optional<ControlCall> ControlCallOf(std::string_view operation) {
  if (std::find(std::begin(kNotControl), std::end(kNotControl), operation) !=
      std::end(kNotControl)) {
    return std::nullopt;
  }
  if (operation == "DescribeStream") return ControlCall::kStreamDescription;
  const bool tells = operation.starts_with("Describe") || operation.starts_with("List") ||
                     operation.starts_with("Get");
  return tells ? ControlCall::kDescription : ControlCall::kChange;
}

ControlLimit::ControlLimit(const ControlRates& rates, const Clock* clock) : clock_(clock) {
  const double calls[] = {rates.changes, rates.descriptions, rates.stream_descriptions};
  const Micros now = NowOf(*clock);
  for (size_t i = 0; i < calls_.size(); ++i) {
    if (!(calls[i] > 0) || calls[i] > kCallsMax) continue;
    const Rate rate = RateOf(1, calls[i]);
    calls_[i].emplace(rate, TokensOf(rate, kSaved), now);
  }
}

absl::Status ControlLimit::Admit(std::string_view operation) {
  const std::optional<ControlCall> call = ControlCallOf(operation);
  if (!call) return absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  std::optional<TokenBucket>& left = calls_[static_cast<size_t>(*call)];
  if (!left) return absl::OkStatus();
  const Micros now = NowOf(*clock_);
  if (left->HasAny(now)) {
    left->Take(now, kTokensPerUnit);
    return absl::OkStatus();
  }
  return MakeError(ErrorKind::kThrottling, *call == ControlCall::kChange
                                               ? messages::TooManyControlChanges()
                                               : messages::TooManyDescriptions());
}

}  // namespace dynolith
