#include "api/json/type_checks.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/json/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr std::string_view kPackage = "com.amazonaws.dynamodb.v20120810.";

// What contains a value: the wording for a scalar in place of a structure, list or map depends on
// it.
enum class ValueContext : uint8_t {
  kMember,
  kListElement,
  kMapValue,
};

absl::Status SerializationFailure(std::string_view message) {
  return MakeError(ErrorKind::kSerialization, message);
}

std::string_view JavaName(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kBoolean:
      return "Boolean";
    case ShapeKind::kInteger:
      return "Integer";
    case ShapeKind::kLong:
      return "Long";
    case ShapeKind::kDouble:
      return "Double";
    case ShapeKind::kTimestamp:
      return "Date";
    default:
      return "String";
  }
}

std::string JavaClass(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::kStructure:
      return Concat(kPackage, shape.name);
    case ShapeKind::kList:
      return Concat("java.util.List<", JavaClass(ShapeAt(shape.element)), ">");
    case ShapeKind::kMap:
      return Concat("java.util.Map<java.lang.String, ", JavaClass(ShapeAt(shape.element)), ">");
    case ShapeKind::kBlob:
      return "java.nio.ByteBuffer";
    case ShapeKind::kTimestamp:
      return "java.util.Date";
    default:
      return Concat("java.lang.", JavaName(shape.kind));
  }
}

std::string_view TokenName(JsonValue value) {
  switch (value.type()) {
    case JsonType::BOOL:
      return value.get_bool().value_unsafe() ? "TRUE_VALUE" : "FALSE_VALUE";
    case JsonType::DOUBLE:
      return "DECIMAL_VALUE";
    case JsonType::STRING:
      return "STRING_VALUE";
    default:
      return "NUMBER_VALUE";
  }
}

bool IsScalar(JsonType type) { return type != JsonType::ARRAY && type != JsonType::OBJECT; }
bool IsNumber(JsonType type) {
  return type == JsonType::INT64 || type == JsonType::UINT64 || type == JsonType::DOUBLE;
}

// The six bits behind a character of the standard alphabet, 64 for any other.
constexpr std::array<uint8_t, 256> kBase64Bits = [] {
  std::array<uint8_t, 256> bits{};
  bits.fill(64);
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    bits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return bits;
}();

// Only the text that an encoder would write for the same bytes is accepted.
absl::Status CheckBase64(std::string_view text) {
  if (text.size() % 4 != 0) return SerializationFailure(messages::Base64Length(text.size()));
  std::string_view digits = text;
  for (int pads = 0; pads < 2 && !digits.empty() && digits.back() == '='; ++pads) {
    digits.remove_suffix(1);
  }
  for (const char c : digits) {
    if (kBase64Bits[static_cast<uint8_t>(c)] == 64)
      return SerializationFailure(messages::Base64NotCanonical());
  }
  const size_t pads = text.size() - digits.size();
  if (pads == 0) return absl::OkStatus();
  const uint8_t unused_bits = pads == 1 ? 0x03 : 0x0f;
  if ((kBase64Bits[static_cast<uint8_t>(digits.back())] & unused_bits) != 0) {
    return SerializationFailure(messages::Base64NotCanonical());
  }
  return absl::OkStatus();
}

absl::Status CheckScalar(const Shape& shape, JsonValue value) {
  const JsonType type = value.type();
  if (type == JsonType::ARRAY)
    return SerializationFailure(messages::ListForClass(JavaClass(shape)));
  if (type == JsonType::OBJECT) return SerializationFailure(messages::UnexpectedStructure());
  switch (shape.kind) {
    case ShapeKind::kString:
    case ShapeKind::kEnum:
      if (type == JsonType::STRING) return absl::OkStatus();
      break;
    case ShapeKind::kBlob:
      if (type != JsonType::STRING) return SerializationFailure(messages::NotBase64Text());
      return CheckBase64(AsText(value));
    case ShapeKind::kBoolean:
      if (type == JsonType::BOOL) return absl::OkStatus();
      if (type != JsonType::STRING) break;
      if (ParseBooleanText(AsText(value))) return absl::OkStatus();
      return SerializationFailure(messages::UnexpectedToken());
    default:
      if (IsNumber(type)) return absl::OkStatus();
      break;
  }
  return SerializationFailure(messages::NotConvertible(TokenName(value), JavaName(shape.kind)));
}

absl::Status CheckValue(const Shape& shape, JsonValue value, ValueContext context);

absl::Status CheckList(const Shape& shape, JsonValue value, ValueContext context) {
  const JsonType type = value.type();
  if (type == JsonType::OBJECT) return SerializationFailure(messages::UnexpectedStructure());
  if (IsScalar(type)) {
    return SerializationFailure(context == ValueContext::kMember ? messages::UnexpectedFieldType()
                                                                 : messages::ScalarForGeneric());
  }
  const Shape& element_shape = ShapeAt(shape.element);
  for (const JsonValue element : AsArray(value)) {
    DYNOLITH_RETURN_IF_ERROR(CheckValue(element_shape, element, ValueContext::kListElement));
  }
  return absl::OkStatus();
}

absl::Status CheckMap(const Shape& shape, JsonValue value, ValueContext context) {
  const JsonType type = value.type();
  const Shape& element_shape = ShapeAt(shape.element);
  if (type == JsonType::ARRAY)
    return SerializationFailure(messages::ListForMap(JavaClass(element_shape)));
  if (IsScalar(type)) {
    return SerializationFailure(context == ValueContext::kMember ? messages::UnexpectedFieldType()
                                                                 : messages::ScalarForGeneric());
  }
  for (const auto field : AsObject(value)) {
    DYNOLITH_RETURN_IF_ERROR(CheckValue(element_shape, field.value, ValueContext::kMapValue));
  }
  return absl::OkStatus();
}

absl::Status CheckStructure(const Shape& shape, JsonValue value, ValueContext context) {
  const JsonType type = value.type();
  if (type == JsonType::ARRAY)
    return SerializationFailure(messages::ListForClass(JavaClass(shape)));
  if (IsScalar(type)) {
    return SerializationFailure(context == ValueContext::kMember ? messages::UnexpectedFieldType()
                                                                 : messages::UnexpectedValueType());
  }
  const JsonObject object = AsObject(value);
  // Attribute values are by far the most frequent structures, and have one member.
  if (object.size() == 1) {
    const auto field = *object.begin();
    const int member = shape.FindMember(field.key);
    if (member < 0) return absl::OkStatus();
    return CheckValue(ShapeAt(shape.members()[member].shape), field.value, ValueContext::kMember);
  }
  return CheckTypes(Fields(shape, object));
}

absl::Status CheckValue(const Shape& shape, JsonValue value, ValueContext context) {
  if (value.is_null()) return absl::OkStatus();
  switch (shape.kind) {
    case ShapeKind::kList:
      return CheckList(shape, value, context);
    case ShapeKind::kMap:
      return CheckMap(shape, value, context);
    case ShapeKind::kStructure:
      return CheckStructure(shape, value, context);
    default:
      return CheckScalar(shape, value);
  }
}

}  // namespace

absl::Status CheckTypes(const Fields& fields) {
  const absl::Span<const ShapeMember> all = fields.shape().members();
  for (size_t i = 0; i < all.size(); ++i) {
    const JsonValue* value = fields.Find(static_cast<int>(i));
    if (value == nullptr) continue;
    DYNOLITH_RETURN_IF_ERROR(CheckValue(ShapeAt(all[i].shape), *value, ValueContext::kMember));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
