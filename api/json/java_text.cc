#include "api/json/java_text.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "engine/base/limits.h"

namespace dynolith {
namespace {

void Append(const Shape& shape, JsonValue value, std::string* text);

// A list of empty elements has seventeen times its bytes as a text, so what is printed of a value
// ends somewhere; brackets are closed all the same.
bool IsFull(const std::string& text) { return text.size() >= kReportedValueBytesMax; }

void AppendWhatFits(std::string_view piece, std::string* text) {
  if (!IsFull(*text)) text->append(piece.substr(0, kReportedValueBytesMax - text->size()));
}

// The hash that Java prints is of no use to a client; ours depends on the value alone, so that
// equal requests get equal messages.
void AppendHashed(const Shape& shape, JsonValue value, std::string* text) {
  uint32_t hash = 2166136261;
  for (const char c : simdjson::minify(value)) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
  text->append("com.amazonaws.dynamodb.v20120810.");
  text->append(shape.name);
  text->append(absl::StrFormat("@%x", hash));
}

void AppendStructure(const Shape& shape, JsonValue value, std::string* text) {
  if (shape.name == "AttributeValue") return AppendHashed(shape, value, text);
  const Fields fields(shape, ObjectOf(value));
  const absl::Span<const ShapeMember> all = shape.members();
  text->append(shape.name);
  text->push_back('(');
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text->append(", ");
    text->append(LowerFirst(all[i].name));
    text->push_back('=');
    const JsonValue* member = fields.Find(static_cast<int>(i));
    member == nullptr ? void(text->append("null")) : Append(ShapeAt(all[i].shape), *member, text);
  }
  text->push_back(')');
}

void AppendList(const Shape& shape, JsonArray list, std::string* text) {
  text->push_back('[');
  bool first = true;
  for (const JsonValue element : list) {
    if (IsFull(*text)) break;
    if (!first) text->append(", ");
    first = false;
    Append(ShapeAt(shape.element), element, text);
  }
  text->push_back(']');
}

void AppendMap(const Shape& shape, JsonObject map, std::string* text) {
  text->push_back('{');
  bool first = true;
  for (const auto field : map) {
    if (IsFull(*text)) break;
    if (!first) text->append(", ");
    first = false;
    AppendWhatFits(field.key, text);
    text->push_back('=');
    Append(ShapeAt(shape.element), field.value, text);
  }
  text->push_back('}');
}

void Append(const Shape& shape, JsonValue value, std::string* text) {
  if (value.is_null()) return void(text->append("null"));
  switch (shape.kind) {
    case ShapeKind::kStructure:
      return AppendStructure(shape, value, text);
    case ShapeKind::kList:
      return AppendList(shape, ArrayOf(value), text);
    case ShapeKind::kMap:
      return AppendMap(shape, ObjectOf(value), text);
    case ShapeKind::kInteger:
    case ShapeKind::kLong:
      return void(text->append(std::to_string(WholeNumberOf(value))));
    default:
      break;
  }
  if (value.is_string()) return AppendWhatFits(TextOf(value), text);
  AppendWhatFits(simdjson::minify(value), text);
}

}  // namespace

std::string JavaText(const Shape& shape, JsonValue value) {
  std::string text;
  Append(shape, value, &text);
  return text;
}

std::string LowerFirst(std::string_view name) {
  std::string text(name);
  if (!text.empty()) text[0] = absl::ascii_tolower(text[0]);
  return text;
}

}  // namespace dynolith
