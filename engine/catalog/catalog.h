// Which tables there are: name -> immutable snapshot of everything known about a table, persisted
// in the store's kMeta family. Knows the fields of a table description, not their JSON.
#ifndef DYNOLITH_ENGINE_CATALOG_CATALOG_H_
#define DYNOLITH_ENGINE_CATALOG_CATALOG_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/catalog/live_counts.h"
#include "engine/catalog/table_meta.h"
#include "engine/store/store.h"

namespace dynolith {

// One published table: the snapshot, the gate that schema changes close, and live counts.
class Table {
 public:
  explicit Table(std::shared_ptr<const TableMeta> meta) : meta_(std::move(meta)) {}

  // The snapshot of now. A writer that wants it to stay current until its commit holds `gate`
  // shared meanwhile.
  std::shared_ptr<const TableMeta> meta() const ABSL_LOCKS_EXCLUDED(meta_mutex_);

  // Held shared by every write from before it reads meta() until after its commit, exclusively by
  // schema changes: once a change is published, no write that has not seen it is under way.
  absl::Mutex gate;

  // Told of every committed write of a row.
  LiveCounts counts;

 private:
  friend class Catalog;
  mutable absl::Mutex meta_mutex_;
  std::shared_ptr<const TableMeta> meta_ ABSL_GUARDED_BY(meta_mutex_);
};

class Catalog {
 public:
  // Loads all tables. `store` must outlive the catalog. Errors: kDataLoss naming the broken entry.
  static absl::StatusOr<std::unique_ptr<Catalog>> Load(Store* store);

  // nullptr if there is none of that name.
  std::shared_ptr<Table> Find(std::string_view name) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Names > `after` in bytewise order, at most `limit`.
  std::vector<std::string> Names(std::string_view after, size_t limit) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<std::shared_ptr<Table>> All() const ABSL_LOCKS_EXCLUDED(mutex_);
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Persists and publishes a new table. Gives ids to the schema and to its indexes. Errors:
  // kAlreadyExists.
  absl::StatusOr<std::shared_ptr<Table>> Create(TableMeta meta) ABSL_LOCKS_EXCLUDED(mutex_);

  // Reads the table's newest meta, lets `change` edit a copy, persists and publishes it, all under
  // the table's gate. Indexes that `change` adds with id 0 get an id; ids that it removes die and
  // are reclaimed. A failed `change` changes nothing. `batch`, if given, receives the meta row and
  // is committed with it (so that row writes and the meta change are one commit).
  absl::StatusOr<std::shared_ptr<const TableMeta>> Modify(
      Table* table, const std::function<absl::Status(TableMeta*)>& change,
      WriteBatch* batch = nullptr) ABSL_LOCKS_EXCLUDED(mutex_);

  // Persists the removal and reclaims the table's and its indexes' rows lazily. Errors: kNotFound.
  absl::Status Drop(std::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  explicit Catalog(Store* store) : store_(store) {}
  StorageId TakeIds(int count) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Store* const store_;
  mutable absl::Mutex mutex_;
  StorageId next_id_ ABSL_GUARDED_BY(mutex_) = 1;
};

// The bytes of a catalog entry: an encoded item (engine/value/value.h), so that a newer version can
// add fields.
std::string EncodeTableMeta(const TableMeta& meta);
// Errors: kDataLoss.
absl::StatusOr<TableMeta> DecodeTableMeta(std::string_view bytes);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_CATALOG_H_
