// The store of this process alone: in a folder, by RocksDB, or in memory. The only door to RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_LOCAL_STORE_H_
#define DYNOLITH_ENGINE_STORE_LOCAL_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/store/store.h"
#include "engine/store/store_statistics.h"

namespace dynolith {

class LogObserver;

struct StoreOptions {
  // The folder; created when absent. Ignored in memory.
  std::string path;
  bool in_memory = false;
  // Whether every commit waits until its log record is on the disk (power loss), not only in the
  // operating system (kill -9).
  bool sync_commits = false;
  // Where the key comes from that wraps the keys of an encrypted store: "file:PATH", "env:NAME" or
  // "command:TEXT" (encryption/key_source.h). A new folder becomes an encrypted one. Empty: it is
  // not encrypted. Ignored in memory.
  std::string encryption_key = {};
  size_t write_buffer_bytes = 8 << 20;
  size_t block_cache_bytes = 128 << 20;
  // For all memtables together. Not 0: all of RocksDB's memory, including indexes and filters of
  // table files, stays within this and block_cache_bytes. 0: each family has memtables of its own,
  // and indexes and filters of all table files stay in memory. Ignored in memory.
  size_t memtables_bytes = 0;
  // Memory for cached rows of kTables; less than 1 KiB: none. Ignored in memory, where it would
  // gain nothing.
  size_t row_cache_bytes = 32 << 20;
  bool read_only = false;
  // Whether a read-only store also opens a folder that another process writes to, then or later. It
  // shows the rows as they were when it was opened.
  bool beside_writer = false;
  // Whether such a store takes over what the writer has committed since (CatchUp). Then it has no
  // cache of rows, and Snapshot is the state that it shows.
  bool follows = false;
  // The number of threads that write the files of NewSortedRows, even for few rows; for tests. 0:
  // as many as there are processors, if there is enough to write.
  int sorting_threads = 0;
  // Is told what the logs of a store in a folder cannot tell (engine/store/following). Must outlive
  // the store; nullptr: nobody is. Ignored in memory and read-only.
  LogObserver* log_observer = nullptr;
};

// Bulk rows at a lower price than by batches (engine/store/sorted). Not thread-safe.
class SortedRows {
 public:
  virtual ~SortedRows() = default;
  // Of two rows with one key the later one stays. Requires: no row exists under the key, and nobody
  // else writes or reads any row in the range of all keys put. Errors: as Commit's.
  virtual absl::Status Put(Family family, std::string_view key, std::string_view value) = 0;
  // Takes over all rows that were put into `other`, possibly by another thread. Requires: both
  // belong to one store, and no key is in both. Errors: as Commit's.
  virtual absl::Status Join(std::unique_ptr<SortedRows> other) = 0;
  // If it returns OK all rows exist, and survive a loss of power, as do all earlier commits;
  // otherwise any of them may exist, or none. Call it once, after the last Put. Errors: as
  // Store::Commit's.
  //
  // Asks `may_go_on` from time to time, and gives up with its error.
  using MayGoOn = absl::FunctionRef<absl::Status()>;
  virtual absl::Status Commit(MayGoOn may_go_on) = 0;
  absl::Status Commit() {
    return Commit([] { return absl::OkStatus(); });
  }
};

// What a store that follows a writer has taken over.
struct TakenOver {
  bool has_changed = false;
  // Whether rows of kMeta may have changed, and how many rows of all families at most.
  bool has_changed_meta = false;
  uint64_t rows = 0;
};

// No other process changes its rows: so locks, counts and caches of this process are the truth.
class LocalStore : public Store {
 public:
  // Errors name the folder or file: kNotFound/kPermissionDenied (cannot be created or written),
  // kUnavailable (another process holds it), kFailedPrecondition (format newer than this program,
  // a folder of something else, an encrypted one without a key or with a wrong one, or one that is
  // not encrypted with a key), kDataLoss (damaged), kResourceExhausted (no room for the writes
  // of opening), kInternal (other errors of the operating system).
  static absl::StatusOr<std::unique_ptr<LocalStore>> Open(const StoreOptions& options);

  LocalStore* local() override { return this; }

  // Commits the put of `value` under `key` in kTables, or without a value its deletion, if `look`
  // returns OK. `look` gets the row that this replaces (nullptr: none). If it fails, its error is
  // returned, and nothing is changed. Costs less than a Get and a Commit. `look` must not use the
  // store.
  using Look = absl::FunctionRef<absl::Status(const std::string_view* row)>;
  virtual absl::Status CommitOver(std::string_view key, std::optional<std::string_view> value,
                                  Look look) = 0;

  // StoreOptions::follows: takes over all that the writer had committed before the call. Who reads
  // meanwhile sees rows of several moments, as does everybody after an error, until a later call
  // succeeds. Not thread-safe. Errors: kFailedPrecondition for another store; as Open.
  virtual absl::StatusOr<TakenOver> CatchUp();
  // Whether CatchUp may find anything; costs less, and disturbs nobody.
  virtual absl::StatusOr<bool> HasFallenBehind();

  // A separate store with the present content of this one; later writes to either do not affect the
  // other. In memory it is instant, whatever the amount of data: the two share unchanged rows.
  // Errors: kFailedPrecondition for a store in a folder (see Checkpoint).
  virtual absl::StatusOr<std::unique_ptr<LocalStore>> Fork() const = 0;

  // For bulk rows under keys that are not visible yet. Must be destroyed before the store.
  // `beside`: the number of such objects that share the memory for one.
  virtual std::unique_ptr<SortedRows> NewSortedRows(int beside = 1) = 0;

  // Sets a hook that each non-empty Commit calls, on its thread, before any of it can be read. It
  // must not commit. Set it while nobody commits.
  virtual void SetBeforeCommit(std::function<void()> hook) = 0;

  // Sets the test for storage ids that are alive, so that compaction can drop the rows of the
  // others, in kTables, kGlobalIndexes, kLocalIndexes and kExpiry. Ids >= `next_id` are kept.
  // Called with a new function whenever an id dies. Takes effect a moment later, once all earlier
  // commits are on the disk. Thread-safe.
  using IdIsAlive = std::function<bool(uint32_t id)>;
  virtual void SetLiveIds(std::shared_ptr<const IdIsAlive> is_alive, uint32_t next_id) = 0;
  // Reclaims the space of a dead id's rows without rewriting live ones. Returns at once; the work
  // is done in the background.
  virtual void ReclaimId(Family family, uint32_t id) = 0;

  // Writes all rows from memory into table files.
  virtual absl::Status Flush() = 0;
  // Rewrites all rows and so drops those of dead ids; waits for the background work first.
  // O(store).
  virtual absl::Status CompactAll() = 0;
  // A consistent copy of the store in a new folder, by hard links where possible. Errors:
  // kFailedPrecondition for a folder that is not empty, and for a store in memory or read-only; as
  // Open for a folder that cannot be made.
  virtual absl::Status Checkpoint(const std::string& folder) = 0;
  // Approximate bytes on disk and in memtables of the key range.
  virtual uint64_t ApproximateBytes(Family family, std::string_view begin,
                                    std::string_view end) const = 0;
  // O(table files).
  virtual StoreStatistics TakeStatistics() const = 0;
  // Verifies the checksums of all files.
  virtual absl::Status VerifyChecksums() = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_LOCAL_STORE_H_
