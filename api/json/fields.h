// A JSON object as one structure of the service model: its members by number.
#ifndef DYNOLITH_API_JSON_FIELDS_H_
#define DYNOLITH_API_JSON_FIELDS_H_

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "engine/model/shapes.h"

namespace dynolith {

using JsonValue = simdjson::dom::element;
using JsonArray = simdjson::dom::array;
using JsonObject = simdjson::dom::object;
using JsonType = simdjson::dom::element_type;

// The text of a JSON string, borrowed from the parser. Requires: a string.
inline std::string_view AsText(JsonValue value) { return value.get_string().value_unsafe(); }
// Requires: an array, an object.
inline JsonArray AsArray(JsonValue value) { return value.get_array().value_unsafe(); }
inline JsonObject AsObject(JsonValue value) { return value.get_object().value_unsafe(); }

// "true", "1", "yes", "false", "0" and "no" in any case; nullopt for anything else.
std::optional<bool> ParseBooleanText(std::string_view text);
// A number as an integer: floored, and clamped to int64_t. Requires: a number.
int64_t AsWholeNumber(JsonValue value);
// Requires: a boolean, or a text that ParseBooleanText accepts.
bool AsBoolean(JsonValue value);
// Seconds since 1970 as a time, to the nearest millisecond. Requires: a number.
absl::Time AsTime(JsonValue value);

// Borrows the parsed document. A member that is null is absent; of two equal names the later one
// counts; unknown members are ignored. The typed getters require that the value has passed
// CheckTypes (type_checks.h) as the member's shape.
class Fields {
 public:
  Fields(const Shape& shape, JsonObject object);
  // Binds the structure in a member, an element or a map's value. Requires: an object.
  Fields(int shape, JsonValue object) : Fields(ShapeAt(shape), AsObject(object)) {}

  const Shape& shape() const { return *shape_; }
  bool Has(int member) const { return (present_ >> member & 1) != 0; }
  // nullptr if absent.
  const JsonValue* Find(int member) const { return Has(member) ? &values_[member] : nullptr; }

  // Empty if absent; borrowed from the parser.
  std::string_view Text(int member) const { return Has(member) ? AsText(values_[member]) : ""; }

 private:
  const Shape* shape_;
  uint64_t present_ = 0;
  std::array<JsonValue, kShapeMembersMax> values_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_FIELDS_H_
