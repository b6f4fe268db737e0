#include "api/json/item_line.h"

#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "api/json/constraints.h"
#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/json_writer.h"
#include "api/json/read_structure.h"
#include "api/json/type_checks.h"
#include "api/json/value_reader.h"
#include "engine/base/errors.h"
#include "engine/base/messages/transfers.h"
#include "engine/base/status_macros.h"
#include "engine/model/members.h"
#include "engine/model/request_faults.h"

namespace dynolith {
namespace {

// The structure of the model that has the line's member.
namespace line = members::PutRequest;

void WriteImage(std::string_view key, const std::optional<ItemView>& image, JsonWriter* writer) {
  if (!image) return;
  writer->Key(key);
  writer->Item(*image);
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
  absl::Status fault;
  Item item = ValueReader({.layer = ValueLayer::kCurrent}).ReadItem(*map, &fault);
  if (!fault.ok()) return fault;
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
  RequestFaults faults;
  DYNOLITH_RETURN_IF_ERROR(ReadStructure(fields, {.layer = ValueLayer::kCurrent}, &put, &faults));
  DYNOLITH_RETURN_IF_ERROR(faults.Of(&put).values);
  DYNOLITH_RETURN_IF_ERROR(faults.Of(&put).expression_values);
  return BulkPutRecord{.item = std::move(put.item),
                       .condition_expression = std::move(put.condition_expression),
                       .expression_attribute_names = std::move(put.expression_attribute_names),
                       .expression_attribute_values = std::move(put.expression_attribute_values)};
}

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace dynolith
