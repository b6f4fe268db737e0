// The last step of PutItem, UpdateItem and DeleteItem: one row write, executed and reported.
#ifndef DYNOLITH_API_WRITE_SINGLE_WRITE_H_
#define DYNOLITH_API_WRITE_SINGLE_WRITE_H_

#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "api/table/table_gate.h"
#include "api/write/consumed_capacity.h"
#include "api/write/row_write.h"
#include "api/write/write_expressions.h"
#include "engine/base/status_macros.h"

namespace dynolith {

// A write of `item` (for UpdateItem and DeleteItem: the key) with the members that all three
// requests share.
template <typename Request>
RowWrite PlanSingle(const Request& request, RowWrite::Kind kind, const TableGates& gates,
                    size_t position, ItemView item, const WriteExpressions& expressions) {
  const bool reports_capacity = request.return_consumed_capacity != ReturnConsumedCapacity::kNone;
  const bool returns_old = request.return_values == ReturnValues::kAllOld ||
                           request.return_values == ReturnValues::kUpdatedOld;
  return RowWrite::Of(kind, gates.table(position), gates.meta(position), item,
                      {.update = expressions.update(),
                       .condition = expressions.condition(),
                       .wants_old = returns_old || reports_capacity,
                       .keeps_old = returns_old,
                       .returns_old_on_failure = request.return_values_on_condition_check_failure ==
                                                 ReturnValuesOnConditionCheckFailure::kAllOld});
}

// Executes the write and finishes it; `returned` picks the output's attributes. Requires: the gates
// are locked.
template <typename Request>
absl::StatusOr<WriteOutput> ExecuteSingle(
    const OperationContext& context, const Request& request, const RowWrite& write,
    TableGates* gates, absl::FunctionRef<std::optional<Item>(const RowOutcome&)> returned) {
  RowOutcome outcome;
  DYNOLITH_RETURN_IF_ERROR(
      Execute(context, absl::MakeConstSpan(&write, 1), absl::MakeSpan(&outcome, 1)));
  DYNOLITH_RETURN_IF_ERROR(outcome.status);
  DYNOLITH_RETURN_IF_ERROR(gates->Finish());
  WriteOutput output;
  output.attributes = returned(outcome);
  CapacityTotal total;
  total.Add(write, outcome);
  output.consumed_capacity = total.Report(request.table_name, request.return_consumed_capacity);
  output.item_collection_metrics = MakeItemCollectionMetrics(
      write.meta->schema, request.return_item_collection_metrics, write.item);
  return output;
}

// The attributes for ReturnValues ALL_OLD.
template <typename Request>
std::optional<Item> ReturnedOldItem(const Request& request, const RowOutcome& outcome) {
  if (request.return_values != ReturnValues::kAllOld || !outcome.old_item) return std::nullopt;
  return Item::Copy(*outcome.old_item);
}

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_SINGLE_WRITE_H_
