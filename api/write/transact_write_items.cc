#include "api/write/transact_write_items.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/request/key_checks.h"
#include "api/request/messages.h"
#include "api/table/table_gate.h"
#include "api/write/cancellation.h"
#include "api/write/messages.h"
#include "api/write/row_write.h"
#include "api/write/transaction.h"
#include "api/write/write_expressions.h"
#include "engine/base/limits.h"
#include "engine/expr/messages.h"
#include "engine/key/key_codec.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

// One action, parsed.
struct PlannedAction {
  RowWrite::Kind kind = RowWrite::Kind::kCheck;
  const TransactAction* action = nullptr;
  WriteExpressions expressions;
  size_t table = 0;     // position in the gates
  std::string row_key;  // if the item has one
};

// The actions of one item in the order of their checks: one, unless the request is wrong.
void AppendActions(const TransactWriteItem& item, std::vector<PlannedAction>* actions) {
  const std::pair<RowWrite::Kind, const std::optional<TransactAction>*> members[] = {
      {RowWrite::Kind::kCheck, &item.condition_check},
      {RowWrite::Kind::kPut, &item.put},
      {RowWrite::Kind::kDelete, &item.delete_item},
      {RowWrite::Kind::kUpdate, &item.update}};
  for (const auto& [kind, member] : members) {
    if (member->has_value())
      actions->push_back({kind, &**member, WriteExpressions(**member), 0, {}});
  }
}

// Everything that can be said of one action by itself.
absl::Status CheckAction(const OperationContext& context, PlannedAction* planned) {
  const TransactAction& action = *planned->action;
  const Parameter update = {"UpdateExpression", action.update_expression.has_value()};
  const Parameter condition = {"ConditionExpression", action.condition_expression.has_value()};
  const PlaceholdersPresent placeholders = {
      .names = action.expression_attribute_names.has_value(),
      .values = action.expression_attribute_values.has_value()};
  DYNOLITH_RETURN_IF_ERROR(
      planned->kind == RowWrite::Kind::kUpdate
          ? CheckParameters({}, {update, condition}, {update, condition}, placeholders,
                            Wording::kLegacy)
          : CheckParameters({}, {condition}, {condition}, placeholders, Wording::kLegacy));
  const absl::Status& values = context.violations->Of(&action).values;
  // That a key is nested too deeply is told behind all that is wrong with the expressions.
  const bool is_deep_key = planned->kind != RowWrite::Kind::kPut &&
                           values == ValidationError(messages::NestingTooDeep());
  if (!is_deep_key) DYNOLITH_RETURN_IF_ERROR(values);
  if (action.update_expression && action.update_expression->size() > kExpressionBytesMax) {
    return ValidationError(messages::InvalidExpression(
        ExpressionName(ExpressionKind::kUpdate), messages::ExpressionTooLargeInTransaction()));
  }
  DYNOLITH_RETURN_IF_ERROR(planned->expressions.Parse(
      action.update_expression, action.condition_expression, context.violations->Of(&action)));
  DYNOLITH_RETURN_IF_ERROR(values);
  if (planned->kind == RowWrite::Kind::kPut && BilledBytes(action.item.view()) > kItemBytesMax) {
    return ValidationError(messages::ItemTooLarge());
  }
  return CheckEmptyKeys(context, action.table_name, action.item.view());
}

size_t RequestBytes(const TransactAction& action) {
  size_t bytes = BilledBytes(action.item.view());
  if (const auto& values = action.expression_attribute_values) bytes += BilledBytes(values->view());
  return bytes;
}

absl::StatusOr<std::vector<PlannedAction>> CheckRequest(const OperationContext& context,
                                                        const TransactWriteItemsRequest& request) {
  std::vector<PlannedAction> actions;
  actions.reserve(request.transact_items.size());
  bool one_each = true;
  bool any_missing = false;
  size_t bytes = 0;
  for (const TransactWriteItem& item : request.transact_items) {
    const size_t first = actions.size();
    AppendActions(item, &actions);
    one_each &= actions.size() == first + 1;
    any_missing |= actions.size() == first;
    for (size_t i = first; i < actions.size(); ++i) {
      DYNOLITH_RETURN_IF_ERROR(CheckAction(context, &actions[i]));
      bytes += RequestBytes(*actions[i].action);
    }
  }
  if (any_missing) return ValidationError(messages::TransactionActionMissing());
  if (!one_each) return ValidationError(messages::TransactionActionNotOne());
  if (bytes > kTransactionBytesMax) return ValidationError(messages::TransactionTooLarge());
  return actions;
}

// What the table's keys and indexes say of an action.
absl::Status CheckActionKeys(const TableSchema& schema, const PlannedAction& planned) {
  const ItemView item = planned.action->item.view();
  if (planned.kind == RowWrite::Kind::kPut) return CheckItemKeys(schema, item);
  DYNOLITH_RETURN_IF_ERROR(CheckKey(schema.key, item));
  if (planned.kind != RowWrite::Kind::kUpdate) return absl::OkStatus();
  return planned.expressions.update()->CheckAgainst(schema);
}

// The value that a SET gives an attribute whatever the item is.
std::optional<ValueView> AssignedValue(const Update& assigning, std::string_view attribute) {
  const UpdateActions& update = assigning.actions();
  for (const UpdateAction& action : update.actions) {
    const Path& path = update.paths[action.path];
    if (action.kind != ActionKind::kSet || !path.is_top_level()) continue;
    const UpdateValue& value = update.nodes[action.value];
    if (path.attribute() != attribute || value.kind != UpdateValueKind::kValue) continue;
    return assigning.values()[value.left];
  }
  return std::nullopt;
}

// Empty values for index keys, which are no reason for a cancellation.
absl::Status CheckEmptyIndexKeys(const TableSchema& schema, const PlannedAction& planned) {
  if (planned.kind == RowWrite::Kind::kPut) {
    const ItemView item = planned.action->item.view();
    return CheckNoEmptyIndexKey(
        schema, [&](std::string_view name) { return item.Find(name); },
        [](const IndexSchema& index, const KeyAttribute& attribute) {
          return messages::EmptyIndexKeyValue(attribute.type, index.name, attribute.name);
        });
  }
  if (planned.kind != RowWrite::Kind::kUpdate) return absl::OkStatus();
  const Update& update = *planned.expressions.update();
  return CheckNoEmptyIndexKey(
      schema, [&](std::string_view name) { return AssignedValue(update, name); },
      [](const IndexSchema&, const KeyAttribute& attribute) {
        return messages::UpdatedIndexKeyEmpty(TypeName(attribute.type));
      });
}

absl::StatusOr<std::vector<RowWrite>> PlanWrites(const TransactWriteItemsRequest& request,
                                                 const TableGates& gates,
                                                 std::vector<PlannedAction>& actions) {
  const bool wants_old = request.return_consumed_capacity != ReturnConsumedCapacity::kNone;
  std::vector<RowWrite> writes;
  writes.reserve(actions.size());
  for (size_t i = 0; i < actions.size(); ++i) {
    PlannedAction& planned = actions[i];
    const TableMeta& meta = gates.meta(planned.table);
    DYNOLITH_RETURN_IF_ERROR(CheckEmptyIndexKeys(meta.schema, planned));
    const absl::Status problem = CheckActionKeys(meta.schema, planned);
    if (!problem.ok()) return CancelledBy(i, actions.size(), problem);
    writes.push_back(RowWrite::OfRow(
        planned.kind, gates.table(planned.table), meta, std::move(planned.row_key),
        planned.action->item.view(),
        {.update = planned.expressions.update(),
         .condition = planned.expressions.condition(),
         .wants_old = wants_old,
         .returns_old_on_failure = planned.action->return_values_on_condition_check_failure ==
                                   ReturnValuesOnConditionCheckFailure::kAllOld,
         .transactional = true}));
  }
  return writes;
}

// Makes the row keys, too.
absl::Status CheckDistinct(const TableGates& gates, std::vector<PlannedAction>* actions) {
  std::vector<std::string_view> rows;
  rows.reserve(actions->size());
  for (PlannedAction& planned : *actions) {
    const TableSchema& schema = gates.meta(planned.table).schema;
    const ItemView item = planned.action->item.view();
    if (!HasKey(schema.key, item)) continue;
    AppendRowKey(schema.id, schema.key, item, &planned.row_key);
    rows.push_back(planned.row_key);
  }
  std::sort(rows.begin(), rows.end());
  const bool are_distinct = std::adjacent_find(rows.begin(), rows.end()) == rows.end();
  return are_distinct ? absl::OkStatus() : ValidationError(messages::TransactionOnOneItemTwice());
}

// Everything in the request that decides what it does.
std::string CanonicalBytes(const std::vector<PlannedAction>& actions) {
  std::string bytes;
  for (const PlannedAction& planned : actions) {
    const TransactAction& action = *planned.action;
    bytes.push_back(static_cast<char>('0' + static_cast<int>(planned.kind)));
    AppendCanonical(action.table_name, &bytes);
    AppendCanonical(action.item.bytes(), &bytes);
    AppendCanonical(action.update_expression.value_or(""), &bytes);
    AppendCanonical(action.condition_expression.value_or(""), &bytes);
    AttributeNames names = action.expression_attribute_names.value_or(AttributeNames());
    std::sort(names.begin(), names.end());
    for (const auto& [placeholder, name] : names) {
      AppendCanonical(placeholder, &bytes);
      AppendCanonical(name, &bytes);
    }
    AppendCanonical(action.expression_attribute_values.value_or(Item()).bytes(), &bytes);
  }
  return bytes;
}

// The tables of the actions. One that is named in two ways, by name and by ARN, is reported as it
// was named first.
std::vector<std::string_view> FirstNames(const std::vector<PlannedAction>& actions) {
  std::vector<std::string_view> names;
  for (const PlannedAction& planned : actions) {
    const auto first =
        std::find_if(actions.begin(), actions.end(),
                     [&](const PlannedAction& earlier) { return earlier.table == planned.table; });
    names.push_back(first->action->table_name);
  }
  return names;
}

}  // namespace

absl::StatusOr<TransactWriteItemsOutput> TransactWriteItems(
    const OperationContext& context, const TransactWriteItemsRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<PlannedAction> actions, CheckRequest(context, request));
  TableGates gates;
  for (PlannedAction& planned : actions) {
    DYNOLITH_ASSIGN_OR_RETURN(planned.table, gates.Add(context, planned.action->table_name));
  }
  DYNOLITH_RETURN_IF_ERROR(gates.Lock());
  if (gates.HasStrong()) return ValidationError(messages::TransactionOnStrongTable());
  DYNOLITH_RETURN_IF_ERROR(CheckDistinct(gates, &actions));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<RowWrite> writes,
                            PlanWrites(request, gates, actions));

  return CommitTransaction(
      context, {.writes = writes,
                .table_names = FirstNames(actions),
                .token = PointerTo(request.client_request_token),
                .canonical_request = request.client_request_token ? CanonicalBytes(actions) : "",
                .return_consumed_capacity = request.return_consumed_capacity,
                .return_item_collection_metrics = request.return_item_collection_metrics});
}

}  // namespace dynolith
