#include "tools/server/request_counts.h"

#include <algorithm>

#include "engine/model/shapes.h"

namespace dynolith {
RequestCounts::RequestCounts() : counts_(AllOperations().size() + 1) {
  for (const OperationShape& operation : AllOperations()) {
    places_.emplace(operation.name, places_.size());
  }
}

size_t RequestCounts::OperationIndex(std::string_view target) const {
  const auto it = places_.find(target.substr(target.find('.') + 1));
  return it != places_.end() ? it->second : places_.size();
}

size_t RequestCounts::OutcomeIndex(const http::ExchangeRecord& exchange) {
  if (exchange.is_dropped) return 2;
  if (exchange.error) return 3 + static_cast<size_t>(*exchange.error);
  return exchange.status == 200 ? 0 : 1;
}

std::string_view RequestCounts::OutcomeName(size_t outcome) {
  constexpr std::array<std::string_view, 3> kWithoutException = {"success", "failure", "dropped"};
  if (outcome < kWithoutException.size()) return kWithoutException[outcome];
  return InfoOf(static_cast<ErrorKind>(outcome - kWithoutException.size())).exception_name;
}

void RequestCounts::Add(const http::ExchangeRecord& exchange) {
  // Health checks and pages' preflights are no calls.
  if (exchange.method != "POST") return;
  Counts& counts = counts_[OperationIndex(exchange.target)];
  counts.outcomes[OutcomeIndex(exchange)].fetch_add(1, std::memory_order_relaxed);
  const double seconds = absl::ToDoubleSeconds(exchange.duration);
  const auto* const bound = std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), seconds);
  const auto place = static_cast<size_t>(bound - kLatencyBounds.begin());
  counts.latencies[place].fetch_add(1, std::memory_order_relaxed);
  const auto nanoseconds = static_cast<uint64_t>(absl::ToInt64Nanoseconds(exchange.duration));
  counts.nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
}

std::vector<RequestCounts::OperationCounts> RequestCounts::Take() const {
  std::vector<OperationCounts> all;
  for (size_t i = 0; i < counts_.size(); ++i) {
    const Counts& counts = counts_[i];
    OperationCounts of;
    of.operation = i < AllOperations().size() ? AllOperations()[i].name : "none";
    for (size_t outcome = 0; outcome < kOutcomes; ++outcome) {
      const uint64_t count = counts.outcomes[outcome].load(std::memory_order_relaxed);
      if (count > 0) of.outcomes.push_back({OutcomeName(outcome), count});
    }
    if (of.outcomes.empty()) continue;
    for (size_t place = 0; place < of.latencies.size(); ++place) {
      of.latencies[place] = counts.latencies[place].load(std::memory_order_relaxed);
    }
    of.seconds = static_cast<double>(counts.nanoseconds.load(std::memory_order_relaxed)) / 1e9;
    all.push_back(of);
  }
  return all;
}

}  // namespace dynolith
