// The rows, in a folder or in memory: the only door to RocksDB, which stores those in folders.
#ifndef DYNOLITH_ENGINE_STORE_STORE_H_
#define DYNOLITH_ENGINE_STORE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/store/store_statistics.h"

namespace dynolith {

// The fixed column families, by kind of row (engine/store/README.md has the reasons). The names are
// on disk. Append only.
enum class Family : uint8_t {
  kMeta = 0,
  kTables = 1,
  kGlobalIndexes = 2,
  kLocalIndexes = 3,
  kLog = 4,
  kExpiry = 5
};
inline constexpr size_t kFamilies = 6;

// Whether WriteBatch::DeleteRange may be used for this family.
constexpr bool HasRangeDeletions(Family family) { return family == Family::kLog; }

struct StoreOptions {
  // The folder; created when absent. Ignored in memory.
  std::string path;
  bool in_memory = false;
  // Whether every commit waits until its log record is on the disk (power loss), not only in the
  // operating system (kill -9).
  bool sync_commits = false;
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
  // The number of threads that write the files of NewSortedRows, even for few rows; for tests. 0:
  // as many as there are processors, if there is enough to write.
  int sorting_threads = 0;
};

// One row that was read, pinned in the storage's memory until the Row is destroyed or read into
// again; moves, does not copy. Must be destroyed before its store.
class Row {
 public:
  Row();
  Row(Row&& other) noexcept;
  Row& operator=(Row&& other) noexcept;
  ~Row();

  // Borrowed from this Row.
  std::string_view value() const& { return value_; }
  std::string_view value() && = delete;
  // Releases the row, which may then be overwritten in place. Breaks every view of it in a debug
  // build.
  void Release();

 private:
  friend class RocksStore;
  friend class MemoryStore;
  struct Pin;
  static constexpr size_t kPinBytes = 128;
  Pin& pin() { return *reinterpret_cast<Pin*>(pin_); }
  // Makes value() show the pinned row.
  void Show();

  std::string_view value_;
  // RocksDB's PinnableSlice or a row in memory, in place, so that a read allocates nothing of ours.
  alignas(std::max_align_t) unsigned char pin_[kPinBytes];
};

// Several row changes that become visible and durable together or not at all, in the order given.
// Reusable after Clear.
class WriteBatch {
 public:
  // Clear frees memory beyond this, so that a large transaction leaves nothing behind.
  static constexpr size_t kKeptBytesMax = 1 << 20;

  void Put(Family family, std::string_view key, std::string_view value);
  // The value is the concatenation of the parts.
  void Put(Family family, std::string_view key, absl::Span<const std::string_view> value_parts);
  void Delete(Family family, std::string_view key);
  // Slow for every later read beside it; not for dropping tables (ReclaimId). Requires:
  // HasRangeDeletions(family).
  void DeleteRange(Family family, std::string_view begin, std::string_view end);
  void Clear();
  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  // Of the recorded changes.
  size_t bytes() const { return changes_.size(); }
  // Of the allocated memory, used or not.
  size_t held_bytes() const { return changes_.capacity(); }

  enum class Operation : uint8_t { kPut, kDelete, kDeleteRange };
  // One recorded change; views of the batch. `value` is the end of a kDeleteRange.
  struct Change {
    Operation operation;
    Family family;
    std::string_view key;
    std::string_view value;
  };
  // Calls `visit(const Change&)` for each change in order.
  template <typename Visitor>
  void ForEach(Visitor visit) const;

 private:
  struct Header {
    Operation operation;
    Family family;
    uint32_t key_bytes;
    uint32_t value_bytes;
  };
  // Appends header and key; the caller appends `value_bytes` bytes.
  void Begin(Operation operation, Family family, std::string_view key, size_t value_bytes);

  // (Header key value)*: no object of RocksDB, which would need the open store's handles.
  std::string changes_;
  size_t count_ = 0;
};

template <typename Visitor>
void WriteBatch::ForEach(Visitor visit) const {
  for (std::string_view rest = changes_; !rest.empty();) {
    Header header;
    std::memcpy(&header, rest.data(), sizeof header);
    rest.remove_prefix(sizeof header);
    visit(Change{header.operation, header.family, rest.substr(0, header.key_bytes),
                 rest.substr(header.key_bytes, header.value_bytes)});
    rest.remove_prefix(size_t{header.key_bytes} + header.value_bytes);
  }
}

// Walks the rows of a key range [begin, end) in one consistent state of the store, that of the
// cursor's creation, in either direction; an empty `end` means no upper bound. The views stay valid
// until the next move; a debug build breaks them then. Must be destroyed before its store.
class Cursor {
 public:
  class Rep;  // a store's own
  explicit Cursor(std::unique_ptr<Rep> rep);
  Cursor(Cursor&& other) noexcept;
  Cursor& operator=(Cursor&& other) noexcept;
  ~Cursor();

  // Positions on the first row (forward) or the last one (backward) of the range.
  void SeekToStart();
  // Positions after `key` in the direction of the walk: the first row > key, or backward the last
  // row < key. `key` need not exist, nor lie in the range.
  void SeekAfter(std::string_view key);
  // Requires: Valid().
  void Next();
  // False before the first seek.
  bool Valid() const { return valid_; }
  // Require: Valid().
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }
  // A failed cursor is not Valid and has its error here.
  absl::Status status() const;

 private:
  // Takes over the present row.
  void Arrive(bool is_there);

  bool valid_ = false;
  std::string_view key_;
  std::string_view value_;
  std::unique_ptr<Rep> rep_;
};

enum class Direction : uint8_t { kForward, kBackward };

// The rows in one state: as they are at each read (Store), or as they were at one moment
// (Snapshot).
class ReadView {
 public:
  virtual ~ReadView() = default;

  // Reads a row. Returns false (and leaves `row` empty) if there is none.
  virtual absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const = 0;
  virtual Cursor Scan(Family family, std::string_view begin, std::string_view end,
                      Direction direction) const = 0;
  // Scan forward, for one walk over many rows: it leaves the cached blocks as they are, so that it
  // takes no memory from others.
  virtual Cursor ScanOnce(Family family, std::string_view begin, std::string_view end) const {
    return Scan(family, begin, end, Direction::kForward);
  }
};

// The whole store at a point in time: later changes are invisible. Must be destroyed before its
// store.
class Snapshot : public ReadView {
 public:
  Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
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

class Store : public ReadView {
 public:
  // Errors name the folder or file: kNotFound/kPermissionDenied (cannot be created or written),
  // kUnavailable (another process holds it), kFailedPrecondition (format newer than this program,
  // or a folder of something else), kDataLoss (damaged), kResourceExhausted (no room for the writes
  // of opening), kInternal (other errors of the operating system).
  static absl::StatusOr<std::unique_ptr<Store>> Open(const StoreOptions& options);

  virtual bool read_only() const = 0;
  // kFailedPrecondition if the store is read-only, as every Commit then answers.
  virtual absl::Status CheckWritable() const = 0;

  virtual std::shared_ptr<const Snapshot> TakeSnapshot() const = 0;
  // The state at the moment of that snapshot of the store; nullptr: the present one. Borrows both.
  const ReadView& At(const Snapshot* moment) const {
    if (moment == nullptr) return *this;
    return *moment;
  }

  // Applies the batch atomically. After OK it survives kill -9, and power loss with sync_commits.
  // kResourceExhausted: the disk is full, no part of the batch is applied, a later one may succeed.
  // After any other failure of the log every later commit fails, until the store is opened again.
  virtual absl::Status Commit(const WriteBatch& batch) = 0;

  // Commits the put of `value` under `key` in kTables, or without a value its deletion, if `look`
  // returns OK. `look` gets the row that this replaces (nullptr: none). If it fails, its error is
  // returned, and nothing is changed. Costs less than a Get and a Commit. `look` must not use the
  // store.
  using Look = absl::FunctionRef<absl::Status(const std::string_view* row)>;
  virtual absl::Status CommitOver(std::string_view key, std::optional<std::string_view> value,
                                  Look look) = 0;

  // A separate store with the present content of this one; later writes to either do not affect the
  // other. In memory it is instant, whatever the amount of data: the two share unchanged rows.
  // Errors: kFailedPrecondition for a store in a folder (see Checkpoint).
  virtual absl::StatusOr<std::unique_ptr<Store>> Fork() const = 0;

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

#endif  // DYNOLITH_ENGINE_STORE_STORE_H_
