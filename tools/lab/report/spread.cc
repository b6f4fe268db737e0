#include "tools/lab/report/spread.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tools/lab/report/expectations.h"
#include "tools/lab/report/monthly_bill.h"

namespace dynolith::lab {
namespace {

constexpr double kNanosOfSpread = 1e6;  // a millisecond

template <typename Of>
Spread SpreadBy(const std::vector<RunOutcome>& outcomes, const Of& of) {
  std::vector<double> figures;
  figures.reserve(outcomes.size());
  for (const RunOutcome& outcome : outcomes) figures.push_back(of(outcome));
  std::sort(figures.begin(), figures.end());
  const size_t middle = figures.size() / 2;
  const double below = figures[figures.size() % 2 == 0 ? middle - 1 : middle];
  return {figures.front(), (below + figures[middle]) / 2, figures.back()};
}

}  // namespace

RunOutcome SummarizeRun(const RunResult& run, const PriceList& prices) {
  const AccessMoment total = run.total();
  RunOutcome outcome{.seed = run.experiment.seed,
                     .assumed = run.experiment.assumed,
                     .throttled = total.throttled,
                     .month = BilledCost(run, prices),
                     .is_as_expected = IsAsExpected(run, prices)};
  if (total.operations > 0) {
    outcome.served = static_cast<double>(total.served) / static_cast<double>(total.operations);
  }
  for (const AccessResult& access : run.accesses) {
    const std::optional<int64_t> p99 = run.Percentile(access, 0.99);
    if (p99) outcome.p99 = std::max(outcome.p99.value_or(0), *p99);
  }
  return outcome;
}

RunSpread MakeSpread(const std::vector<RunOutcome>& outcomes) {
  RunSpread spread{
      .served = SpreadBy(outcomes, [](const RunOutcome& outcome) { return outcome.served; }),
      .throttled = SpreadBy(
          outcomes,
          [](const RunOutcome& outcome) { return static_cast<double>(outcome.throttled); }),
      .p99 = std::nullopt,
      .month = SpreadBy(outcomes, [](const RunOutcome& outcome) { return outcome.month; })};
  if (std::all_of(outcomes.begin(), outcomes.end(),
                  [](const RunOutcome& outcome) { return outcome.p99.has_value(); })) {
    spread.p99 = SpreadBy(outcomes, [](const RunOutcome& outcome) {
      return static_cast<double>(*outcome.p99) / kNanosOfSpread;
    });
  }
  return spread;
}

}  // namespace dynolith::lab
