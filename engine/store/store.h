// The rows, in a folder or in memory: the only door to RocksDB, which has those in folders.
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

// The fixed column families, by kind of row (engine/store/README.md says why). The names are on
// disk. Append only.
enum class Family : uint8_t {
  kMeta = 0,
  kTables = 1,
  kGlobalIndexes = 2,
  kLocalIndexes = 3,
  kLog = 4,
  kExpiry = 5
};
inline constexpr size_t kFamilies = 6;

// Whether WriteBatch::DeleteRange is for this family.
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
  // Of all memtables together. Not 0: whatever RocksDB takes, also indexes and filters of table
  // files, stays within this and block_cache_bytes. 0: each family has memtables of its own, and
  // indexes and filters of all table files stay in memory. Ignored in memory.
  size_t memtables_bytes = 0;
  // Of memory for rows of kTables that are read again and again; less than 1 KiB: none. Ignored in
  // memory, where nothing would be gained.
  size_t row_cache_bytes = 32 << 20;
  bool read_only = false;
  // Whether a read-only store also opens a folder that another process writes to, then or later. It
  // shows the rows as they were when it was opened.
  bool beside_writer = false;
  // That write what NewSortedRows has taken beside each other, however little it is; for tests. 0:
  // as many as there are processors, if there is enough to write.
  int sorting_threads = 0;
};

// One row that was read, pinned in the storage's memory until the Row is destroyed or read into
// again; moves, does not copy. Must be gone before its store.
class Row {
 public:
  Row();
  Row(Row&& other) noexcept;
  Row& operator=(Row&& other) noexcept;
  ~Row();

  // Borrowed from this Row.
  std::string_view value() const& { return value_; }
  std::string_view value() && = delete;
  // Gives the row back, which nobody then keeps from being overwritten where it is. Breaks every
  // view of it in a debug build.
  void Release();

 private:
  friend class RocksStore;
  friend class MemoryStore;
  struct Pin;
  static constexpr size_t kPinBytes = 128;
  Pin& pin() { return *reinterpret_cast<Pin*>(pin_); }
  // Makes value() show what the pin holds.
  void Show();

  std::string_view value_;
  // RocksDB's PinnableSlice or a row in memory, in place, so that a read allocates nothing of ours.
  alignas(std::max_align_t) unsigned char pin_[kPinBytes];
};

// Several row changes that become visible and durable together or not at all, in the order given.
// Reusable after Clear.
class WriteBatch {
 public:
  // More memory than that does not outlive Clear, so that a large transaction leaves nothing
  // behind.
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
  // Of what was recorded.
  size_t bytes() const { return changes_.size(); }
  // Of the memory that is held, whether or not there is anything in it.
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

// Walks the rows of a key range [begin, end) in one consistent state of the store, the one at the
// cursor's making, in either direction; an empty `end` means no upper bound. The views stay valid
// until the next move; a debug build breaks them then. Must be gone before its store.
class Cursor {
 public:
  class Rep;  // a store's own
  explicit Cursor(std::unique_ptr<Rep> rep);
  Cursor(Cursor&& other) noexcept;
  Cursor& operator=(Cursor&& other) noexcept;
  ~Cursor();

  // Positions on the first row (forward) or the last one (backward) of the range.
  void SeekToStart();
  // Positions behind `key` in the direction of the walk: the first row > key, or backward the last
  // row < key. `key` need not exist, nor lie in the range.
  void SeekAfter(std::string_view key);
  // Requires: Valid().
  void Next();
  // False before the first seek.
  bool Valid() const { return valid_; }
  // Require: Valid().
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }
  // A failed cursor is not Valid and says why here.
  absl::Status status() const;

 private:
  // Takes over where it stands now.
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
};

// The whole store at a point in time: nothing later is seen. Must be gone before its store.
class Snapshot : public ReadView {
 public:
  Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
};

// Many rows at a lower price than by batches (engine/store/sorted). Not thread-safe.
class SortedRows {
 public:
  virtual ~SortedRows() = default;
  // The later of two rows with one key stays. Requires: there is no row under the key, and nobody
  // else writes or reads any in the range of all that are put. Errors: as Commit's.
  virtual absl::Status Put(Family family, std::string_view key, std::string_view value) = 0;
  // Takes over all rows that were put into `other`, beside this one, on whichever thread. Requires:
  // both are of one store, and no key is in both. Errors: as Commit's.
  virtual absl::Status Join(std::unique_ptr<SortedRows> other) = 0;
  // Behind OK all rows are there, and survive a loss of power, as does what was committed before;
  // without it any of them may be, or none. To be called once, behind the last Put. Errors: as
  // Store::Commit's.
  //
  // Asks `may_go_on` now and then, and gives up with its error.
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
  // or a folder of something else), kDataLoss (damaged), kResourceExhausted (no room for what
  // opening writes), kInternal (whatever else the operating system says).
  static absl::StatusOr<std::unique_ptr<Store>> Open(const StoreOptions& options);

  virtual bool read_only() const = 0;
  // kFailedPrecondition if the store is read-only: what every Commit then answers.
  virtual absl::Status CheckWritable() const = 0;

  virtual std::shared_ptr<const Snapshot> TakeSnapshot() const = 0;
  // The state at the moment of that snapshot of the store; nullptr: as it is. Borrows both.
  const ReadView& At(const Snapshot* moment) const {
    if (moment == nullptr) return *this;
    return *moment;
  }

  // Applies the batch atomically. After OK it survives kill -9, and power loss with sync_commits.
  // kResourceExhausted: the disk is full, nothing of the batch is there, a later one may succeed.
  // After any other failure of the log every later commit fails, until the store is opened again.
  virtual absl::Status Commit(const WriteBatch& batch) = 0;

  // Commits the put of `value` under `key` in kTables, or without a value its deletion, if `look`
  // returns OK, which is shown the row that this replaces (nullptr: there is none); else `look`'s
  // error, and nothing has happened. Costs less than a Get and a Commit. `look` must not use the
  // store.
  using Look = absl::FunctionRef<absl::Status(const std::string_view* row)>;
  virtual absl::Status CommitOver(std::string_view key, std::optional<std::string_view> value,
                                  Look look) = 0;

  // A store of its own that holds what this one holds now, whatever is written to either later. In
  // memory, however much there is, at once: they share what neither has changed since. Errors:
  // kFailedPrecondition for a store in a folder (see Checkpoint).
  virtual absl::StatusOr<std::unique_ptr<Store>> Fork() const = 0;

  // For many rows under keys that nobody knows yet. Must be gone before the store. `beside`: how
  // many there are of them, which share the memory for one.
  virtual std::unique_ptr<SortedRows> NewSortedRows(int beside = 1) = 0;

  // Has `hook` called by each Commit of something, on its thread, before any of it can be read. It
  // must not commit. To be set while nobody commits.
  virtual void SetBeforeCommit(std::function<void()> hook) = 0;

  // Tells which storage ids are alive, so that compaction can drop the rows of the others, of
  // kTables, kGlobalIndexes, kLocalIndexes and kExpiry. Ids >= `next_id` are kept. Called with a
  // new function whenever an id dies. Takes effect a moment later, once what was committed before
  // is on the disk. Thread-safe.
  using IdIsAlive = std::function<bool(uint32_t id)>;
  virtual void SetLiveIds(std::shared_ptr<const IdIsAlive> is_alive, uint32_t next_id) = 0;
  // Gives the space of a dead id's rows back without rewriting live ones. Returns at once; the work
  // is done in the background.
  virtual void ReclaimId(Family family, uint32_t id) = 0;

  // Writes all rows from memory into table files.
  virtual absl::Status Flush() = 0;
  // Rewrites all rows and so drops those of dead ids; waits for the background work first.
  // O(store).
  virtual absl::Status CompactAll() = 0;
  // A consistent copy of the store in a new folder, by hard links where possible. Errors:
  // kFailedPrecondition for a folder that holds something, and for a store in memory or read-only;
  // as Open for a folder that cannot be made.
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
