#include "api/json/write_transactions.h"

#include "api/json/write_items.h"

namespace dynolith {

void WriteItemResponses(const std::vector<std::optional<Item>>& responses, JsonWriter* writer) {
  writer->Key("Responses");
  writer->BeginArray();
  for (const std::optional<Item>& response : responses) {
    writer->BeginObject();
    if (response) {
      writer->Key("Item");
      writer->Item(response->view());
    }
    writer->EndObject();
  }
  writer->EndArray();
}

void WriteOutputJson(const TransactWriteItemsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  WriteItemCollectionMetrics(output.item_collection_metrics, writer);
  WriteConsumedCapacity(output.consumed_capacity, writer);
  writer->EndObject();
}

void WriteOutputJson(const TransactGetItemsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  WriteItemResponses(output.responses, writer);
  WriteConsumedCapacity(output.consumed_capacity, writer);
  writer->EndObject();
}

}  // namespace dynolith
