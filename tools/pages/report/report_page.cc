#include "tools/pages/report/report_page.h"

#include <array>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "api/coding/compression.h"

namespace dynolith::lab {
namespace {

#include "tools/pages/report/report.inc"

std::string Packed(std::string_view text) {
  std::string packed;
  http::Compress(http::Coding::kDeflate, text, &packed);
  return absl::Base64Escape(packed);
}

std::string Escaped(std::string text) {
  absl::StrReplaceAll({{"&", "&amp;"}, {"<", "&lt;"}}, &text);
  return text;
}

}  // namespace

std::string ReportPage(std::string_view result_json, std::string_view summary) {
  // Which of them there are depends on the page that was compiled in.
  const std::array<std::pair<std::string_view, std::string>, 4> marks = {{
      {"@style@", std::string(kReportStyle)},
      {"@summary@", Escaped(std::string(summary))},
      {"@figures@", Packed(result_json)},
      {"@script@", Packed(kReportScript)},
  }};
  std::string page;
  std::string_view rest = kReportPage;
  for (const auto& [mark, text] : marks) {
    const size_t at = rest.find(mark);
    if (at == std::string_view::npos) continue;
    page.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  }
  return page.append(rest);
}

}  // namespace dynolith::lab
