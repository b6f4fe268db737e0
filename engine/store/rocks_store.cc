// The store on RocksDB, as store.h promises it. Options and their reasons: engine/store/README.md.
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/types/span.h"
#include "engine/base/errors.h"
#include "engine/base/messages.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/forked_process.h"
#include "engine/process/memory_reserve.h"
#include "engine/process/processors.h"
#include "engine/process/thread_start.h"
#include "engine/store/batched_rows.h"
#include "engine/store/commit_group.h"
#include "engine/store/dead_row_filter.h"
#include "engine/store/encryption/encrypted_file_system.h"
#include "engine/store/encryption/folder_keys.h"
#include "engine/store/folder.h"
#include "engine/store/folder_lock.h"
#include "engine/store/following/held_manifest.h"
#include "engine/store/following/log_observer.h"
#include "engine/store/following/writer_follower.h"
#include "engine/store/forks/process_env.h"
#include "engine/store/forks/unshared_lock.h"
#include "engine/store/info_log.h"
#include "engine/store/integrity_file_system.h"
#include "engine/store/local_store.h"
#include "engine/store/log_file_system.h"
#include "engine/store/manifest_files.h"
#include "engine/store/memory_store.h"
#include "engine/store/messages.h"
#include "engine/store/new_store.h"
#include "engine/store/open_failure.h"
#include "engine/store/open_log.h"
#include "engine/store/overwrite_watch.h"
#include "engine/store/reclaimer.h"
#include "engine/store/rocks_types.h"
#include "engine/store/room/room.h"
#include "engine/store/room/room_file_system.h"
#include "engine/store/room/room_recovery.h"
#include "engine/store/rows/row_cache.h"
#include "engine/store/sanitizer.h"
#include "engine/store/sorted/sorted_files.h"
#include "engine/store/store_on_file_system.h"
#include "engine/store/table_file_check.h"
#include "engine/store/ticker_counts.h"
#include "engine/store/unsaved_options.h"
#include "engine/store/work_counters.h"
#include "rocksdb/cache.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb/write_batch.h"
#include "rocksdb/write_buffer_manager.h"

namespace dynolith {
namespace {

// Bound the logs, and so the time of opening after a crash, when some families are idle.
constexpr uint64_t kLogBytesMax = 16 << 20;
constexpr uint64_t kLogWriteBuffersMax = 2;
constexpr size_t kBlockBytes = 8 << 10;
constexpr double kBloomBitsPerKey = 10;
// The share of a memtable that its Bloom filter takes: 20 bits for each row of 250 bytes.
constexpr double kMemtableFilterShare = 0.02;
constexpr uint64_t kBytesOfLevel1 = 64 << 20;
constexpr int kFilesOfLevel0 = 4;
// Apply if the cache bounds all memory.
constexpr size_t kChargedShardBytesMin = 8 << 20;
constexpr uint64_t kChargedTableFileBytesMin = 8 << 20;
constexpr int kCacheShardBitsMax = 6;
// The buffer of each file that is being written, by logs, flushes and compactions.
constexpr size_t kMemtablesPerFileBuffer = 16;
constexpr size_t kFileBufferBytesMin = 64 << 10;
// How often a folder that another process writes to is tried, and the pause in between: files come
// and go between being named and being opened.
constexpr int kAttemptsBesideWriter = 20;
constexpr absl::Duration kPauseBesideWriter = absl::Milliseconds(10);
// How often a store that follows a writer begins anew, and how often for a table file that is
// missing while the manifest stays the same.
constexpr int kAttemptsToCatchUp = 50;
constexpr int kAttemptsWithoutFile = 3;
// How often a commit asks whether the compactions that it waits for can go on.
constexpr absl::Duration kPauseOfStalled = absl::Milliseconds(10);
// For how long sorted files wait until commits go on, and the pause in between.
constexpr int kAttemptsToIngest = 200;
constexpr absl::Duration kPauseOfIngestion = absl::Milliseconds(50);

// Threads that open table files when a store is opened, by how many files there are. RocksDB starts
// them for each family, also if there is nothing to open, so that a small store opens faster
// without.
int FileOpeningThreads(size_t table_files) {
  constexpr size_t kFilesForTwo = 8, kFilesForMany = 64;
  constexpr int kMany = 16;
  if (table_files < kFilesForTwo) return 1;
  return table_files < kFilesForMany ? 2 : kMany;
}

// Beside those that open table files: RocksDB's timer, and two for background work.
constexpr int kOpeningThreads = 3;

absl::Status NoMemory() { return absl::ResourceExhaustedError(messages::NotEnoughMemory()); }

uint64_t LogBytes(const StoreOptions& options) {
  return std::max(kLogBytesMax, kLogWriteBuffersMax * options.write_buffer_bytes);
}

rocksdb::DBOptions MakeRocksOptions(uint64_t log_bytes, size_t table_files) {
  rocksdb::DBOptions database;
  // Stores that an older program has begun to make.
  database.create_if_missing = true;
  database.create_missing_column_families = true;
  database.max_open_files = -1;
  database.max_file_opening_threads = FileOpeningThreads(table_files);
  database.max_total_wal_size = log_bytes;
  database.max_background_jobs = 2;
  // It takes room that nobody can count on: of a log a write buffer, of a compaction all it will
  // be.
  database.allow_fallocate = false;
  // All is in the log.
  database.avoid_flush_during_shutdown = true;
  database.skip_stats_update_on_db_open = true;
  database.stats_dump_period_sec = 0;
  database.stats_persist_period_sec = 0;
  database.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  // A log that was cut off at its end is what kill -9 leaves; damage before the end is an error.
  // Point-in-time recovery would drop acknowledged writes behind the damage without a word.
  database.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  return database;
}

// The block cache; with a bound on all memory, other memory is charged to it, too. Then each shard
// must have room for several charges of memtables, which are 256 KB each.
std::shared_ptr<rocksdb::Cache> MakeCache(const StoreOptions& options) {
  rocksdb::LRUCacheOptions cache;
  cache.capacity = options.block_cache_bytes;
  if (options.memtables_bytes > 0) {
    cache.capacity += options.memtables_bytes;
    cache.num_shard_bits = 0;
    while (cache.num_shard_bits < kCacheShardBitsMax &&
           cache.capacity >> (cache.num_shard_bits + 1) >= kChargedShardBytesMin) {
      ++cache.num_shard_bits;
    }
  }
  return rocksdb::NewLRUCache(cache);
}

// Has everything that lies in memory for a table file counted in the cache.
void ChargeCache(const StoreOptions& options, rocksdb::BlockBasedTableOptions* table,
                 rocksdb::ColumnFamilyOptions* column) {
  using Role = rocksdb::CacheEntryRole;
  table->cache_index_and_filter_blocks = true;
  rocksdb::CacheEntryRoleOptions charged;
  charged.charged = rocksdb::CacheEntryRoleOptions::Decision::kEnabled;
  for (const Role role : {Role::kBlockBasedTableReader, Role::kFilterConstruction}) {
    table->cache_usage_options.options_overrides[role] = charged;
  }
  // An index or a filter is read whole, and grows with its file.
  column->target_file_size_base =
      std::min<uint64_t>(column->target_file_size_base,
                         std::max<uint64_t>(options.block_cache_bytes, kChargedTableFileBytesMin));
}

std::vector<rocksdb::ColumnFamilyDescriptor> MakeFamilyDescriptors(
    const StoreOptions& options, size_t write_buffer_bytes, const DeadRowFilters& filters,
    const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = kTableFileFormat;
  table.block_size = kBlockBytes;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBitsPerKey));
  rocksdb::ColumnFamilyOptions column;
  column.write_buffer_size = write_buffer_bytes;
  column.level0_file_num_compaction_trigger = kFilesOfLevel0;
  column.max_bytes_for_level_base = kBytesOfLevel1;
  // Since RocksDB 8.2 the first level below 0 would be another one as long as a family is small.
  column.level_compaction_dynamic_level_bytes = false;
  column.compression = rocksdb::kLZ4Compression;
  table.block_cache = cache;
  if (options.memtables_bytes > 0) ChargeCache(options, &table, &column);
  column.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));

  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (size_t i = 0; i < kFamilies; ++i) {
    families.emplace_back(std::string(kFamilyNames[i]), column);
    rocksdb::ColumnFamilyOptions& family = families.back().options;
    family.compaction_filter_factory = filters.Of(static_cast<Family>(i));
    // The other families are mostly read by ranges.
    family.memtable_whole_key_filtering = static_cast<Family>(i) == Family::kTables;
    if (family.memtable_whole_key_filtering) {
      family.memtable_prefix_bloom_size_ratio = kMemtableFilterShare;
    }
  }
  return families;
}

// Debian's Abseil searches for deadlocks in every lock, at five times the price of the lock, and
// ends the process when it believes to have found one. A debug build keeps that.
void StopSearchingForDeadlocks() {
#ifdef NDEBUG
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
#endif
}

}  // namespace

// In the store's folder: files of NewSortedRows.
constexpr std::string_view kSortedFolder = "/sorted";

class RocksStore final : public LocalStore {
  class SnapshotReader;

 public:
  RocksStore(StoreOptions options, Folder folder,
             const std::shared_ptr<rocksdb::FileSystem>& file_system,
             std::optional<uint64_t> reserved_bytes);
  ~RocksStore() override;
  // In a child of the process that opened it, it is left as it is: what would end it waits for
  // threads of the parent, and the files are the parent's.
  static void operator delete(RocksStore* store, std::destroying_delete_t) {
    if (store->process_.IsForked()) return;
    store->~RocksStore();
    ::operator delete(store);
  }

  absl::Status OpenDatabase();

  bool read_only() const override { return options_.read_only; }
  absl::Status CheckWritable() const override;
  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const override;
  Cursor Scan(Family family, std::string_view begin, std::string_view end,
              Direction direction) const override {
    return Scan(family, begin, end, direction, reading_);
  }
  Cursor ScanOnce(Family family, std::string_view begin, std::string_view end) const override {
    return ScanOnce(family, begin, end, reading_);
  }
  Cursor ScanPage(Family family, std::string_view begin, std::string_view end, Direction direction,
                  const ScanHints& hints, RowRead* with) const override;
  std::shared_ptr<const Snapshot> TakeSnapshot() const override;
  absl::Status Commit(const WriteBatch& batch) override;
  absl::Status CommitOver(std::string_view key, std::optional<std::string_view> value,
                          Look look) override;
  absl::StatusOr<TakenOver> CatchUp() override;
  absl::StatusOr<bool> HasFallenBehind() override;
  absl::StatusOr<std::unique_ptr<LocalStore>> Fork() const override {
    return absl::FailedPreconditionError(messages::StoreNotInMemory(options_.path));
  }
  std::unique_ptr<SortedRows> NewSortedRows(int beside) override;
  void SetBeforeCommit(std::function<void()> hook) override { before_commit_ = std::move(hook); }

  void SetLiveIds(std::shared_ptr<const IdIsAlive> is_alive, uint32_t next_id) override;
  void ReclaimId(Family family, uint32_t id) override;
  absl::Status Flush() override;
  absl::Status CompactAll() override;
  absl::Status Checkpoint(const std::string& folder) override;
  uint64_t ApproximateBytes(Family family, std::string_view begin,
                            std::string_view end) const override;
  StoreStatistics TakeStatistics() const override;
  absl::Status VerifyChecksums() override;

 private:
  // The files themselves, if the store is not encrypted.
  std::shared_ptr<rocksdb::FileSystem> Encrypted(std::shared_ptr<rocksdb::FileSystem> files) const;
  RocksUse use() const {
    if (!options_.read_only) return RocksUse::kWrite;
    return options_.follows ? RocksUse::kFollow : RocksUse::kRead;
  }
  // Opens the database, as `opening_` says, in place of the one that is open, which stays if that
  // fails.
  absl::Status OpenInstance();
  // Whether it ended well. Requires: it is open.
  bool CloseInstance();
  // Numbers of which one changes whenever rows of the meta family may have changed.
  struct MetaVersion {
    uint64_t version = 0;
    uint64_t rows = 0;
    friend bool operator==(const MetaVersion&, const MetaVersion&) = default;
  };
  MetaVersion SeeMeta() const;
  // What follows requires that the store follows a writer. It becomes one state of that one's.
  absl::Status BecomeOneState();
  absl::StatusOr<WriterFollower::Step> StepToWriter();
  absl::StatusOr<std::vector<uint64_t>> NamedFiles(const std::string& manifest);
  rocksdb::ColumnFamilyHandle* Handle(Family family) const {
    return families_[static_cast<size_t>(family)];
  }
  absl::StatusOr<bool> Get(Family family, std::string_view key, const rocksdb::ReadOptions& reading,
                           Row* row) const;
  Cursor Scan(Family family, std::string_view begin, std::string_view end, Direction direction,
              rocksdb::ReadOptions reading) const;
  Cursor ScanOnce(Family family, std::string_view begin, std::string_view end,
                  rocksdb::ReadOptions reading) const;
  // An outdated range (RowCache::FindRange) as it is now, or its first `rows` rows, by single
  // reads: an iterator passes all older versions of a row. Empty if an iterator takes less, or if
  // rows change meanwhile.
  SharedRow Renew(const RangeKey& range, size_t rows, CachedRange outdated,
                  const RowCache::RangeTicket& ticket) const;
  // The same of a range whose collection is cached; empty also if it is not.
  SharedRow TakeFromCollection(const RangeKey& range, size_t rows) const;
  // Walks a collection for the cache, with each of its rows.
  void AddCollection(Family family, const RangeKey& whole) const;
  // Adds the row as it is now. False: it is not there, or could not be read or added.
  bool AddPresent(Family family, std::string_view key, RangeRecorder* rows) const;
  std::unique_ptr<RocksCursor> OpenCursor(Family family, std::string_view begin,
                                          std::string_view end, Direction direction,
                                          rocksdb::ReadOptions reading) const;
  absl::Status Failure(const rocksdb::Status& status) const;
  // With what is free and what is needed: for whatever found no room; for so many bytes of puts,
  // as the rest is kept for deletions.
  absl::Status NoRoom(std::string_view detail) const;
  absl::Status NoRoomForPuts(size_t bytes) const;
  // Whether the batch may be written to what is left of the disk: one that only takes away may as
  // long as there is any.
  bool HasRoomFor(const WriteBatch& batch) const;
  // Of the table files in use.
  rocksdb::Status CheckTableFileFormats() const;
  // If there is no store yet, makes what RocksDB will open.
  absl::Status MakeFiles();
  // Looks at the first and the last block of each file that an iterator may come to from another
  // one, now or when it has moved to a lower level: if the block is damaged, RocksDB 7.8 goes on
  // behind it without a word when the iterator heeds range deletions (facebook/rocksdb#11783).
  absl::Status CheckFileEdges() const;
  // Whether there is a log that commits leave to others to sync. If not, nobody asks RocksDB 7.8
  // for it: beside commits that sync, its SyncWAL was seen to wait forever.
  bool SyncsLog() const { return !options_.sync_commits; }
  // What was committed is on the disk behind it. An error where a log has failed.
  absl::Status SyncLog() const;
  bool IsCached(Family family) const { return family == Family::kTables && cache_ != nullptr; }
  static bool HasCachedRanges(Family family) {
    return family == Family::kTables || family == Family::kGlobalIndexes ||
           family == Family::kLocalIndexes;
  }
  void CountCacheHit() const;
  // Ends the changes.
  absl::Status Commit(const WriteBatch& batch, absl::Span<const RowCache::Change> changes);
  // Around what makes the batch visible. The span is the thread's, until its next call.
  absl::Span<const RowCache::Change> BeginChanges(const WriteBatch& batch);
  // The same for ranges.
  void BeginChangesInCollections(const WriteBatch& batch,
                                 absl::Span<const RowCache::Change> changes);
  void EndChangesInCollections(const WriteBatch& batch);
  void EndChanges(const WriteBatch& batch, absl::Span<const RowCache::Change> changes,
                  bool is_committed);
  rocksdb::Status Write(const WriteBatch& batch);
  // As one commit of RocksDB's.
  rocksdb::Status Write(absl::Span<const WriteBatch* const> batches);
  // Whether commits wait for compactions that find no room.
  bool IsStalledForGood() const;

  class RowsInFiles;
  using MayGoOn = SortedRows::MayGoOn;
  using SortedNames =
      std::vector<std::pair<rocksdb::ColumnFamilyHandle*, std::vector<std::string>>>;
  // Of one of so many that are filled at the same time.
  SortingResources MeansToSort(int beside) const;
  // What the names of the next files begin with.
  absl::StatusOr<std::string> NewSortedPrefix();
  // Makes the rows visible. Requires: finished; those of each family, or nullptr.
  absl::Status Ingest(absl::Span<const std::unique_ptr<SortedFiles>> files, MayGoOn may_go_on);
  // False: they are to be committed as other rows are, as RocksDB does not take these files in.
  absl::StatusOr<bool> TryIngest(const SortedNames& named);
  void AddChange(const WriteBatch::Change& change, rocksdb::WriteBatch* batch) const;

  const MakingProcess process_{};
  const StoreOptions options_;
  Folder folder_;
  const DiskShares shares_;
  DeadRowFilters filters_;
  std::shared_ptr<LogFileSystem> logs_;                          // nullptr: read only
  std::shared_ptr<IntegrityFileSystem> integrity_;               // nullptr: read only
  std::shared_ptr<Room> room_;                                   // nullptr: read only
  std::shared_ptr<RoomRecovery> recovery_;                       // nullptr: read only
  absl::StatusOr<std::unique_ptr<rocksdb::Env>> env_ = nullptr;  // nullptr: the machine's
  const std::shared_ptr<TickerCounts> tickers_ = std::make_shared<TickerCounts>();
  std::shared_ptr<HeldManifest> manifest_;  // nullptr: it follows nobody
  struct Opening {
    rocksdb::DBOptions database;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    std::shared_ptr<OpenLog> log;
  };
  Opening opening_;
  std::unique_ptr<rocksdb::DB> db_;
  FamilyHandles families_ = {};
  std::unique_ptr<Reclaimer> reclaimer_;        // nullptr: read only
  std::unique_ptr<OverwriteWatch> overwrites_;  // nullptr: read only
  const std::unique_ptr<RowCache> cache_;       // of kTables; nullptr: none
  CommitGroup group_;                           // of commits that sync
  rocksdb::ReadOptions reading_;
  rocksdb::WriteOptions writing_;
  std::function<void()> before_commit_;   // empty: nobody asks
  std::atomic<bool> has_failed_ = false;  // a commit
  std::atomic<uint64_t> sorted_made_ = 0;
  // Of a store that follows a writer; nullopt: it does not.
  std::optional<WriterFollower> follower_;
  bool needs_instance_ = true;
  GrowingManifest named_;
  std::optional<MetaVersion> meta_;  // at the last state; nullopt: of another instance
  uint64_t rows_ = 0;                // the number of the last one then
};

RocksStore::RocksStore(StoreOptions options, Folder folder,
                       const std::shared_ptr<rocksdb::FileSystem>& file_system,
                       std::optional<uint64_t> reserved_bytes)
    : options_(std::move(options)),
      folder_(std::move(folder)),
      shares_(SharesOfDisk(options_.path, options_.write_buffer_bytes, LogBytes(options_))),
      cache_(options_.row_cache_bytes < RowCache::kBytesMin || options_.follows
                 ? nullptr
                 : std::make_unique<RowCache>(options_.row_cache_bytes)) {
  // The deletion of a file waits for the integrity manifest; a reader that was the last to need it
  // does not.
  reading_.background_purge_on_iterator_cleanup = true;
  writing_.sync = options_.sync_commits;
  const auto machine = file_system != nullptr ? file_system : rocksdb::FileSystem::Default();
  if (!options_.read_only) {
    room_ = std::make_shared<Room>(machine, options_.path,
                                   reserved_bytes.value_or(shares_.reserved_bytes),
                                   shares_.write_buffer_bytes);
    const auto plain = std::make_shared<UnsavedOptions>(std::make_shared<UnsharedLocks>(machine));
    const auto files =
        std::make_shared<RoomFileSystem>(plain, room_, Concat(options_.path, kSortedFolder));
    recovery_ = std::make_shared<RoomRecovery>(
        room_, files, BackgroundThreads::Shared(BackgroundThreads::Kind::kRoom));
    logs_ = std::make_shared<LogFileSystem>(Encrypted(files), options_.path);
    integrity_ = std::make_shared<IntegrityFileSystem>(logs_, options_.path, folder_.facts(),
                                                       folder_.keys(), options_.log_observer);
    env_ = MakeProcessEnv(integrity_);
  } else if (options_.follows) {
    manifest_ = std::make_shared<HeldManifest>(Encrypted(machine));
    env_ = MakeProcessEnv(manifest_);
    follower_.emplace(options_.path, manifest_,
                      [this](const std::string& manifest) { return NamedFiles(manifest); });
  } else if (file_system != nullptr || folder_.keys() != nullptr || ForkGeneration() > 0) {
    env_ = MakeProcessEnv(Encrypted(machine));
  }
}

std::shared_ptr<rocksdb::FileSystem> RocksStore::Encrypted(
    std::shared_ptr<rocksdb::FileSystem> files) const {
  if (folder_.keys() == nullptr) return files;
  return std::make_shared<EncryptedFileSystem>(files, folder_.keys());
}

RocksStore::~RocksStore() {
  reclaimer_.reset();
  overwrites_.reset();
  if (recovery_ != nullptr) recovery_->Stop();
  if (db_ == nullptr) return;
  const NoForks no_forks;
  const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
  // In a log that a write has failed in, the end is anything. One that is synced with each commit
  // is not synced here: RocksDB 7.8 was seen to wait forever in SyncWAL beside such commits.
  const bool is_whole = integrity_ != nullptr && !has_failed_ && !logs_->HasFailedLog() &&
                        (options_.sync_commits || db_->SyncWAL().ok());
  const uint64_t sequence = db_->GetLatestSequenceNumber();
  const bool is_closed = CloseInstance();
  // Without it the store is opened as one that was killed is.
  if (is_whole && is_closed) integrity_->WriteClosed(sequence).IgnoreError();
}

absl::Status RocksStore::OpenDatabase() {
  DYNOLITH_RETURN_IF_ERROR(env_.status());
  rocksdb::DBOptions& database = opening_.database;
  database = MakeRocksOptions(shares_.log_bytes, folder_.table_files());
  // RocksDB ends the process when it finds no room for its timer, or for some of those that open
  // files, so that is tried before it is asked.
  DYNOLITH_RETURN_IF_ERROR(FindRoomForThreads(kOpeningThreads + database.max_file_opening_threads));
  if (*env_ != nullptr) database.env = env_->get();
  database.statistics = tickers_;
  // Reading leaves no traces.
  const bool has_log = !options_.read_only;
  opening_.log = std::make_shared<OpenLog>(has_log ? std::make_shared<InfoLog>(options_.path)
                                                   : std::shared_ptr<InfoLog>());
  database.info_log = opening_.log;
  if (!options_.read_only) {
    overwrites_ = std::make_unique<OverwriteWatch>(
        FamilyTuning{shares_.write_buffer_bytes, kFilesOfLevel0},
        BackgroundThreads::Shared(BackgroundThreads::Kind::kInFolder));
    database.listeners.push_back(overwrites_->listener());
    database.listeners.push_back(recovery_);
  }

  DYNOLITH_RETURN_IF_ERROR(MakeFiles());
  if (!options_.read_only) {
    // What an earlier process did not come to give to the database.
    std::error_code error;
    std::filesystem::remove_all(Concat(options_.path, kSortedFolder), error);
    integrity_->DeleteEmptyLogs();
  }
  const std::shared_ptr<rocksdb::Cache> cache = MakeCache(options_);
  if (options_.memtables_bytes > 0) {
    database.write_buffer_manager =
        std::make_shared<rocksdb::WriteBufferManager>(options_.memtables_bytes, cache);
    database.writable_file_max_buffer_size =
        std::clamp(options_.memtables_bytes / kMemtablesPerFileBuffer, kFileBufferBytesMin,
                   database.writable_file_max_buffer_size);
  }
  opening_.families = MakeFamilyDescriptors(options_, shares_.write_buffer_bytes, filters_, cache);
  if (options_.follows) return CatchUp().status();
  DYNOLITH_RETURN_IF_ERROR(OpenInstance());
  opening_ = {};
  if (options_.read_only) return absl::OkStatus();
  reclaimer_ = std::make_unique<Reclaimer>(
      db_.get(), families_, options_.path, [this] { return SyncLog(); }, &filters_,
      BackgroundThreads::Shared(BackgroundThreads::Kind::kInFolder), recovery_->resuming_mutex());
  if (overwrites_ != nullptr) {
    overwrites_->Start(db_.get(), families_, recovery_->resuming_mutex());
  }
  recovery_->Start(db_.get());
  return integrity_ == nullptr ? absl::OkStatus() : integrity_->WriteRunning();
}

absl::Status RocksStore::OpenInstance() {
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> opened;
  rocksdb::Status status;
  MemoryReserve::Keep();
  try {
    const NoForks no_forks;
    const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
    status =
        OpenRocks(opening_.database, options_.path, opening_.families, use(), &handles, &opened);
  } catch (const std::system_error& error) {
    return ThreadNotStarted(error);
  }
  LetChildrenEnd();
  if (!status.ok()) {
    return OpenFailure(options_.path, status, *opening_.log, folder_.keys());
  }
  if (db_ != nullptr) CloseInstance();
  db_ = std::move(opened);
  std::copy(handles.begin(), handles.end(), families_.begin());
  return CheckFileEdges();
}

bool RocksStore::CloseInstance() {
  for (rocksdb::ColumnFamilyHandle* handle : families_) {
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  return db_->Close().ok();
}

absl::Status RocksStore::MakeFiles() {
  const bool is_new =
      !options_.read_only && folder_.facts().state == IntegrityManifest::State::kCreating;
  if (!is_new) return absl::OkStatus();
  return Failure(MakeNewStore(env_->get(), options_.path));
}

absl::Status RocksStore::CheckFileEdges() const {
  if constexpr (!kSkipsDamagedBlocks) return absl::OkStatus();
  const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
  for (size_t i = 0; i < kFamilies; ++i) {
    if (!HasRangeDeletions(static_cast<Family>(i))) continue;
    rocksdb::ColumnFamilyMetaData family;
    db_->GetColumnFamilyMetaData(families_[i], &family);
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(reading_, families_[i]));
    for (const rocksdb::LevelMetaData& level : family.levels) {
      for (const rocksdb::SstFileMetaData& file : level.files) {
        iterator->Seek(file.smallestkey);
        DYNOLITH_RETURN_IF_ERROR(Failure(iterator->status()));
        iterator->SeekForPrev(file.largestkey);
        DYNOLITH_RETURN_IF_ERROR(Failure(iterator->status()));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> RocksStore::Get(Family family, std::string_view key,
                                     const rocksdb::ReadOptions& reading, Row* row) const {
  row->Release();
  if (!MemoryReserve::IsThere()) return NoMemory();
  const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
  WorkCounters& work = ThreadWork();
  ++work.gets;
  const rocksdb::Status status = db_->Get(reading, Handle(family), ToSlice(key), &row->pin().slice);
  if (status.IsNotFound()) return false;
  if (!status.ok()) return Failure(status);
  ++work.rows_read;
  if constexpr (kBreaksStaleViews) row->pin().copy.Hold(FromSlice(row->pin().slice));
  row->Show();
  return true;
}

void RocksStore::CountCacheHit() const {
  tickers_->recordTick(rocksdb::ROW_CACHE_HIT, 1);
  WorkCounters& work = ThreadWork();
  ++work.gets;
  ++work.rows_read;
}

absl::StatusOr<bool> RocksStore::Get(Family family, std::string_view key, Row* row) const {
  if (!IsCached(family)) return Get(family, key, reading_, row);
  row->Release();
  RowCache::Ticket ticket;
  row->pin().shared = cache_->Find(key, &ticket);
  if (!row->pin().shared) {
    tickers_->recordTick(rocksdb::ROW_CACHE_MISS, 1);
    DYNOLITH_ASSIGN_OR_RETURN(const bool found, Get(family, key, reading_, row));
    if (found) cache_->Add(ticket, key, row->value());
    return found;
  }
  CountCacheHit();
  if constexpr (kBreaksStaleViews) row->pin().copy.Hold(row->pin().shared.value());
  row->Show();
  return true;
}

class RocksStore::SnapshotReader final : public Snapshot {
 public:
  explicit SnapshotReader(const RocksStore* store) : store_(*store), reading_(store->reading_) {
    // One that follows a writer shows one state until it catches up.
    if (store->options_.follows) return;
    reading_.snapshot = InRocks([&] { return store_.db_->GetSnapshot(); });
  }
  ~SnapshotReader() override {
    if (reading_.snapshot == nullptr) return;
    InRocks([&] { store_.db_->ReleaseSnapshot(reading_.snapshot); });
  }

  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const override {
    return store_.Get(family, key, reading_, row);
  }
  Cursor Scan(Family family, std::string_view begin, std::string_view end,
              Direction direction) const override {
    return store_.Scan(family, begin, end, direction, reading_);
  }
  Cursor ScanOnce(Family family, std::string_view begin, std::string_view end) const override {
    return store_.ScanOnce(family, begin, end, reading_);
  }

 private:
  const RocksStore& store_;
  rocksdb::ReadOptions reading_;
};

std::shared_ptr<const Snapshot> RocksStore::TakeSnapshot() const {
  return std::make_shared<const SnapshotReader>(this);
}

RocksStore::MetaVersion RocksStore::SeeMeta() const {
  using Properties = rocksdb::DB::Properties;
  rocksdb::ColumnFamilyHandle* const meta = Handle(Family::kMeta);
  MetaVersion seen;
  InRocks([&] {
    return db_->GetIntProperty(meta, Properties::kCurrentSuperVersionNumber, &seen.version) &&
           db_->GetIntProperty(meta, Properties::kNumEntriesActiveMemTable, &seen.rows);
  });
  return seen;
}

absl::StatusOr<std::vector<uint64_t>> RocksStore::NamedFiles(const std::string& manifest) {
  DYNOLITH_ASSIGN_OR_RETURN(const TableFiles* const files,
                            named_.Read(manifest, folder_.keys().get()));
  std::vector<uint64_t> numbers;
  numbers.reserve(files->size());
  for (const auto& [number, file] : *files) numbers.push_back(number);
  return numbers;
}

absl::StatusOr<bool> RocksStore::HasFallenBehind() {
  if (!options_.follows) return LocalStore::HasFallenBehind();
  return follower_->HasFallenBehind();
}

absl::StatusOr<WriterFollower::Step> RocksStore::StepToWriter() {
  if (needs_instance_) {
    DYNOLITH_RETURN_IF_ERROR(follower_->BeginInstance());
    meta_.reset();
    DYNOLITH_RETURN_IF_ERROR(OpenInstance());
    needs_instance_ = false;
  }
  rocksdb::Status failed;
  absl::StatusOr<WriterFollower::Step> step =
      InRocks([&] { return follower_->CatchUp(db_.get(), families_, &failed); });
  needs_instance_ = !step.ok() || *step == WriterFollower::Step::kNewInstance;
  if (!failed.ok()) return Failure(failed);
  return step;
}

absl::Status RocksStore::BecomeOneState() {
  int failures = 0;
  int without_file = 0;
  for (int attempt = 1; attempt <= kAttemptsToCatchUp; ++attempt) {
    const absl::StatusOr<WriterFollower::Step> step = StepToWriter();
    if (!step.ok()) {
      const bool may_pass = absl::IsDataLoss(step.status()) || absl::IsInternal(step.status());
      // Who opens the store tries again by himself.
      const bool is_last = db_ == nullptr || ++failures == kAttemptsBesideWriter;
      if (!may_pass || is_last) return step.status();
      absl::SleepFor(kPauseBesideWriter);
      continue;
    }
    if (*step == WriterFollower::Step::kOneState) return absl::OkStatus();
    if (follower_->missing_file() && ++without_file == kAttemptsWithoutFile) {
      return absl::DataLossError(messages::StoreFileOfManifestUnread(
          options_.path, TableFileName(*follower_->missing_file())));
    }
  }
  return absl::UnavailableError(messages::StoreChangesTooFast(options_.path));
}

absl::StatusOr<TakenOver> RocksStore::CatchUp() {
  if (!options_.follows) return LocalStore::CatchUp();
  if (!MemoryReserve::IsThere()) return NoMemory();
  const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
  DYNOLITH_RETURN_IF_ERROR(BecomeOneState());
  const MetaVersion meta = SeeMeta();
  const uint64_t last = db_->GetLatestSequenceNumber();
  TakenOver taken;
  taken.rows = last > rows_ ? last - rows_ : 0;
  rows_ = last;
  taken.has_changed_meta = meta_ != meta;
  taken.has_changed = taken.rows > 0 || taken.has_changed_meta;
  meta_ = meta;
  return taken;
}

std::unique_ptr<RocksCursor> RocksStore::OpenCursor(Family family, std::string_view begin,
                                                    std::string_view end, Direction direction,
                                                    rocksdb::ReadOptions reading) const {
  // One that heeds them can lose sight of damage: see CheckFileEdges.
  reading.ignore_range_deletions = !HasRangeDeletions(family);
  auto cursor = std::make_unique<RocksCursor>(options_.path, begin, end, direction);
  cursor->Open(db_.get(), Handle(family), reading);
  return cursor;
}

Cursor RocksStore::Scan(Family family, std::string_view begin, std::string_view end,
                        Direction direction, rocksdb::ReadOptions reading) const {
  return Cursor(OpenCursor(family, begin, end, direction, std::move(reading)));
}

namespace {

// Whether single reads of so many rows take less than an iterator, which takes as long as sixteen
// of them even where no row has older versions.
bool ReadsOneByOne(size_t rows, const RangeState& outdated, const RowCache::RangeTicket& ticket) {
  return rows <= 16 + RowCache::ChangesSince(outdated, ticket);
}

}  // namespace

void RocksStore::AddCollection(Family family, const RangeKey& whole) const try {
  // To walk more at once would be felt by the caller who does it.
  constexpr uint32_t kRowsMax = 500;
  const RowCache::RangeTicket ticket = cache_->BeginCollection(whole);
  const std::unique_ptr<RocksCursor> cursor =
      OpenCursor(family, whole.begin(), whole.end(), Direction::kForward, reading_);
  RangeRecorder rows;
  for (bool is_there = cursor->SeekToStart(); is_there; is_there = cursor->Next()) {
    if (rows.rows() < kRowsMax && rows.Add(cursor->key, cursor->value)) continue;
    cache_->AddCollection(ticket, whole, RangeRecorder().Finish(ticket.state, /*is_whole=*/false));
    return;
  }
  if (!cursor->status().ok()) return;
  const std::string_view value = rows.Finish(ticket.state, /*is_whole=*/true);
  cache_->AddCollection(ticket, whole, value);
  if (!IsCached(family)) return;
  // The second time a row is missed, it is cached: so its next change is known to replace it.
  Row row;
  for (CachedRange added(value); added.Next();) {
    for (int i = 0; i < 2; ++i) {
      if (!Get(family, added.key(), &row).ok()) return;
    }
  }
} catch (const std::bad_alloc&) {
  // Nobody waits for it.
}

bool RocksStore::AddPresent(Family family, std::string_view key, RangeRecorder* rows) const {
  Row row;
  const absl::StatusOr<bool> found = Get(family, key, &row);
  // If there is an error, an iterator tells.
  return found.ok() && *found && rows->Add(key, row.value());
}

SharedRow RocksStore::Renew(const RangeKey& range, size_t rows, CachedRange outdated,
                            const RowCache::RangeTicket& ticket) const {
  const size_t count = rows == 0 ? outdated.rows() : std::min<size_t>(rows, outdated.rows());
  if (!ReadsOneByOne(count, outdated.state(), ticket)) return {};
  RangeRecorder renewed;
  while (renewed.rows() < count && outdated.Next()) {
    if (!AddPresent(static_cast<Family>(range.family()), outdated.key(), &renewed)) return {};
  }
  const bool is_whole = outdated.is_whole() && renewed.rows() == outdated.rows();
  return cache_->AddRange(ticket, range, renewed.Finish(ticket.state, is_whole));
}

SharedRow RocksStore::TakeFromCollection(const RangeKey& range, size_t rows) const {
  const RowCache::Collection found = cache_->FindCollection(range.WholeCollection());
  if (!found.rows) return {};
  const CachedRange all(found.rows.value());
  const RowsWithin within(all, range, rows);
  // As absent rows are not cached.
  if (within.rows.empty()) return {};
  if (found.outdated && !ReadsOneByOne(within.rows.size(), all.state(), found.ticket)) return {};
  RangeRecorder taken;
  for (const RowsWithin::Row& row : within.rows) {
    const bool is_taken = found.outdated
                              ? AddPresent(static_cast<Family>(range.family()), row.key, &taken)
                              : taken.Add(row.key, row.value);
    if (!is_taken) return {};
  }
  if (found.outdated && !cache_->IsCurrent(found.ticket)) return {};
  return RowCache::MakeRange(taken.Finish(found.ticket.state, within.is_whole));
}

Cursor RocksStore::ScanPage(Family family, std::string_view begin, std::string_view end,
                            Direction direction, const ScanHints& hints, RowRead* with) const {
  const bool may_be_cached = cache_ != nullptr && with == nullptr && HasCachedRanges(family) &&
                             RangeKey::IsInOneCollection(begin, end);
  if (!may_be_cached) return Store::ScanPage(family, begin, end, direction, hints, with);
  // Who walks an index asks only once the cursor is open whether it still exists.
  const size_t rows = family == Family::kTables ? hints.rows : 0;
  const RangeKey range(static_cast<uint8_t>(family), direction == Direction::kBackward, begin, end);
  RowCache::RangeTicket ticket;
  SharedRow outdated;
  SharedRow cached = cache_->FindRange(range, rows, &ticket, &outdated);
  if (outdated) {
    cached = Renew(range, rows, CachedRange(outdated.value()), ticket);
  } else if (!cached) {
    cached = TakeFromCollection(range, rows);
  }
  const auto open = [this](const RangeKey& others) {
    const auto way = others.is_backward() ? Direction::kBackward : Direction::kForward;
    const auto of = static_cast<Family>(others.family());
    return OpenCursor(of, others.begin(), others.end(), way, reading_);
  };
  if (cached) {
    tickers_->recordTick(rocksdb::ROW_CACHE_HIT, 1);
    return Cursor(std::make_unique<CachedCursor>(std::move(cached), range, open));
  }
  tickers_->recordTick(rocksdb::ROW_CACHE_MISS, 1);
  return Cursor(std::make_unique<RecordingCursor>(
      open(range), rows, range, ticket, cache_.get(),
      [this, family](const RangeKey& whole) { AddCollection(family, whole); }));
}

Cursor RocksStore::ScanOnce(Family family, std::string_view begin, std::string_view end,
                            rocksdb::ReadOptions reading) const {
  reading.fill_cache = false;
  return Scan(family, begin, end, Direction::kForward, reading);
}

void RocksStore::AddChange(const WriteBatch::Change& change, rocksdb::WriteBatch* batch) const {
  const rocksdb::Slice key = ToSlice(change.key);
  const rocksdb::Slice value = ToSlice(change.value);
  rocksdb::ColumnFamilyHandle* const handle = Handle(change.family);
  rocksdb::Status status;
  switch (change.operation) {
    case WriteBatch::Operation::kPut:
      status = batch->Put(handle, key, value);
      break;
    case WriteBatch::Operation::kDelete:
      status = batch->Delete(handle, key);
      break;
    case WriteBatch::Operation::kDeleteRange:
      status = batch->DeleteRange(handle, key, value);
      break;
  }
  // Only a batch with a size limit can refuse a change.
  status.PermitUncheckedError();
}

rocksdb::Status RocksStore::Write(const WriteBatch& batch) {
  if (!writing_.sync) {
    const WriteBatch* const only = &batch;
    return Write(absl::MakeConstSpan(&only, 1));
  }
  return group_.Commit(batch, [this](const CommitGroup::Members& members) {
    std::vector<const WriteBatch*> batches;
    batches.reserve(members.size());
    for (const CommitGroup::Member* const member : members) batches.push_back(member->batch);
    const rocksdb::Status status = Write(batches);
    for (CommitGroup::Member* const member : members) {
      // There was no room for all of them. For one there may be.
      const bool is_again = status.IsBusy() && members.size() > 1;
      member->status = is_again ? Write(absl::MakeConstSpan(&member->batch, 1)) : status;
    }
  });
}

rocksdb::Status RocksStore::Write(absl::Span<const WriteBatch* const> batches) {
  const UnwatchedScope unwatched;
  const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
  thread_local rocksdb::WriteBatch scratch;
  scratch.Clear();
  for (const WriteBatch* const batch : batches) {
    batch->ForEach([&](const WriteBatch::Change& change) { AddChange(change, &scratch); });
  }
  rocksdb::Status status;
  for (;;) {
    rocksdb::WriteOptions options = writing_;
    options.no_slowdown = recovery_->was_stopped();
    // Left by an exception it would let all later writers wait for ever: the process ends instead,
    // as by a kill.
    status = [&]() noexcept { return db_->Write(options, &scratch); }();
    // RocksDB does not wait behind a compaction that found no room, even if a later one did or a
    // flush is what it would wait for; or it was not to wait.
    if (!status.IsIncomplete() || IsStalledForGood()) break;
    absl::SleepFor(kPauseOfStalled);
  }
  if (scratch.GetDataSize() > WriteBatch::kKeptBytesMax) scratch = rocksdb::WriteBatch();
  return status;
}

bool RocksStore::IsStalledForGood() const {
  const auto sum = [this](const std::string& property) {
    uint64_t value = 0;
    InRocks([&] { return db_->GetAggregatedIntProperty(property, &value); });
    return value;
  };
  uint64_t is_stopped = 0;
  InRocks(
      [&] { return db_->GetIntProperty(rocksdb::DB::Properties::kIsWriteStopped, &is_stopped); });
  return is_stopped != 0 && recovery_->lacks_compactions() &&
         sum(rocksdb::DB::Properties::kMemTableFlushPending) == 0 &&
         sum(rocksdb::DB::Properties::kNumRunningFlushes) == 0;
}

absl::Span<const RowCache::Change> RocksStore::BeginChanges(const WriteBatch& batch) {
  constexpr size_t kChangesKeptMax = 1 << 10;
  thread_local std::vector<RowCache::Change> changes;
  if (changes.capacity() > kChangesKeptMax) changes = {};
  changes.clear();
  if (cache_ == nullptr) return changes;
  changes.reserve(batch.count());
  batch.ForEach([&](const WriteBatch::Change& change) {
    if (IsCached(change.family)) changes.push_back(cache_->BeginChange(change.key));
  });
  return changes;
}

void RocksStore::EndChanges(const WriteBatch& batch, absl::Span<const RowCache::Change> changes,
                            bool is_committed) {
  if (changes.empty()) return;
  batch.ForEach([&](const WriteBatch::Change& change) {
    if (!IsCached(change.family)) return;
    if (is_committed && change.operation == WriteBatch::Operation::kPut) {
      cache_->EndChange(changes.front(), change.key, change.value);
    } else {
      cache_->EndChange(changes.front());
    }
    changes.remove_prefix(1);
  });
}

void RocksStore::BeginChangesInCollections(const WriteBatch& batch,
                                           absl::Span<const RowCache::Change> changes) {
  if (cache_ == nullptr) return;
  batch.ForEach([&](const WriteBatch::Change& change) {
    if (!HasCachedRanges(change.family)) return;
    bool replaces = false;
    if (IsCached(change.family)) {
      replaces = change.operation == WriteBatch::Operation::kPut && changes.front().row != nullptr;
      changes.remove_prefix(1);
    }
    cache_->BeginChangeInCollection(change.key, replaces);
  });
}

void RocksStore::EndChangesInCollections(const WriteBatch& batch) {
  if (cache_ == nullptr) return;
  batch.ForEach([&](const WriteBatch::Change& change) {
    if (HasCachedRanges(change.family)) cache_->EndChangeInCollection(change.key);
  });
}

absl::Status RocksStore::CheckWritable() const {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  if (!options_.read_only) return absl::OkStatus();
  if (options_.follows) {
    return MakeError(ErrorKind::kAccessDenied, messages::StoreFollowsWriter(options_.path));
  }
  return absl::FailedPreconditionError(messages::StoreReadOnly(options_.path));
}

absl::Status RocksStore::Commit(const WriteBatch& batch) {
  if (batch.empty()) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(CheckWritable());
  return Commit(batch, BeginChanges(batch));
}

absl::Status RocksStore::CommitOver(std::string_view key, std::optional<std::string_view> value,
                                    Look look) {
  DYNOLITH_RETURN_IF_ERROR(CheckWritable());
  thread_local WriteBatch batch;
  batch.Clear();
  value ? batch.Put(Family::kTables, key, *value) : batch.Delete(Family::kTables, key);
  if (RowCache::Change change; cache_ != nullptr && cache_->BeginChangeOfFound(key, &change)) {
    CountCacheHit();
    const std::string_view replaced = change.row->value();
    absl::Cleanup undone = [&] { cache_->EndUndone(change); };
    DYNOLITH_RETURN_IF_ERROR(look(&replaced));
    std::move(undone).Cancel();
    return Commit(batch, absl::MakeConstSpan(&change, 1));
  }
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, Get(Family::kTables, key, &row));
  const std::string_view replaced = row.value();
  DYNOLITH_RETURN_IF_ERROR(look(found ? &replaced : nullptr));
  return Commit(batch);
}

absl::Status RocksStore::Commit(const WriteBatch& batch,
                                absl::Span<const RowCache::Change> changes) {
  bool is_committed = false;
  absl::Cleanup end_changes = [&] { EndChanges(batch, changes, is_committed); };
  if (!MemoryReserve::IsThere()) return NoMemory();
  if (!HasRoomFor(batch)) return NoRoomForPuts(batch.bytes());
  if (before_commit_) before_commit_();
  BeginChangesInCollections(batch, changes);
  absl::Cleanup end_in_collections = [&] { EndChangesInCollections(batch); };
  const rocksdb::Status status = Write(batch);
  std::move(end_in_collections).Invoke();
  is_committed = status.ok();
  std::move(end_changes).Invoke();
  // Nothing of it has been written.
  if (status.IsMemoryLimit()) return NoMemory();
  if (!status.ok()) {
    if (status.IsNoSpace()) recovery_->NoteStopped();
    // Busy: there was no room for it, and nothing of it is in the log. Incomplete: nor was it
    // tried.
    if (!status.IsBusy() && !status.IsIncomplete()) has_failed_ = true;
    return Failure(status);
  }
  WorkCounters& work = ThreadWork();
  ++work.batches;
  work.rows_written += batch.count();
  return absl::OkStatus();
}

// In table files, unless they are few.
class RocksStore::RowsInFiles final : public SortedRows {
 public:
  RowsInFiles(RocksStore* store, const SortingResources& means) : store_(store), means_(means) {}

  absl::Status Put(Family family, std::string_view key, std::string_view value) override {
    std::unique_ptr<SortedFiles>& files = files_[static_cast<size_t>(family)];
    if (files == nullptr) {
      DYNOLITH_RETURN_IF_ERROR(store_->CheckWritable());
      DYNOLITH_ASSIGN_OR_RETURN(const std::string prefix, store_->NewSortedPrefix());
      files =
          std::make_unique<SortedFiles>(store_->db_.get(), store_->Handle(family), prefix, means_);
    }
    files->Put(key, value);
    return HeldBytes() < means_.gathered_bytes ? absl::OkStatus() : Spill();
  }

  absl::Status Join(std::unique_ptr<SortedRows> rows) override {
    auto& other = static_cast<RowsInFiles&>(*rows);
    const bool is_small = !other.has_spilled_ && other.HeldBytes() < kBytesInFilesMin;
    for (size_t i = 0; i < kFamilies; ++i) {
      if (other.files_[i] == nullptr) continue;
      if (files_[i] == nullptr) {
        files_[i] = std::move(other.files_[i]);
      } else if (is_small) {
        DYNOLITH_RETURN_IF_ERROR(
            other.files_[i]->VisitHeld([&](std::string_view key, std::string_view value) {
              return Put(static_cast<Family>(i), key, value);
            }));
      } else {
        DYNOLITH_RETURN_IF_ERROR(store_->Failure(files_[i]->Join(other.files_[i].get())));
      }
    }
    has_spilled_ = has_spilled_ || !is_small;
    return absl::OkStatus();
  }

  absl::Status Commit(MayGoOn may_go_on) override {
    DYNOLITH_RETURN_IF_ERROR(may_go_on());
    if (!has_spilled_ && HeldBytes() < kBytesInFilesMin) {
      BatchedRows batches(store_);
      for (size_t i = 0; i < kFamilies; ++i) {
        if (files_[i] == nullptr) continue;
        DYNOLITH_RETURN_IF_ERROR(
            files_[i]->VisitHeld([&](std::string_view key, std::string_view value) {
              return batches.Put(static_cast<Family>(i), key, value);
            }));
      }
      return batches.Commit();
    }
    // Of all families beside each other.
    for (const auto& files : files_) {
      if (files != nullptr) DYNOLITH_RETURN_IF_ERROR(store_->Failure(files->BeginFinish()));
    }
    for (const auto& files : files_) {
      if (files == nullptr) continue;
      while (!files->IsFinished()) DYNOLITH_RETURN_IF_ERROR(may_go_on());
      DYNOLITH_RETURN_IF_ERROR(store_->Failure(files->Finish()));
    }
    return store_->Ingest(files_, may_go_on);
  }

 private:
  // A file of less costs more than its rows in a log.
  static constexpr size_t kBytesInFilesMin = 1 << 20;

  size_t HeldBytes() const {
    size_t bytes = 0;
    for (const auto& files : files_) bytes += files == nullptr ? 0 : files->held_bytes();
    return bytes;
  }
  absl::Status Spill() {
    has_spilled_ = true;
    for (const auto& files : files_) {
      if (files != nullptr) DYNOLITH_RETURN_IF_ERROR(store_->Failure(files->Spill()));
    }
    return absl::OkStatus();
  }

  RocksStore* const store_;
  const SortingResources means_;
  std::array<std::unique_ptr<SortedFiles>, kFamilies> files_;
  bool has_spilled_ = false;
};

std::unique_ptr<SortedRows> RocksStore::NewSortedRows(int beside) {
  return std::make_unique<RowsInFiles>(this, MeansToSort(beside));
}

SortingResources RocksStore::MeansToSort(int beside) const {
  // While they are written, as many are gathered.
  constexpr size_t kGatheredBytesMax = 32 << 20;
  const size_t budget = options_.memtables_bytes / 4;
  const size_t bytes = budget > 0 ? std::min(budget, kGatheredBytesMax) : kGatheredBytesMax;
  const bool is_fixed = options_.sorting_threads > 0;
  return {.gathered_bytes = bytes / static_cast<size_t>(beside),
          .merging_bytes = bytes,
          .threads = is_fixed ? options_.sorting_threads : UsableProcessors(),
          .uses_all_threads = is_fixed};
}

absl::StatusOr<std::string> RocksStore::NewSortedPrefix() {
  const std::string folder = Concat(options_.path, kSortedFolder);
  DYNOLITH_RETURN_IF_ERROR(Failure(db_->GetEnv()->CreateDirIfMissing(folder)));
  return Concat(folder, "/", ++sorted_made_, "-");
}

absl::StatusOr<bool> RocksStore::TryIngest(const SortedNames& named) {
  rocksdb::Status ingested;
  {
    absl::MutexLock one_at_a_time(recovery_->resuming_mutex());
    if (recovery_->is_stopped()) {
      return NoRoom(messages::CommitsAreStopped());
    }
    if (kStaysStopped && recovery_->was_stopped()) return false;
    integrity_->BeginLinks();
    ingested = InRocks([&] { return IngestSorted(db_.get(), named); });
    integrity_->EndLinks(/*are_unnamed=*/ingested.ok() || ingested.IsInvalidArgument());
  }
  // Something may overlap them.
  if (ingested.IsInvalidArgument()) return false;
  if (!ingested.ok()) return Failure(ingested);
  return true;
}

absl::Status RocksStore::Ingest(absl::Span<const std::unique_ptr<SortedFiles>> files,
                                MayGoOn may_go_on) {
  SortedNames named;
  uint64_t rows = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i] == nullptr) continue;
    named.emplace_back(families_[i], files[i]->files());
    rows += files[i]->rows();
  }
  if (before_commit_) before_commit_();
  for (int attempt = 1; recovery_->is_stopped() && attempt < kAttemptsToIngest; ++attempt) {
    DYNOLITH_RETURN_IF_ERROR(may_go_on());
    absl::SleepFor(kPauseOfIngestion);
  }
  // The files are on the disk; what was committed before them has to be there, too, or the id of
  // these rows could be given again.
  if (!MemoryReserve::IsThere()) return NoMemory();
  DYNOLITH_RETURN_IF_ERROR(SyncLog());
  LogObserver* const observer = options_.log_observer;
  if (observer != nullptr) observer->OnRowsBesideLog(options_.path, /*is_done=*/false);
  const absl::StatusOr<bool> tried = TryIngest(named);
  if (observer != nullptr) observer->OnRowsBesideLog(options_.path, /*is_done=*/true);
  DYNOLITH_ASSIGN_OR_RETURN(const bool ingested, tried);
  if (ingested) {
    WorkCounters& work = ThreadWork();
    ++work.batches;
    work.rows_written += rows;
    return absl::OkStatus();
  }
  BatchedRows batches(this);
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i] == nullptr) continue;
    absl::Status put;
    const rocksdb::Status read = files[i]->Visit([&](std::string_view key, std::string_view value) {
      put = batches.Put(static_cast<Family>(i), key, value);
      return put.ok() ? rocksdb::Status::OK() : rocksdb::Status::Aborted();
    });
    DYNOLITH_RETURN_IF_ERROR(put);
    DYNOLITH_RETURN_IF_ERROR(Failure(read));
  }
  return batches.Commit();
}

void RocksStore::SetLiveIds(std::shared_ptr<const IdIsAlive> is_alive, uint32_t next_id) {
  if (reclaimer_ != nullptr) reclaimer_->Publish({std::move(is_alive), next_id});
}

void RocksStore::ReclaimId(Family family, uint32_t id) {
  if (reclaimer_ != nullptr) reclaimer_->Reclaim(family, id);
}

absl::Status RocksStore::Flush() {
  if (reclaimer_ != nullptr) DYNOLITH_RETURN_IF_ERROR(reclaimer_->Drain());
  // Also without the reserve: it gives memory back.
  return Failure(InRocks([&] {
    return db_->Flush(rocksdb::FlushOptions(), std::vector(families_.begin(), families_.end()));
  }));
}

absl::Status RocksStore::SyncLog() const {
  if (!SyncsLog()) return absl::OkStatus();
  if (logs_->HasFailedLog()) return absl::InternalError(messages::StoreLogFailed(options_.path));
  return Failure(InRocks([&] { return db_->SyncWAL(); }));
}

absl::Status RocksStore::CompactAll() {
  DYNOLITH_RETURN_IF_ERROR(Flush());
  rocksdb::CompactRangeOptions compaction;
  compaction.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  for (rocksdb::ColumnFamilyHandle* handle : families_) {
    DYNOLITH_RETURN_IF_ERROR(
        Failure(InRocks([&] { return db_->CompactRange(compaction, handle, nullptr, nullptr); })));
  }
  return absl::OkStatus();
}

absl::Status RocksStore::Checkpoint(const std::string& folder) {
  DYNOLITH_RETURN_IF_ERROR(CheckWritable());
  DYNOLITH_RETURN_IF_ERROR(Folder::MakeRoomForCopy(folder));
  if (!MemoryReserve::IsThere()) return NoMemory();
  rocksdb::Checkpoint* made = nullptr;
  DYNOLITH_RETURN_IF_ERROR(
      Failure(InRocks([&] { return rocksdb::Checkpoint::Create(db_.get(), &made); })));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  DYNOLITH_RETURN_IF_ERROR(
      FromRocks(folder, InRocks([&] { return checkpoint->CreateCheckpoint(folder); })));
  // Without its own file of what must be there, what is in the folder is no store yet.
  DYNOLITH_RETURN_IF_ERROR(folder_.keys() ? CopyKeys(*folder_.keys(), folder)
                                          : CopyIdentity(options_.path, folder));
  return Folder::MarkCopied(folder, folder_.keys().get());
}

uint64_t RocksStore::ApproximateBytes(Family family, std::string_view begin,
                                      std::string_view end) const {
  rocksdb::SizeApproximationOptions approximation;
  approximation.include_memtables = true;
  approximation.include_files = true;
  const rocksdb::Range range(ToSlice(begin), ToSlice(end));
  uint64_t bytes = 0;
  const rocksdb::Status status = InRocks(
      [&] { return db_->GetApproximateSizes(approximation, Handle(family), &range, 1, &bytes); });
  return status.ok() ? bytes : 0;
}

StoreStatistics RocksStore::TakeStatistics() const {
  const auto of = [this](const std::string& property, rocksdb::ColumnFamilyHandle* family) {
    uint64_t value = 0;
    return InRocks([&] { return db_->GetIntProperty(family, property, &value); }) ? value : 0;
  };
  const auto sum = [&](const std::string& property) {
    uint64_t total = 0;
    for (rocksdb::ColumnFamilyHandle* family : families_) total += of(property, family);
    return total;
  };
  using Properties = rocksdb::DB::Properties;
  rocksdb::ColumnFamilyHandle* const shared = families_[0];  // of what all families share
  StoreStatistics statistics;
  statistics.rows_estimated = sum(Properties::kEstimateNumKeys);
  statistics.table_file_bytes = sum(Properties::kLiveSstFilesSize);
  statistics.live_bytes_estimated = sum(Properties::kEstimateLiveDataSize);
  statistics.memtable_bytes = sum(Properties::kCurSizeAllMemTables);
  statistics.block_cache_capacity_bytes = of(Properties::kBlockCacheCapacity, shared);
  statistics.block_cache_bytes = of(Properties::kBlockCacheUsage, shared);
  statistics.block_cache_hits = tickers_->getTickerCount(rocksdb::BLOCK_CACHE_HIT);
  statistics.block_cache_misses = tickers_->getTickerCount(rocksdb::BLOCK_CACHE_MISS);
  statistics.row_cache_hits = tickers_->getTickerCount(rocksdb::ROW_CACHE_HIT);
  statistics.row_cache_misses = tickers_->getTickerCount(rocksdb::ROW_CACHE_MISS);
  if (cache_ != nullptr) {
    statistics.row_cache_capacity_bytes = options_.row_cache_bytes;
    statistics.row_cache_bytes = cache_->bytes();
  }
  statistics.snapshots = of(Properties::kNumSnapshots, shared);
  statistics.pending_compaction_bytes = sum(Properties::kEstimatePendingCompactionBytes);
  statistics.running_compactions = of(Properties::kNumRunningCompactions, shared);
  statistics.running_flushes = of(Properties::kNumRunningFlushes, shared);
  statistics.writes_are_stopped = of(Properties::kIsWriteStopped, shared) != 0;
  statistics.delayed_write_bytes_per_second = of(Properties::kActualDelayedWriteRate, shared);
  statistics.write_stall_microseconds = tickers_->getTickerCount(rocksdb::STALL_MICROS);
  rocksdb::VectorLogPtr logs;
  if (!options_.read_only && InRocks([&] { return db_->GetSortedWalFiles(logs); }).ok()) {
    for (const auto& log : logs) statistics.log_bytes += log->SizeFileBytes();
  }
  return statistics;
}

rocksdb::Status RocksStore::CheckTableFileFormats() const {
  // The files that are named stay until each was looked at, whatever a compaction replaces.
  if (!options_.read_only) {
    rocksdb::Status status = InRocks([&] { return db_->DisableFileDeletions(); });
    if (!status.ok()) return status;
  }
  const auto resume = absl::MakeCleanup([this] {
    if (options_.read_only) return;
    InRocks([&] { return EnableFileDeletions(db_.get()); }).PermitUncheckedError();
  });
  std::vector<rocksdb::LiveFileMetaData> files;
  InRocks([&] { db_->GetLiveFilesMetaData(&files); });
  for (const rocksdb::LiveFileMetaData& file : files) {
    const std::string name = file.db_path + file.name;
    rocksdb::Status status = CheckTableFileFormat(db_->GetEnv(), name);
    // Beside a writer, RocksDB goes on to read one that the writer has removed since.
    std::error_code unknown;
    if (options_.beside_writer && !std::filesystem::exists(name, unknown)) continue;
    if (!status.ok()) return status;
  }
  return rocksdb::Status::OK();
}

bool RocksStore::HasRoomFor(const WriteBatch& batch) const {
  const auto unflushed_bytes = [this] { return recovery_->UnflushedBytes(); };
  if (room_->HasRoomForPuts(batch.bytes(), unflushed_bytes)) return true;
  bool adds_rows = false;
  batch.ForEach([&adds_rows](const WriteBatch::Change& change) {
    const bool is_of_items = change.family == Family::kTables ||
                             change.family == Family::kGlobalIndexes ||
                             change.family == Family::kLocalIndexes;
    adds_rows |= is_of_items && change.operation == WriteBatch::Operation::kPut;
  });
  return !adds_rows;
}

absl::Status RocksStore::NoRoom(std::string_view detail) const {
  return absl::ResourceExhaustedError(ToAbsl(messages::StoreHasNoRoom(
      options_.path, room_->FreeBytes(), room_->NeededForPuts(0, recovery_->UnflushedBytes()),
      /*takes_deletions=*/false, detail)));
}

absl::Status RocksStore::NoRoomForPuts(size_t bytes) const {
  return absl::ResourceExhaustedError(ToAbsl(messages::StoreHasNoRoom(
      options_.path, room_->FreeBytes(), room_->NeededForPuts(bytes, recovery_->UnflushedBytes()),
      /*takes_deletions=*/true, messages::RoomIsKept())));
}

absl::Status RocksStore::Failure(const rocksdb::Status& status) const {
  if (room_ != nullptr && (status.IsNoSpace() || status.IsBusy() || status.IsIncomplete())) {
    return NoRoom(status.ToString());
  }
  const bool is_unnamed =
      status.IsCorruption() && status.ToString().find(kTableFileSuffix) == std::string::npos;
  // A block of which only the format is wrong has a right checksum, and an error without a name.
  const rocksdb::Status format = is_unnamed ? CheckTableFileFormats() : rocksdb::Status::OK();
  return FromRocks(options_.path, format.IsCorruption() ? format : status);
}

absl::Status RocksStore::VerifyChecksums() {
  DYNOLITH_RETURN_IF_ERROR(Failure(CheckTableFileFormats()));
  if (!MemoryReserve::IsThere()) return NoMemory();
  return Failure(InRocks([&] { return db_->VerifyChecksum(); }));
}

namespace {

absl::StatusOr<std::unique_ptr<LocalStore>> OpenIn(
    Folder folder, StoreOptions options, const std::shared_ptr<rocksdb::FileSystem>& file_system,
    std::optional<uint64_t> reserved_bytes) {
  auto store = std::make_unique<RocksStore>(std::move(options), std::move(folder), file_system,
                                            reserved_bytes);
  DYNOLITH_RETURN_IF_ERROR(store->OpenDatabase());
  return store;
}

absl::StatusOr<std::unique_ptr<LocalStore>> TryOpen(
    StoreOptions options, const std::shared_ptr<rocksdb::FileSystem>& file_system,
    std::optional<uint64_t> reserved_bytes) {
  const Folder::Use use = !options.read_only      ? Folder::Use::kWrite
                          : options.beside_writer ? Folder::Use::kReadBesideWriter
                                                  : Folder::Use::kRead;
  DYNOLITH_ASSIGN_OR_RETURN(Folder folder, Folder::Open(options.path, use, options.encryption_key));
  return OpenIn(std::move(folder), std::move(options), file_system, reserved_bytes);
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalStore>> OpenStoreUnder(std::shared_ptr<const FolderLock> lock,
                                                           const StoreOptions& options) {
  StopSearchingForDeadlocks();
  DYNOLITH_ASSIGN_OR_RETURN(
      Folder folder, Folder::OpenUnder(std::move(lock), options.path, options.encryption_key));
  return OpenIn(std::move(folder), options, nullptr, std::nullopt);
}

absl::StatusOr<std::unique_ptr<LocalStore>> OpenStoreOn(
    const StoreOptions& options, const std::shared_ptr<rocksdb::FileSystem>& file_system,
    std::optional<uint64_t> reserved_bytes) {
  StopSearchingForDeadlocks();
  const bool beside_writer = options.read_only && options.beside_writer;
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<std::unique_ptr<LocalStore>> store =
        TryOpen(options, file_system, reserved_bytes);
    const bool may_pass = absl::IsDataLoss(store.status()) || absl::IsInternal(store.status());
    if (!beside_writer || !may_pass || attempt == kAttemptsBesideWriter) return store;
    absl::SleepFor(kPauseBesideWriter);
  }
}

absl::StatusOr<std::unique_ptr<LocalStore>> LocalStore::Open(const StoreOptions& options) {
  if (!options.in_memory) return OpenStoreOn(options, nullptr, std::nullopt);
  if (options.read_only) return absl::FailedPreconditionError(messages::StoreMemoryReadOnly());
  StopSearchingForDeadlocks();
  return MakeMemoryStore();
}

}  // namespace dynolith
