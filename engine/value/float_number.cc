#include "engine/value/float_number.h"

#include <array>
#include <charconv>
#include <string>

#include "absl/strings/charconv.h"

namespace dynolith {
namespace {

// The largest number of 38 digits that rounds to the largest float: it is just below the midpoint
// between that and the next power of two.
constexpr std::string_view kMost = "340282356779733661637539395458142568440";

// Encoded, because encoded numbers have the order of the numbers.
struct Bounds {
  NumberBytes least = *EncodeNumber("-" + std::string(kMost));
  NumberBytes most = *EncodeNumber(kMost);
};

const Bounds& FloatBounds() {
  static const Bounds bounds;
  return bounds;
}

}  // namespace

bool FitsFloat(std::string_view encoded_number) {
  const Bounds& bounds = FloatBounds();
  return encoded_number >= bounds.least.view() && encoded_number <= bounds.most.view();
}

float NearestFloat(std::string_view encoded_number) {
  static thread_local std::string text;
  text.clear();
  AppendNumberText(encoded_number, &text);
  float number = 0;
  // from_chars reports a number that is too small, and reads it as zero.
  absl::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

NumberBytes EncodeFloat(float number) {
  std::array<char, 24> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return *EncodeNumber({text.data(), static_cast<size_t>(end - text.data())});
}

}  // namespace dynolith
