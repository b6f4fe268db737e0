// Attribute values of the dull model: a variant of ordinary containers, and a decimal on Boost's
// big integers. Slow and obvious on purpose; shares no code with the engine.
#ifndef DYNOLITH_TESTS_MODEL_VALUE_H_
#define DYNOLITH_TESTS_MODEL_VALUE_H_

#include <boost/multiprecision/cpp_int.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dynolith::model {

// coefficient * 10^exponent, without trailing zeros in the coefficient; zero is 0 * 10^0.
class Decimal {
 public:
  Decimal() = default;
  // Requires: a number in the service's grammar.
  explicit Decimal(std::string_view text);

  // Plain decimal.
  std::string ToString() const;
  // Whether the service can hold it: at most 38 digits, 1E-130 to 9.99...E+125 or zero.
  bool Fits() const;

  friend Decimal operator+(const Decimal& left, const Decimal& right);
  friend Decimal operator-(const Decimal& left, const Decimal& right);
  friend bool operator<(const Decimal& left, const Decimal& right);
  friend bool operator==(const Decimal& left, const Decimal& right);

 private:
  void Normalize();
  boost::multiprecision::cpp_int coefficient_ = 0;
  int exponent_ = 0;
};

struct Value;
struct Null {
  friend bool operator==(Null, Null) { return true; }
};
struct String {
  std::string text;
};
struct Binary {
  std::string bytes;
};
using List = std::vector<Value>;
using Map = std::map<std::string, Value>;
struct StringSet {
  std::set<std::string> members;
};
struct NumberSet {
  std::set<Decimal> members;
};
struct BinarySet {
  std::set<std::string> members;
};

struct Value {
  std::variant<Null, bool, Decimal, String, Binary, List, Map, StringSet, NumberSet, BinarySet> v;

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&v);
  }
  template <typename T>
  T* As() {
    return std::get_if<T>(&v);
  }
};
using Item = Map;

bool operator==(const Value& left, const Value& right);
bool operator==(const String& left, const String& right);
bool operator==(const Binary& left, const Binary& right);
bool operator==(const StringSet& left, const StringSet& right);
bool operator==(const NumberSet& left, const NumberSet& right);
bool operator==(const BinarySet& left, const BinarySet& right);

Value S(std::string_view text);
Value N(std::string_view text);
Value B(std::string_view bytes);

// "S", "N", "BOOL", ...
std::string TypeName(const Value& value);

// -1, 0 or 1 for two strings, two numbers or two binaries; nullopt for anything else.
std::optional<int> Compare(const Value& left, const Value& right);

// One line that differs for different values: {a: S"x", b: [N 1, NULL]}.
std::string Text(const Value& value);
std::string Text(const Item& item);

}  // namespace dynolith::model

#endif  // DYNOLITH_TESTS_MODEL_VALUE_H_
