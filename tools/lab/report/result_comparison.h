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

struct Change {
  std::string what;
  // As text; empty if there is none on that side.
  std::string before;
  std::string after;
  bool is_worse = false;  // less is served, or it costs more
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
                                                const ResultOutline& after,
                                                std::string_view design);

std::string ComparisonText(const ResultComparison& comparison, size_t width = kAnyWidth);
//   { "before", "after", "worse", "added": [design…],
//     "designs": [ { "name", "changes": [ { "what", "before", "after", "worse" } ] } ] }
std::string ComparisonJson(const ResultComparison& comparison);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_RESULT_COMPARISON_H_
