// Rows that were read more than once, in front of RocksDB: a hot one costs a look into a table
// instead of a walk through memtables and files. Its rows are what RocksDB would answer at that
// moment, as long as each change of a row stands between a BeginChange and an EndChange.
//
//   a reader                              a writer
//     row = Find(key, &ticket)              BeginChange(key)    nobody finds the row any more
//     if absent: read it from RocksDB       write to RocksDB
//       Add(ticket, key, value)             EndChange(change)   readers may add it again
//
// Add does nothing if a change of a row of the same set was under way at Find or has begun since:
// what the reader has may be older.
#ifndef DYNOLITH_ENGINE_STORE_ROWS_ROW_CACHE_H_
#define DYNOLITH_ENGINE_STORE_ROWS_ROW_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/store/rows/shared_row.h"

namespace dynolith {

// Thread-safe. A set-associative table: a key's hash names a set of eight rows, which has a lock of
// its own that is held for some tens of instructions. Readers never wait for it: after a moment
// they miss.
//
// What is read once does not get in (a walk over a table by single reads, say): a set remembers the
// last eight hashes that were missed in it, and takes a row at its second miss. What goes is what
// was not found since the hand of a clock came by last.
class RowCache {
  using Bytes = SharedRow::Bytes;

 public:
  // Where a miss was, and when.
  struct Ticket {
    uint64_t hash = 0;
    uint32_t version = 0;
    bool may_add = false;
  };
  // A change that has begun. To be ended once.
  struct Change {
    uint64_t hash = 0;
    uint32_t version = 0;
    bool is_alone = false;  // no other change of the set was under way
    Bytes* row = nullptr;   // that was there
  };

  // For `bytes` of memory, all in all; rows that are still held after they went come on top.
  // Takes memory as it fills. Requires: bytes >= kBytesMin.
  static constexpr size_t kBytesMin = 1 << 10;
  explicit RowCache(size_t bytes);
  RowCache(const RowCache&) = delete;
  RowCache& operator=(const RowCache&) = delete;
  ~RowCache();

  // Empty if it is not there; then `ticket` is for Add.
  SharedRow Find(std::string_view key, Ticket* ticket);
  // What the store held under `key` at some moment after the Find that gave `ticket`. Rows of more
  // than an eighth of a shard are left out.
  void Add(const Ticket& ticket, std::string_view key, std::string_view value);

  Change BeginChange(std::string_view key);
  // If the row is there; else nothing happens. `change->row` is what it is before.
  bool BeginChangeOfFound(std::string_view key, Change* change);
  // Of a change that failed or may have, of a deletion, and of all rows that nobody shall find.
  void EndChange(const Change& change);
  // Of one that was given up: the row is as it was. Requires: change.row != nullptr.
  void EndUndone(const Change& change) { EndChange(change, change.row); }
  // The store now holds `value` under `key`. A row that was in the cache is so again.
  void EndChange(const Change& change, std::string_view key, std::string_view value);

  // Of memory, without rows that went and are still held.
  size_t bytes() const;

 private:
  static constexpr int kWays = 8;
  // Two cache lines. All zero is an empty one.
  struct alignas(64) Set {
    uint32_t lock;
    uint32_t version;     // counts changes that have ended
    uint32_t changes;     // that are under way
    uint8_t found;        // by way: since the clock's hand came by
    uint8_t next_way;     // to go when all are taken
    uint8_t next_missed;  // the oldest of `missed`
    uint8_t unused;
    uint16_t tags[kWays];  // of the rows' hashes
    uint16_t missed[kWays];
    Bytes* rows[kWays];
  };
  static_assert(sizeof(Set) == 128);
  // A range of sets with its part of the memory.
  struct alignas(64) Shard {
    std::atomic<size_t> bytes = 0;
    std::atomic<uint32_t> hand = 0;
  };
  struct Free {
    void* memory;  // in which the sets lie
    void operator()(Set*) const { std::free(memory); }
  };
  using Sets = std::unique_ptr<Set[], Free>;
  class Lock;

  // Empty ones, in memory that comes from the system as it is touched.
  static Sets MakeSets(uint32_t count);
  static uint64_t HashOf(std::string_view key);
  static uint16_t TagOf(uint64_t hash) { return static_cast<uint16_t>(hash >> 48); }
  uint32_t SetOf(uint64_t hash) const { return static_cast<uint32_t>(hash) & (sets_count_ - 1); }
  Shard& ShardOf(uint32_t set) { return shards_[set / sets_per_shard_]; }
  // -1: not there.
  static int WayOf(const Set& set, uint16_t tag, std::string_view key);
  // Whether `tag` was missed lately; remembers it if not.
  static bool WasMissed(Set* set, uint16_t tag);
  // Takes the row out of a locked set; the caller releases it when the lock is gone.
  Bytes* TakeOut(uint32_t set, int way);
  // Puts `row` into a locked set and returns what had to go for it, or nullptr.
  Bytes* PutIn(uint32_t set, uint16_t tag, Bytes* row);
  Change BeginChange(std::string_view key, bool only_if_found);
  // With the row that the store now holds, or nullptr.
  void EndChange(const Change& change, Bytes* row);
  // Lets rows go until the shard has no more than its part.
  void MakeRoom(uint32_t set);

  const uint32_t sets_count_;  // a power of two
  const uint32_t shards_count_;
  const uint32_t sets_per_shard_;
  const size_t shard_bytes_max_;
  const Sets sets_;
  const std::unique_ptr<Shard[]> shards_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROWS_ROW_CACHE_H_
