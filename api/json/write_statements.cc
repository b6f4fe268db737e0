#include "api/json/write_statements.h"

#include "api/json/write_items.h"
#include "api/json/write_transactions.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

// A word of BatchStatementErrorCodeEnum.
std::string_view StatementErrorCode(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kConditionalCheckFailed:
      return "ConditionalCheckFailed";
    case ErrorKind::kItemCollectionSizeLimitExceeded:
      return "ItemCollectionSizeLimitExceeded";
    case ErrorKind::kRequestLimitExceeded:
      return "RequestLimitExceeded";
    case ErrorKind::kValidation:
      return "ValidationError";
    case ErrorKind::kProvisionedThroughputExceeded:
      return "ProvisionedThroughputExceeded";
    case ErrorKind::kTransactionConflict:
      return "TransactionConflict";
    case ErrorKind::kThrottling:
      return "ThrottlingError";
    case ErrorKind::kResourceNotFound:
      return "ResourceNotFound";
    case ErrorKind::kAccessDenied:
      return "AccessDenied";
    case ErrorKind::kDuplicateItem:
      return "DuplicateItem";
    default:
      return "InternalServerError";
  }
}

void WriteStatementError(const absl::Status& error, JsonWriter* writer) {
  writer->Key("Error");
  writer->BeginObject();
  writer->Key("Code");
  writer->String(StatementErrorCode(KindOf(error)));
  writer->Key("Message");
  writer->String(MessageOf(error));
  if (const auto item = AttachedItem(error)) {
    writer->Key("Item");
    writer->Item(ItemView::Unchecked(*item));
  }
  writer->EndObject();
}

void WriteStatementResponse(const BatchStatementResponse& response, JsonWriter* writer) {
  writer->BeginObject();
  if (!response.error.ok()) WriteStatementError(response.error, writer);
  if (!response.table_name.empty()) {
    writer->Key("TableName");
    writer->String(response.table_name);
  }
  if (response.item) {
    writer->Key("Item");
    writer->Item(response.item->view());
  }
  writer->EndObject();
}

}  // namespace

void WriteOutputJson(const ExecuteStatementOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("Items");
  writer->BeginArray();
  for (const Item& item : output.items) writer->Item(item.view());
  writer->EndArray();
  if (output.next_token) {
    writer->Key("NextToken");
    writer->String(*output.next_token);
  }
  if (output.last_evaluated_key) {
    writer->Key("LastEvaluatedKey");
    writer->Item(output.last_evaluated_key->view());
  }
  WriteConsumedCapacity(output.consumed_capacity, writer);
  writer->EndObject();
}

void WriteOutputJson(const BatchExecuteStatementOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("Responses");
  writer->BeginArray();
  for (const BatchStatementResponse& response : output.responses) {
    WriteStatementResponse(response, writer);
  }
  writer->EndArray();
  WriteConsumedCapacity(output.consumed_capacity, writer);
  writer->EndObject();
}

void WriteOutputJson(const ExecuteTransactionOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  WriteItemResponses(output.responses, writer);
  WriteConsumedCapacity(output.consumed_capacity, writer);
  writer->EndObject();
}

}  // namespace dynolith
