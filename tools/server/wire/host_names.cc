#include "tools/server/wire/host_names.h"

#include <arpa/inet.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "tools/server/http/request.h"

namespace dynolith::http {
namespace {

bool IsOfFamily(int family, std::string_view text) {
  in6_addr address{};  // has room for the other one, too
  return inet_pton(family, std::string(text).c_str(), &address) == 1;
}

bool IsBracketed(std::string_view name) { return name.starts_with('[') && name.ends_with(']'); }

}  // namespace

std::string_view WithoutPort(std::string_view host) {
  const size_t digits = host.find_last_not_of("0123456789");
  const bool has_port = digits != std::string_view::npos && host[digits] == ':' &&
                        (digits == 0 || host.find(':') == digits || host[digits - 1] == ']');
  return has_port ? host.substr(0, digits) : host;
}

bool IsLoopbackName(std::string_view name) {
  // A name may begin with digits, too: 127.0.0.1.example.com.
  if (name.starts_with("127.")) return IsOfFamily(AF_INET, name);
  if (name == "[::1]" || name == "::1") return true;
  constexpr std::string_view kLocal = "localhost";
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.size() < kLocal.size()) return false;
  const std::string_view front = name.substr(0, name.size() - kLocal.size());
  return EqualsIgnoreCase(name.substr(front.size()), kLocal) &&
         (front.empty() || (front.ends_with('.') && front.size() > 1));
}

bool IsAddress(std::string_view name) {
  if (IsBracketed(name)) return IsOfFamily(AF_INET6, name.substr(1, name.size() - 2));
  return IsOfFamily(AF_INET, name);
}

bool IsPrivateName(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty() || IsAddress(name)) return false;
  if (name.find('.') == std::string_view::npos) return name.find(':') == std::string_view::npos;
  constexpr std::string_view kEnds[] = {".local", ".internal", ".svc", ".home.arpa", ".localhost"};
  return std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) {
    return name.size() > end.size() && EqualsIgnoreCase(name.substr(name.size() - end.size()), end);
  });
}

std::string_view UrlOrigin(std::string_view url) {
  constexpr std::string_view kAuthority = "://";
  const size_t scheme_end = url.find(kAuthority);
  if (scheme_end == std::string_view::npos) return url.substr(0, url.find('/'));
  return url.substr(0, url.find_first_of("/?#", scheme_end + kAuthority.size()));
}

}  // namespace dynolith::http
