// What requests and answers of CloudWatch say, whichever of its protocols they are written in.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_VALUE_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_VALUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace dynolith::cloudwatch {

// In a request, members' names and values each: of one byte each they would take 200 times as much
// memory as the request.
inline constexpr int kItemsMax = 100'000;

struct Value {
  enum class Kind : uint8_t { kNull, kBool, kInteger, kNumber, kText, kTime, kList, kStructure };
  struct Member;

  static Value Bool(bool value);
  static Value Integer(int64_t value);
  static Value Number(double value);
  static Value Text(std::string_view value);
  static Value Time(absl::Time value);
  static Value List();
  static Value Structure();
  // A structure whose members' names are not given by the operation.
  static Value Map();

  // Requires: a structure. Returns it.
  Value& Set(std::string_view name, Value value);
  // nullptr: absent, or null, or this is no structure.
  const Value* Find(std::string_view name) const;

  // A form of a request writes numbers as texts, and another writes times as numbers. nullopt:
  // nothing that can be read so.
  std::optional<bool> AsBool() const;
  std::optional<double> AsNumber() const;
  std::optional<int64_t> AsInteger() const;
  std::optional<std::string> AsText() const;
  std::optional<absl::Time> AsTime() const;
  bool is_list() const { return kind == Kind::kList; }

  Kind kind = Kind::kNull;
  bool is_map = false;  // of a structure
  bool flag = false;
  int64_t integer = 0;
  double number = 0;
  std::string text;
  absl::Time time;
  std::vector<Value> elements;
  std::vector<Member> members;

 private:
  static Value Of(Kind kind);
};

struct Value::Member {
  std::string name;
  Value value;
};

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_VALUE_H_
