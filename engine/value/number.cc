#include "engine/value/number.h"

#include <cassert>
#include <cstring>
#include <limits>

#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr char kZeroByte = static_cast<char>(0x80);
constexpr char kNegativeEnd = 0x66;
constexpr size_t kPairsMax = 20;

constexpr uint64_t kTenToThe18 = 1'000'000'000'000'000'000;
constexpr Uint128 kTenToThe38 = Uint128{kTenToThe18} * kTenToThe18 * 100;

constexpr std::array<Uint128, 39> kPowersOfTen = [] {
  std::array<Uint128, 39> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// "00" "01" ... "99".
constexpr std::array<char, 200> kPairTexts = [] {
  std::array<char, 200> texts{};
  for (int pair = 0; pair < 100; ++pair) {
    texts[2 * pair] = static_cast<char>('0' + pair / 10);
    texts[2 * pair + 1] = static_cast<char>('0' + pair % 10);
  }
  return texts;
}();

// The significant digits of a number text: value = 0.d1d2d3... * 10^point.
struct Digits {
  bool negative = false;
  int count = 0;  // without leading and trailing zeros; 0 for zero
  int point = 0;
  // The pair loop reads one digit beyond `count`.
  std::array<uint8_t, kNumberDigitsMax + 2> digits;
};

bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

enum class ScanResult { kOk, kNotANumber, kOverflow, kUnderflow, kTooPrecise };

absl::Status ToNumberError(ScanResult result, std::string_view text, ValueLayer layer) {
  switch (result) {
    case ScanResult::kOverflow:
      return ValidationError(messages::NumberOverflow());
    case ScanResult::kUnderflow:
      return ValidationError(messages::NumberUnderflow());
    case ScanResult::kTooPrecise:
      return ValidationError(messages::NumberTooPrecise());
    default:
      return ValidationError(messages::NotANumber(text, layer));
  }
}

// Reads the exponent behind the e. False if it is no integer of 64 bits: beyond that the service
// says "cannot be converted".
bool ScanExponent(const char* at, const char* end, int64_t* exponent) {
  bool negative = false;
  if (at != end && (*at == '+' || *at == '-')) negative = *at++ == '-';
  if (at == end) return false;
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  const uint64_t limit = negative ? kMax + 1 : kMax;
  uint64_t value = 0;
  for (; at != end; ++at) {
    if (!IsDigit(*at)) return false;
    const uint64_t digit = *at - '0';
    if (value > (limit - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *exponent = static_cast<int64_t>(negative ? 0 - value : value);
  return true;
}

// The service judges the magnitude as a Java BigDecimal of this unscaled precision and scale, in 32
// bits: an exponent that does not fit counts by its sign. In the older layer one just within wraps
// around, so that 1e2147483647 underflows (api/facts/values.md §2).
ScanResult JudgeMagnitude(int64_t precision, int64_t fraction_digits, int64_t exponent,
                          ValueLayer layer) {
  constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();
  constexpr int64_t kIntMin = std::numeric_limits<int32_t>::min();
  if (exponent > kIntMax) return ScanResult::kOverflow;
  if (exponent < kIntMin) return ScanResult::kUnderflow;
  const int64_t scale = fraction_digits - exponent;
  if (scale > kIntMax) return ScanResult::kUnderflow;
  const int64_t point = precision - scale;
  if (point > kIntMax && layer == ValueLayer::kOlder) return ScanResult::kUnderflow;
  if (point - 1 < kNumberExponentMin) return ScanResult::kUnderflow;
  if (point - 1 > kNumberExponentMax) return ScanResult::kOverflow;
  return ScanResult::kOk;
}

ScanResult Scan(std::string_view text, ValueLayer layer, Digits* out) {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at != end && (*at == '+' || *at == '-')) out->negative = *at++ == '-';

  // Digits from the first that is not zero; beyond the array only their number matters.
  const char* const digits_begin = at;
  int64_t precision = 0;
  int64_t significant = 0;
  const char* point = nullptr;
  for (; at != end; ++at) {
    const uint8_t digit = static_cast<uint8_t>(*at - '0');
    if (digit < 10) {
      if ((precision | digit) == 0) continue;
      if (precision < kNumberDigitsMax) out->digits[precision] = digit;
      ++precision;
      if (digit != 0) significant = precision;
    } else if (*at == '.' && point == nullptr) {
      point = at;
    } else {
      break;
    }
  }
  const char* const digits_end = at;
  if (digits_end - digits_begin == (point != nullptr ? 1 : 0)) return ScanResult::kNotANumber;
  const int64_t fraction_digits = point != nullptr ? digits_end - point - 1 : 0;

  int64_t exponent = 0;
  if (at != end) {
    if (*at != 'e' && *at != 'E') return ScanResult::kNotANumber;
    if (!ScanExponent(at + 1, end, &exponent)) return ScanResult::kNotANumber;
  }
  const ScanResult magnitude =
      JudgeMagnitude(precision == 0 ? 1 : precision, fraction_digits, exponent, layer);
  if (magnitude != ScanResult::kOk) return magnitude;
  if (significant > kNumberDigitsMax) return ScanResult::kTooPrecise;
  out->count = static_cast<int>(significant);
  out->point = static_cast<int>(precision - fraction_digits + exponent);
  return ScanResult::kOk;
}

char ExponentByte(int half_point, bool negative) {
  const int byte = 0x80 | (half_point + 64);
  return static_cast<char>(negative ? ~byte : byte);
}

char PairByte(int pair, bool negative) {
  return static_cast<char>(negative ? 101 - pair : pair + 1);
}

NumberBytes EncodeDigits(Digits* number) {
  NumberBytes bytes;
  if (number->count == 0) {
    bytes.push_back(kZeroByte);
    return bytes;
  }
  const bool negative = number->negative;
  const uint8_t* digits = number->digits.data();
  number->digits[number->count] = 0;
  int rest = number->count;
  if ((number->point & 1) != 0) {
    bytes.push_back(ExponentByte((number->point + 1) / 2, negative));
    bytes.push_back(PairByte(digits[0], negative));
    ++digits;
    --rest;
  } else {
    bytes.push_back(ExponentByte(number->point / 2, negative));
  }
  for (; rest > 0; rest -= 2, digits += 2) {
    bytes.push_back(PairByte(digits[0] * 10 + digits[1], negative));
  }
  if (negative && bytes.size() < 1 + kPairsMax) bytes.push_back(kNegativeEnd);
  return bytes;
}

// An encoded number taken apart. Requires: well-formed and not zero.
struct EncodedParts {
  explicit EncodedParts(std::string_view encoded)
      : negative((encoded[0] & 0x80) == 0),
        half_point(((negative ? ~encoded[0] : encoded[0]) & 0x7f) - 64),
        pairs(encoded.substr(1)) {
    if (negative && pairs.back() == kNegativeEnd) pairs.remove_suffix(1);
  }
  int Pair(size_t i) const { return negative ? 101 - pairs[i] : pairs[i] - 1; }

  bool negative;
  int half_point;  // the decimal point lies behind so many pairs
  std::string_view pairs;
};

}  // namespace

Number Number::FromInt64(int64_t value) {
  Number number;
  number.negative_ = value < 0;
  uint64_t magnitude = static_cast<uint64_t>(value);
  if (value < 0) magnitude = 0 - magnitude;
  if (magnitude == 0) return number;
  while (magnitude % 10 == 0) {
    magnitude /= 10;
    ++number.exponent_;
  }
  number.coefficient_ = magnitude;
  return number;
}

absl::StatusOr<Number> Number::Parse(std::string_view text, ValueLayer layer) {
  Digits digits;
  const ScanResult result = Scan(text, layer, &digits);
  if (result != ScanResult::kOk) return ToNumberError(result, text, layer);
  Number number;
  if (digits.count == 0) return number;
  const int low_count = digits.count > 19 ? digits.count - 19 : 0;
  uint64_t high = 0;
  uint64_t low = 0;
  int i = 0;
  for (; i < digits.count - low_count; ++i) high = high * 10 + digits.digits[i];
  for (; i < digits.count; ++i) low = low * 10 + digits.digits[i];
  number.coefficient_ = high * kPowersOfTen[low_count] + low;
  number.exponent_ = digits.point - digits.count;
  number.negative_ = digits.negative;
  return number;
}

Number Number::Decode(std::string_view encoded) {
  Number number;
  if (encoded[0] == kZeroByte && encoded.size() == 1) return number;
  const EncodedParts parts(encoded);
  const size_t last = parts.pairs.size() - 1;
  Coefficient coefficient = 0;
  // Nine pairs at a time stay within 64 bits.
  for (size_t i = 0; i < last;) {
    uint64_t chunk = 0;
    const size_t begin = i;
    for (; i < last && i - begin < 9; ++i) chunk = chunk * 100 + parts.Pair(i);
    coefficient = coefficient * kPowersOfTen[2 * (i - begin)] + chunk;
  }
  // Twenty pairs do not fit into 128 bits, but their last digit is a padding zero.
  const int pair = parts.Pair(last);
  number.exponent_ = 2 * (parts.half_point - static_cast<int>(parts.pairs.size()));
  if (pair % 10 == 0) {
    number.coefficient_ = coefficient * 10 + pair / 10;
    ++number.exponent_;
  } else {
    number.coefficient_ = coefficient * 100 + pair;
  }
  number.negative_ = parts.negative;
  return number;
}

NumberBytes Number::Encode() const {
  NumberBytes bytes;
  if (coefficient_ == 0) {
    bytes.push_back(kZeroByte);
    return bytes;
  }
  // Pairs lie at even powers of ten, found from the right.
  std::array<uint8_t, kPairsMax> pairs;
  size_t first = pairs.size();
  Coefficient rest = coefficient_;
  const bool is_odd = (exponent_ & 1) != 0;
  if (is_odd) {
    pairs[--first] = static_cast<uint8_t>(rest % 10 * 10);
    rest /= 10;
  }
  while (rest >> 64 != 0) {
    uint64_t chunk = static_cast<uint64_t>(rest % kTenToThe18);
    rest /= kTenToThe18;
    for (int i = 0; i < 9; ++i, chunk /= 100) pairs[--first] = chunk % 100;
  }
  for (uint64_t low = static_cast<uint64_t>(rest); low != 0; low /= 100) {
    pairs[--first] = low % 100;
  }
  const int half_exponent = (exponent_ - (is_odd ? 1 : 0)) / 2;
  const int half_point = half_exponent + static_cast<int>(pairs.size() - first);
  bytes.push_back(ExponentByte(half_point, negative_));
  for (size_t i = first; i < pairs.size(); ++i) bytes.push_back(PairByte(pairs[i], negative_));
  if (negative_ && bytes.size() < 1 + kPairsMax) bytes.push_back(kNegativeEnd);
  return bytes;
}

void Number::AppendTo(std::string* text) const { AppendNumberText(Encode().view(), text); }

std::string Number::ToString() const {
  std::string text;
  AppendTo(&text);
  return text;
}

bool Number::ToInt64(int64_t* value) const {
  if (exponent_ < 0 || exponent_ > 18 || coefficient_ >> 64 != 0) return false;
  const Coefficient magnitude = coefficient_ * kPowersOfTen[exponent_];
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  if (magnitude > Coefficient{kMax} + (negative_ ? 1 : 0)) return false;
  const auto low = static_cast<uint64_t>(magnitude);
  *value = static_cast<int64_t>(negative_ ? 0 - low : low);
  return true;
}

absl::StatusOr<Number> Add(const Number& left, const Number& right) {
  if (left.is_zero()) return right;
  if (right.is_zero()) return left;
  const bool left_is_high = left.exponent_ >= right.exponent_;
  const Number& high = left_is_high ? left : right;
  const Number& low = left_is_high ? right : left;
  // The smaller exponent's last digit survives, so an aligned coefficient from 2 * 10^38 on cannot
  // come back to 38 digits by subtraction; below that nothing leaves 128 bits.
  const int shift = high.exponent_ - low.exponent_;
  if (shift > kNumberDigitsMax || high.coefficient_ > 2 * kTenToThe38 / kPowersOfTen[shift]) {
    return ValidationError(messages::NumberOverflow());
  }
  const Number::Coefficient aligned = high.coefficient_ * kPowersOfTen[shift];
  Number result;
  if (high.negative_ == low.negative_) {
    result.coefficient_ = aligned + low.coefficient_;
    result.negative_ = high.negative_;
  } else if (aligned >= low.coefficient_) {
    result.coefficient_ = aligned - low.coefficient_;
    result.negative_ = high.negative_;
  } else {
    result.coefficient_ = low.coefficient_ - aligned;
    result.negative_ = low.negative_;
  }
  if (result.coefficient_ == 0) return Number();
  result.exponent_ = low.exponent_;
  while (result.coefficient_ % 10 == 0) {
    result.coefficient_ /= 10;
    ++result.exponent_;
  }
  if (result.coefficient_ >= kTenToThe38) return ValidationError(messages::NumberOverflow());
  int digits = 1;
  while (digits < kNumberDigitsMax && result.coefficient_ >= kPowersOfTen[digits]) ++digits;
  const int adjusted = result.exponent_ + digits - 1;
  if (adjusted > kNumberExponentMax) return ValidationError(messages::NumberOverflow());
  if (adjusted < kNumberExponentMin) return ValidationError(messages::NumberUnderflow());
  return result;
}

absl::StatusOr<Number> Subtract(const Number& left, const Number& right) {
  Number negated = right;
  if (!negated.is_zero()) negated.negative_ = !negated.negative_;
  return Add(left, negated);
}

absl::StatusOr<NumberBytes> EncodeNumber(std::string_view text, ValueLayer layer) {
  Digits digits;
  const ScanResult result = Scan(text, layer, &digits);
  if (result != ScanResult::kOk) return ToNumberError(result, text, layer);
  return EncodeDigits(&digits);
}

void AppendNumberText(std::string_view encoded, std::string* text) {
  std::array<char, kNumberTextBytesMax> buffer;
  text->append(buffer.data(), WriteNumberText(encoded, buffer.data()));
}

char* WriteNumberText(std::string_view encoded, char* to) {
  const auto write = [&to](std::string_view text) { to = std::copy(text.begin(), text.end(), to); };
  if (encoded[0] == kZeroByte && encoded.size() == 1) {
    write("0");
    return to;
  }
  const EncodedParts parts(encoded);
  std::array<char, 2 * kPairsMax> buffer;
  const size_t count = 2 * parts.pairs.size();
  for (size_t i = 0; i < parts.pairs.size(); ++i) {
    std::memcpy(&buffer[2 * i], &kPairTexts[2 * parts.Pair(i)], 2);
  }
  std::string_view digits(buffer.data(), count);
  const int point = 2 * parts.half_point;
  if (parts.negative) write("-");
  if (point <= 0) {
    write("0.");
    to = std::fill_n(to, static_cast<size_t>(-point), '0');
    if (digits.back() == '0') digits.remove_suffix(1);
    write(digits);
    return to;
  }
  // The point lies between pairs, so the first pair is whole in front of it and the last one, if
  // there is a fraction, whole behind it.
  const bool has_fraction = count > static_cast<size_t>(point);
  const std::string_view fraction =
      has_fraction ? digits.substr(static_cast<size_t>(point)) : std::string_view();
  std::string_view integer = digits.substr(0, static_cast<size_t>(point));
  const size_t padding = static_cast<size_t>(point) - integer.size();
  if (integer[0] == '0') integer.remove_prefix(1);
  write(integer);
  to = std::fill_n(to, padding, '0');
  if (!has_fraction) return to;
  write(".");
  write(fraction.back() == '0' ? fraction.substr(0, fraction.size() - 1) : fraction);
  return to;
}

bool IsEncodedNumber(std::string_view bytes) {
  if (bytes.empty()) return false;
  if (bytes.size() == 1) return bytes[0] == kZeroByte;
  if (bytes.size() > 2 + kPairsMax) return false;
  const bool negative = (bytes[0] & 0x80) == 0;
  std::string_view pairs = bytes.substr(1);
  if (negative) {
    const bool has_end = pairs.back() == kNegativeEnd;
    if (has_end) pairs.remove_suffix(1);
    if (has_end != (pairs.size() < kPairsMax)) return false;
  }
  if (pairs.empty() || pairs.size() > kPairsMax) return false;
  const auto pair_of = [negative](char byte) {
    const int stored = static_cast<uint8_t>(byte);
    return negative ? 101 - stored : stored - 1;
  };
  for (const char byte : pairs) {
    if (const int pair = pair_of(byte); pair < 0 || pair > 99) return false;
  }
  if (pair_of(pairs.front()) == 0 || pair_of(pairs.back()) == 0) return false;
  return pairs.size() < kPairsMax ||
         (pair_of(pairs.front()) < 10 && pair_of(pairs.back()) % 10 == 0);
}

size_t NumberBilledBytes(std::string_view encoded) {
  const bool is_full_negative = (encoded[0] & 0x80) == 0 && encoded.back() != kNegativeEnd;
  return encoded.size() + (is_full_negative ? 1 : 0);
}

}  // namespace dynolith
