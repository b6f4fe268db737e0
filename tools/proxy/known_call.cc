#include "tools/proxy/known_call.h"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "api/faults/call_elements.h"
#include "api/json/request_text.h"
#include "engine/text/json_tree.h"
#include "tools/proxy/call_texts.h"

namespace dynolith::proxy {
std::unique_ptr<const KnownCall> KnownCall::Read(std::string_view operation,
                                                 std::string_view body) {
  std::unique_ptr<KnownCall> call(new KnownCall);
  // Whether it is this operation; a request that is none stays empty.
  const auto read = [&]<typename Wanted>(std::string_view name, Wanted empty) {
    if (operation != name) return false;
    Wanted& request = call->request_.emplace<Wanted>(std::move(empty));
    if (!ReadRequestText(operation, body, &request)) call->request_ = std::monostate();
    return true;
  };
  const bool is_known = read("GetItem", GetItemRequest()) || read("PutItem", PutItemRequest()) ||
                        read("UpdateItem", UpdateItemRequest()) ||
                        read("DeleteItem", DeleteItemRequest()) || read("Query", QueryRequest()) ||
                        read("Scan", ScanRequest()) ||
                        read("BatchGetItem", BatchGetItemRequest()) ||
                        read("BatchWriteItem", BatchWriteItemRequest()) ||
                        read("TransactGetItems", TransactGetItemsRequest()) ||
                        read("TransactWriteItems", TransactWriteItemsRequest()) ||
                        read("ExecuteStatement", ExecuteStatementRequest()) ||
                        read("BatchExecuteStatement", BatchExecuteStatementRequest()) ||
                        read("ExecuteTransaction", ExecuteTransactionRequest());
  if (!is_known || std::holds_alternative<std::monostate>(call->request_)) return nullptr;
  return call;
}

void KnownCall::AddTo(const OperationContext& context, FaultCall* call) const {
  std::visit(
      [&](const auto& request) {
        using Read = std::remove_cvref_t<decltype(request)>;
        if constexpr (!std::is_same_v<Read, std::monostate>) AddElements(context, request, call);
      },
      request_);
}

ReturnConsumedCapacity KnownCall::wanted_capacity() const {
  return std::visit(
      [](const auto& request) {
        using Read = std::remove_cvref_t<decltype(request)>;
        if constexpr (std::is_same_v<Read, std::monostate>) {
          return ReturnConsumedCapacity::kNone;
        } else {
          return request.return_consumed_capacity;
        }
      },
      request_);
}

FaultCall DescribeCall(const OperationContext& context, std::string_view operation,
                       const KnownCall* known, std::string_view body) {
  FaultCall call = FaultCallForOperation(operation);
  if (known != nullptr) {
    known->AddTo(context, &call);
  } else if (const std::optional<JsonTree> tree = ParseJson(body, kBodyDepthMax)) {
    for (const std::string_view member : {"TableName", "ResourceArn", "StreamArn", "TableArn"}) {
      const JsonTree* const name = tree->Find(member);
      if (name == nullptr || name->kind != JsonTree::Kind::kString) continue;
      AddElement(context, TableOf(name->text), ItemView(), &call);
      break;
    }
  }
  // The account and the region in an ARN are the endpoint's.
  for (CallElement& element : call.elements) element.table = std::string(TableOf(element.table));
  return call;
}

std::string_view TableOf(std::string_view name_or_arn) {
  constexpr std::string_view kTable = ":table/";
  if (!name_or_arn.starts_with("arn:")) return name_or_arn;
  const size_t at = name_or_arn.find(kTable);
  if (at == std::string_view::npos) return name_or_arn;
  const std::string_view name = name_or_arn.substr(at + kTable.size());
  return name.substr(0, name.find('/'));
}

}  // namespace dynolith::proxy
