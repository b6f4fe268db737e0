#include "engine/catalog/table_states.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

bool IsDue(const std::optional<absl::Time>& time, absl::Time now) { return time && *time <= now; }

void KeepEarlier(const std::optional<absl::Time>& time, std::optional<absl::Time>* earliest) {
  if (time && (!*earliest || *time < **earliest)) *earliest = time;
}

// Applies the transition that is due. Returns whether the index is deleted.
bool SettleIndex(absl::Time now, IndexState* state) {
  if (IsDue(state->backfilling_from, now)) {
    state->backfilling = true;
    state->backfilling_from.reset();
  }
  if (!IsDue(state->status_until, now)) return false;
  state->status_until.reset();
  if (state->status == IndexStatus::kDeleting) return true;
  // The backfill does not wait any more; it sets ACTIVE when the index is filled.
  if (state->status == IndexStatus::kCreating && !state->filled) return false;
  state->status = IndexStatus::kActive;
  state->backfilling = state->filled = false;
  return false;
}

void FinishDestination(KinesisDestination* destination) {
  destination->status_until.reset();
  // Who sends knows whether there is such a stream.
  if (destination->awaits_check()) return;
  const bool disabling = destination->status == KinesisDestinationStatus::kDisabling;
  destination->status =
      disabling ? KinesisDestinationStatus::kDisabled : KinesisDestinationStatus::kActive;
}

// Applies all transitions that are due, except the table's deletion.
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
  for (ContributorInsights& insights : meta->contributor_insights) {
    if (IsDue(insights.status_until, now)) insights.status_until.reset();
  }
  FindNextTransition(meta);
}

// Returns whether the caller must drop the table.
absl::StatusOr<bool> Settle(Catalog* catalog, Table* table, absl::Time now) {
  bool drop = false;
  const auto settle = [&](TableMeta* meta) {
    drop = false;  // this may be repeated
    const bool deleting = meta->status == TableStatus::kDeleting;
    if (!deleting) SettleMeta(now, meta);
    if (deleting && IsDue(meta->status_until, now)) {
      meta->status_until.reset();
      meta->next_transition.reset();
      drop = true;
    }
    return absl::OkStatus();
  };
  DYNOLITH_RETURN_IF_ERROR(ChangeTable(catalog, table, settle, absl::OkStatus()).status());
  // Another process may have dropped it already, and a client made one of that name since.
  return drop && catalog->Find(table->meta()->schema.name).get() == table;
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
  for (const ContributorInsights& insights : meta->contributor_insights) {
    KeepEarlier(insights.status_until, &meta->next_transition);
  }
}

absl::StatusOr<std::shared_ptr<Table>> FindSettled(Catalog* catalog, std::string_view name,
                                                   const Clock& clock,
                                                   FinishDeletion finish_deletion) {
  std::shared_ptr<Table> table = catalog->Find(name);
  if (table == nullptr) return table;
  const std::optional<absl::Time> next = table->meta()->next_transition;
  if (!next) return table;
  const absl::Time now = clock.Now();
  if (now < *next) return table;
  DYNOLITH_ASSIGN_OR_RETURN(const bool drop, Settle(catalog, table.get(), now));
  if (drop) DYNOLITH_RETURN_IF_ERROR(finish_deletion(name));
  return catalog->Find(name);
}

absl::Status SettleAll(Catalog* catalog, const Clock& clock, FinishDeletion finish_deletion) {
  for (const std::shared_ptr<Table>& table : catalog->All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    if (!meta->next_transition) continue;
    DYNOLITH_RETURN_IF_ERROR(
        FindSettled(catalog, meta->schema.name, clock, finish_deletion).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const TableMeta>> ChangeTable(
    Catalog* catalog, Table* table, const std::function<absl::Status(TableMeta*)>& change,
    const absl::Status& gone, WriteBatch* batch) {
  auto changed = catalog->Modify(table, change, batch);
  const std::shared_ptr<const TableMeta> meta = table->meta();
  const bool is_gone =
      absl::IsNotFound(changed.status()) && catalog->Find(meta->schema.name).get() != table;
  if (!is_gone) return changed;
  if (!gone.ok()) return gone;
  return meta;
}

KeySchema DefinedAttributes(const IndexSchema& index) {
  KeySchema defined = index.key;
  if (!index.vector) return defined;
  const std::vector<KeyAttribute>& filters = index.vector->inline_filters;
  defined.range.insert(defined.range.end(), filters.begin(), filters.end());
  return defined;
}

bool IsKeyAttribute(const TableSchema& schema, std::string_view attribute) {
  return schema.key.Contains(attribute) ||
         std::any_of(schema.indexes.begin(), schema.indexes.end(), [&](const IndexSchema& index) {
           return DefinedAttributes(index).Contains(attribute);
         });
}

}  // namespace dynolith
