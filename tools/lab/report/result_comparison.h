// Compares two results by design, for CI.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_RESULT_COMPARISON_H_
#define DYNOLITH_TOOLS_LAB_REPORT_RESULT_COMPARISON_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {

// The figures of a result in JSON (result_json.h) that are compared.
struct DesignOutline {
  std::string name;
  bool is_measured = false;
  double operations = 0;
  double served = 0;
  double month = 0;                            // the bill
  std::map<std::string, double> throttled;     // attempts, by "partition limit of posts (writes)"
  std::map<std::string, std::string> hottest;  // by table or index: the key
  std::map<std::string, double> p99;           // by access: milliseconds, where there are latencies

  double served_part() const { return operations > 0 ? served / operations : 1; }
};
struct ResultOutline {
  std::string file;
  std::string currency;
  std::vector<DesignOutline> designs;
};

// Errors: `text` is no JSON (with line and column), no result, or one of another version.
absl::StatusOr<ResultOutline> ReadResult(std::string_view file, std::string_view text);

// The part of its former value by which a figure may get worse. nullopt: 0, since the same
// simulation gives the same figures; kMeasured… if one of the results was measured.
struct Tolerance {
  std::optional<double> served;
  std::optional<double> month;
  std::optional<double> p99;  // nullopt: changes are shown, but never count as worse
};
inline constexpr double kMeasuredServedTolerance = 0.01;
inline constexpr double kMeasuredMonthTolerance = 0.05;
// "5%" applies to the served part and the month; "served=0.1%", "month=5%" and "p99=20%" to one
// figure. Later texts replace earlier ones. Errors: kInvalidArgument.
absl::StatusOr<Tolerance> ParseTolerance(const std::vector<std::string>& texts);

struct Change {
  std::string what;
  // Values as text; empty if that side has none.
  std::string before;
  std::string after;
  bool is_worse = false;  // by more than the tolerance
  // The tolerance, if the figure is worse by no more than that; otherwise 0.
  double within = 0;
};
struct DesignChanges {
  std::string name;
  std::vector<Change> changes;
};
struct ResultComparison {
  std::string before;  // files
  std::string after;
  std::vector<DesignChanges> designs;  // that both have
  std::vector<std::string> added;      // designs that only the second one has

  bool is_worse() const;
};

// `design`: the only design to compare; empty: all. Two results with one design each are compared
// even if these have different names. Errors: a design of the first result, or the chosen one, is
// missing in the second; different currencies.
absl::StatusOr<ResultComparison> CompareResults(const ResultOutline& before,
                                                const ResultOutline& after, std::string_view design,
                                                const Tolerance& tolerance = {});

std::string ComparisonText(const ResultComparison& comparison, size_t width = kAnyWidth);
//   { "before", "after", "worse", "added": [design…],
//     "designs": [ { "name", "changes": [ { "what", "before", "after", "worse",
//                                           "within": what is tolerated of what is worse } ] } ] }
std::string ComparisonJson(const ResultComparison& comparison);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_RESULT_COMPARISON_H_
