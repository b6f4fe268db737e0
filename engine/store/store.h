// The rows, wherever they are: in a folder, in memory, or in a store of several processes.
#ifndef DYNOLITH_ENGINE_STORE_STORE_H_
#define DYNOLITH_ENGINE_STORE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

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
  // Makes it a copy of `value`, for stores that keep their rows elsewhere.
  void Hold(std::string_view value);

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

// A row to read with others.
struct RowRead {
  Family family = Family::kTables;
  std::string_view key;
  Row* row = nullptr;  // receives it
  bool found = false;  // set by the read
};

// What a reader expects to need of a scan, so that a store in another process fetches it at once:
// the scan does not end there. 0: not known.
struct ScanHints {
  size_t rows = 0;
  size_t bytes = 0;  // of keys and values
};

// The rows in one state: as they are at each read (Store), or as they were at one moment
// (Snapshot).
class ReadView {
 public:
  virtual ~ReadView() = default;

  // Reads a row. Returns false (and leaves `row` empty) if there is none.
  virtual absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const = 0;
  // Reads several rows, each as Get does; of a store in another process in one round trip, and the
  // last one no earlier than the others. After an error any of them may be missing.
  virtual absl::Status MultiGet(absl::Span<RowRead> reads) const;
  virtual Cursor Scan(Family family, std::string_view begin, std::string_view end,
                      Direction direction) const = 0;
  // Scan forward, for one walk over many rows: it leaves the cached blocks as they are, so that it
  // takes no memory from others.
  virtual Cursor ScanOnce(Family family, std::string_view begin, std::string_view end) const {
    return Scan(family, begin, end, Direction::kForward);
  }
  // Scan of about as much as `hints` say. `with`, if given, is another row, which is read with the
  // first rows of the scan, no earlier than they are, in the same round trip to a store in another
  // process: it is there once the first seek has succeeded. It outlives the cursor. Of a store, the
  // rows within the hints are those of one moment, and later ones may be those of a later one.
  virtual Cursor ScanPage(Family family, std::string_view begin, std::string_view end,
                          Direction direction, const ScanHints& hints,
                          RowRead* with = nullptr) const;
};

// The whole store at a point in time: later changes are invisible. Must be destroyed before its
// store.
class Snapshot : public ReadView {
 public:
  Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
};

class LocalStore;
class SharedStore;

// Rows that survive their process, or at least live as long as it. What only a store of this
// process alone can do is in LocalStore, what only one that other processes change as well in
// SharedStore: a store is one of the two.
class Store : public ReadView {
 public:
  // nullptr: other processes change the rows as well, and shared() is set.
  virtual LocalStore* local() { return nullptr; }
  // nullptr: only this process changes the rows, and local() is set.
  virtual SharedStore* shared() { return nullptr; }

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
  // A change that depends on rows that were read is a Transaction (transaction.h).
  // Requires: while a row is deleted, no other thread changes it (row_locks.h).
  virtual absl::Status Commit(const WriteBatch& batch) = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_STORE_H_
