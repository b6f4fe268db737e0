#include "api/table/table_lifecycle.h"

#include <optional>
#include <string>

#include "api/table/deleted_table_backup.h"
#include "api/table/table_definition.h"
#include "engine/base/status_macros.h"
#include "engine/stream/stream_log.h"

namespace dynolith {
namespace {

bool IsDue(const std::optional<absl::Time>& time, absl::Time now) { return time && *time <= now; }

void KeepEarlier(const std::optional<absl::Time>& time, std::optional<absl::Time>* earliest) {
  if (time && (!*earliest || *time < **earliest)) *earliest = time;
}

// Whether the index is gone.
bool SettleIndex(absl::Time now, IndexState* state) {
  if (IsDue(state->backfilling_from, now)) {
    state->backfilling = true;
    state->backfilling_from.reset();
  }
  if (!IsDue(state->status_until, now)) return false;
  state->status_until.reset();
  if (state->status == IndexStatus::kDeleting) return true;
  // What is not yet filled is left to the backfill, which waits for nothing any more.
  if (state->status == IndexStatus::kCreating && !state->filled) return false;
  state->status = IndexStatus::kActive;
  state->backfilling = state->filled = false;
  return false;
}

void FinishDestination(KinesisDestination* destination) {
  const bool disabling = destination->status == KinesisDestinationStatus::kDisabling;
  destination->status =
      disabling ? KinesisDestinationStatus::kDisabled : KinesisDestinationStatus::kActive;
  destination->status_until.reset();
}

// Finishes what is due, but for a deletion.
void SettleMeta(absl::Time now, TableMeta* meta) {
  if (IsDue(meta->status_until, now)) {
    meta->status_until.reset();
    meta->change.reset();
    meta->status = TableStatus::kActive;
  }
  for (size_t i = meta->index_states.size(); i-- > 0;) {
    if (SettleIndex(now, &meta->index_states[i])) RemoveIndex(i, meta);
  }
  for (KinesisDestination& destination : meta->kinesis_destinations) {
    if (IsDue(destination.status_until, now)) FinishDestination(&destination);
  }
  FindNextTransition(meta);
}

// Whether the caller is the one who has to drop the table.
absl::StatusOr<bool> Settle(const OperationContext& context, Table* table, absl::Time now) {
  bool drop = false;
  const auto settle = [&](TableMeta* meta) {
    const bool deleting = meta->status == TableStatus::kDeleting;
    if (!deleting) SettleMeta(now, meta);
    if (deleting && IsDue(meta->status_until, now)) {
      meta->status_until.reset();
      meta->next_transition.reset();
      drop = true;
    }
    return absl::OkStatus();
  };
  DYNOLITH_RETURN_IF_ERROR(ChangeTable(context, table, settle, absl::OkStatus()).status());
  return drop;
}

}  // namespace

void DelayCreation(absl::Time now, absl::Duration delay, TableMeta* meta) {
  if (delay <= absl::ZeroDuration()) return;
  meta->status = TableStatus::kCreating;
  meta->status_until = now + delay;
  for (IndexState& state : meta->index_states) {
    state.status = IndexStatus::kCreating;
    state.status_until = now + delay;
    state.filled = true;  // there are no items yet
  }
  FindNextTransition(meta);
}

void DelayUpdate(absl::Time now, absl::Duration delay, TableChange change, TableMeta* meta) {
  if (delay <= absl::ZeroDuration()) return;
  meta->status = TableStatus::kUpdating;
  meta->change = change;
  meta->status_until = now + delay;
  FindNextTransition(meta);
}

void DelayDeletion(absl::Time now, absl::Duration delay, TableMeta* meta) {
  meta->status = TableStatus::kDeleting;
  if (delay <= absl::ZeroDuration()) return;
  meta->status_until = now + delay;
  meta->next_transition = meta->status_until;
}

void DelayIndex(absl::Time now, absl::Duration delay, IndexStatus status, IndexState* state) {
  state->status = status;
  state->status_until = now + delay;
  state->backfilling_from.reset();
  if (status != IndexStatus::kCreating) return;
  state->backfilling = false;
  state->backfilling_from = now + delay / 2;
}

void DelayDestination(absl::Time now, absl::Duration delay, KinesisDestinationStatus status,
                      KinesisDestination* destination) {
  destination->status = status;
  destination->status_until = now + delay;
  if (delay <= absl::ZeroDuration()) FinishDestination(destination);
}

void RemoveIndex(size_t position, TableMeta* meta) {
  const std::string& name = meta->schema.indexes[position].name;
  std::erase_if(meta->contributor_insights,
                [&](const ContributorInsights& insights) { return insights.index_name == name; });
  std::erase_if(meta->auto_scaling,
                [&](const AutoScaling& settings) { return settings.index_name == name; });
  meta->schema.indexes.erase(meta->schema.indexes.begin() + static_cast<ptrdiff_t>(position));
  meta->index_states.erase(meta->index_states.begin() + static_cast<ptrdiff_t>(position));
  std::erase_if(meta->attribute_definitions, [&](const KeyAttribute& attribute) {
    return !IsKeyAttribute(meta->schema, attribute.name);
  });
}

void FindNextTransition(TableMeta* meta) {
  meta->next_transition = meta->status_until;
  for (const IndexState& state : meta->index_states) {
    KeepEarlier(state.status_until, &meta->next_transition);
    KeepEarlier(state.backfilling_from, &meta->next_transition);
  }
  for (const KinesisDestination& destination : meta->kinesis_destinations) {
    KeepEarlier(destination.status_until, &meta->next_transition);
  }
}

absl::StatusOr<std::shared_ptr<Table>> FindSettled(const OperationContext& context,
                                                   std::string_view name) {
  std::shared_ptr<Table> table = context.catalog->Find(name);
  if (table == nullptr) return table;
  const std::optional<absl::Time> next = table->meta()->next_transition;
  if (!next || context.store->read_only()) return table;
  const absl::Time now = context.clock->Now();
  if (now < *next) return table;
  DYNOLITH_ASSIGN_OR_RETURN(const bool drop, Settle(context, table.get(), now));
  if (drop) DYNOLITH_RETURN_IF_ERROR(DropTable(context, name));
  return context.catalog->Find(name);
}

absl::Status SettleAll(const OperationContext& context) {
  for (const std::shared_ptr<Table>& table : context.catalog->All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    if (!meta->next_transition) continue;
    DYNOLITH_RETURN_IF_ERROR(FindSettled(context, meta->schema.name).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const TableMeta>> ChangeTable(
    const OperationContext& context, Table* table,
    const std::function<absl::Status(TableMeta*)>& change, const absl::Status& gone,
    WriteBatch* batch) {
  auto changed = context.catalog->Modify(table, change, batch);
  const std::shared_ptr<const TableMeta> meta = table->meta();
  const bool is_gone =
      absl::IsNotFound(changed.status()) && context.catalog->Find(meta->schema.name).get() != table;
  if (!is_gone) return changed;
  if (!gone.ok()) return gone;
  return meta;
}

absl::Status FollowNewStream(const OperationContext& context, const TableMeta& meta) {
  if (context.streams == nullptr || !meta.stream.enabled) return absl::OkStatus();
  return context.streams->Follow(meta);
}

absl::Status FollowStream(const OperationContext& context, std::string_view table_name) {
  if (context.streams == nullptr) return absl::OkStatus();
  return context.streams->FollowTable(*context.catalog, table_name);
}

}  // namespace dynolith
