// The life of an index's layouts: the place of its entries, and the next place when the number of
// its shards changes. Writes maintain both; when the new one is filled (index/backfill.h) it
// replaces the old one, whose id dies with that change.
#ifndef DYNOLITH_ENGINE_CATALOG_INDEX_LAYOUTS_H_
#define DYNOLITH_ENGINE_CATALOG_INDEX_LAYOUTS_H_

#include <optional>

#include "engine/catalog/table_meta.h"
#include "engine/key/schema.h"

namespace dynolith {

// Starts a reshard to so many shards, or back if the index has so many and is being resharded. An
// unfinished layout begins anew. Requires: a global index; 1 <= shards <= kIndexShardsMax.
void SetShards(int shards, IndexSchema* index, IndexState* state);

// The number of shards, or the future one during a reshard.
int WantedShards(const IndexSchema& index);

// Makes writers note their writes into the layout to fill, if there is one, so that it can be
// filled from sorted files (index/backfill.h). Requires: it is empty, and no write is running.
void NoteWrites(const IndexState& state, IndexSchema* index);

// Drops the filled part of the layout to fill. Then it is an empty one with a new id from the
// catalog, and writers maintain it.
void ForgetFilled(IndexSchema* index, IndexState* state);

// The layout that must be filled: that of a new index, or the next one of an index that is
// resharded.
std::optional<IndexLayout> LayoutToFill(const IndexSchema& index, const IndexState& state);

// Makes the next layout the one that is read. Requires: index->next, and that it is filled.
void FinishReshard(IndexSchema* index, IndexState* state);

// Removes the ids from table and indexes, as in a new schema.
void ForgetIds(TableSchema* schema);

// Whether the id is alive: in the table or in one of its indexes.
bool HasId(const TableSchema& schema, StorageId id);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_INDEX_LAYOUTS_H_
