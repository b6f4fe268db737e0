#include "api/service/size_text.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// A larger size is a typing error: no machine has that much.
constexpr double kSizeMax = 1e15;

}  // namespace

std::optional<uint64_t> ParseSize(std::string_view text) {
  constexpr std::string_view kUnits = "bkmgtp";
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  double number = 0;
  if (!absl::SimpleAtod(ToAbsl(text.substr(0, digits)), &number)) return std::nullopt;
  std::string unit = absl::AsciiStrToLower(ToAbsl(text.substr(digits)));
  absl::StripAsciiWhitespace(&unit);
  if (!unit.empty()) {
    const size_t power = kUnits.find(unit.front());
    const std::string_view rest = std::string_view(unit).substr(1);
    const bool is_known =
        rest.empty() || (power > 0 && (rest == "b" || rest == "i" || rest == "ib"));
    if (power == std::string_view::npos || !is_known) return std::nullopt;
    number = std::ldexp(number, static_cast<int>(10 * power));
  }
  if (!(number <= kSizeMax)) return std::nullopt;
  return static_cast<uint64_t>(number);
}

}  // namespace dynolith
