#include "api/json/write_items.h"

namespace dynolith {
namespace {

using IndexUnits = std::vector<std::pair<std::string, double>>;

// {"CapacityUnits":x}; transactions also say which kind the units are.
void WriteUnits(double units, ConsumedCapacity::Split split, JsonWriter* writer) {
  if (split == ConsumedCapacity::Split::kRead) {
    writer->Key("ReadCapacityUnits");
    writer->Double(units);
  }
  if (split == ConsumedCapacity::Split::kWrite) {
    writer->Key("WriteCapacityUnits");
    writer->Double(units);
  }
  writer->Key("CapacityUnits");
  writer->Double(units);
}

void WriteIndexUnits(std::string_view key, const IndexUnits& indexes, ConsumedCapacity::Split split,
                     JsonWriter* writer) {
  if (indexes.empty()) return;
  writer->Key(key);
  writer->BeginObject();
  for (const auto& [name, units] : indexes) {
    writer->Key(name);
    writer->BeginObject();
    WriteUnits(units, split, writer);
    writer->EndObject();
  }
  writer->EndObject();
}

void WriteVectorBytes(const IndexUnits& indexes, JsonWriter* writer) {
  if (indexes.empty()) return;
  writer->Key("VectorIndexes");
  writer->BeginObject();
  for (const auto& [name, bytes] : indexes) {
    writer->Key(name);
    writer->BeginObject();
    writer->Key("VectorWriteRequestBytes");
    writer->Double(bytes);
    writer->EndObject();
  }
  writer->EndObject();
}

void WriteCapacity(const ConsumedCapacity& capacity, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("TableName");
  writer->String(capacity.table_name);
  WriteUnits(capacity.capacity_units, capacity.split, writer);
  if (capacity.table) {
    writer->Key("Table");
    writer->BeginObject();
    WriteUnits(*capacity.table, capacity.split, writer);
    writer->EndObject();
  }
  WriteIndexUnits("LocalSecondaryIndexes", capacity.local_secondary_indexes, capacity.split,
                  writer);
  WriteIndexUnits("GlobalSecondaryIndexes", capacity.global_secondary_indexes, capacity.split,
                  writer);
  WriteVectorBytes(capacity.vector_indexes, writer);
  writer->EndObject();
}

void WriteMetrics(const ItemCollectionMetrics& metrics, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("ItemCollectionKey");
  writer->Item(metrics.item_collection_key.view());
  writer->Key("SizeEstimateRangeGB");
  writer->BeginArray();
  writer->Double(metrics.size_estimate_low_gb);
  writer->Double(metrics.size_estimate_high_gb);
  writer->EndArray();
  writer->EndObject();
}

void WriteKeysAndAttributes(const KeysAndAttributes& keys, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("Keys");
  writer->BeginArray();
  for (const Item& key : keys.keys) writer->Item(key.view());
  writer->EndArray();
  if (keys.attributes_to_get) {
    writer->Key("AttributesToGet");
    writer->BeginArray();
    for (const std::string& name : *keys.attributes_to_get) writer->String(name);
    writer->EndArray();
  }
  if (keys.consistent_read) {
    writer->Key("ConsistentRead");
    writer->Bool(true);
  }
  if (keys.projection_expression) {
    writer->Key("ProjectionExpression");
    writer->String(*keys.projection_expression);
  }
  if (keys.expression_attribute_names) {
    writer->Key("ExpressionAttributeNames");
    writer->BeginObject();
    for (const auto& [placeholder, name] : *keys.expression_attribute_names) {
      writer->Key(placeholder);
      writer->String(name);
    }
    writer->EndObject();
  }
  writer->EndObject();
}

void WriteWriteRequest(const WriteRequest& write, JsonWriter* writer) {
  const bool is_put = write.put.has_value();
  writer->BeginObject();
  writer->Key(is_put ? "PutRequest" : "DeleteRequest");
  writer->BeginObject();
  writer->Key(is_put ? "Item" : "Key");
  writer->Item(is_put ? write.put->view() : write.delete_key->view());
  writer->EndObject();
  writer->EndObject();
}

}  // namespace

void WriteConsumedCapacity(const std::optional<ConsumedCapacity>& capacity, JsonWriter* writer) {
  if (!capacity) return;
  writer->Key("ConsumedCapacity");
  WriteCapacity(*capacity, writer);
}

void WriteConsumedCapacity(const std::vector<ConsumedCapacity>& capacities, JsonWriter* writer) {
  if (capacities.empty()) return;
  writer->Key("ConsumedCapacity");
  writer->BeginArray();
  for (const ConsumedCapacity& capacity : capacities) WriteCapacity(capacity, writer);
  writer->EndArray();
}

void WriteItemCollectionMetrics(
    const std::vector<std::pair<std::string, std::vector<ItemCollectionMetrics>>>& metrics,
    JsonWriter* writer) {
  if (metrics.empty()) return;
  writer->Key("ItemCollectionMetrics");
  writer->BeginObject();
  for (const auto& [table, all] : metrics) {
    writer->Key(table);
    writer->BeginArray();
    for (const ItemCollectionMetrics& one : all) WriteMetrics(one, writer);
    writer->EndArray();
  }
  writer->EndObject();
}

void WriteOutputJson(const WriteOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  if (output.attributes) {
    writer->Key("Attributes");
    writer->Item(output.attributes->view());
  }
  WriteConsumedCapacity(output.consumed_capacity, writer);
  if (output.item_collection_metrics) {
    writer->Key("ItemCollectionMetrics");
    WriteMetrics(*output.item_collection_metrics, writer);
  }
  writer->EndObject();
}

void WriteOutputJson(const BatchGetItemOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("Responses");
  writer->BeginObject();
  for (const auto& [table, items] : output.responses) {
    writer->Key(table);
    writer->BeginArray();
    for (const Item& item : items) writer->Item(item.view());
    writer->EndArray();
  }
  writer->EndObject();
  writer->Key("UnprocessedKeys");
  writer->BeginObject();
  for (const auto& [table, keys] : output.unprocessed_keys) {
    writer->Key(table);
    WriteKeysAndAttributes(keys, writer);
  }
  writer->EndObject();
  WriteConsumedCapacity(output.consumed_capacity, writer);
  writer->EndObject();
}

void WriteOutputJson(const BatchWriteItemOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("UnprocessedItems");
  writer->BeginObject();
  for (const auto& [table, writes] : output.unprocessed_items) {
    writer->Key(table);
    writer->BeginArray();
    for (const WriteRequest& write : writes) WriteWriteRequest(write, writer);
    writer->EndArray();
  }
  writer->EndObject();
  WriteItemCollectionMetrics(output.item_collection_metrics, writer);
  WriteConsumedCapacity(output.consumed_capacity, writer);
  writer->EndObject();
}

}  // namespace dynolith
