#include "engine/value/number_exponent.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace dynolith {

bool HasWideExponent(std::string_view number) {
  const size_t e = number.find_first_of("eE");
  if (e == std::string_view::npos) return false;
  std::string_view digits = number.substr(e + 1);
  if (digits.substr(0, 1) == "+") digits.remove_prefix(1);
  int32_t exponent = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) return true;
  const size_t point = number.substr(0, e).find('.');
  const auto behind_point =
      static_cast<int64_t>(point == std::string_view::npos ? 0 : e - point - 1);
  return behind_point - exponent > std::numeric_limits<int32_t>::max();
}

}  // namespace dynolith
