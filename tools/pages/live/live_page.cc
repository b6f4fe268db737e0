#include "tools/pages/live/live_page.h"

#include <algorithm>
#include <iterator>

namespace dynolith::live {
namespace {

#include "tools/pages/console/console.inc"
#include "tools/pages/live/live.inc"

constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kCss = "text/css; charset=utf-8";
constexpr std::string_view kJavaScript = "text/javascript; charset=utf-8";

constexpr PageFile kFiles[] = {
    {"/_dynolith", kHtml, kConsolePage},
    {"/_dynolith/", kHtml, kConsolePage},
    {"/_dynolith/page/console.css", kCss, kConsoleStyle},
    {"/_dynolith/page/console.js", kJavaScript, kConsoleScript},
    {"/_dynolith/live", kHtml, kLivePage},
    {"/_dynolith/page/live.css", kCss, kLiveStyle},
    {"/_dynolith/page/live.js", kJavaScript, kLiveScript},
};

}  // namespace

const PageFile* FindPageFile(std::string_view path) {
  const PageFile* const found =
      std::find_if(std::begin(kFiles), std::end(kFiles),
                   [&](const PageFile& file) { return file.path == path; });
  return found == std::end(kFiles) ? nullptr : found;
}

}  // namespace dynolith::live
