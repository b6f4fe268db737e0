#include "api/read/transact_get_items.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <unordered_set>

#include "api/read/projection_request.h"
#include "api/request/call_bounds.h"
#include "api/request/current_tables.h"
#include "api/request/key_checks.h"
#include "api/request/request_checks.h"
#include "api/table/request_capacity.h"
#include "api/table/table_gate.h"
#include "api/write/cancellation.h"
#include "api/write/conflict_table.h"
#include "api/write/consumed_capacity.h"
#include "api/write/messages.h"
#include "api/write/transaction.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/partition/access_observer.h"
#include "engine/partition/capacity.h"
#include "engine/store/transaction/run_transaction.h"
#include "engine/store/transaction/shared_store.h"
#include "index/entry.h"

namespace dynolith {
namespace {

// One Get, parsed and bound.
struct PlannedGet {
  const TransactGet* get = nullptr;
  std::optional<Projection> projection;
  std::shared_ptr<Table> table;
  std::shared_ptr<const TableMeta> meta;
  std::string row_key;
};

// Everything that can be said of one Get without its table.
absl::StatusOr<PlannedGet> CheckGet(const OperationContext& context, const TransactGet& get) {
  PlannedGet planned{&get};
  Placeholders placeholders(PointerTo(get.expression_attribute_names), nullptr);
  DYNOLITH_RETURN_IF_ERROR(
      CheckParameters({}, {{"ProjectionExpression", get.projection_expression.has_value()}}, {},
                      {.names = get.expression_attribute_names.has_value()}, Wording::kLegacy));
  DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&get).values);
  DYNOLITH_RETURN_IF_ERROR(CheckPlaceholders(placeholders, context.violations->Of(&get)));
  DYNOLITH_RETURN_IF_ERROR(
      ParseRequestProjection(get.projection_expression, &placeholders, &planned.projection));
  DYNOLITH_RETURN_IF_ERROR(placeholders.CheckAllUsed());
  return planned;
}

absl::Status CheckDistinct(const std::vector<PlannedGet>& gets) {
  std::unordered_set<std::string> rows;
  for (const PlannedGet& planned : gets) {
    const TableSchema& schema = planned.meta->schema;
    if (!HasKey(schema.key, planned.get->key.view())) continue;
    std::string row_key;
    AppendRowKey(schema.id, schema.key, planned.get->key.view(), &row_key);
    if (!rows.insert(std::move(row_key)).second) {
      return ValidationError(messages::TransactionOnOneItemTwice());
    }
  }
  return absl::OkStatus();
}

// Keys and paths against the schema: the first problem cancels the transaction.
absl::Status Bind(std::vector<PlannedGet>* gets) {
  for (size_t i = 0; i < gets->size(); ++i) {
    PlannedGet& planned = (*gets)[i];
    const TableSchema& schema = planned.meta->schema;
    absl::Status problem = CheckKey(schema.key, planned.get->key.view());
    problem.Update(CheckKeyPaths(planned.projection, schema.key));
    if (!problem.ok()) return CancelledBy(i, gets->size(), problem);
    AppendRowKey(schema.id, schema.key, planned.get->key.view(), &planned.row_key);
  }
  return absl::OkStatus();
}

absl::Status CheckConflicts(const OperationContext& context, const std::vector<PlannedGet>& gets) {
  if (context.conflicts == nullptr) return absl::OkStatus();
  std::vector<std::string_view> keys;
  keys.reserve(gets.size());
  for (const PlannedGet& planned : gets) keys.push_back(planned.row_key);
  std::vector<size_t> taken;
  context.conflicts->Enter(keys, ConflictTable::Kind::kRead, &taken);
  if (taken.empty()) return absl::OkStatus();
  std::vector<absl::Status> statuses(gets.size());
  for (const size_t i : taken) {
    statuses[i] = MakeError(ErrorKind::kTransactionConflict, messages::TransactionConflict());
    if (context.observer == nullptr) continue;
    context.observer->NoteRowFailure(gets[i].meta->schema, ErrorKind::kTransactionConflict);
  }
  return Cancelled(statuses);
}

// What a Get uses of its table.
struct GetUse {
  RequestCapacity capacity;
  ThroughputUse of_item;
};

// Any Get for which there is no room cancels all.
absl::Status Admit(const OperationContext& context, const std::vector<PlannedGet>& gets,
                   std::deque<GetUse>* uses) {
  std::vector<absl::Status> statuses;
  for (const PlannedGet& planned : gets) {
    GetUse& use = uses->emplace_back(
        GetUse{RequestCapacity(context, planned.table.get(), *planned.meta), {}});
    use.of_item = use.capacity.MakeUse(AccessKind::kRead, nullptr, planned.row_key);
    statuses.push_back(use.capacity.Admit({use.of_item}));
  }
  const bool has_room = std::all_of(statuses.begin(), statuses.end(),
                                    [](const absl::Status& status) { return status.ok(); });
  return has_room ? absl::OkStatus() : Cancelled(statuses);
}

// A table that is named in two ways, by name and by ARN, is reported as it was named first.
const std::string& FirstTableName(const PlannedGet& planned, const std::vector<PlannedGet>& gets) {
  for (const PlannedGet& earlier : gets) {
    if (earlier.meta->schema.id == planned.meta->schema.id) return earlier.get->table_name;
  }
  return planned.get->table_name;
}

// A row as it was at the moment of all of them.
struct ReadRow {
  Row row;
  bool found = false;
};

// Of a SharedStore it is a transaction: a snapshot may show a change without one that comes before
// it in the order of transactions, and is committed later.
absl::Status ReadOneState(Store* store, absl::Span<RowRead> reads) {
  SharedStore* const shared = store->shared();
  if (shared == nullptr) return store->TakeSnapshot()->MultiGet(reads);
  return RunTransaction([&] {
    const std::unique_ptr<Attempt> attempt = shared->Begin();
    return attempt->MultiGetAndCommit(reads);
  });
}

absl::StatusOr<std::vector<ReadRow>> ReadAtOneMoment(const OperationContext& context,
                                                     const std::vector<PlannedGet>& gets) {
  std::vector<ReadRow> rows(gets.size());
  std::vector<RowRead> reads;
  reads.reserve(gets.size() + 1);
  for (size_t i = 0; i < gets.size(); ++i) {
    reads.push_back({.family = Family::kTables, .key = gets[i].row_key, .row = &rows[i].row});
  }
  CurrentTables tables(context, nullptr);
  if (tables.read() != nullptr) reads.push_back(*tables.read());
  DYNOLITH_RETURN_IF_ERROR(ReadOneState(context.store, absl::MakeSpan(reads)));
  if (tables.read() != nullptr) tables.read()->found = reads.back().found;
  DYNOLITH_RETURN_IF_ERROR(tables.Check());
  for (size_t i = 0; i < gets.size(); ++i) rows[i].found = reads[i].found;
  return rows;
}

}  // namespace

absl::StatusOr<TransactGetItemsOutput> TransactGetItems(const OperationContext& context,
                                                        const TransactGetItemsRequest& request) {
  std::vector<PlannedGet> gets;
  for (const TransactGet& get : request.transact_items) {
    DYNOLITH_ASSIGN_OR_RETURN(PlannedGet planned, CheckGet(context, get));
    DYNOLITH_RETURN_IF_ERROR(CheckEmptyKeys(context, get.table_name, get.key.view()));
    gets.push_back(std::move(planned));
  }
  for (PlannedGet& planned : gets) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                              FindUsableTable(context, planned.get->table_name));
    planned.table = table;
    planned.meta = table->meta();
    if (planned.meta->is_strong) return ValidationError(messages::TransactionOnStrongTable());
  }
  DYNOLITH_RETURN_IF_ERROR(CheckDistinct(gets));
  DYNOLITH_RETURN_IF_ERROR(Bind(&gets));
  DYNOLITH_RETURN_IF_ERROR(CheckConflicts(context, gets));
  std::deque<GetUse> uses;
  DYNOLITH_RETURN_IF_ERROR(Admit(context, gets, &uses));

  DYNOLITH_RETURN_IF_ERROR(SpendWork(context, kGetWork * gets.size()));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<ReadRow> rows, ReadAtOneMoment(context, gets));
  TransactGetItemsOutput output;
  std::map<std::string, CapacityTotal> totals;
  ItemBuilder builder;
  size_t response_bytes = 0;
  for (size_t i = 0; i < gets.size(); ++i) {
    const PlannedGet& planned = gets[i];
    std::optional<Item>& response = output.responses.emplace_back();
    size_t bytes = 0;
    if (rows[i].found) {
      const ItemView item = ItemView::Unchecked(rows[i].row.value());
      bytes = TableBilledBytes(planned.meta->schema, item);
      DYNOLITH_RETURN_IF_ERROR(SpendWork(context, bytes));
      Emit(item, planned.projection, &builder, [&response](ItemView selected) {
        if (!selected.empty()) response = Item::Copy(selected);
      });
    }
    response_bytes += bytes;
    const double units = ReadUnits(bytes, ReadMode::kTransactional);
    totals[FirstTableName(planned, gets)].AddTable(units);
    SetCost(units, bytes, &uses[i].of_item);
  }
  for (GetUse& use : uses) use.capacity.Charge({use.of_item});
  if (response_bytes > kTransactionBytesMax) {
    return ValidationError(messages::TransactionTooLarge());
  }
  for (const auto& [name, total] : totals) {
    if (auto report = total.Report(name, request.return_consumed_capacity, CapacityKind::kRead)) {
      output.consumed_capacity.push_back(*std::move(report));
    }
  }
  return output;
}

}  // namespace dynolith
