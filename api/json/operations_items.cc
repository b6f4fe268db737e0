// The item operations, from the members of a call to the text of its output.
#include <optional>

#include "api/json/json_writer.h"
#include "api/json/operations.h"
#include "api/json/read_batches.h"
#include "api/json/read_items.h"
#include "api/json/read_pages.h"
#include "api/json/run_operation.h"
#include "api/json/write_items.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

absl::Status RunGetItem(const OperationCall& call, std::string* body) {
  GetItemRequest request;
  DYNOLITH_RETURN_IF_ERROR(ReadRequest(*call.input, &request));
  JsonWriter writer(body);
  writer.BeginObject();
  const auto print = [&writer](ItemView item) {
    writer.Key("Item");
    writer.Item(item);
  };
  DYNOLITH_ASSIGN_OR_RETURN(const GetItemOutput output, call.database->GetItem(request, print));
  WriteConsumedCapacity(output.consumed_capacity, &writer);
  writer.EndObject();
  return absl::OkStatus();
}

void WritePageEnd(const PageOutput& output, JsonWriter* writer) {
  writer->Key("Count");
  writer->Integer(output.count);
  writer->Key("ScannedCount");
  writer->Integer(output.scanned_count);
  if (output.last_evaluated_key) {
    writer->Key("LastEvaluatedKey");
    writer->Item(output.last_evaluated_key->view());
  }
  WriteConsumedCapacity(output.consumed_capacity, writer);
}

// Query and Scan: the items go from the page's cursor into the text.
template <typename Request,
          absl::StatusOr<PageOutput> (Database::*method)(const Request&, ItemSink)>
absl::Status RunPage(const OperationCall& call, std::string* body) {
  Request request;
  DYNOLITH_RETURN_IF_ERROR(ReadRequest(*call.input, &request));
  const bool counts_only = request.select == Select::kCount;
  JsonWriter writer(body);
  writer.BeginObject();
  if (!counts_only) {
    writer.Key("Items");
    writer.BeginArray();
  }
  const auto print = [&writer](ItemView item) { writer.Item(item); };
  const auto count = [](ItemView) {};
  DYNOLITH_ASSIGN_OR_RETURN(const PageOutput output,
                            counts_only ? (call.database->*method)(request, count)
                                        : (call.database->*method)(request, print));
  if (!counts_only) writer.EndArray();
  WritePageEnd(output, &writer);
  writer.EndObject();
  return absl::OkStatus();
}

constexpr OperationRow kRows[] = {
    {"PutItem", &RunOperation<PutItemRequest, WriteOutput, &Database::PutItem>},
    {"GetItem", &RunGetItem},
    {"UpdateItem", &RunOperation<UpdateItemRequest, WriteOutput, &Database::UpdateItem>},
    {"DeleteItem", &RunOperation<DeleteItemRequest, WriteOutput, &Database::DeleteItem>},
    {"BatchGetItem",
     &RunOperation<BatchGetItemRequest, BatchGetItemOutput, &Database::BatchGetItem>},
    {"BatchWriteItem",
     &RunOperation<BatchWriteItemRequest, BatchWriteItemOutput, &Database::BatchWriteItem>},
    {"Query", &RunPage<QueryRequest, &Database::Query>},
    {"Scan", &RunPage<ScanRequest, &Database::Scan>},
};

}  // namespace

absl::Span<const OperationRow> ItemOperations() { return kRows; }

}  // namespace dynolith
