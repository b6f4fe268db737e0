// The pages at /_dynolith/ (tools/pages/console) and /_dynolith/live, in files that are compiled
// in. Their data comes from the same server.
#ifndef DYNOLITH_TOOLS_PAGES_LIVE_LIVE_PAGE_H_
#define DYNOLITH_TOOLS_PAGES_LIVE_LIVE_PAGE_H_

#include <string_view>

namespace dynolith::live {

struct PageFile {
  std::string_view path;  // "/_dynolith/page/live.js"
  std::string_view content_type;
  std::string_view text;
};

// nullptr: no such file.
const PageFile* FindPageFile(std::string_view path);

// The browser's permissions in the page: only to show these files and ask this server. No other
// page can show it in a frame.
inline constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace dynolith::live

#endif  // DYNOLITH_TOOLS_PAGES_LIVE_LIVE_PAGE_H_
