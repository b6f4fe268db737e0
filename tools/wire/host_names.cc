#include "tools/wire/host_names.h"

#include <arpa/inet.h>

#include <string>

#include "tools/http/request.h"

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

}  // namespace dynolith::http
