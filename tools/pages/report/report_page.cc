#include "tools/pages/report/report_page.h"

#include <array>
#include <utility>

#include "absl/strings/escaping.h"
#include "tools/http/compression.h"

namespace dynolith::lab {
namespace {

#include "tools/pages/report/report.inc"

}  // namespace

std::string ReportPage(std::string_view result_json) {
  std::string packed;
  http::Compress(http::Coding::kDeflate, result_json, &packed);
  const std::string figures = absl::Base64Escape(packed);
  const std::array<std::pair<std::string_view, std::string>, 4> parts = {{
      {"@style@", std::string(kLibraryStyle) + std::string(kStyle)},
      {"@figures@", figures},
      {"@library@", std::string(kLibraryScript)},
      {"@script@", std::string(kScript)},
  }};
  std::string page;
  std::string_view rest = kPage;
  for (const auto& [mark, text] : parts) {
    const size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  }
  return page.append(rest);
}

}  // namespace dynolith::lab
