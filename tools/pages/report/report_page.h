// A result as a page for a browser: one file that needs nothing else and no network. What it shows
// is in report/report.js; report/plots.js draws.
#ifndef DYNOLITH_TOOLS_PAGES_REPORT_REPORT_PAGE_H_
#define DYNOLITH_TOOLS_PAGES_REPORT_REPORT_PAGE_H_

#include <string>
#include <string_view>

namespace dynolith::lab {

// `result_json`: of ResultJson. It is compressed, so that the page of a large result stays small.
std::string ReportPage(std::string_view result_json);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_PAGES_REPORT_REPORT_PAGE_H_
