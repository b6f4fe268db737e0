#include "api/write/batch_write_item.h"

#include <unordered_set>

#include "api/request/call_bounds.h"
#include "api/request/key_checks.h"
#include "api/table/table_gate.h"
#include "api/write/consumed_capacity.h"
#include "api/write/messages.h"
#include "api/write/row_write.h"
#include "api/write/write_capacity.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

absl::Status CheckWriteRequest(const OperationContext& context, const WriteRequest& request) {
  if (request.put.has_value() == request.delete_key.has_value()) {
    return ValidationError(messages::ValueHasSeveralTypes());
  }
  DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&request).values);
  if (request.put && BilledBytes(request.put->view()) > kItemBytesMax) {
    return ValidationError(messages::ItemTooLarge());
  }
  return absl::OkStatus();
}

// Everything that can be said without the tables.
absl::Status CheckRequest(const OperationContext& context, const BatchWriteItemRequest& request) {
  if (request.request_items.empty()) {
    return ValidationError(messages::RequestItemsRequired("BatchWriteItem"));
  }
  size_t count = 0;
  for (const auto& [table, writes] : request.request_items) {
    for (const WriteRequest& write : writes)
      DYNOLITH_RETURN_IF_ERROR(CheckWriteRequest(context, write));
    count += writes.size();
  }
  if (count > kBatchWriteRequestsMax) {
    return ValidationError(messages::TooManyItems("BatchWriteItem"));
  }
  return absl::OkStatus();
}

absl::StatusOr<RowWrite> PlanWrite(const TableGates& gates, size_t position,
                                   const WriteRequest& request, bool wants_old) {
  const TableSchema& schema = gates.meta(position).schema;
  if (request.put) {
    DYNOLITH_RETURN_IF_ERROR(CheckBatchItemKeys(schema, request.put->view()));
  } else {
    DYNOLITH_RETURN_IF_ERROR(CheckKey(schema.key, request.delete_key->view()));
  }
  return RowWrite::Of(request.put ? RowWrite::Kind::kPut : RowWrite::Kind::kDelete,
                      gates.table(position), gates.meta(position),
                      request.put ? request.put->view() : request.delete_key->view(),
                      {.wants_old = wants_old});
}

// The writes of all tables, in the order of the request. Errors: two writes of one item.
absl::StatusOr<std::vector<RowWrite>> PlanWrites(const BatchWriteItemRequest& request,
                                                 const TableGates& gates,
                                                 const std::vector<size_t>& positions) {
  const bool wants_old = request.return_consumed_capacity != ReturnConsumedCapacity::kNone;
  std::vector<RowWrite> plan;
  for (size_t i = 0; i < request.request_items.size(); ++i) {
    for (const WriteRequest& write : request.request_items[i].second) {
      DYNOLITH_ASSIGN_OR_RETURN(RowWrite planned, PlanWrite(gates, positions[i], write, wants_old));
      plan.push_back(std::move(planned));
    }
  }
  std::unordered_set<std::string_view> rows;
  for (const RowWrite& write : plan) {
    if (!rows.insert(write.row_key).second) return ValidationError(messages::DuplicateKeys());
  }
  return plan;
}

// The writes that a fault leaves undone.
void LeaveOut(const LeftOutElements& left_out, const BatchWriteItemRequest& request,
              absl::Span<RowOutcome> outcomes) {
  size_t next = 0;
  for (const auto& [name, writes] : request.request_items) {
    for (const WriteRequest& write : writes) {
      if (left_out.Has(&write)) outcomes[next].status = left_out.why;
      ++next;
    }
  }
}

absl::Status LeaveRest(absl::Span<RowOutcome> outcomes) {
  for (RowOutcome& outcome : outcomes) {
    outcome.status = MakeError(ErrorKind::kThrottling, messages::TablesAreChanging());
  }
  return absl::OkStatus();
}

// In one commit, unless some are left out, capacity is enforced or it is too large: then each write
// is admitted for itself, and the call fails only if none is (api/facts/capacity.md §5).
absl::Status ExecuteBatch(const OperationContext& context, absl::Span<const RowWrite> plan,
                          absl::Span<RowOutcome> outcomes) {
  if (!IsCapacityEnforced(plan) && context.left_out == nullptr) {
    absl::Status done = Execute(context, plan, outcomes);
    if (!IsBatchTooLarge(done) || plan.size() == 1) return done;
    // The writes need not be one commit, and each for itself has room in one.
    for (RowOutcome& outcome : outcomes) outcome = RowOutcome();
  }
  // What has been committed cannot start again on a worker, so it begins there.
  if (plan.size() > 1) DYNOLITH_RETURN_IF_ERROR(SpendWork(context, kLoopWorkMax + 1));
  bool is_any_done = context.left_out != nullptr;
  for (size_t i = 0; i < plan.size(); ++i) {
    if (!outcomes[i].status.ok()) continue;
    const absl::Status done = Execute(context, plan.subspan(i, 1), outcomes.subspan(i, 1));
    // The call cannot be run again on the tables as they are now: the client asks for the rest.
    if (is_any_done && IsChangedElsewhere(done)) return LeaveRest(outcomes.subspan(i));
    DYNOLITH_RETURN_IF_ERROR(done);
    is_any_done = is_any_done || !IsThrottled(outcomes[i].status);
  }
  return is_any_done || plan.empty() ? absl::OkStatus() : outcomes[0].status;
}

}  // namespace

absl::StatusOr<BatchWriteItemOutput> BatchWriteItem(const OperationContext& context,
                                                    const BatchWriteItemRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(context, request));
  TableGates gates;
  std::vector<size_t> positions;
  for (const auto& [name, writes] : request.request_items) {
    DYNOLITH_ASSIGN_OR_RETURN(const size_t position, gates.Add(context, name));
    positions.push_back(position);
  }
  DYNOLITH_RETURN_IF_ERROR(gates.Lock());
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<RowWrite> plan,
                            PlanWrites(request, gates, positions));
  std::vector<RowOutcome> outcomes(plan.size());
  if (context.left_out != nullptr) LeaveOut(*context.left_out, request, absl::MakeSpan(outcomes));
  DYNOLITH_RETURN_IF_ERROR(ExecuteBatch(context, plan, absl::MakeSpan(outcomes)));
  DYNOLITH_RETURN_IF_ERROR(gates.Finish());

  BatchWriteItemOutput output;
  size_t next = 0;
  for (const auto& [name, writes] : request.request_items) {
    CapacityTotal total;
    std::vector<ItemCollectionMetrics> metrics;
    std::vector<WriteRequest> unprocessed;
    for (size_t i = 0; i < writes.size(); ++i, ++next) {
      if (IsThrottled(outcomes[next].status)) {
        unprocessed.push_back(writes[i]);
        continue;
      }
      DYNOLITH_RETURN_IF_ERROR(outcomes[next].status);
      total.Add(plan[next], outcomes[next]);
      if (auto metric = MakeItemCollectionMetrics(
              plan[next].meta->schema, request.return_item_collection_metrics, plan[next].item)) {
        metrics.push_back(*std::move(metric));
      }
    }
    if (auto report = total.Report(name, request.return_consumed_capacity)) {
      output.consumed_capacity.push_back(*std::move(report));
    }
    if (!unprocessed.empty()) output.unprocessed_items.emplace_back(name, std::move(unprocessed));
    if (!metrics.empty()) output.item_collection_metrics.emplace_back(name, std::move(metrics));
  }
  return output;
}

}  // namespace dynolith
