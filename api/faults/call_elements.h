// The subjects of a request, for fault rules.
#ifndef DYNOLITH_API_FAULTS_CALL_ELEMENTS_H_
#define DYNOLITH_API_FAULTS_CALL_ELEMENTS_H_

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "api/faults/fault_rules.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// An element of one table, by name or ARN; `item` has the key if it is about one item.
void AddElement(const OperationContext& context, std::string_view table, ItemView item,
                FaultCall* call);
// For objects of a table that are named by their ARN.
void AddTableOfArn(std::string_view arn, FaultCall* call);

// One for each key, write, action or statement, in the request's order. A statement that cannot be
// parsed has no table.
void AddElements(const OperationContext& context, const BatchGetItemRequest& request,
                 FaultCall* call);
void AddElements(const OperationContext& context, const BatchWriteItemRequest& request,
                 FaultCall* call);
void AddElements(const OperationContext& context, const TransactGetItemsRequest& request,
                 FaultCall* call);
void AddElements(const OperationContext& context, const TransactWriteItemsRequest& request,
                 FaultCall* call);
void AddElements(const OperationContext& context, const ExecuteStatementRequest& request,
                 FaultCall* call);
void AddElements(const OperationContext& context, const BatchExecuteStatementRequest& request,
                 FaultCall* call);
void AddElements(const OperationContext& context, const ExecuteTransactionRequest& request,
                 FaultCall* call);

// Every other request, by its members.
template <typename Request>
void AddElements(const OperationContext& context, const Request& request, FaultCall* call) {
  if constexpr (requires { std::string_view(request.table_name); }) {
    if constexpr (requires {
                    { request.key } -> std::convertible_to<const Item&>;
                  }) {
      AddElement(context, request.table_name, request.key.view(), call);
    } else if constexpr (requires {
                           { request.item } -> std::convertible_to<const Item&>;
                         }) {
      AddElement(context, request.table_name, request.item.view(), call);
    } else {
      AddElement(context, request.table_name, ItemView(), call);
    }
  } else if constexpr (requires { std::string_view(request.resource_arn); }) {
    AddTableOfArn(request.resource_arn, call);
  } else if constexpr (requires { std::string_view(request.stream_arn); }) {
    AddTableOfArn(request.stream_arn, call);
  } else if constexpr (requires { std::string_view(request.table_arn); }) {
    AddTableOfArn(request.table_arn, call);
  }
}

}  // namespace dynolith

#endif  // DYNOLITH_API_FAULTS_CALL_ELEMENTS_H_
