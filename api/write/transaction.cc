#include "api/write/transaction.h"

#include <map>
#include <vector>

#include "api/request/arn.h"
#include "api/request/key_checks.h"
#include "api/write/cancellation.h"
#include "api/write/consumed_capacity.h"
#include "api/write/idempotency.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/partition/capacity.h"

namespace dynolith {
namespace {

using Totals = std::map<std::string_view, CapacityTotal>;

std::vector<ConsumedCapacity> Reports(const Totals& totals, ReturnConsumedCapacity wanted,
                                      CapacityKind split) {
  std::vector<ConsumedCapacity> reports;
  for (const auto& [name, total] : totals) {
    if (auto report = total.Report(name, wanted, split)) reports.push_back(*std::move(report));
  }
  return reports;
}

// What a repeated request reports: the reads that found out that it was done already.
absl::StatusOr<TransactWriteItemsOutput> Replay(const OperationContext& context,
                                                const TransactionPlan& plan) {
  Totals totals;
  for (size_t i = 0; i < plan.writes.size(); ++i) {
    Row row;
    DYNOLITH_ASSIGN_OR_RETURN(const bool found,
                              context.store->Get(Family::kTables, plan.writes[i].row_key, &row));
    const size_t bytes = found ? BilledBytes(ItemView::Unchecked(row.value())) : 0;
    totals[plan.table_names[i]].AddTable(ReadUnits(bytes, ReadMode::kTransactional));
  }
  TransactWriteItemsOutput output;
  output.consumed_capacity = Reports(totals, plan.return_consumed_capacity, CapacityKind::kRead);
  return output;
}

TransactWriteItemsOutput Report(const TransactionPlan& plan,
                                const std::vector<RowOutcome>& outcomes) {
  Totals totals;
  std::map<std::string, std::vector<ItemCollectionMetrics>> metrics;
  for (size_t i = 0; i < plan.writes.size(); ++i) {
    const RowWrite& write = plan.writes[i];
    totals[plan.table_names[i]].Add(write, outcomes[i]);
    if (write.kind == RowWrite::Kind::kCheck) continue;
    if (auto metric = MakeItemCollectionMetrics(write.meta->schema,
                                                plan.return_item_collection_metrics, write.item)) {
      metrics[std::string(plan.table_names[i])].push_back(*std::move(metric));
    }
  }
  TransactWriteItemsOutput output;
  output.consumed_capacity = Reports(totals, plan.return_consumed_capacity, CapacityKind::kWrite);
  output.item_collection_metrics.assign(metrics.begin(), metrics.end());
  return output;
}

// Whether another process may have executed the request since its token was looked up: then the
// conditions may fail for what it has written itself.
bool MayBeOfReplay(const OperationContext& context, const absl::Status& executed,
                   absl::Span<const RowOutcome> outcomes) {
  if (context.store->local() != nullptr) return false;
  return executed.ok() ? AnyFailed(outcomes)
                       : KindOf(executed) == ErrorKind::kTransactionInProgress;
}

std::vector<absl::Status> StatusesOf(absl::Span<const RowOutcome> outcomes) {
  std::vector<absl::Status> statuses;
  statuses.reserve(outcomes.size());
  for (const RowOutcome& outcome : outcomes) statuses.push_back(outcome.status);
  return statuses;
}

}  // namespace

absl::StatusOr<TransactWriteItemsOutput> CommitTransaction(const OperationContext& context,
                                                           const TransactionPlan& plan) {
  IdempotencyTokens::Use token;
  if (plan.token != nullptr) {
    DYNOLITH_ASSIGN_OR_RETURN(
        token, context.tokens->Begin(*plan.token, Fingerprint(plan.canonical_request)));
    if (token.is_replay()) return Replay(context, plan);
  }
  std::vector<RowOutcome> outcomes(plan.writes.size());
  const absl::Status executed =
      Execute(context, plan.writes, absl::MakeSpan(outcomes),
              [&](const Transaction& transaction, WriteBatch* batch) {
                return plan.token != nullptr ? token.Record(transaction, batch) : absl::OkStatus();
              });
  if (plan.token != nullptr && MayBeOfReplay(context, executed, outcomes)) {
    DYNOLITH_RETURN_IF_ERROR(token.LookUp());
    if (token.is_replay()) return Replay(context, plan);
  }
  DYNOLITH_RETURN_IF_ERROR(executed);
  if (AnyFailed(outcomes)) return Cancelled(StatusesOf(outcomes));
  return Report(plan, outcomes);
}

absl::Status CheckEmptyKeys(const OperationContext& context, std::string_view name_or_arn,
                            ItemView item) {
  const absl::StatusOr<std::string_view> name = ResolveTableName(context, name_or_arn);
  if (!name.ok()) return absl::OkStatus();
  const std::shared_ptr<Table> table = context.catalog->Find(*name);
  return table == nullptr ? absl::OkStatus() : CheckNoEmptyKey(table->meta()->schema.key, item);
}

void AppendCanonical(std::string_view field, std::string* bytes) {
  bytes->append(std::to_string(field.size()));
  bytes->push_back(':');
  bytes->append(field);
}

}  // namespace dynolith
