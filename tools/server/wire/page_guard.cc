#include "tools/server/wire/page_guard.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "engine/base/strings.h"
#include "tools/server/wire/host_names.h"
#include "tools/server/wire/messages.h"

namespace dynolith::http {
namespace {

constexpr std::string_view kAll = "*";
constexpr std::string_view kNoOrigin = "null";
constexpr std::string_view kAuthority = "://";

bool Holds(const std::vector<std::string>& allowed, std::string_view text) {
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& one) {
    return one == kAll || EqualsIgnoreCase(one, text);
  });
}

// Desktop programs that are made of web technology have origins of their own; a page on the web has
// none of these, and for a page in a file a browser says "null".
bool IsOfAProgram(std::string_view origin) {
  return origin.starts_with("file://") || origin.starts_with("app://");
}

// The console of a server that was called by its address: no other page can have that for its
// origin, whereas its owner can make a name lead here.
bool IsOfAddress(std::string_view origin, std::string_view host) {
  return IsAddress(WithoutPort(host)) && (EqualsIgnoreCase(origin, Concat("http://", host)) ||
                                          EqualsIgnoreCase(origin, Concat("https://", host)));
}

bool IsNameLetter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("-._[]:").find(c) != std::string_view::npos;
}

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsNameLetter);
}

}  // namespace

bool IsHostToAllow(std::string_view text) {
  return text == kAll || IsAddress(text) ||
         (IsName(text) && text.find_first_of(":[]") == std::string_view::npos);
}

bool IsOriginToAllow(std::string_view text) {
  if (text == kAll || text == kNoOrigin) return true;
  const size_t scheme_end = text.find(kAuthority);
  return scheme_end != std::string_view::npos && IsName(text.substr(0, scheme_end)) &&
         IsName(text.substr(scheme_end + kAuthority.size()));
}

std::optional<std::string> PageGuard::Objection(const Request& request) const {
  // Not Sec-Fetch-Mode: Node's fetch sends it.
  const auto origin = request.Find("origin");
  const auto referrer = request.Find("referer");
  const auto site = request.Find("sec-fetch-site");
  if (!origin && !referrer && !site) return std::nullopt;
  const std::string_view host = request.Find("host").value_or("");
  if (origin || referrer) {
    const std::string_view page = origin ? *origin : UrlOrigin(*referrer);
    if (!AllowsOrigin(page) && !IsOfAddress(page, host)) return messages::OriginNotAllowed(page);
  } else if (*site == "cross-site" && !Holds(options_.origins, kAll)) {
    return messages::UnnamedOriginNotAllowed();
  }
  // A page whose name leads here is of one origin with the server, but its name is in Host.
  const std::string_view name = WithoutPort(host);
  if (!AllowsHost(name)) return messages::HostNotAllowed(name);
  return std::nullopt;
}

bool PageGuard::AllowsOrigin(std::string_view origin) const {
  const size_t scheme_end = origin.find(kAuthority);
  if (scheme_end != std::string_view::npos) {
    if (IsOfAProgram(origin)) return true;
    if (IsLoopbackName(WithoutPort(origin.substr(scheme_end + kAuthority.size())))) return true;
  }
  return Holds(options_.origins, origin);
}

bool PageGuard::AllowsHost(std::string_view name) const {
  return name.empty() || IsLoopbackName(name) || IsAddress(name) || Holds(options_.hosts, name);
}

}  // namespace dynolith::http
