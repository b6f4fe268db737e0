// The rows on disk or in memory: the only door to RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_STORE_H_
#define DYNOLITH_ENGINE_STORE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

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

struct StoreOptions {
  // The folder; created when absent. Ignored in memory.
  std::string path;
  bool in_memory = false;
  // Whether every commit waits until its log record is on the disk (power loss), not only in the
  // operating system (kill -9).
  bool sync_commits = false;
  size_t write_buffer_bytes = 16 << 20;
  size_t block_cache_bytes = 128 << 20;
  bool read_only = false;
};

// What a row is pinned by until the Row is destroyed or read into again; moves, does not copy.
class Row {
 public:
  Row();
  Row(Row&&) noexcept;
  Row& operator=(Row&&) noexcept;
  ~Row();

  // Borrowed from this Row.
  std::string_view value() const;

 private:
  friend class Store;
  struct Pin;
  std::unique_ptr<Pin> pin_;
};

// Several row changes that become visible and durable together or not at all. Reusable after Clear.
class WriteBatch {
 public:
  WriteBatch();
  WriteBatch(WriteBatch&&) noexcept;
  WriteBatch& operator=(WriteBatch&&) noexcept;
  ~WriteBatch();

  void Put(Family family, std::string_view key, std::string_view value);
  // The value is the concatenation of the parts.
  void Put(Family family, std::string_view key, absl::Span<const std::string_view> value_parts);
  void Delete(Family family, std::string_view key);
  void DeleteRange(Family family, std::string_view begin, std::string_view end);
  void Clear();
  bool empty() const;
  size_t count() const;

 private:
  friend class Store;
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

// Walks the rows of a key range [begin, end) in one consistent state of the store, the one at the
// cursor's making, in either direction. The views stay valid until the next move.
class Cursor {
 public:
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;
  ~Cursor();

  // Positions on the first row (forward) or the last one (backward) of the range.
  void SeekToStart();
  // Positions behind `key` in the direction of the walk: the first row > key, or backward the last
  // row < key. `key` need not exist.
  void SeekAfter(std::string_view key);
  void Next();
  bool Valid() const;
  std::string_view key() const;
  std::string_view value() const;
  // A failed cursor is not Valid and says why here.
  absl::Status status() const;

 private:
  friend class Store;
  struct Rep;
  explicit Cursor(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

enum class Direction : uint8_t { kForward, kBackward };

// A point in time of the whole store; reads through it see nothing later.
class Snapshot;

class Store {
 public:
  // Errors name the folder or file: kNotFound/kPermissionDenied (cannot be created or written),
  // kUnavailable (another process holds it), kFailedPrecondition (format newer than this program),
  // kDataLoss (damaged).
  static absl::StatusOr<std::unique_ptr<Store>> Open(const StoreOptions& options);
  virtual ~Store() = default;

  // Reads a row. Returns false (and leaves `row` empty) if there is none.
  virtual absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const = 0;
  virtual absl::StatusOr<bool> Get(Family family, std::string_view key, const Snapshot& at,
                                   Row* row) const = 0;
  virtual Cursor Scan(Family family, std::string_view begin, std::string_view end,
                      Direction direction) const = 0;
  virtual Cursor Scan(Family family, std::string_view begin, std::string_view end,
                      Direction direction, const Snapshot& at) const = 0;
  virtual std::shared_ptr<const Snapshot> TakeSnapshot() const = 0;

  // Applies the batch atomically. After OK it survives kill -9, and power loss with sync_commits.
  virtual absl::Status Commit(const WriteBatch& batch) = 0;

  // Tells which storage ids are alive, so that compaction can drop the rows of the others. Ids >=
  // `next_id` are kept. Called with a new function whenever an id dies. Thread-safe.
  using IdIsAlive = std::function<bool(uint32_t id)>;
  virtual void SetLiveIds(std::shared_ptr<const IdIsAlive> is_alive, uint32_t next_id) = 0;
  // Gives the space of a dead id's rows back without rewriting live ones; may run for a while;
  // background.
  virtual void ReclaimId(Family family, uint32_t id) = 0;

  virtual absl::Status Flush() = 0;
  virtual absl::Status CompactAll() = 0;
  // A consistent copy of the store in a new folder, by hard links where possible.
  virtual absl::Status Checkpoint(const std::string& folder) = 0;
  // Approximate bytes on disk and in memtables of the key range.
  virtual uint64_t ApproximateBytes(Family family, std::string_view begin,
                                    std::string_view end) const = 0;
  // Verifies the checksums of all files.
  virtual absl::Status VerifyChecksums() = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_STORE_H_
