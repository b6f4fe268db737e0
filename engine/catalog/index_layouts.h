// The life of an index's layouts: where its entries are, and where they move to when the number of
// its shards changes. Writes keep both; when the new one is filled (index/backfill.h) it takes the
// place of the old one, whose id dies with that change.
#ifndef DYNOLITH_ENGINE_CATALOG_INDEX_LAYOUTS_H_
#define DYNOLITH_ENGINE_CATALOG_INDEX_LAYOUTS_H_

#include <optional>

#include "engine/catalog/table_meta.h"
#include "engine/key/schema.h"

namespace dynolith {

// Has the entries move to so many shards, or come back if they are on their way from there. One
// that nobody reads yet begins anew. Requires: a global index; 1 <= shards <= kIndexShardsMax.
void SetShards(int shards, IndexSchema* index, IndexState* state);

// How many there are, or will be when the entries have moved.
int WantedShards(const IndexSchema& index);

// Has writers note what they write into the layout to fill, if there is one, so that it can be
// filled from sorted files (index/backfill.h). Requires: it is empty, and no write is under way.
void NoteWrites(const IndexState& state, IndexSchema* index);

// Gives up what was filled so far of the layout to fill, which is then an empty one under an id
// that the catalog gives, and which writers write.
void ForgetFilled(IndexSchema* index, IndexState* state);

// What has to be filled: an index that is new, or where it moves to.
std::optional<IndexLayout> LayoutToFill(const IndexSchema& index, const IndexState& state);

// The index is read where it was to move. Requires: index->next, and that it is filled.
void FinishMove(IndexSchema* index, IndexState* state);

// Takes the ids from table and indexes, which are then as new.
void ForgetIds(TableSchema* schema);

// Whether the id is alive: in the table or in one of its indexes.
bool HasId(const TableSchema& schema, StorageId id);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_INDEX_LAYOUTS_H_
