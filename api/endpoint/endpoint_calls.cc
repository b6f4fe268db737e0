#include "api/endpoint/endpoint_calls.h"

#include <utility>

#include "api/endpoint/batch_parts.h"
#include "api/endpoint/ended_page.h"
#include "api/endpoint/messages.h"
#include "api/json/client_texts.h"
#include "api/request/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/model/shapes.h"

namespace dynolith {
namespace {

constexpr int kStatusOk = 200;

const OperationShape& FindShape(std::string_view name) {
  const OperationShape* const operation = FindOperation(Service::kDynamo, name);
  return operation != nullptr ? *operation : *FindOperation(Service::kStreams, name);
}

std::string TargetHeader(const OperationShape& operation) {
  return Concat(
      operation.service == Service::kDynamo ? "DynamoDB_20120810." : "DynamoDBStreams_20120810.",
      operation.name);
}

// What walks a table page after page.
bool IsPage(std::string_view operation) {
  return operation == "Query" || operation == "Scan" || operation == "ExecuteStatement";
}

// Calls `repeat` with what is left of a batch, until nothing is, it fails, or the rules forbid
// another call. `left`: the number of elements that the last call has left out.
template <typename Left, typename Repeat>
absl::Status RepeatRest(client::Retries* retries, const Left& left, const Repeat& repeat) {
  size_t before = left();
  while (before > 0) {
    client::Retries::Call call(retries);
    // A call that gets some of it done is the last one's success: the next delay is the first.
    do {
      if (!call.WaitForNext(client::FailureKind::kThrottled)) return absl::OkStatus();
      DYNOLITH_RETURN_IF_ERROR(repeat());
    } while (left() == before);
    call.Succeed();
    before = left();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status EndpointCalls::Call(std::string_view operation, const void* request, void* output) {
  if (operation == "BatchWriteItem") {
    return WriteBatch(*static_cast<const BatchWriteItemRequest*>(request),
                      static_cast<BatchWriteItemOutput*>(output));
  }
  if (operation == "BatchGetItem") {
    return ReadBatch(*static_cast<const BatchGetItemRequest*>(request),
                     static_cast<BatchGetItemOutput*>(output));
  }
  return CallOnce(operation, request, output);
}

absl::Status EndpointCalls::CallOnce(std::string_view operation, const void* request,
                                     void* output) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  if (interrupted_.load(std::memory_order_relaxed) && IsPage(operation)) {
    return MakeError(ErrorKind::kInternalServerError, messages::ServerEnds());
  }
  const OperationShape& shape = FindShape(operation);
  std::string body;
  WriteRequest(shape, request, &body);
  DYNOLITH_ASSIGN_OR_RETURN(const JsonService::Answer answer,
                            service_->Call(TargetHeader(shape), body));
  if (answer.status != kStatusOk) return ReadFailure(answer.status, answer.body);
  absl::Status read = ReadAnswer(shape, answer.body, output);
  if (read.ok()) return read;
  return absl::DataLossError(messages::AnswerUnread(endpoint_, operation, MessageOf(read)));
}

absl::Status EndpointCalls::WriteBatch(const BatchWriteItemRequest& request,
                                       BatchWriteItemOutput* output) {
  DYNOLITH_RETURN_IF_ERROR(CallOnce("BatchWriteItem", &request, output));
  const auto left = [output] { return CountWrites(output->unprocessed_items); };
  return RepeatRest(retries_, left, [&] {
    BatchWriteItemRequest rest = request;
    rest.request_items = output->unprocessed_items;
    BatchWriteItemOutput part;
    DYNOLITH_RETURN_IF_ERROR(CallOnce("BatchWriteItem", &rest, &part));
    AddPart(std::move(part), output);
    return absl::OkStatus();
  });
}

absl::Status EndpointCalls::ReadBatch(const BatchGetItemRequest& request,
                                      BatchGetItemOutput* output) {
  DYNOLITH_RETURN_IF_ERROR(CallOnce("BatchGetItem", &request, output));
  const auto left = [output] { return CountKeys(output->unprocessed_keys); };
  DYNOLITH_RETURN_IF_ERROR(RepeatRest(retries_, left, [&] {
    BatchGetItemRequest rest = request;
    rest.request_items = output->unprocessed_keys;
    BatchGetItemOutput part;
    DYNOLITH_RETURN_IF_ERROR(CallOnce("BatchGetItem", &rest, &part));
    AddPart(std::move(part), output);
    return absl::OkStatus();
  }));
  absl::Status ordered = OrderAsRequested(request, output);
  if (ordered.ok()) return ordered;
  return absl::DataLossError(messages::AnswerUnread(endpoint_, "BatchGetItem", MessageOf(ordered)));
}

absl::StatusOr<GetItemOutput> EndpointCalls::GetItem(const GetItemRequest& request, ItemSink sink) {
  GetItemOutput output;
  DYNOLITH_RETURN_IF_ERROR(CallOnce("GetItem", &request, &output));
  if (const std::optional<Item> item = std::exchange(output.item, std::nullopt)) {
    sink(item->view());
  }
  return output;
}

absl::StatusOr<BatchGetItemOutput> EndpointCalls::BatchGetItem(const BatchGetItemRequest& request,
                                                               TableItemSink sink) {
  BatchGetItemOutput output;
  DYNOLITH_RETURN_IF_ERROR(ReadBatch(request, &output));
  const auto responses = std::move(output.responses);
  output.responses.clear();
  for (size_t table = 0; table < responses.size(); ++table) {
    for (const Item& item : responses[table].second) sink(table, item.view());
  }
  return output;
}

absl::StatusOr<PageOutput> EndpointCalls::Query(const QueryRequest& request, ItemSink sink) {
  PageOutput page;
  DYNOLITH_RETURN_IF_ERROR(CallOnce("Query", &request, &page));
  const bool is_filtered = request.filter_expression || request.query_filter;
  DYNOLITH_RETURN_IF_ERROR(
      DeliverPage({request.table_name, request.index_name, is_filtered}, sink, this, &page));
  return page;
}

absl::StatusOr<PageOutput> EndpointCalls::Scan(const ScanRequest& request, ItemSink sink) {
  PageOutput page;
  DYNOLITH_RETURN_IF_ERROR(CallOnce("Scan", &request, &page));
  const bool is_filtered = request.filter_expression || request.scan_filter;
  DYNOLITH_RETURN_IF_ERROR(
      DeliverPage({request.table_name, request.index_name, is_filtered}, sink, this, &page));
  return page;
}

}  // namespace dynolith
