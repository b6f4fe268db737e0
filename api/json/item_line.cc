#include "api/json/item_line.h"

#include <optional>

#include "absl/time/time.h"
#include "api/json/constraints.h"
#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/json_writer.h"
#include "api/json/type_checks.h"
#include "api/json/value_reader.h"
#include "engine/base/errors.h"
#include "engine/base/messages/transfers.h"
#include "engine/base/status_macros.h"
#include "engine/model/members.h"

namespace dynolith {
namespace {

// The structure of the model that has the line's member.
namespace line = members::PutRequest;

void WriteImage(std::string_view key, const std::optional<ItemView>& image, JsonWriter* writer) {
  if (!image) return;
  writer->Key(key);
  writer->Item(*image);
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
  const std::optional<JsonValue> root = parser.Parse(text);
  if (!root) return ValidationError(messages::RecordIsNotJson());
  if (!root->is_object()) return ValidationError(messages::RecordWithoutItem());
  const Fields fields(line::kShape, *root);
  DYNOLITH_RETURN_IF_ERROR(CheckTypes(fields));
  DYNOLITH_RETURN_IF_ERROR(CheckConstraints(fields));
  const JsonValue* const map = fields.Find(line::kItem);
  if (map == nullptr) return ValidationError(messages::RecordWithoutItem());
  absl::Status fault;
  Item item = ValueReader({.layer = ValueLayer::kCurrent}).ReadItem(*map, &fault);
  if (!fault.ok()) return fault;
  return item;
}

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace dynolith
