// DynamoDB's number: up to 38 significant decimal digits, magnitude 1E-130 to 9.99…E+125, exact
// arithmetic.
//
// Encoded form (api/facts/values.md §2, the order-preserving encoding), self-contained and
// memcmp-ordered:
//
//   zero     = 80
//   positive = exponent pair*      exponent = 80 + (E/2 + 64), pair + 1 for each digit pair
//   negative = exponent pair* [66] the exponent byte inverted, 101 - pair for each digit pair, and
//                                  66 if there are fewer than 20 pairs
//
// E is the adjusted exponent + 1, made even by a leading 0 digit. Equal numbers have equal bytes.
// At most 22 bytes.
#ifndef DYNOLITH_ENGINE_VALUE_NUMBER_H_
#define DYNOLITH_ENGINE_VALUE_NUMBER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/base/attributes.h"
#include "absl/status/statusor.h"
#include "engine/value/messages.h"

namespace dynolith {

inline constexpr size_t kNumberBytesMax = 22;

// An encoded number, by value.
class NumberBytes {
 public:
  std::string_view view() const& ABSL_ATTRIBUTE_LIFETIME_BOUND { return {bytes_.data(), size_}; }
  void push_back(char byte) { bytes_[size_++] = byte; }
  char& operator[](size_t i) { return bytes_[i]; }
  size_t size() const { return size_; }

 private:
  std::array<char, kNumberBytesMax> bytes_;
  uint8_t size_ = 0;
};

// value = (negative ? -1 : 1) * coefficient * 10^exponent. Canonical: no trailing zero digits in
// the coefficient; zero is {0, 0, false}.
class Number {
 public:
  Number() = default;
  static Number FromInt64(int64_t value);

  // Reads the service's number grammar. Errors: the service's ValidationErrors for text that is no
  // number, for overflow and underflow, and for more than 38 digits (api/facts/values.md §2),
  // worded by `layer`.
  static absl::StatusOr<Number> Parse(std::string_view text,
                                      ValueLayer layer = ValueLayer::kCurrent);

  // Requires: `encoded` is a well-formed encoded number (IsEncodedNumber).
  static Number Decode(std::string_view encoded);

  NumberBytes Encode() const;

  // Plain decimal: no exponent, no leading +, no trailing fractional zeros. Appends.
  void AppendTo(std::string* text) const;
  std::string ToString() const;

  // Stores the value if it is an integer within int64_t; else returns false and stores nothing.
  bool ToInt64(int64_t* value) const;

  bool is_zero() const { return coefficient_ == 0; }
  bool is_negative() const { return negative_; }

  friend bool operator==(const Number&, const Number&) = default;

  // Exact sum and difference. Errors: overflow when the result needs more than 38 digits or is too
  // large, underflow when it is too small and not zero.
  friend absl::StatusOr<Number> Add(const Number& left, const Number& right);
  friend absl::StatusOr<Number> Subtract(const Number& left, const Number& right);

 private:
  __extension__ using Coefficient = unsigned __int128;

  Coefficient coefficient_ = 0;
  int exponent_ = 0;
  bool negative_ = false;
};

absl::StatusOr<Number> Add(const Number& left, const Number& right);
absl::StatusOr<Number> Subtract(const Number& left, const Number& right);

// Parses and encodes in one step, without a coefficient in between.
absl::StatusOr<NumberBytes> EncodeNumber(std::string_view text,
                                         ValueLayer layer = ValueLayer::kCurrent);

// Appends the plain decimal text of an encoded number. Requires: IsEncodedNumber(encoded).
void AppendNumberText(std::string_view encoded, std::string* text);

// Writes that text to a buffer of at least kNumberTextBytesMax, and returns its end.
char* WriteNumberText(std::string_view encoded, char* to);
// A sign, "0.", zeros down to the smallest exponent and all digits, and some more.
inline constexpr size_t kNumberTextBytesMax = 192;

// Whether the bytes are exactly one canonical encoded number.
bool IsEncodedNumber(std::string_view bytes);

// Bytes billed for the number: 1 for zero, else 1 + digit pairs (+ 1 if negative)
// (api/facts/values.md §7).
size_t NumberBilledBytes(std::string_view encoded);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_NUMBER_H_
