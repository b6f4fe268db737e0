#include "api/json/number_range.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace dynolith {
namespace {

constexpr std::string_view kLargestInteger = "9223372036854775807";
constexpr std::string_view kLargestDouble = "1.7976931348623157e308";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Returns the end of the string that begins at `at`, behind its closing quote.
size_t EndOfString(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return std::min(at + 1, json.size());
}

// Returns the end of the digits that begin at `at`.
size_t EndOfDigits(std::string_view json, size_t at) {
  while (at < json.size() && IsDigit(json[at])) ++at;
  return at;
}

struct WrittenNumber {
  size_t whole_end = 0;  // end of the digits before point and exponent
  size_t end = 0;
  bool tiny = false;  // a negative exponent
};

// Reads the number that begins at `at`. Its end is `at` if JSON's grammar finds no number there.
WrittenNumber NumberAt(std::string_view json, size_t at) {
  const WrittenNumber none = {at, at, false};
  size_t end = json[at] == '-' ? at + 1 : at;
  const size_t digits = end;
  end = EndOfDigits(json, end);
  if (end == digits || (json[digits] == '0' && end > digits + 1)) return none;
  WrittenNumber number = {end, end, false};
  if (end < json.size() && json[end] == '.') {
    number.end = EndOfDigits(json, end + 1);
    if (number.end == end + 1) return none;
  }
  end = number.end;
  if (end < json.size() && (json[end] == 'e' || json[end] == 'E')) {
    ++end;
    if (end < json.size() && (json[end] == '+' || json[end] == '-')) {
      number.tiny = json[end++] == '-';
    }
    number.end = EndOfDigits(json, end);
    if (number.end == end) return none;
  }
  return number;
}

template <typename Value>
bool IsOutOfRange(std::string_view text) {
  Value value{};
  return std::from_chars(text.data(), text.data() + text.size(), value).ec ==
         std::errc::result_out_of_range;
}

void AppendInRange(std::string_view text, bool whole, bool tiny, std::string* out) {
  const std::string_view sign = text[0] == '-' ? "-" : "";
  if (whole) {
    if (!IsOutOfRange<int64_t>(text)) return void(out->append(text));
    out->append(sign).append(kLargestInteger);
  } else if (!IsOutOfRange<double>(text)) {
    out->append(text);
  } else {
    out->append(sign).append(tiny ? "0.0" : kLargestDouble);
  }
}

}  // namespace

std::string WithNumbersInRange(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (size_t at = 0; at < json.size();) {
    size_t end = at + 1;
    if (json[at] == '-' || IsDigit(json[at])) {
      const WrittenNumber number = NumberAt(json, at);
      if (number.end > at) {
        const bool whole = number.end == number.whole_end;
        AppendInRange(json.substr(at, number.end - at), whole, number.tiny, &out);
        at = number.end;
        continue;
      }
      // This is not a number: all of its digits are copied unchanged.
      end = std::max(EndOfDigits(json, at), end);
    } else if (json[at] == '"') {
      end = EndOfString(json, at);
    }
    out.append(json, at, end - at);
    at = end;
  }
  return out;
}

}  // namespace dynolith
