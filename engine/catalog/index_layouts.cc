#include "engine/catalog/index_layouts.h"

#include <algorithm>

namespace dynolith {

void SetShards(int shards, IndexSchema* index, IndexState* state) {
  if (shards == WantedShards(*index)) return;
  state->backfill_position.clear();
  index->next.reset();
  index->notes.reset();
  if (state->status == IndexStatus::kCreating) {
    index->id = 0;
    index->shards = shards;
    state->filled = false;
  } else if (shards != index->shards) {
    index->next = IndexLayout{.shards = shards};
  }
  NoteWrites(*state, index);
}

int WantedShards(const IndexSchema& index) {
  return index.next ? index.next->shards : index.shards;
}

void NoteWrites(const IndexState& state, IndexSchema* index) {
  if (LayoutToFill(*index, state)) index->notes.emplace();
}

void ForgetFilled(IndexSchema* index, IndexState* state) {
  (index->next ? index->next->id : index->id) = 0;
  index->notes.reset();
  state->backfill_position.clear();
}

std::optional<IndexLayout> LayoutToFill(const IndexSchema& index, const IndexState& state) {
  if (state.status == IndexStatus::kDeleting) return std::nullopt;
  if (state.status != IndexStatus::kCreating) return index.next;
  if (state.filled) return std::nullopt;
  return index.layout();
}

void FinishReshard(IndexSchema* index, IndexState* state) {
  index->id = index->next->id;
  index->shards = index->next->shards;
  index->next.reset();
  index->notes.reset();
  state->backfill_position.clear();
}

void ForgetIds(TableSchema* schema) {
  schema->id = 0;
  for (IndexSchema& index : schema->indexes) {
    index.id = 0;
    index.shards = WantedShards(index);
    index.next.reset();
    index.notes.reset();
  }
}

bool HasId(const TableSchema& schema, StorageId id) {
  if (schema.id == id) return true;
  return std::any_of(schema.indexes.begin(), schema.indexes.end(), [id](const IndexSchema& index) {
    bool has = false;
    ForEachId(index, [&](StorageId of_index) { has |= of_index == id; });
    return has;
  });
}

}  // namespace dynolith
