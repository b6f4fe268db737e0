// A call about items, read as the service reads it.
#ifndef DYNOLITH_TOOLS_PROXY_KNOWN_CALL_H_
#define DYNOLITH_TOOLS_PROXY_KNOWN_CALL_H_

#include <memory>
#include <string_view>
#include <variant>

#include "api/faults/fault_rules.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith::proxy {

class KnownCall {
 public:
  // nullptr: the operation is not about items, or the request is none that the service would take.
  // Uses a parser of the thread.
  static std::unique_ptr<const KnownCall> Read(std::string_view operation, std::string_view body);

  // The request's subjects, whose addresses are in this.
  void AddTo(const OperationContext& context, FaultCall* call) const;

  ReturnConsumedCapacity wanted_capacity() const;
  // nullptr: another request.
  const QueryRequest* query() const { return std::get_if<QueryRequest>(&request_); }
  const ScanRequest* scan() const { return std::get_if<ScanRequest>(&request_); }

 private:
  using Request =
      std::variant<std::monostate, GetItemRequest, BatchGetItemRequest, TransactGetItemsRequest,
                   QueryRequest, ScanRequest, PutItemRequest, UpdateItemRequest, DeleteItemRequest,
                   BatchWriteItemRequest, TransactWriteItemsRequest, ExecuteStatementRequest,
                   BatchExecuteStatementRequest, ExecuteTransactionRequest>;

  KnownCall() = default;

  Request request_;
};

// The call with its subjects; `known` may be nullptr, then those that the body names as a whole.
// Tables stand there by name. Borrows the operation and `known`.
FaultCall DescribeCall(const OperationContext& context, std::string_view operation,
                       const KnownCall* known, std::string_view body);

// "songs" of "arn:aws:dynamodb:eu-west-1:123456789012:table/songs", or of "songs".
std::string_view TableOf(std::string_view name_or_arn);

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_KNOWN_CALL_H_
