// A fixed set of names of headers.
#ifndef DYNOLITH_TOOLS_PROXY_HEADER_NAMES_H_
#define DYNOLITH_TOOLS_PROXY_HEADER_NAMES_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tools/server/http/request.h"

namespace dynolith::proxy {

// Most names that are asked for are told apart by one bit (Request::HeaderMark).
template <size_t kCount>
class HeaderNames {
 public:
  // The names are literals.
  constexpr explicit HeaderNames(const std::array<std::string_view, kCount>& names)
      : names_(names) {
    for (const std::string_view name : names) marks_ |= http::Request::HeaderMark(name);
  }

  // In any case.
  bool Has(std::string_view name) const {
    if ((marks_ & http::Request::HeaderMark(name)) == 0) return false;
    return std::any_of(names_.begin(), names_.end(),
                       [name](std::string_view own) { return http::EqualsIgnoreCase(name, own); });
  }

 private:
  std::array<std::string_view, kCount> names_;
  uint64_t marks_ = 0;
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_HEADER_NAMES_H_
