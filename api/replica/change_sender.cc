#include "api/replica/change_sender.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "api/write/planned_write.h"
#include "api/write/row_write.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/replica/replica_log.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

absl::Status RemoveSent(const OperationContext& from, const std::vector<std::string>& keys) {
  if (keys.empty()) return absl::OkStatus();
  WriteBatch batch;
  for (const std::string& key : keys) batch.Delete(Family::kLog, key);
  return from.store->Commit(batch);
}

}  // namespace

absl::StatusOr<bool> ReceiveWrite(const OperationContext& to, std::string_view table_name,
                                  std::string_view item_key, const ReplicaChange& change) {
  const std::shared_ptr<Table> table = to.catalog->Find(table_name);
  if (table == nullptr) return absl::NotFoundError("");
  const SpreadMutex::ReadScope gate(&table->gate);
  if (to.catalog->Find(table_name) != table) return absl::NotFoundError("");
  const std::shared_ptr<const TableMeta> meta = table->meta();
  const RowWrite write =
      RowWrite::OfRow(change.item ? RowWrite::Kind::kPut : RowWrite::Kind::kDelete, table.get(),
                      *meta, Concat(RowIdPrefix(meta->schema.id), item_key),
                      change.item.value_or(ItemView()), {.replicated = &change.version});
  RowOutcome outcome;
  DYNOLITH_RETURN_IF_ERROR(
      Execute(to, absl::MakeConstSpan(&write, 1), absl::MakeSpan(&outcome, 1)));
  DYNOLITH_RETURN_IF_ERROR(outcome.status);
  return outcome.is_outdated;
}

absl::StatusOr<SendResult> SendDue(const OperationContext& from, const TableMeta& meta,
                                   const OperationContext& to, absl::Time now, DueTime due,
                                   size_t most) {
  const std::string prefix = ChangePrefix(meta.schema.id, to.region);
  Cursor cursor = from.store->Scan(Family::kLog, prefix, EndOfPrefix(prefix), Direction::kForward);
  SendResult result;
  std::vector<std::string> sent;
  absl::Status status;
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    const absl::StatusOr<ReplicaChange> change = DecodeChange(cursor.value());
    const auto item_key = ItemInChangeKey(cursor.key(), prefix);
    if (!change.ok() || !item_key) {
      status = DecodeChange("").status();
      break;
    }
    const absl::Time time = due(*change, cursor.key());
    if (time > now) {
      if (!result.next_due || time < *result.next_due) result.next_due = time;
      continue;
    }
    if (sent.size() == most) {
      result.has_more = true;
      break;
    }
    const absl::StatusOr<bool> is_lost = ReceiveWrite(to, meta.schema.name, *item_key, *change);
    status = is_lost.status();
    if (!status.ok()) break;
    // Strong writes never meet: another region has brought this one.
    const bool is_repeated = *is_lost && meta.is_strong;
    result.arrived += is_repeated ? 0 : 1;
    result.lost += *is_lost && !is_repeated ? 1 : 0;
    sent.emplace_back(cursor.key());
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  DYNOLITH_RETURN_IF_ERROR(RemoveSent(from, sent));
  DYNOLITH_RETURN_IF_ERROR(status);
  return result;
}

absl::StatusOr<PendingChanges> CountPending(const OperationContext& from, const TableMeta& meta,
                                            std::string_view region) {
  const std::string prefix = ChangePrefix(meta.schema.id, region);
  Cursor cursor = from.store->Scan(Family::kLog, prefix, EndOfPrefix(prefix), Direction::kForward);
  PendingChanges pending;
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_ASSIGN_OR_RETURN(const ReplicaChange change, DecodeChange(cursor.value()));
    ++pending.count;
    if (!pending.oldest || change.written < *pending.oldest) pending.oldest = change.written;
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return pending;
}

}  // namespace dynolith
