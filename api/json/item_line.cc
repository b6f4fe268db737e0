#include "api/json/item_line.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/time/time.h"
#include "api/json/constraints.h"
#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/json_writer.h"
#include "api/json/messages.h"
#include "api/json/read_structure.h"
#include "api/json/type_checks.h"
#include "api/json/value_reader.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/model/members.h"
#include "engine/model/request_violations.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

// The structure of the model that has the line's member.
namespace line = members::PutRequest;
namespace av = members::AttributeValue;

void WriteImage(std::string_view key, const std::optional<ItemView>& image, JsonWriter* writer) {
  if (!image) return;
  writer->Key(key);
  writer->Item(*image);
}

bool IsPlainValue(JsonValue value);

bool AreDistinct(JsonObject map) {
  if (map.size() < 2) return true;
  absl::InlinedVector<std::string_view, 16> names;
  for (const auto field : map) names.push_back(field.key);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

template <typename Elements>
bool AreTexts(const Elements& list) {
  return std::all_of(list.begin(), list.end(), [](JsonValue text) { return text.is_string(); });
}

// Whether it is what exports write of that member. `value` has it.
bool IsPlainContent(int member, JsonValue content, JsonObject value) {
  switch (member) {
    case av::kS:
    case av::kN:
      return content.is_string();
    case av::kBOOL:
      return content.is_bool();
    case av::kNULL:
      return content.is_bool() && content.get_bool().value_unsafe();
    case av::kSS:
    case av::kNS:
      return content.is_array() && AreTexts(AsArray(content));
    case av::kB:
      return CheckTypes(Fields(ShapeAt(av::kShape), value)).ok();
    case av::kBS:
      return content.is_array() && AreTexts(AsArray(content)) &&
             CheckTypes(Fields(ShapeAt(av::kShape), value)).ok();
    case av::kL:
      if (!content.is_array()) return false;
      for (const JsonValue element : AsArray(content)) {
        if (!IsPlainValue(element)) return false;
      }
      return true;
    case av::kM:
      if (!content.is_object() || !AreDistinct(AsObject(content))) return false;
      for (const auto field : AsObject(content)) {
        if (!IsPlainValue(field.value)) return false;
      }
      return true;
    default:
      return false;
  }
}

// Whether it is {"S":"…"} or its like.
bool IsPlainValue(JsonValue value) {
  if (!value.is_object() || AsObject(value).size() != 1) return false;
  const JsonObject object = AsObject(value);
  const auto field = *object.begin();
  const int member = field.key == "S" ? int{av::kS} : ShapeAt(av::kShape).FindMember(field.key);
  return IsPlainContent(member, field.value, object);
}

// Whether CheckTypes and CheckConstraints would accept the item.
bool IsPlainItem(JsonValue map) {
  if (!map.is_object()) return false;
  const JsonObject attributes = AsObject(map);
  if (attributes.size() == 1 && (*attributes.begin()).key == "M") return false;
  for (const auto field : attributes) {
    if (field.key.size() > kAttributeNameBytesMax || !IsPlainValue(field.value)) return false;
  }
  return true;
}

absl::StatusOr<JsonValue> ParseLine(std::string_view text, JsonParser* parser) {
  const std::optional<JsonValue> root = parser->Parse(text);
  if (!root) return ValidationError(messages::RecordIsNotJson());
  if (!root->is_object()) return ValidationError(messages::RecordWithoutItem());
  return *root;
}

}  // namespace

void AppendItemLine(ItemView item, std::string* out) {
  JsonWriter writer(out);
  writer.BeginObject();
  writer.Key("Item");
  writer.Item(item);
  writer.EndObject();
  out->push_back('\n');
}

void AppendChangeLine(const ExportedChange& change, std::string* out) {
  JsonWriter writer(out);
  writer.BeginObject();
  writer.Key("Metadata");
  writer.BeginObject();
  writer.Key("WriteTimestampMicros");
  writer.BeginObject();
  writer.Key("N");
  writer.String(std::to_string(absl::ToUnixMicros(change.written)));
  writer.EndObject();
  writer.EndObject();
  writer.Key("Keys");
  writer.Item(change.key);
  WriteImage("OldImage", change.old_image, &writer);
  WriteImage("NewImage", change.new_image, &writer);
  writer.EndObject();
  out->push_back('\n');
}

absl::StatusOr<Item> ReadItemLine(std::string_view text) {
  thread_local JsonParser parser;
  DYNOLITH_ASSIGN_OR_RETURN(const JsonValue root, ParseLine(text, &parser));
  const Fields fields(line::kShape, root);
  DYNOLITH_RETURN_IF_ERROR(CheckTypes(fields));
  DYNOLITH_RETURN_IF_ERROR(CheckConstraints(fields));
  const JsonValue* const map = fields.Find(line::kItem);
  if (map == nullptr) return ValidationError(messages::RecordWithoutItem());
  absl::Status violation;
  Item item = ValueReader({.layer = ValueLayer::kCurrent}).ReadItem(*map, &violation);
  if (!violation.ok()) return violation;
  return item;
}

std::optional<Item> ReadPlainItemLine(std::string_view text) {
  thread_local JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(text);
  if (!root || !root->is_object() || AsObject(*root).size() != 1) return std::nullopt;
  const auto field = *AsObject(*root).begin();
  if (field.key != "Item" || !IsPlainItem(field.value)) return std::nullopt;
  absl::Status violation;
  Item item = ValueReader({.layer = ValueLayer::kCurrent}).ReadItem(field.value, &violation);
  // If a name occurs twice, the item has only the last value, and so fewer attributes.
  if (!violation.ok() || item.size() != AsObject(field.value).size()) return std::nullopt;
  return item;
}

absl::StatusOr<BulkPutRecord> ReadPutLine(std::string_view text) {
  thread_local JsonParser parser;
  DYNOLITH_ASSIGN_OR_RETURN(const JsonValue root, ParseLine(text, &parser));
  if (!Fields(line::kShape, root).Has(line::kItem)) {
    return ValidationError(messages::RecordWithoutItem());
  }
  const Fields fields(members::Put::kShape, root);
  DYNOLITH_RETURN_IF_ERROR(CheckTypes(fields));
  // The put of a transaction must name its table, a line must not.
  DYNOLITH_RETURN_IF_ERROR(CheckConstraints(Fields(line::kShape, root)));
  TransactAction put;
  RequestViolations violations;
  DYNOLITH_RETURN_IF_ERROR(
      ReadStructure(fields, {.layer = ValueLayer::kCurrent}, &put, &violations));
  DYNOLITH_RETURN_IF_ERROR(violations.Of(&put).values);
  DYNOLITH_RETURN_IF_ERROR(violations.Of(&put).expression_values);
  return BulkPutRecord{.item = std::move(put.item),
                       .condition_expression = std::move(put.condition_expression),
                       .expression_attribute_names = std::move(put.expression_attribute_names),
                       .expression_attribute_values = std::move(put.expression_attribute_values)};
}

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace dynolith
