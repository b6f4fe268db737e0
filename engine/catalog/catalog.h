// Which tables there are: name -> immutable snapshot of everything known about a table, persisted
// in the store's kMeta family. Knows the fields of a table description, not their JSON.
#ifndef DYNOLITH_ENGINE_CATALOG_CATALOG_H_
#define DYNOLITH_ENGINE_CATALOG_CATALOG_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/base/strings.h"
#include "engine/catalog/live_counts.h"
#include "engine/catalog/table_meta.h"
#include "engine/store/store.h"

namespace dynolith {

// One published table: the snapshot, the gate that schema changes close, and live counts.
class Table {
 public:
  explicit Table(std::shared_ptr<const TableMeta> meta);

  // The snapshot of now. A writer that wants it to stay current until its commit holds `gate`
  // shared meanwhile; only `IndexState::backfill_position` may change under it. Takes no lock
  // unless the snapshot is new to the calling thread.
  std::shared_ptr<const TableMeta> meta() const ABSL_LOCKS_EXCLUDED(meta_mutex_);

  // Held shared by every write from before it reads meta() until after its commit, exclusively by
  // schema changes: once a change is published, no write that has not seen it is under way. Taken
  // before any row lock.
  absl::Mutex gate;

  // Told of every committed write of a row.
  LiveCounts counts;

 private:
  friend class Catalog;
  void Publish(std::shared_ptr<const TableMeta> meta) ABSL_LOCKS_EXCLUDED(meta_mutex_);

  mutable absl::Mutex meta_mutex_;
  std::shared_ptr<const TableMeta> meta_ ABSL_GUARDED_BY(meta_mutex_);
  // Changes with meta_; never the same for two snapshots of any tables.
  std::atomic<uint64_t> stamp_ = 0;
};

// All tables. Thread-safe. Lock order: Table::gate, row locks, change_mutex_, mutex_,
// Table::meta_mutex_.
class Catalog {
 public:
  // Loads all tables. `store` must outlive the catalog. Errors: kDataLoss naming the broken entry.
  static absl::StatusOr<std::unique_ptr<Catalog>> Load(Store* store);

  // nullptr if there is none of that name.
  std::shared_ptr<Table> Find(std::string_view name) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Names > `after` in bytewise order, at most `limit`.
  std::vector<std::string> Names(std::string_view after, size_t limit) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // In the order of their names.
  std::vector<std::shared_ptr<Table>> All() const ABSL_LOCKS_EXCLUDED(mutex_);
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Persists and publishes a new table. Gives ids to the schema and to its indexes. Errors:
  // kAlreadyExists.
  absl::StatusOr<std::shared_ptr<Table>> Create(TableMeta meta)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

  // Reads the table's newest meta, lets `change` edit a copy, persists and publishes it, all under
  // the table's gate. Indexes that `change` adds with id 0 get an id; ids that it removes die and
  // are reclaimed. A failed `change` changes nothing. `batch`, if given, receives the meta row and
  // is committed with it (so that row writes and the meta change are one commit). Requires:
  // `change` keeps the table's name and id. Errors: kNotFound if the table was dropped; those of
  // `change`.
  absl::StatusOr<std::shared_ptr<const TableMeta>> Modify(
      Table* table, const std::function<absl::Status(TableMeta*)>& change,
      WriteBatch* batch = nullptr) ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

  // Persists and publishes how far backfill has come, in one commit with `batch`, without keeping
  // writers out. Errors: kNotFound if the table was dropped or has no such index.
  absl::Status RecordBackfill(Table* table, StorageId index, std::string_view position,
                              WriteBatch* batch) ABSL_SHARED_LOCKS_REQUIRED(table->gate)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

  // Persists the removal and reclaims the table's and its indexes' rows lazily. Waits for the
  // table's writers. Errors: kNotFound.
  absl::Status Drop(std::string_view name) ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

 private:
  explicit Catalog(Store* store) : store_(store) {}

  absl::Status LoadTables() ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);
  absl::Status LoadTable(std::string_view name, std::string_view entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status CheckIds() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_) ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives ids to what has none yet.
  absl::Status GiveIds(TableSchema* schema) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  absl::StatusOr<StorageId> TakeId() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // Commits the entry and the next id together with `batch`.
  absl::Status Persist(const TableMeta& meta, WriteBatch* batch)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // The ids of `before` that `after` no longer has die; nullptr: all.
  void Retire(const TableSchema& before, const TableSchema* after)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void TellLiveIds() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);

  Store* const store_;
  // Held during a whole change with its commit; look-ups do not wait for it.
  absl::Mutex change_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  StorageId next_id_ ABSL_GUARDED_BY(change_mutex_) = 1;
  // Ascending: ids are given out in order.
  std::vector<StorageId> live_ids_ ABSL_GUARDED_BY(change_mutex_);

  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<Table>, StringViewHash, std::equal_to<>> tables_
      ABSL_GUARDED_BY(mutex_);
  absl::btree_set<std::string, std::less<>> names_ ABSL_GUARDED_BY(mutex_);
};

// Whether the id is alive: in a table or an index of `schema`.
bool HasId(const TableSchema& schema, StorageId id);

// The bytes of a catalog entry: an encoded item (engine/value/value.h), so that a newer version can
// add fields.
std::string EncodeTableMeta(const TableMeta& meta);
// Errors: kDataLoss.
absl::StatusOr<TableMeta> DecodeTableMeta(std::string_view bytes);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_CATALOG_H_
