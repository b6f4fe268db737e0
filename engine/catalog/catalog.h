// The existing tables and backups: name -> immutable snapshot of all metadata, persisted in the
// store's kMeta family. Knows the fields of a table description, not their JSON.
#ifndef DYNOLITH_ENGINE_CATALOG_CATALOG_H_
#define DYNOLITH_ENGINE_CATALOG_CATALOG_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/base/strings.h"
#include "engine/catalog/backup_meta.h"
#include "engine/catalog/collection_sizes.h"
#include "engine/catalog/live_counts.h"
#include "engine/catalog/table_meta.h"
#include "engine/catalog/unowned_ids.h"
#include "engine/partition/table_throughput.h"
#include "engine/partition/table_use.h"
#include "engine/process/spread_mutex.h"
#include "engine/store/store.h"

namespace dynolith {

class Transaction;

// One published table: the snapshot, the gate that schema changes close, and live counts.
class Table {
 public:
  // `capacity`: nullopt: nothing is refused. `kept`: the stored state of its partitions.
  explicit Table(TableMeta meta, const std::optional<CapacitySettings>& capacity = std::nullopt,
                 const UseOptions& counted = {}, ThroughputStates kept = {});

  // The present snapshot. A writer that needs it to stay current until its commit holds `gate`
  // shared meanwhile; only `IndexState::backfill_position` may change under it. Takes no lock
  // unless the snapshot is new to the calling thread.
  std::shared_ptr<const TableMeta> meta() const ABSL_LOCKS_EXCLUDED(meta_mutex_);

  // Held shared by every write from before it reads meta() until after its commit, exclusively by
  // schema changes: once a change is published, every running write has seen it. Taken before any
  // row lock.
  SpreadMutex gate;

  // Counts every committed write of a row.
  LiveCounts counts;

  // The capacity of the table and its global indexes.
  TableThroughput throughput;
  // Depends on it: sizes are tracked only while capacity is enforced.
  CollectionSizes collection_sizes;
  // Statistics of their use. Follows the insights of the meta.
  TableUse use;
  // Whether, regardless of its insights, the hot keys of the table and of all its global indexes
  // are watched, and the distribution of their accesses recorded. Waits for the table's writers.
  void WatchHeat(bool watches) ABSL_LOCKS_EXCLUDED(gate, meta_mutex_);

 private:
  friend class Catalog;
  // A snapshot with all that its publication takes.
  struct NextMeta {
    uint64_t stamp = 0;
    std::shared_ptr<const TableMeta> meta;
    TableUse::Watches watches;
  };

  // Requires: no other change of the table before it is published.
  NextMeta Prepare(TableMeta meta) const ABSL_LOCKS_EXCLUDED(meta_mutex_);
  // Takes no memory, since the snapshot may be committed already.
  void Publish(NextMeta next) ABSL_LOCKS_EXCLUDED(meta_mutex_);
  TableUse::Watches WatchesFor(const TableMeta& meta, bool heat) const;

  mutable absl::Mutex meta_mutex_;
  bool watches_heat_ ABSL_GUARDED_BY(meta_mutex_) = false;
  std::shared_ptr<const TableMeta> meta_ ABSL_GUARDED_BY(meta_mutex_);
  // Changes with meta_; never the same for two snapshots of any tables.
  std::atomic<uint64_t> stamp_ = 0;
};

class Catalog;

// Keeps the rows of some storage ids from being reclaimed as long as it lives, even if their owner
// drops the ids meanwhile. Ids that belong to no table and no backup at its end die then. Must be
// destroyed before its catalog.
class IdLease {
 public:
  IdLease() = default;
  IdLease(IdLease&& other) noexcept;
  IdLease& operator=(IdLease&& other) noexcept;
  ~IdLease();

 private:
  friend class Catalog;
  IdLease(Catalog* catalog, std::vector<StorageId> ids) : catalog_(catalog), ids_(std::move(ids)) {}
  void End();

  Catalog* catalog_ = nullptr;
  std::vector<StorageId> ids_;
};

// What a call fails with that relies on tables as another process has changed them meanwhile: it
// has changed nothing, and is run again after Catalog::CatchUp.
absl::Status ChangedElsewhere();
bool IsChangedElsewhere(const absl::Status& status);

// All tables and backups. Thread-safe. Lock order: reload_mutex_, Table::gate, row locks,
// change_mutex_, mutex_, Table::meta_mutex_. In a SharedStore the changes by this process are made
// on the catalog as others have left it.
class Catalog {
 public:
  // Loads everything. `store` must outlive the catalog. `capacity`: enforcement for all tables,
  // unless set otherwise later. `counted`: the statistics for each. Errors: kDataLoss naming the
  // broken entry.
  static absl::StatusOr<std::unique_ptr<Catalog>> Load(
      Store* store, const std::optional<CapacitySettings>& capacity = std::nullopt,
      const UseOptions& counted = {});

  // nullptr if there is none of that name. Takes no lock unless tables have been created or dropped
  // since the calling thread looked it up.
  std::shared_ptr<Table> Find(std::string_view name) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Names > `after` in bytewise order, at most `limit`.
  std::vector<std::string> Names(std::string_view after, size_t limit) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // In the order of their names.
  std::vector<std::shared_ptr<Table>> All() const ABSL_LOCKS_EXCLUDED(mutex_);
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Persists and publishes a new table. Assigns ids to the schema and to its indexes, none of which
  // moves then. `batch`, if given, receives the meta row and is committed with it. Errors:
  // kAlreadyExists.
  absl::StatusOr<std::shared_ptr<Table>> Create(TableMeta meta, WriteBatch* batch = nullptr)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

  // The same for a table whose rows exist already, under the ids that LeaseNewIds has assigned to
  // its schema. Requires: they are still leased.
  absl::StatusOr<std::shared_ptr<Table>> CreateFilled(TableMeta meta)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

  // Reads the table's newest meta, lets `change` edit a copy, persists and publishes it, all under
  // the table's gate. Indexes and layouts that `change` adds with id 0 get an id; ids that it
  // removes die and are reclaimed. A failed `change` changes nothing. `batch`, if given, receives
  // the meta row and is committed with it (so that row writes and the meta change are one commit).
  // Requires: `change` keeps the table's name and id. Errors: kNotFound if the table was dropped;
  // those of `change`.
  absl::StatusOr<std::shared_ptr<const TableMeta>> Modify(
      Table* table, const std::function<absl::Status(TableMeta*)>& change,
      WriteBatch* batch = nullptr) ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

  // Persists and publishes the progress of backfill, in one commit with `batch`, which is that of
  // `transaction`, without blocking writers, and without telling other processes. Errors: kAborted,
  // as Transaction::Commit's; ChangedElsewhere; kNotFound if the table was dropped or has no such
  // layout of an index.
  absl::Status RecordBackfill(Table* table, StorageId layout, std::string_view position,
                              WriteBatch* batch, Transaction* transaction)
      ABSL_SHARED_LOCKS_REQUIRED(table->gate) ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

  // Stores the state of its partitions. Errors: kNotFound if the table was dropped.
  absl::Status KeepThroughput(const Table* table, const ThroughputStates& states)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

  // Persists the removal and reclaims the table's and its indexes' rows lazily; in a SharedStore
  // they are left to ReclaimUnowned. Waits for the table's writers. With `kept`, the table becomes
  // that backup in the same commit, which takes over its id with its rows. Errors: kNotFound;
  // kAlreadyExists if there is a backup of that id.
  absl::Status Drop(std::string_view name, const BackupMeta* kept = nullptr)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

  // --- Changes by other processes, in a SharedStore ---

  // Whether there are such changes.
  bool is_shared() const { return is_shared_; }
  // The number of the changes that are known here. Whoever asks for it before looking up tables,
  // and finds it in the store behind reading rows, has read them as the tables say.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  // Makes the commit of a transaction that relies on the tables' metadata fail with kAborted if
  // another process has changed the catalog. Costs no read. Requires: the gates of the tables are
  // held.
  void ExpectUnchanged(Transaction* transaction) const;
  // Why such a transaction was aborted, as far as it was the catalog. Errors: ChangedElsewhere; the
  // store's.
  absl::Status CheckUnchanged(const ReadView& now) ABSL_LOCKS_EXCLUDED(change_mutex_);
  // The same by a CatalogVersionRead.
  absl::Status CheckUnchanged(const RowRead& version) ABSL_LOCKS_EXCLUDED(change_mutex_);
  // Takes over what other processes have changed. Costs one read if that is nothing. Waits for the
  // writers of tables that have changed. Requires: the caller holds no gate. Errors: the store's;
  // kDataLoss, as Load's.
  absl::Status CatchUp() ABSL_LOCKS_EXCLUDED(reload_mutex_, change_mutex_, mutex_);

  // --- A store that follows another process's ---

  // Reads the catalog anew, as far as the store has taken over changes of it. Requires: no call
  // uses tables meanwhile. Errors: as Load's; then it is as it was.
  absl::Status Reload() ABSL_LOCKS_EXCLUDED(reload_mutex_, change_mutex_, mutex_);

  // --- Backups ---

  // In the order of their ids, which is that of their creation, then of their tables' names.
  std::vector<std::shared_ptr<const BackupMeta>> Backups() const ABSL_LOCKS_EXCLUDED(mutex_);
  // nullptr if there is none.
  std::shared_ptr<const BackupMeta> FindBackup(std::string_view table, std::string_view id) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Persists and publishes a backup whose rows exist already. Requires: its `rows_id` comes from
  // LeaseNewIds and is still leased. Errors: kAlreadyExists.
  absl::Status AddBackup(const BackupMeta& backup) ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);
  // Persists the removal and reclaims the rows. Errors: kNotFound; kFailedPrecondition while its
  // rows are leased.
  absl::Status DropBackup(std::string_view table, std::string_view id)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);
  // Keeps the backup's rows, and so the backup. Errors: kNotFound.
  absl::StatusOr<IdLease> LeaseBackup(std::string_view table, std::string_view id)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);

  // --- Ids of new rows, and leases ---

  // Assigns ids to the schema and to its indexes, under which rows may be written at once. A commit
  // before records that the ids are taken; so after a crash they are dead, and never reused.
  absl::StatusOr<IdLease> LeaseNewIds(TableSchema* schema) ABSL_LOCKS_EXCLUDED(change_mutex_);
  // Rows of an id that died before they were written. Errors: the store's.
  absl::Status ReclaimLate(Family family, StorageId id) ABSL_LOCKS_EXCLUDED(change_mutex_);
  // Keeps the table's own rows during a read. Requires: `gate` is held until this returns, and the
  // table is not dropped.
  IdLease LeaseRows(const Table& table) ABSL_SHARED_LOCKS_REQUIRED(table.gate)
      ABSL_LOCKS_EXCLUDED(change_mutex_);

 private:
  friend class IdLease;
  // An id of rows of a family, with the number of its leases; after the last one it stays alive
  // only if it is `owned`.
  struct IdLeases {
    Family family = Family::kTables;
    bool owned = false;
    int leases = 0;
  };
  // Id, then table.
  using BackupName = std::pair<std::string, std::string>;
  using BackupsByName = std::map<BackupName, std::shared_ptr<const BackupMeta>>;
  using Tables = std::map<std::string, std::shared_ptr<Table>, std::less<>>;

  // A table as the store has it.
  struct StoredTable {
    TableMeta meta;
    ThroughputStates throughput;
  };
  // Everything that the store has of the catalog, in one state of it.
  struct Stored {
    uint64_t version = 0;
    std::map<std::string, StoredTable, std::less<>> tables;
    BackupsByName backups;
    StorageId next_id = 1;
    std::vector<StorageId> ids;  // of tables, indexes and backups; ascending
  };
  using ThroughputById = std::map<StorageId, ThroughputStates>;

  Catalog(Store* store, const std::optional<CapacitySettings>& capacity, const UseOptions& counted);

  absl::Status LoadAll() ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);
  // Calls `read` with one state of the store, again if that has ended.
  absl::Status ReadOneState(absl::FunctionRef<absl::Status(const ReadView& rows)> read) const;
  static absl::StatusOr<Stored> ReadStored(const ReadView& rows);
  static absl::Status ReadTable(std::string_view name, std::string_view entry,
                                ThroughputById* throughput, Stored* stored);
  static absl::Status ReadBackups(const ReadView& rows, Stored* stored);
  static absl::Status ReadBackup(std::string_view key, std::string_view entry, Stored* stored);
  static absl::StatusOr<StorageId> ReadNextId(const ReadView& rows, bool has_ids);
  // Checks that no row has an id that was never assigned: the next owner of the id would find the
  // row. A few seeks.
  static absl::Status CheckRows(const ReadView& rows, StorageId next_id);
  // The present tables that differ from the stored ones, in the order of their addresses.
  std::vector<std::shared_ptr<Table>> ListChanged(const Stored& stored) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Requires: the gates of all tables that differ are held exclusively.
  void TakeOver(Stored stored) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void TakeOverTables(Stored* stored) ABSL_LOCKS_EXCLUDED(mutex_);
  // Runs a change of the catalog again after one by another process. `batch`, if given, is to be
  // committed with it.
  template <typename Change>
  auto ChangeNewest(WriteBatch* batch, const Change& change) -> decltype(change());
  absl::StatusOr<std::shared_ptr<Table>> TryCreate(TableMeta meta, WriteBatch* batch)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);
  absl::StatusOr<std::shared_ptr<const TableMeta>> TryModify(
      Table* table, const std::function<absl::Status(TableMeta*)>& change, WriteBatch* batch)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);
  absl::Status TryDrop(std::string_view name, const BackupMeta* kept)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);
  absl::Status TryDropBackup(std::string_view table, std::string_view id)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);
  absl::StatusOr<std::shared_ptr<Table>> TryCreateFilled(TableMeta meta)
      ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);
  absl::Status TryAddBackup(const BackupMeta& backup) ABSL_LOCKS_EXCLUDED(change_mutex_, mutex_);
  absl::StatusOr<IdLease> TryLeaseNewIds(TableSchema* schema) ABSL_LOCKS_EXCLUDED(change_mutex_);
  // Persists and publishes a new table, with ids for layouts that have none yet. `batch`: as in
  // Create. `filled`: as in Commit.
  absl::StatusOr<std::shared_ptr<Table>> Add(TableMeta meta, WriteBatch* batch = nullptr,
                                             absl::Span<const FamilyId> filled = {})
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_) ABSL_LOCKS_EXCLUDED(mutex_);
  // Assigns ids to layouts that have none yet.
  absl::Status GiveIds(TableSchema* schema) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  absl::StatusOr<StorageId> TakeId() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // Commits a change of the catalog. `filled`: leased ids that get their owner by it. Errors: the
  // store's; in a SharedStore ChangedElsewhere, and kUnavailable: the rows of `filled` are given
  // up.
  absl::Status Commit(WriteBatch* batch, absl::Span<const FamilyId> filled = {})
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // The same for one that other processes need not know of.
  absl::Status CommitUnchanged(const WriteBatch& batch)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  absl::Status CheckVersion(uint64_t version) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  absl::Status CommitNextVersion(Transaction* transaction, WriteBatch* batch)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // That this process still uses them. Errors: as Commit's.
  absl::Status CheckUsed(const ReadView& rows, absl::Span<const FamilyId> ids) const;
  void PutNextId(WriteBatch* batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // Commits the entry and the next id together with `batch`. `filled`: as in Commit.
  absl::Status Persist(const TableMeta& meta, WriteBatch* batch,
                       absl::Span<const FamilyId> filled = {})
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // Appends the entry to `batch`. Errors: kAlreadyExists.
  absl::Status AddEntry(const BackupMeta& backup, WriteBatch* batch)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_) ABSL_LOCKS_EXCLUDED(mutex_);
  static BackupsByName::node_type BackupEntry(const BackupMeta& backup);
  // Take no memory, since what they publish may be committed already.
  void Publish(BackupsByName::node_type backup) ABSL_LOCKS_EXCLUDED(mutex_);
  void Publish(Tables::node_type table) ABSL_LOCKS_EXCLUDED(mutex_);
  void Remove(std::string_view table) ABSL_LOCKS_EXCLUDED(mutex_);

  // The ids of `before` that are not in `after`; nullptr: all except `kept`. There is memory to
  // retire them then.
  std::vector<FamilyId> IdsToRetire(const TableSchema& before, const TableSchema* after,
                                    StorageId kept = 0)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // In a SharedStore: appends that they have no owner any more; leased ones are in use.
  absl::Status PutRetired(const std::vector<FamilyId>& ids, WriteBatch* batch)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool IsLeased(StorageId id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // They die, except leased ones. Without memory to reclaim their rows, the next call does that.
  void Retire(const std::vector<FamilyId>& ids) noexcept
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // Makes room for so many dead ids, and for all leased ones.
  void ReserveDead(size_t more) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  absl::Status ReclaimDead() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void ForgetLive(StorageId id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // The ids of the rows of a table that LeaseNewIds has given it.
  static std::vector<FamilyId> IdsToFill(const TableSchema& schema);
  // Whether a commit that ended so may have been done: then its leased ids have their owner. If it
  // was not, their rows are kept until this process has ended (unowned_ids.h).
  bool IsOutcomeUnknown(const absl::Status& commit) const;
  // A leased id belongs to a table or a backup from now on.
  void Own(StorageId id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  IdLease Lease(const std::vector<FamilyId>& ids, bool owned)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void EndLease(const std::vector<StorageId>& ids) ABSL_LOCKS_EXCLUDED(change_mutex_);
  void ReturnLeased(const std::vector<StorageId>& ids) noexcept
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void TellLiveIds() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);

  Store* const store_;
  const bool is_shared_;
  const std::optional<CapacitySettings> capacity_;
  const UseOptions counted_;
  // Held while the changes of other processes are taken over, before any gate.
  absl::Mutex reload_mutex_ ABSL_ACQUIRED_BEFORE(change_mutex_);
  // Held during a whole change with its commit; look-ups do not wait for it.
  absl::Mutex change_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  // In a SharedStore: of the catalog as it is here; changes under change_mutex_.
  std::atomic<uint64_t> version_ = 0;
  StorageId next_id_ ABSL_GUARDED_BY(change_mutex_) = 1;
  // Ascending: ids are assigned in order.
  std::vector<StorageId> live_ids_ ABSL_GUARDED_BY(change_mutex_);
  // Whose rows are to be reclaimed; in a SharedStore: which it is to be told that nobody uses.
  std::vector<FamilyId> dead_ ABSL_GUARDED_BY(change_mutex_);
  std::map<StorageId, IdLeases> leases_ ABSL_GUARDED_BY(change_mutex_);

  mutable absl::Mutex mutex_;
  Tables tables_ ABSL_GUARDED_BY(mutex_);
  // Changes with tables_; never the same for two states of any catalogs.
  std::atomic<uint64_t> stamp_ = 0;
  BackupsByName backups_ ABSL_GUARDED_BY(mutex_);
};

// The bytes of a catalog entry: an encoded item (engine/value/value.h), so that a newer version can
// add fields.
std::string EncodeTableMeta(const TableMeta& meta);
// Errors: kDataLoss.
absl::StatusOr<TableMeta> DecodeTableMeta(std::string_view bytes);
// The same for a backup.
std::string EncodeBackupMeta(const BackupMeta& backup);
absl::StatusOr<BackupMeta> DecodeBackupMeta(std::string_view bytes);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_CATALOG_H_
