// Reading a table through its indexes: which of them may be read, the rows behind it, what these
// can answer, and the base item of an entry that lacks an attribute.
#ifndef DYNOLITH_INDEX_READ_H_
#define DYNOLITH_INDEX_READ_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/catalog/families.h"
#include "engine/catalog/table_meta.h"
#include "engine/expr/expression.h"
#include "engine/key/key_codec.h"
#include "engine/key/schema.h"
#include "engine/store/store.h"
#include "engine/value/item.h"

namespace dynolith {

// The rows that a read walks: a table's own, or those of one of its indexes. Borrows from the
// table's schema.
class RowSource {
 public:
  // `index` is one of the schema's; nullptr: the table itself.
  explicit RowSource(const TableSchema& schema, const IndexSchema* index = nullptr)
      : schema_(&schema), index_(index) {}

  const TableSchema& schema() const { return *schema_; }
  const IndexSchema* index() const { return index_; }
  StorageId id() const { return index_ ? index_->id : schema_->id; }
  Family family() const { return index_ ? IndexFamily(index_->kind) : Family::kTables; }
  // The key that orders the rows and that a key condition restricts.
  const KeySchema& key() const { return index_ ? index_->key : schema_->key; }
  // The index as a list of one; empty: the table itself.
  absl::Span<const IndexSchema> indexes() const {
    return index_ ? absl::MakeConstSpan(index_, 1) : absl::Span<const IndexSchema>();
  }

  // The number of places over which the rows of one partition key are spread.
  int shards() const { return index_ ? index_->shards : 1; }

  // In the first shard, if there are several.
  KeyRange RangeFor(const KeyCondition& condition) const;
  // Require: `item` has the keys of table and index, of their types.
  std::string RowKeyFor(ItemView item) const;
  // The row key's position in the order of RangeFor: that row key, but in the first shard.
  std::string PositionFor(ItemView item) const;

 private:
  const TableSchema* schema_;
  const IndexSchema* index_;
};

// Whether the index's rows are still where `source` has them: an index may be resharded to another
// number of shards. A cursor that was opened before this call then shows all of them. Requires: the
// source is an index.
bool IsWhereItWas(const TableSchema& now, const RowSource& source);

// The index that a request names, or nullptr for the table. Errors: no such index, a vector index,
// which `operation` ("Query", "Scan") cannot read, one that is still being filled, a consistent
// read of a global one.
absl::StatusOr<const IndexSchema*> FindIndex(const TableMeta& meta,
                                             const std::optional<std::string>& name,
                                             bool consistent_read, std::string_view operation);

// The same for a search, which finds only vector indexes (api/facts/newest.md §3).
absl::StatusOr<const IndexSchema*> FindVectorIndex(const TableMeta& meta, std::string_view name);

// Whether a request needs the base item of each row: for everything (`all_attributes`), or for the
// names of a projection. Errors: a global index does not have it (api/facts/operations.md §2,
// Query).
absl::StatusOr<bool> NeedsBaseItem(const RowSource& source, bool all_attributes,
                                   const std::optional<Projection>& projection);

// A keyed read of an index, global or local, cannot filter by attributes that the index lacks
// (api/facts/operations.md §4.2; a scan can, and finds them absent everywhere). `filter` may be
// nullptr.
absl::Status CheckFilterProjected(const RowSource& source, const Condition* filter);

// The items behind entries; the two agree if they are read at the same moment. Not thread-safe.
class BaseReader {
 public:
  // Borrows both.
  BaseReader(const Snapshot& moment, const TableSchema& schema)
      : moment_(moment), schema_(schema) {}

  // False if there is no such item. Errors: the store's.
  absl::StatusOr<bool> Fetch(ItemView entry, Row* row);

 private:
  const Snapshot& moment_;
  const TableSchema& schema_;
  std::string row_key_;
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_READ_H_
