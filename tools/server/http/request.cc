#include "tools/server/http/request.h"

namespace dynolith::http {

std::optional<std::string_view> Request::FindMarked(std::string_view name) const {
  for (const Header& header : headers) {
    if (EqualsIgnoreCase(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::string_view Request::path() const {
  constexpr std::string_view kAuthority = "://";
  const std::string_view text = target.substr(0, target.find('?'));
  const size_t scheme_end = text.find(kAuthority);
  if (text.starts_with('/') || scheme_end == std::string_view::npos) return text;
  const size_t slash = text.find('/', scheme_end + kAuthority.size());
  return slash == std::string_view::npos ? "/" : text.substr(slash);
}

std::string_view Request::query() const {
  const size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
}

}  // namespace dynolith::http
