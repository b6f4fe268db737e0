// Decides which web pages can use the server. Any page in a browser on this machine can send
// requests to it, even one whose own host name was made to lead here. Browsers mark such requests
// with headers that no page can omit. Other programs do not send these headers and are never
// refused.
#ifndef DYNOLITH_TOOLS_SERVER_WIRE_PAGE_GUARD_H_
#define DYNOLITH_TOOLS_SERVER_WIRE_PAGE_GUARD_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/server/http/request.h"

namespace dynolith::http {

struct PageGuardOptions {
  // Further names by which pages may call the server, without port; "*": all.
  std::vector<std::string> hosts;
  // Further origins of pages, "https://app.example", "null"; "*": all.
  std::vector<std::string> origins;
};

// Whether the text can be an element of PageGuardOptions::hosts, ::origins.
bool IsHostToAllow(std::string_view text);
bool IsOriginToAllow(std::string_view text);

class PageGuard {
 public:
  explicit PageGuard(PageGuardOptions options) : options_(std::move(options)) {}

  // The reason for which the request is refused, naming the option that would allow it; nullopt:
  // admitted. The page must be of this machine or allowed, and call the server by a loopback name,
  // an address or an allowed name.
  std::optional<std::string> Objection(const Request& request) const;

 private:
  bool AllowsOrigin(std::string_view origin) const;
  bool AllowsHost(std::string_view name) const;

  const PageGuardOptions options_;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_WIRE_PAGE_GUARD_H_
