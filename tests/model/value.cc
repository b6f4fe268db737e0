#include "tests/model/value.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace dynolith::model {
namespace {

using boost::multiprecision::abs;
using boost::multiprecision::cpp_int;
using boost::multiprecision::pow;

std::string Quoted(std::string_view bytes) {
  std::string out = "\"";
  for (const unsigned char c : bytes) {
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      out += static_cast<char>(c);
    } else {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", c);
      out += escape;
    }
  }
  return out + '"';
}

template <typename Members, typename Print>
std::string Joined(char open, const Members& members, char close, Print print) {
  std::string out(1, open);
  for (const auto& member : members) out += (out.size() > 1 ? ", " : "") + print(member);
  return out + close;
}

}  // namespace

Decimal::Decimal(std::string_view text) {
  std::string digits;
  bool negative = false;
  bool behind_point = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '-') negative = true;
    if (c == '.') behind_point = true;
    if (c == 'e' || c == 'E') {
      exponent_ += std::atoi(std::string(text.substr(i + 1)).c_str());
      break;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) continue;
    digits += c;
    exponent_ -= behind_point ? 1 : 0;
  }
  // A leading zero would make it octal.
  const size_t first = digits.find_first_not_of('0');
  coefficient_ = first == std::string::npos ? cpp_int(0) : cpp_int(digits.substr(first));
  if (negative) coefficient_ = -coefficient_;
  Normalize();
}

void Decimal::Normalize() {
  if (coefficient_ == 0) exponent_ = 0;
  while (coefficient_ != 0 && coefficient_ % 10 == 0) {
    coefficient_ /= 10;
    ++exponent_;
  }
}

std::string Decimal::ToString() const {
  std::string digits = cpp_int(abs(coefficient_)).str();
  if (exponent_ >= 0) {
    digits.append(static_cast<size_t>(exponent_), '0');
  } else {
    const auto behind = static_cast<size_t>(-exponent_);
    if (digits.size() <= behind) digits.insert(0, behind + 1 - digits.size(), '0');
    digits.insert(digits.size() - behind, ".");
  }
  return (coefficient_ < 0 ? "-" : "") + digits;
}

bool Decimal::Fits() const {
  if (coefficient_ == 0) return true;
  const auto digits = static_cast<int>(cpp_int(abs(coefficient_)).str().size());
  const int adjusted = exponent_ + digits - 1;
  return digits <= 38 && adjusted >= -130 && adjusted <= 125;
}

Decimal operator+(const Decimal& left, const Decimal& right) {
  Decimal sum;
  sum.exponent_ = std::min(left.exponent_, right.exponent_);
  sum.coefficient_ =
      left.coefficient_ * pow(cpp_int(10), static_cast<unsigned>(left.exponent_ - sum.exponent_)) +
      right.coefficient_ * pow(cpp_int(10), static_cast<unsigned>(right.exponent_ - sum.exponent_));
  sum.Normalize();
  return sum;
}

Decimal operator-(const Decimal& left, const Decimal& right) {
  Decimal negated = right;
  negated.coefficient_ = -negated.coefficient_;
  return left + negated;
}

bool operator<(const Decimal& left, const Decimal& right) {
  return (left - right).coefficient_ < 0;
}

bool operator==(const Decimal& left, const Decimal& right) {
  return left.coefficient_ == right.coefficient_ && left.exponent_ == right.exponent_;
}

bool operator==(const Value& left, const Value& right) { return left.v == right.v; }
bool operator==(const String& left, const String& right) { return left.text == right.text; }
bool operator==(const Binary& left, const Binary& right) { return left.bytes == right.bytes; }
bool operator==(const StringSet& left, const StringSet& right) {
  return left.members == right.members;
}
bool operator==(const NumberSet& left, const NumberSet& right) {
  return left.members == right.members;
}
bool operator==(const BinarySet& left, const BinarySet& right) {
  return left.members == right.members;
}

Value S(std::string_view text) { return Value{String{std::string(text)}}; }
Value N(std::string_view text) { return Value{Decimal(text)}; }
Value B(std::string_view bytes) { return Value{Binary{std::string(bytes)}}; }

std::string TypeName(const Value& value) {
  static const char* const names[] = {"NULL", "BOOL", "N", "S", "B", "L", "M", "SS", "NS", "BS"};
  return names[value.v.index()];
}

std::optional<int> Compare(const Value& left, const Value& right) {
  if (left.As<Decimal>() && right.As<Decimal>()) {
    const Decimal& a = *left.As<Decimal>();
    const Decimal& b = *right.As<Decimal>();
    return a < b ? -1 : b < a ? 1 : 0;
  }
  const auto sign = [](int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; };
  if (left.As<String>() && right.As<String>()) {
    return sign(left.As<String>()->text.compare(right.As<String>()->text));
  }
  if (left.As<Binary>() && right.As<Binary>()) {
    return sign(left.As<Binary>()->bytes.compare(right.As<Binary>()->bytes));
  }
  return std::nullopt;
}

std::string Text(const Value& value) {
  const auto value_text = [](const Value& element) { return Text(element); };
  const auto number_text = [](const Decimal& number) { return number.ToString(); };
  switch (value.v.index()) {
    case 0:
      return "NULL";
    case 1:
      return std::get<bool>(value.v) ? "true" : "false";
    case 2:
      return "N " + std::get<Decimal>(value.v).ToString();
    case 3:
      return "S" + Quoted(std::get<String>(value.v).text);
    case 4:
      return "B" + Quoted(std::get<Binary>(value.v).bytes);
    case 5:
      return Joined('[', std::get<List>(value.v), ']', value_text);
    case 6:
      return Text(std::get<Map>(value.v));
    case 7:
      return "SS" + Joined('<', std::get<StringSet>(value.v).members, '>', Quoted);
    case 8:
      return "NS" + Joined('<', std::get<NumberSet>(value.v).members, '>', number_text);
    default:
      return "BS" + Joined('<', std::get<BinarySet>(value.v).members, '>', Quoted);
  }
}

std::string Text(const Item& item) {
  return Joined('{', item, '}', [](const auto& attribute) {
    return Quoted(attribute.first) + ": " + Text(attribute.second);
  });
}

}  // namespace dynolith::model
