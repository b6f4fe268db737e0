#include "tools/http/request.h"

namespace dynolith::http {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

bool EqualsIgnoreCase(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (Lower(left[i]) != Lower(right[i])) return false;
  }
  return true;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> Request::Find(std::string_view name) const {
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
