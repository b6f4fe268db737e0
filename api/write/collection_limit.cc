#include "api/write/collection_limit.h"

#include <cmath>

#include "api/request/call_bounds.h"
#include "api/write/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "index/entry.h"

namespace dynolith {
namespace {

std::string_view CollectionKey(const RowWrite& write) {
  return std::string_view(write.row_key)
      .substr(0, CollectionBytes(write.meta->schema.key, /*is_table_key=*/true, write.row_key));
}

int64_t ItemSize(const TableSchema& schema, const std::optional<ItemView>& item) {
  return item ? static_cast<int64_t>(BilledBytesWithLocalEntries(schema, *item)) : 0;
}

int64_t CollectionGrowth(const RowWrite& write, const RowOutcome& outcome) {
  const TableSchema& schema = write.meta->schema;
  return ItemSize(schema, outcome.new_item) - ItemSize(schema, outcome.old_item);
}

int64_t CollectionBytesMax(const Table& table) {
  const std::optional<CapacitySettings> settings = table.throughput.settings();
  const double scale = settings ? settings->scale : 1;
  return std::llround(static_cast<double>(kItemCollectionBytesMax) * scale);
}

// The size of the item collection that a put or an update belongs to.
absl::StatusOr<int64_t> CountBytes(const OperationContext& context, const RowWrite& write) {
  const TableSchema& schema = write.meta->schema;
  KeyCondition all;
  all.hash_equals.reserve(schema.key.hash.size());
  for (const KeyAttribute& attribute : schema.key.hash) {
    all.hash_equals.push_back(*write.item.Find(attribute.name));
  }
  const KeyRange range = EncodeKeyRange(schema.id, schema.key, /*base_key=*/nullptr, all);
  Cursor cursor = context.store->Scan(Family::kTables, range.begin, range.end, Direction::kForward);
  int64_t bytes = 0;
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_RETURN_IF_ERROR(SpendWork(context, kRowWork + cursor.value().size()));
    bytes += ItemSize(schema, ItemView::Unchecked(cursor.value()));
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return bytes;
}

}  // namespace

CollectionLimit::CollectionLimit(absl::Span<const RowWrite> writes) : writes_(writes) {
  for (const RowWrite& write : writes) {
    if (!write.table->throughput.is_enforced() || !HasLocalIndex(write.meta->schema)) continue;
    collections_.try_emplace(CollectionKey(write), Collection{.write = &write});
  }
}

CollectionLimit::Collection* CollectionLimit::FindCollection(const RowWrite& write) {
  const auto it = collections_.find(CollectionKey(write));
  return it == collections_.end() ? nullptr : &it->second;
}

absl::Status CollectionLimit::CheckEach(const OperationContext& context,
                                        absl::Span<RowOutcome> outcomes) {
  for (size_t i = 0; i < writes_.size(); ++i) {
    Collection* const collection = FindCollection(writes_[i]);
    if (collection == nullptr) continue;
    const int64_t growth = CollectionGrowth(writes_[i], outcomes[i]);
    collection->growth += growth;
    collection->grows = collection->grows || growth > 0;
    if (growth > 0) collection->write = &writes_[i];
  }
  for (auto& [key, collection] : collections_) {
    collection.bytes = collection.write->table->collection_sizes.Find(key);
    if (collection.bytes || !collection.grows) continue;
    DYNOLITH_ASSIGN_OR_RETURN(collection.bytes, CountBytes(context, *collection.write));
  }
  for (size_t i = 0; i < writes_.size(); ++i) {
    const Collection* const collection = FindCollection(writes_[i]);
    if (collection == nullptr || CollectionGrowth(writes_[i], outcomes[i]) <= 0) continue;
    if (*collection->bytes + collection->growth <= CollectionBytesMax(*writes_[i].table)) continue;
    outcomes[i].status =
        MakeError(ErrorKind::kItemCollectionSizeLimitExceeded, messages::CollectionSizeExceeded());
  }
  return absl::OkStatus();
}

void CollectionLimit::RememberEach() const {
  for (const auto& [key, collection] : collections_) {
    if (!collection.bytes) continue;
    collection.write->table->collection_sizes.Remember(key, *collection.bytes + collection.growth);
  }
}

}  // namespace dynolith
