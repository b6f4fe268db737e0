// Rows that were read more than once, in front of RocksDB: a hot row costs a look-up in a table
// instead of a walk through memtables and files. Its rows are RocksDB's answers at that moment, as
// long as each change of a row is between a BeginChange and an EndChange.
//
//   a reader                              a writer
//     row = Find(key, &ticket)              BeginChange(key)    no Find finds the row any more
//     if absent: read it from RocksDB       write to RocksDB
//       Add(ticket, key, value)             EndChange(change)   readers may add it again
//
// Add does nothing if a change of a row of the same set was running at Find or has begun since: the
// reader's row may be older.
//
// Ranges of rows (cached_range.h) are beside them in the same memory, each with a state: a number
// that changes whenever a change of a row of its collection begins. A range is found as long as its
// state is the present one, and none is made while such a change is under way:
//
//   a reader                              a writer
//     rows = FindRange(range, &ticket)      BeginChangeInCollection(key)
//     if absent: open a cursor, walk        write to RocksDB
//       AddRange(ticket, range, rows)       EndChangeInCollection(key)
//
// A change that only overwrites a row, which is known if the row is cached, leaves the keys of a
// range as they are: then a reader gets the outdated range, reads its rows one by one, and has a
// range again if no change has begun meanwhile. If that range is not cached, all rows of its
// collection may be.
#ifndef DYNOLITH_ENGINE_STORE_ROWS_ROW_CACHE_H_
#define DYNOLITH_ENGINE_STORE_ROWS_ROW_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/store/rows/cached_range.h"
#include "engine/store/rows/shared_row.h"

namespace dynolith {

// Thread-safe. A set-associative table: a key's hash selects a set of eight rows, which has a lock
// of its own that is held for some tens of instructions. Readers do not wait for it: after a moment
// they count as a miss.
//
// Rows that are read once are not admitted (those of a walk over a table by single reads, say): a
// set remembers the last eight hashes that were missed in it, and admits a row at its second miss.
// The clock algorithm evicts rows that were not found since its hand last passed.
class RowCache {
  using Bytes = SharedRow::Bytes;

 public:
  // The place and the time of a miss.
  struct Ticket {
    uint64_t hash = 0;
    uint32_t version = 0;
    bool may_add = false;
  };
  // The same for a range.
  struct RangeTicket {
    uint64_t hash = 0;
    RangeState state;
    bool may_add = false;
  };
  // A change that has begun. End it exactly once.
  struct Change {
    uint64_t hash = 0;
    uint32_t version = 0;
    bool is_alone = false;  // no other change of the set was running
    Bytes* row = nullptr;   // that was there
  };

  // For `bytes` of memory in total, not counting evicted rows that are still held. Takes memory as
  // it fills. Requires: bytes >= kBytesMin.
  static constexpr size_t kBytesMin = 1 << 10;
  explicit RowCache(size_t bytes);
  RowCache(const RowCache&) = delete;
  RowCache& operator=(const RowCache&) = delete;
  ~RowCache();

  // Empty if it is not cached; then `ticket` is for Add.
  SharedRow Find(std::string_view key, Ticket* ticket);
  // The store's value under `key` at some moment after the Find that gave `ticket`. Rows of more
  // than an eighth of a shard are left out, and any while there is no memory.
  void Add(const Ticket& ticket, std::string_view key, std::string_view value);

  Change BeginChange(std::string_view key);
  // If the row is cached; else nothing happens. `change->row` is the row before the change.
  bool BeginChangeOfFound(std::string_view key, Change* change);
  // For a change that has failed or may have, for a deletion, and for all rows that must not be
  // found.
  void EndChange(const Change& change);
  // For a change that was abandoned: the row is unchanged. Requires: change.row != nullptr.
  void EndUndone(const Change& change) { EndChange(change, change.row); }
  // The store now holds `value` under `key`. If the row was cached before, it is cached again.
  void EndChange(const Change& change, std::string_view key, std::string_view value);

  // The first `rows` rows of the range (0: all), perhaps with more of them, as a value of
  // CachedRange. Empty if they are not cached; then `ticket` is for AddRange, and `outdated`, if
  // given, receives such rows as they were before rows of theirs were overwritten: the keys are
  // those of the moment of `ticket`.
  SharedRow FindRange(const RangeKey& range, size_t rows, RangeTicket* ticket,
                      SharedRow* outdated = nullptr);
  // All rows of a collection. With `outdated`, only their keys are those of the moment of `ticket`.
  struct Collection {
    SharedRow rows;  // empty: they are not cached
    bool outdated = false;
    RangeTicket ticket;
  };
  // `whole`: RangeKey::WholeCollection.
  Collection FindCollection(const RangeKey& whole);
  // Whether a reader shall walk the collection and add it. To be asked after each walk in it that
  // passed many older versions of rows.
  bool WantsCollection(const RangeKey& whole);
  // The state in which such a walk begins.
  RangeTicket BeginCollection(const RangeKey& whole);
  // As AddRange, but changes that only replace rows are of no account; the values may be of several
  // moments then, and are outdated. A value that is not whole says that the collection is too
  // large: nobody wants it as long as that is cached.
  void AddCollection(const RangeTicket& ticket, const RangeKey& whole, std::string_view value);
  // Whether no change has begun since.
  bool IsCurrent(const RangeTicket& ticket) {
    return ChangesIn(ticket.hash).load(std::memory_order_relaxed) == ticket.state.changes;
  }
  // A range that is not cached; empty if there is no memory.
  static SharedRow MakeRange(std::string_view value) {
    return SharedRow(MakeIfThereIsMemory("", value));
  }
  // How many changes had begun, at `ticket`, since the state of a range.
  static uint64_t ChangesSince(const RangeState& state, const RangeTicket& ticket) {
    return (ticket.state.changes - state.changes) / kBegun;
  }
  // `value`: of a RangeRecorder, with the ticket's state, of a walk of rows as they were at some
  // moment after the FindRange that gave `ticket`. Returns what has that value: empty if a change
  // has begun since that moment, or if such a range is not cached.
  SharedRow AddRange(const RangeTicket& ticket, const RangeKey& range, std::string_view value);

  // Around a change of a row of any family that has cached ranges. `replaces`: the row is there
  // before and afterwards, and nobody else changes it meanwhile (row_locks.h).
  void BeginChangeInCollection(std::string_view row_key, bool replaces);
  void EndChangeInCollection(std::string_view row_key);

  // Memory, without evicted rows that are still held.
  size_t bytes() const;

 private:
  static constexpr int kWays = 8;
  // Two cache lines. All zero is an empty one.
  struct alignas(64) Set {
    uint32_t lock;
    uint32_t version;      // counts changes that have ended
    uint32_t changes;      // that are under way
    uint8_t found;         // by way: since the clock's hand came by
    uint8_t next_way;      // to go when all are taken
    uint8_t next_missed;   // the oldest of `missed`
    uint8_t costly_walks;  // counts those after which WantsCollection was asked
    uint16_t tags[kWays];  // of the rows' hashes
    uint16_t missed[kWays];
    Bytes* rows[kWays];
    // The state of the ranges that are in this set: how many changes of a row of their collections
    // have begun, times kBegun, and how many of these are under way; and of how many of all these
    // it is not known that they replace a row. Not under the lock.
    uint64_t changes_in_ranges;
    uint64_t members_of_ranges;
  };
  // Of more changes than fit into a batch.
  static constexpr uint64_t kBegun = uint64_t{1} << 24;
  static constexpr uint64_t kUnderWay = 1;
  static_assert(sizeof(Set) == 128);
  // A range of sets with its part of the memory.
  struct alignas(64) Shard {
    std::atomic<size_t> bytes = 0;
    std::atomic<uint32_t> hand = 0;
  };
  struct FreeSets {
    void* memory;  // the memory of the sets
    void operator()(Set*) const { std::free(memory); }
  };
  using Sets = std::unique_ptr<Set[], FreeSets>;
  class Lock;

  // Empty ones, in memory that comes from the system as it is touched.
  static Sets MakeSets(uint32_t count);
  static uint64_t HashKey(std::string_view key);
  static uint64_t HashCollection(std::string_view row_key);
  // The last bit tells rows and ranges apart.
  static uint16_t HashTag(uint64_t hash) { return static_cast<uint16_t>(hash >> 48) & 0xfffe; }
  static uint16_t RangeTag(const RangeKey& range) { return HashTag(HashKey(range.bytes())) | 1; }
  static bool IsQuiet(const RangeState& state) { return state.changes % kBegun == 0; }
  std::atomic_ref<uint64_t> ChangesIn(uint64_t hash) {
    return std::atomic_ref<uint64_t>(sets_[SetIndex(hash)].changes_in_ranges);
  }
  std::atomic_ref<uint64_t> MembersIn(uint64_t hash) {
    return std::atomic_ref<uint64_t>(sets_[SetIndex(hash)].members_of_ranges);
  }
  uint32_t SetIndex(uint64_t hash) const { return static_cast<uint32_t>(hash) & (sets_count_ - 1); }
  Shard& ShardForSet(uint32_t set) { return shards_[set / sets_per_shard_]; }
  // -1: not in it.
  static int FindWay(const Set& set, uint16_t tag, std::string_view key);
  // Whether `tag` was missed recently; remembers it if not.
  static bool WasMissed(Set* set, uint16_t tag);
  // Removes the row from a locked set; the caller releases it after unlocking.
  Bytes* TakeOut(uint32_t set, int way);
  // Puts `row` into a locked set and returns the row evicted for it, or nullptr.
  Bytes* PutIn(uint32_t set, uint16_t tag, Bytes* row);
  Change BeginChange(std::string_view key, bool only_if_found);
  RangeTicket TicketFor(const RangeKey& range);
  SharedRow AddRange(const RangeTicket& ticket, const RangeKey& range, std::string_view value,
                     bool is_current);
  static Bytes* MakeIfThereIsMemory(std::string_view key, std::string_view value);
  // With the row that the store now holds, or nullptr.
  void EndChange(const Change& change, Bytes* row);
  // Evicts rows until the shard is within its part.
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
