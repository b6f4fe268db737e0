#include "engine/value/number_exponent.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace dynolith {

bool HasWideExponent(std::string_view number) {
  const size_t e = number.find_first_of("eE");
  if (e == std::string_view::npos) return false;
  std::string_view digits = number.substr(e + 1);
  if (digits.substr(0, 1) == "+") digits.remove_prefix(1);
  int32_t exponent = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  return read.ec == std::errc::result_out_of_range;
}

}  // namespace dynolith
