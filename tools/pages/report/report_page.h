// A result as a page for a browser: one file without external requests. report/src has its content.
#ifndef DYNOLITH_TOOLS_PAGES_REPORT_REPORT_PAGE_H_
#define DYNOLITH_TOOLS_PAGES_REPORT_REPORT_PAGE_H_

#include <string>
#include <string_view>

namespace dynolith::lab {

// `result_json`: from ResultJson. It and the script are compressed, so that the page stays small.
// `summary`: the same result as text, the only content where the program was built without npm.
std::string ReportPage(std::string_view result_json, std::string_view summary);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_PAGES_REPORT_REPORT_PAGE_H_
