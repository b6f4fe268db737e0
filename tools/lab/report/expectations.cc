#include "tools/lab/report/expectations.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "engine/base/strings.h"
#include "tools/lab/report/messages.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

constexpr double kNanosOfWait = 1e6;
constexpr double kMicrosOfWait = 1e3;

std::string MillisText(double milliseconds) {
  return messages::LabMilliseconds(milliseconds == 0 ? "0" : FigureText(milliseconds));
}

std::string ExactMillisText(double milliseconds) {
  return messages::LabMilliseconds(ExactText(milliseconds));
}

// The texts of what was wanted and found, with all their digits where they would look alike though
// the one misses the other.
struct ComparedTexts {
  std::string wanted;
  std::string found;
};
ComparedTexts CompareTexts(bool is_met, double wanted, double found,
                           absl::FunctionRef<std::string(double)> to_text,
                           absl::FunctionRef<std::string(double)> to_exact_text) {
  ComparedTexts texts{to_text(wanted), to_text(found)};
  if (is_met || texts.wanted != texts.found) return texts;
  return {to_exact_text(wanted), to_exact_text(found)};
}

// Checks the access with the smallest served part.
CheckedExpectation CheckServed(const RunResult& run, double wanted) {
  CheckedExpectation checked{.name = "served", .wanted = wanted, .found = 1};
  for (const AccessResult& access : run.accesses) {
    if (!checked.access.empty() && access.served_part() >= checked.found) continue;
    checked.access = access.name;
    checked.found = access.served_part();
  }
  checked.is_met = *checked.found >= wanted;
  checked.sentence = messages::LabExpectedServed(checked.is_met, ExactPartText(wanted),
                                                 ExactPartText(*checked.found), checked.access);
  return checked;
}

// Checks the access with the longest latency; one without served operations has none.
CheckedExpectation CheckP99(const RunResult& run, Micros wanted) {
  CheckedExpectation checked{.name = "p99", .wanted = static_cast<double>(wanted) / kMicrosOfWait};
  for (const AccessResult& access : run.accesses) {
    const std::optional<int64_t> latency = run.Percentile(access, 0.99);
    if (!latency) {
      checked.access = access.name;
      checked.found.reset();
      break;
    }
    const double found = static_cast<double>(*latency) / kNanosOfWait;
    if (checked.found && found <= *checked.found) continue;
    checked.access = access.name;
    checked.found = found;
  }
  checked.is_met = checked.found && *checked.found <= checked.wanted;
  ComparedTexts texts{MillisText(checked.wanted), messages::LabNothingServed()};
  if (checked.found) {
    texts =
        CompareTexts(checked.is_met, checked.wanted, *checked.found, MillisText, ExactMillisText);
  }
  checked.sentence =
      messages::LabExpectedP99(checked.is_met, texts.wanted, texts.found, checked.access);
  return checked;
}

CheckedExpectation CheckCost(const RunResult& run, const PriceList& prices, double wanted) {
  CheckedExpectation checked{.name = "cost", .wanted = wanted, .found = BilledCost(run, prices)};
  // Positions without a price could exceed the limit.
  const std::vector<std::string> unknown = UnknownPrices(run, prices);
  checked.is_met = *checked.found <= wanted && unknown.empty();
  const ComparedTexts texts =
      CompareTexts(*checked.found <= wanted, wanted, *checked.found, MoneyText, ExactText);
  checked.sentence =
      messages::LabExpectedCost(checked.is_met, texts.wanted, texts.found, prices.currency,
                                unknown.empty() ? "" : unknown.front());
  return checked;
}

}  // namespace

std::vector<CheckedExpectation> CheckService(const RunResult& run) {
  const Expectations& expect = run.experiment.expect;
  std::vector<CheckedExpectation> checked;
  if (expect.served) checked.push_back(CheckServed(run, *expect.served));
  if (expect.p99) checked.push_back(CheckP99(run, *expect.p99));
  return checked;
}

std::vector<CheckedExpectation> CheckExpectations(const RunResult& run, const PriceList& prices) {
  std::vector<CheckedExpectation> checked = CheckService(run);
  const std::optional<double>& most = run.experiment.expect.cost_most;
  if (most) checked.push_back(CheckCost(run, prices, *most));
  return checked;
}

bool IsAsExpected(const RunResult& run, const PriceList& prices) {
  const std::vector<CheckedExpectation> checked = CheckExpectations(run, prices);
  return std::all_of(checked.begin(), checked.end(),
                     [](const CheckedExpectation& each) { return each.is_met; });
}

bool AreExpectationsMet(const std::vector<RunResult>& runs, const PriceList& prices) {
  return std::all_of(runs.begin(), runs.end(), [&prices](const RunResult& run) {
    const auto are_expected = [](const std::vector<RunOutcome>& outcomes) {
      return std::all_of(outcomes.begin(), outcomes.end(),
                         [](const RunOutcome& outcome) { return outcome.is_as_expected; });
    };
    return IsAsExpected(run, prices) && are_expected(run.seeds) && are_expected(run.corners);
  });
}

absl::Status CheckExpectable(std::string_view file, const Experiment& experiment) {
  const bool is_timed =
      std::all_of(experiment.accesses.begin(), experiment.accesses.end(),
                  [](const Access& access) { return access.latency.has_value(); });
  if (!experiment.expect.p99 || experiment.retry.attempts > 1 || is_timed) return absl::OkStatus();
  return absl::InvalidArgumentError(ToAbsl(messages::LabNoLatencies(file, experiment.design)));
}

}  // namespace dynolith::lab
