#include "api/json/read_batches.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/json/members.h"
#include "api/json/request_parts.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// The texts of a key's numbers, by attribute.
std::map<std::string_view, std::string_view> NumberTexts(JsonValue key) {
  std::map<std::string_view, std::string_view> texts;
  for (const auto field : ObjectOf(key)) {
    if (field.value.is_null()) continue;
    const Fields value(members::AttributeValue::kShape, field.value);
    if (value.Has(members::AttributeValue::kN)) {
      texts[field.key] = value.Text(members::AttributeValue::kN);
    }
  }
  return texts;
}

// Keeps every key but those that only spell the numbers of another one differently: they are not
// duplicates, and the item is returned once (facts/operations.md, BatchGetItem).
class KeyList {
 public:
  explicit KeyList(std::vector<Item>* keys) : keys_(keys) {}

  void Add(JsonValue json, Item key) {
    const auto [first, last] = seen_.equal_range(std::string(key.bytes()));
    bool repeats = first == last;
    for (auto it = first; it != last; ++it) {
      repeats = repeats || NumberTexts(it->second) == NumberTexts(json);
    }
    seen_.emplace(std::string(key.bytes()), json);
    if (repeats) keys_->push_back(std::move(key));
  }

 private:
  std::vector<Item>* keys_;
  std::unordered_multimap<std::string, JsonValue> seen_;
};

KeysAndAttributes ReadKeysAndAttributes(JsonValue value, ValueReader* values) {
  namespace in = members::KeysAndAttributes;
  const Fields fields(in::kShape, value);
  KeysAndAttributes keys;
  KeyList list(&keys.keys);
  for (const JsonValue key : ArrayOf(*fields.Find(in::kKeys))) {
    list.Add(key, values->ReadItem(key, &keys.faults.values));
  }
  keys.attributes_to_get = ReadStrings(fields, in::kAttributesToGet);
  keys.consistent_read = fields.Boolean(in::kConsistentRead).value_or(false);
  keys.projection_expression = fields.String(in::kProjectionExpression);
  keys.expression_attribute_names = ReadNames(fields, in::kExpressionAttributeNames);
  return keys;
}

WriteRequest ReadWriteRequest(JsonValue value, ValueReader* values) {
  namespace in = members::WriteRequest;
  const Fields fields(in::kShape, value);
  WriteRequest write;
  if (const JsonValue* put = fields.Find(in::kPutRequest)) {
    const Fields put_fields(members::PutRequest::kShape, *put);
    write.put = ReadKey(put_fields, members::PutRequest::kItem, values, &write.faults.values);
  }
  if (const JsonValue* erase = fields.Find(in::kDeleteRequest)) {
    const Fields delete_fields(members::DeleteRequest::kShape, *erase);
    write.delete_key =
        ReadKey(delete_fields, members::DeleteRequest::kKey, values, &write.faults.values);
  }
  return write;
}

}  // namespace

absl::Status ReadRequest(const Fields& fields, BatchGetItemRequest* request) {
  namespace in = members::BatchGetItemInput;
  ValueReader values(ValueLayer::kCurrent);
  for (const auto field : ObjectOf(*fields.Find(in::kRequestItems))) {
    auto& [table_name, keys] = request->request_items.emplace_back();
    DYNOLITH_RETURN_IF_ERROR(ReadTableName(field.key, &table_name));
    keys = ReadKeysAndAttributes(field.value, &values);
  }
  request->return_consumed_capacity = ReadEnum(fields, in::kReturnConsumedCapacity, CapacityWords())
                                          .value_or(ReturnConsumedCapacity::kNone);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, BatchWriteItemRequest* request) {
  namespace in = members::BatchWriteItemInput;
  ValueReader values(ValueLayer::kOlder);
  for (const auto field : ObjectOf(*fields.Find(in::kRequestItems))) {
    auto& [table_name, writes] = request->request_items.emplace_back();
    DYNOLITH_RETURN_IF_ERROR(ReadTableName(field.key, &table_name));
    for (const JsonValue write : ArrayOf(field.value)) {
      writes.push_back(ReadWriteRequest(write, &values));
    }
  }
  request->return_consumed_capacity = ReadEnum(fields, in::kReturnConsumedCapacity, CapacityWords())
                                          .value_or(ReturnConsumedCapacity::kNone);
  request->return_item_collection_metrics =
      ReadEnum(fields, in::kReturnItemCollectionMetrics, MetricsWords())
          .value_or(ReturnItemCollectionMetrics::kNone);
  return absl::OkStatus();
}

}  // namespace dynolith
