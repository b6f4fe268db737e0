// A request's placeholders with one value of every type, and the outcome of parsing against them.
#ifndef DYNOLITH_TESTS_UNIT_EXPR_SAMPLE_REQUEST_H_
#define DYNOLITH_TESTS_UNIT_EXPR_SAMPLE_REQUEST_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "engine/expr/expression.h"
#include "engine/expr/placeholders.h"
#include "engine/value/item.h"

namespace dynolith {

inline constexpr std::string_view kOk = "OK";

inline std::string Outcome(const absl::Status& status) {
  return std::string(status.ok() ? kOk : MessageOf(status));
}

template <typename T>
std::string Outcome(const absl::StatusOr<T>& result) {
  return Outcome(result.status());
}

struct SampleRequest {
  AttributeNames names = {{"#a", "a"},         {"#b", "b"},       {"#other_a", "a"},
                          {"#dots", "x.y[0]"}, {"#size", "size"}, {"#1", "digit"}};
  Item values = {{":s", Value::S("s")},
                 {":t", Value::S("t")},
                 {":empty", Value::S("")},
                 {":n", Value::N(1)},
                 {":m", Value::N(2)},
                 {":n5", Value::N(5)},
                 {":b", Value::B("xyz")},
                 {":l", Value::L({Value::S("new")})},
                 {":map", Value::M({{"k", Value::N(1)}})},
                 {":ss", Value::SS({"p", "q"})},
                 {":ns", Value::NS({Number::FromInt64(1), Number::FromInt64(2)})},
                 {":bs", Value::BS({"p"})},
                 {":bool", Value::Bool(true)},
                 {":null", Value::Null()},
                 {":type_s", Value::S("S")},
                 {":type_x", Value::S("X")}};

  Placeholders placeholders() const { return Placeholders(&names, &values); }

  absl::StatusOr<Condition> ParseCondition(std::string_view text,
                                           ExpressionKind kind = ExpressionKind::kCondition) const {
    Placeholders used = placeholders();
    return Condition::Parse(text, kind, &used);
  }
  absl::StatusOr<ParsedKeyCondition> ParseKeyCondition(std::string_view text) const {
    Placeholders used = placeholders();
    return ParsedKeyCondition::Parse(text, &used);
  }
  absl::StatusOr<Projection> ParseProjection(std::string_view text) const {
    Placeholders used = placeholders();
    return Projection::Parse(text, &used);
  }
  absl::StatusOr<Update> ParseUpdate(std::string_view text) const {
    Placeholders used = placeholders();
    return Update::Parse(text, &used);
  }
};

inline std::string Repeat(std::string_view text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

}  // namespace dynolith

#endif  // DYNOLITH_TESTS_UNIT_EXPR_SAMPLE_REQUEST_H_
