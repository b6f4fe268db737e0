// What is different between two results, by design: for CI.
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
#include "tools/lab/report/figures_text.h"

namespace dynolith::lab {

// Of a result as JSON (result_json.h), what is compared.
struct DesignOutline {
  std::string name;
  bool is_measured = false;
  double operations = 0;
  double served = 0;
  double month = 0;                            // as billed
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

// By what part of what it was a figure may get worse. Where it is nullopt: by nothing, since the
// same simulation gives the same figures; by kMeasured… if one of the results was measured.
struct Tolerance {
  std::optional<double> served;
  std::optional<double> month;
  std::optional<double> p99;  // nullopt: it is shown, and never worse
};
inline constexpr double kMeasuredServedTolerance = 0.01;
inline constexpr double kMeasuredMonthTolerance = 0.05;
// "5%" is of what is served and of a month; "served=0.1%", "month=5%" and "p99=20%" are of one
// figure. Later ones replace earlier ones. Errors: kInvalidArgument.
absl::StatusOr<Tolerance> ParseTolerance(const std::vector<std::string>& texts);

struct Change {
  std::string what;
  // As text; empty if there is none on that side.
  std::string before;
  std::string after;
  bool is_worse = false;  // by more than is tolerated
  // That it is worse, and by how much it may be; 0: it is not worse, or by more.
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

// `design`: only this one; empty: all. Two results with one design each are compared whatever these
// are called. Errors: a design of the first, or the chosen one, is not in the second; other
// currencies.
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
