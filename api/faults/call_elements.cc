#include "api/faults/call_elements.h"

#include <memory>
#include <utility>
#include <vector>

#include "api/request/arn.h"
#include "engine/partiql/statement.h"

namespace dynolith {
namespace {

void Add(const OperationContext& context, std::string_view table, ItemView item,
         const void* address, FaultCall* call) {
  AddElement(context, table, item, call);
  call->elements.back().address = address;
}

// The attributes that the WHERE clause compares with `=`, and their values.
Item ItemFixedBy(const partiql::Statement& statement) {
  ItemBuilder builder;
  builder.BeginMap();
  for (size_t i = 0; i < statement.conjuncts.size(); ++i) {
    const partiql::Conjunct& conjunct = statement.conjuncts[i];
    if (conjunct.test != StepKind::kEqual || conjunct.values.size() != 1) continue;
    bool is_repeated = false;
    for (size_t before = 0; before < i; ++before) {
      is_repeated |= statement.conjuncts[before].attribute == conjunct.attribute;
    }
    if (is_repeated) continue;
    builder.Key(conjunct.attribute);
    builder.Copy(conjunct.values[0]);
  }
  builder.EndMap();
  return builder.FinishItem();
}

void AddStatement(const OperationContext& context, std::string_view text,
                  const std::vector<Value>& parameters, const void* address, FaultCall* call) {
  const auto statement = partiql::Parse(text, parameters);
  if (!statement.ok()) return Add(context, "", ItemView(), address, call);
  call->writes |= !(*statement)->is_read();
  const bool inserts = (*statement)->kind == partiql::StatementKind::kInsert;
  call->items.push_back(inserts ? (*statement)->item : ItemFixedBy(**statement));
  Add(context, (*statement)->table, call->items.back().view(), address, call);
}

}  // namespace

void AddElement(const OperationContext& context, std::string_view table, ItemView item,
                FaultCall* call) {
  const absl::StatusOr<std::string_view> name = ResolveTableName(context, table);
  call->elements.push_back({.table = std::string(name.ok() ? *name : table), .item = item});
}

void AddTableOfArn(std::string_view arn, FaultCall* call) {
  std::string_view resource = SplitArn(arn).resource;
  if (!resource.starts_with(kTableResource)) return;
  resource.remove_prefix(kTableResource.size());
  call->elements.push_back({.table = std::string(resource.substr(0, resource.find('/')))});
}

void AddElements(const OperationContext& context, const BatchGetItemRequest& request,
                 FaultCall* call) {
  for (const auto& [table, part] : request.request_items) {
    for (const Item& key : part.keys) Add(context, table, key.view(), &key, call);
  }
}

void AddElements(const OperationContext& context, const BatchWriteItemRequest& request,
                 FaultCall* call) {
  for (const auto& [table, writes] : request.request_items) {
    for (const WriteRequest& write : writes) {
      const std::optional<Item>& item = write.put ? write.put : write.delete_key;
      Add(context, table, item ? item->view() : ItemView(), &write, call);
    }
  }
}

void AddElements(const OperationContext& context, const TransactGetItemsRequest& request,
                 FaultCall* call) {
  for (const TransactGet& get : request.transact_items) {
    Add(context, get.table_name, get.key.view(), &get, call);
  }
}

void AddElements(const OperationContext& context, const TransactWriteItemsRequest& request,
                 FaultCall* call) {
  for (const TransactWriteItem& item : request.transact_items) {
    for (const auto* action : {&item.condition_check, &item.put, &item.delete_item, &item.update}) {
      if (!*action) continue;
      Add(context, (*action)->table_name, (*action)->item.view(), &**action, call);
    }
  }
}

void AddElements(const OperationContext& context, const ExecuteStatementRequest& request,
                 FaultCall* call) {
  AddStatement(context, request.statement, request.parameters, &request, call);
}

void AddElements(const OperationContext& context, const BatchExecuteStatementRequest& request,
                 FaultCall* call) {
  for (const BatchStatementRequest& statement : request.statements) {
    AddStatement(context, statement.statement, statement.parameters, &statement, call);
  }
}

void AddElements(const OperationContext& context, const ExecuteTransactionRequest& request,
                 FaultCall* call) {
  for (const BatchStatementRequest& statement : request.transact_statements) {
    AddStatement(context, statement.statement, statement.parameters, &statement, call);
  }
}

}  // namespace dynolith
