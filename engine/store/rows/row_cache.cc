#include "engine/store/rows/row_cache.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

namespace dynolith {
namespace {

// What a row takes is not known beforehand; sets are made for rows of that many bytes. Larger ones
// leave places empty, of smaller ones fewer fit.
constexpr size_t kExpectedRowBytes = 256;
// Rows of up to 512 KiB get into a shard of that size: an item of 400 KB.
constexpr size_t kShardBytes = size_t{4} << 20;
constexpr uint32_t kShardsMax = 64;
constexpr size_t kShareOfLargestRow = 8;
// For so long a reader tries to get a lock that others hold for some tens of instructions.
constexpr int kAttempts = 64;
// To walk a collection of a hundred rows takes as long as ten pages of ten of them.
constexpr uint8_t kCostlyWalks = 64;

// One bit for each of the next four tags that equals `tag`, the highest of its sixteen; behind one
// that does, also for some that do not.
uint64_t Matches(const uint16_t* tags, uint16_t tag) {
  constexpr uint64_t kOnes = 0x0001'0001'0001'0001;
  uint64_t word;
  std::memcpy(&word, tags, sizeof word);
  const uint64_t differing = word ^ (kOnes * tag);
  return (differing - kOnes) & ~differing & (kOnes << 15);
}

// Both halves of the product, so that each bit of the result hangs on every bit of both.
uint64_t Fold(uint64_t left, uint64_t right) {
  const auto product = static_cast<unsigned __int128>(left) * right;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t WordAt(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Each process has its own, where the system lays programs out at random: nobody who chooses keys
// knows which rows share a set.
const char kSeed = 0;

// A small row as a whole, which else comes line by line: what it waits for is memory.
void Prefetch(const void* row) {
  const char* const begin = static_cast<const char*>(row);
  for (size_t at = 0; at < kExpectedRowBytes; at += 64) __builtin_prefetch(begin + at);
}

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

// Of one set. Not absl::Mutex, which is larger than all that a set needs beside its rows, and
// waits.
class RowCache::Lock {
 public:
  // Waits.
  explicit Lock(Set* set) : lock_(set->lock) {
    while (!Try()) std::this_thread::yield();
  }
  // Gives up after a moment.
  Lock(Set* set, std::try_to_lock_t) : lock_(set->lock) { Try(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (is_held_) lock_.store(0, std::memory_order_release);
  }
  bool is_held() const { return is_held_; }

 private:
  bool Try() {
    for (int i = 0; i < kAttempts && !is_held_; ++i) {
      if (i > 0) Pause();
      is_held_ = lock_.load(std::memory_order_relaxed) == 0 &&
                 lock_.exchange(1, std::memory_order_acquire) == 0;
    }
    return is_held_;
  }

  std::atomic_ref<uint32_t> lock_;
  bool is_held_ = false;
};

RowCache::Sets RowCache::MakeSets(uint32_t count) {
  const size_t bytes = count * sizeof(Set);
  size_t space = bytes + alignof(Set);
  // Not mmap: LeakSanitizer would not look for rows there.
  void* const memory = std::calloc(space, 1);
  if (memory == nullptr) throw std::bad_alloc();
  void* aligned = memory;
  return {static_cast<Set*>(std::align(alignof(Set), bytes, aligned, space)), FreeSets{memory}};
}

namespace {

uint32_t ShardsFor(size_t bytes) {
  return static_cast<uint32_t>(
      std::clamp<size_t>(std::bit_floor(bytes / kShardBytes), 1, kShardsMax));
}

}  // namespace

RowCache::RowCache(size_t bytes)
    : sets_count_(std::max(static_cast<uint32_t>(std::min<size_t>(
                               std::bit_floor(bytes / (kWays * kExpectedRowBytes)), 1u << 31)),
                           ShardsFor(bytes))),
      shards_count_(ShardsFor(bytes)),
      sets_per_shard_(sets_count_ / shards_count_),
      shard_bytes_max_((bytes - std::min(bytes, sets_count_ * sizeof(Set))) / shards_count_),
      sets_(MakeSets(sets_count_)),
      shards_(std::make_unique<Shard[]>(shards_count_)) {}

RowCache::~RowCache() {
  for (uint32_t shard = 0; shard < shards_count_; ++shard) {
    // Sets that were never touched stay untouched.
    if (shards_[shard].bytes == 0) continue;
    for (uint32_t set = shard * sets_per_shard_; set < (shard + 1) * sets_per_shard_; ++set) {
      for (Bytes* const row : sets_[set].rows) {
        if (row != nullptr) Bytes::Release(row);
      }
    }
  }
}

// Two words at a time; the last two may begin within those before. absl::HashKey would hand a key
// of the usual 40 bytes to the C++ library, which takes four times as long.
uint64_t RowCache::HashKey(std::string_view key) {
  constexpr uint64_t kFirst = 0x9e37'79b9'7f4a'7c15;   // of the golden ratio
  constexpr uint64_t kSecond = 0xb7e1'5162'8aed'2a6b;  // of e
  constexpr size_t kStep = 2 * sizeof(uint64_t);
  const uint64_t seed = reinterpret_cast<uintptr_t>(&kSeed) * kFirst;
  uint64_t hash = Fold(key.size() ^ kFirst, seed ^ kSecond);
  const auto add = [&](const char* bytes) {
    hash = Fold(WordAt(bytes) ^ seed, WordAt(bytes + sizeof(uint64_t)) ^ hash);
  };
  if (key.size() < kStep) {
    char padded[kStep] = {};
    std::copy(key.begin(), key.end(), padded);
    add(padded);
  } else {
    for (size_t at = 0; at + kStep < key.size(); at += kStep) add(key.data() + at);
    add(key.data() + key.size() - kStep);
  }
  return Fold(hash, kSecond);
}

// The two words overlap.
uint64_t RowCache::HashCollection(std::string_view row_key) {
  static_assert(kCollectionBytes > sizeof(uint64_t) && kCollectionBytes <= 2 * sizeof(uint64_t));
  constexpr uint64_t kFactor = 0x9e37'79b9'7f4a'7c15;  // of the golden ratio
  const uint64_t seed = reinterpret_cast<uintptr_t>(&kSeed) * kFactor;
  const uint64_t first = WordAt(row_key.data());
  const uint64_t last = WordAt(row_key.data() + kCollectionBytes - sizeof(uint64_t));
  return Fold(Fold(first ^ seed, last ^ kFactor), kFactor);
}

int RowCache::FindWay(const Set& set, uint16_t tag, std::string_view key) {
  static_assert(std::endian::native == std::endian::little);
  for (int begin = 0; begin < kWays; begin += 4) {
    for (uint64_t left = Matches(set.tags + begin, tag); left != 0; left &= left - 1) {
      const int way = begin + std::countr_zero(left) / 16;
      const Bytes* const row = set.rows[way];
      if (row == nullptr) continue;
      Prefetch(row);
      // A row's key may be what a range is called.
      if (set.tags[way] == tag && row->key() == key) return way;
    }
  }
  return -1;
}

bool RowCache::WasMissed(Set* set, uint16_t tag) {
  if ((Matches(set->missed, tag) | Matches(set->missed + kWays / 2, tag)) != 0) return true;
  set->missed[set->next_missed] = tag;
  set->next_missed = (set->next_missed + 1) % kWays;
  return false;
}

SharedRow RowCache::Find(std::string_view key, Ticket* ticket) {
  const uint64_t hash = HashKey(key);
  Set& set = sets_[SetIndex(hash)];
  const Lock lock(&set, std::try_to_lock);
  if (!lock.is_held()) {
    *ticket = {};
    return {};
  }
  const int way = FindWay(set, HashTag(hash), key);
  if (way < 0) {
    *ticket = {.hash = hash,
               .version = set.version,
               .may_add = WasMissed(&set, HashTag(hash)) && set.changes == 0};
    return {};
  }
  set.found |= 1u << way;
  set.rows[way]->holders.fetch_add(1, std::memory_order_relaxed);
  return SharedRow(set.rows[way]);
}

void RowCache::Add(const Ticket& ticket, std::string_view key, std::string_view value) {
  if (!ticket.may_add ||
      Bytes::AllocatedBytes(key.size() + value.size()) > shard_bytes_max_ / kShareOfLargestRow) {
    return;
  }
  Bytes* const row = MakeIfThereIsMemory(key, value);
  if (row == nullptr) return;
  Bytes* gone = row;
  const uint32_t number = SetIndex(ticket.hash);
  {
    Set& set = sets_[number];
    const Lock lock(&set, std::try_to_lock);
    const uint16_t tag = HashTag(ticket.hash);
    // Another reader may have been faster.
    if (lock.is_held() && set.changes == 0 && set.version == ticket.version &&
        FindWay(set, tag, key) < 0) {
      gone = PutIn(number, tag, row);
    }
  }
  if (gone != nullptr) Bytes::Release(gone);
  MakeRoom(number);
}

// The members are read twice. The first time, before the changes: none of a change that begins
// later are among them. The second time, after the changes: those of all that have ended are.
RowCache::RangeTicket RowCache::TicketFor(const RangeKey& range) {
  RangeTicket ticket = {.hash = HashCollection(range.collection())};
  ticket.state.members = MembersIn(ticket.hash).load(std::memory_order_acquire);
  ticket.state.changes = ChangesIn(ticket.hash).load(std::memory_order_acquire);
  const bool has_changed =
      MembersIn(ticket.hash).load(std::memory_order_relaxed) != ticket.state.members;
  if (has_changed) ticket.state.changes = kUnderWay;
  return ticket;
}

SharedRow RowCache::FindRange(const RangeKey& range, size_t rows, RangeTicket* ticket,
                              SharedRow* outdated) {
  *ticket = TicketFor(range);
  Set& set = sets_[SetIndex(ticket->hash)];
  if (!IsQuiet(ticket->state)) return {};
  const uint16_t tag = RangeTag(range);
  const Lock lock(&set, std::try_to_lock);
  if (!lock.is_held()) return {};
  const int way = FindWay(set, tag, range.bytes());
  if (way < 0) {
    ticket->may_add = WasMissed(&set, tag);
    return {};
  }
  const CachedRange found(set.rows[way]->value());
  const bool is_current = found.state() == ticket->state && found.Suffices(rows);
  ticket->may_add = !is_current;
  const bool has_keys = found.state().members == ticket->state.members && found.Suffices(rows);
  if (!is_current && (outdated == nullptr || !has_keys)) return {};
  set.found |= 1u << way;
  set.rows[way]->holders.fetch_add(1, std::memory_order_relaxed);
  SharedRow held(set.rows[way]);
  if (is_current) return held;
  *outdated = std::move(held);
  return {};
}

RowCache::Collection RowCache::FindCollection(const RangeKey& whole) {
  Collection found = {.ticket = TicketFor(whole)};
  if (!IsQuiet(found.ticket.state)) return found;
  Set& set = sets_[SetIndex(found.ticket.hash)];
  const Lock lock(&set, std::try_to_lock);
  const int way = lock.is_held() ? FindWay(set, RangeTag(whole), whole.bytes()) : -1;
  if (way < 0) return found;
  const CachedRange there(set.rows[way]->value());
  const RangeState& state = there.state();
  if (!there.is_whole() || state.members != found.ticket.state.members) return found;
  set.found |= 1u << way;
  set.rows[way]->holders.fetch_add(1, std::memory_order_relaxed);
  found.rows = SharedRow(set.rows[way]);
  found.outdated = state != found.ticket.state;
  return found;
}

bool RowCache::WantsCollection(const RangeKey& whole) {
  Set& set = sets_[SetIndex(HashCollection(whole.collection()))];
  const Lock lock(&set, std::try_to_lock);
  if (!lock.is_held() || ++set.costly_walks < kCostlyWalks) return false;
  set.costly_walks = 0;
  const int way = FindWay(set, RangeTag(whole), whole.bytes());
  if (way < 0) return true;
  const CachedRange there(set.rows[way]->value());
  return there.is_whole() && there.state().members != TicketFor(whole).state.members;
}

RowCache::RangeTicket RowCache::BeginCollection(const RangeKey& whole) {
  RangeTicket ticket = TicketFor(whole);
  ticket.may_add = IsQuiet(ticket.state);
  return ticket;
}

void RowCache::AddCollection(const RangeTicket& ticket, const RangeKey& whole,
                             std::string_view value) {
  AddRange(ticket, whole, value, /*is_current=*/false);
}

SharedRow RowCache::AddRange(const RangeTicket& ticket, const RangeKey& range,
                             std::string_view value) {
  return AddRange(ticket, range, value, /*is_current=*/true);
}

SharedRow RowCache::AddRange(const RangeTicket& ticket, const RangeKey& range,
                             std::string_view value, bool is_current) {
  const std::string_view key = range.bytes();
  const auto has_changed = [&] {
    if (is_current) return !IsCurrent(ticket);
    return CachedRange(value).is_whole() &&
           MembersIn(ticket.hash).load(std::memory_order_relaxed) != ticket.state.members;
  };
  if (!ticket.may_add || has_changed() ||
      Bytes::AllocatedBytes(key.size() + value.size()) > shard_bytes_max_ / kShareOfLargestRow) {
    return {};
  }
  Bytes* const row = MakeIfThereIsMemory(key, value);
  if (row == nullptr) return {};
  row->holders.fetch_add(1, std::memory_order_relaxed);
  SharedRow held(row);
  Bytes* gone = row;
  Bytes* before = nullptr;
  const uint32_t number = SetIndex(ticket.hash);
  {
    Set& set = sets_[number];
    const Lock lock(&set, std::try_to_lock);
    if (lock.is_held()) {
      const uint16_t tag = RangeTag(range);
      const int way = FindWay(set, tag, key);
      if (way >= 0) before = TakeOut(number, way);
      gone = PutIn(number, tag, row);
    }
  }
  for (Bytes* const each : {gone, before}) {
    if (each != nullptr) Bytes::Release(each);
  }
  MakeRoom(number);
  return held;
}

// Whoever sees the change in RocksDB has to see that it has begun; and whoever sees that it has
// ended, the change.
void RowCache::BeginChangeInCollection(std::string_view row_key, bool replaces) {
  if (row_key.size() < kCollectionBytes) return;
  const uint64_t hash = HashCollection(row_key);
  ChangesIn(hash).fetch_add(kBegun + kUnderWay, std::memory_order_acq_rel);
  if (!replaces) MembersIn(hash).fetch_add(1, std::memory_order_release);
}

void RowCache::EndChangeInCollection(std::string_view row_key) {
  if (row_key.size() < kCollectionBytes) return;
  ChangesIn(HashCollection(row_key)).fetch_sub(kUnderWay, std::memory_order_acq_rel);
}

RowCache::Bytes* RowCache::TakeOut(uint32_t number, int way) {
  Set& set = sets_[number];
  set.found &= ~(1u << way);
  Bytes* const row = std::exchange(set.rows[way], nullptr);
  ShardForSet(number).bytes.fetch_sub(row->size(), std::memory_order_relaxed);
  return row;
}

RowCache::Bytes* RowCache::PutIn(uint32_t number, uint16_t tag, Bytes* row) {
  Set& set = sets_[number];
  int way = static_cast<int>(std::find(set.rows, set.rows + kWays, nullptr) - set.rows);
  Bytes* gone = nullptr;
  if (way == kWays) {
    while (set.found & (1u << set.next_way)) {
      set.found &= ~(1u << set.next_way);
      set.next_way = (set.next_way + 1) % kWays;
    }
    way = set.next_way;
    set.next_way = (set.next_way + 1) % kWays;
    gone = TakeOut(number, way);
  }
  set.tags[way] = tag;
  set.rows[way] = row;
  ShardForSet(number).bytes.fetch_add(row->size(), std::memory_order_relaxed);
  return gone;
}

RowCache::Change RowCache::BeginChange(std::string_view key) {
  return BeginChange(key, /*only_if_found=*/false);
}

bool RowCache::BeginChangeOfFound(std::string_view key, Change* change) {
  *change = BeginChange(key, /*only_if_found=*/true);
  return change->row != nullptr;
}

RowCache::Change RowCache::BeginChange(std::string_view key, bool only_if_found) {
  Change change;
  change.hash = HashKey(key);
  const uint32_t number = SetIndex(change.hash);
  Set& set = sets_[number];
  const Lock lock(&set);
  const int way = FindWay(set, HashTag(change.hash), key);
  if (way < 0 && only_if_found) return change;
  if (way >= 0) change.row = TakeOut(number, way);
  change.is_alone = set.changes++ == 0;
  change.version = set.version;
  return change;
}

void RowCache::EndChange(const Change& change) {
  if (change.row != nullptr) Bytes::Release(change.row);
  EndChange(change, nullptr);
}

RowCache::Bytes* RowCache::MakeIfThereIsMemory(std::string_view key, std::string_view value) {
  try {
    return Bytes::Make(key, value);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void RowCache::EndChange(const Change& change, std::string_view key, std::string_view value) {
  const bool is_kept =
      change.row != nullptr && change.is_alone &&
      Bytes::AllocatedBytes(key.size() + value.size()) <= shard_bytes_max_ / kShareOfLargestRow;
  if (!is_kept) {
    EndChange(change);
  } else if (change.row->Take(value)) {
    EndChange(change, change.row);
  } else {
    Bytes::Release(change.row);
    EndChange(change, MakeIfThereIsMemory(key, value));
  }
}

void RowCache::EndChange(const Change& change, Bytes* row) {
  const uint32_t number = SetIndex(change.hash);
  Bytes* gone = row;
  {
    Set& set = sets_[number];
    const Lock lock(&set);
    // Nobody else has changed a row of the set since this change began, nor is about to.
    const bool is_newest = set.changes == 1 && set.version == change.version;
    --set.changes;
    ++set.version;
    if (row != nullptr && is_newest) gone = PutIn(number, HashTag(change.hash), row);
  }
  if (gone != nullptr) Bytes::Release(gone);
  if (row != nullptr) MakeRoom(number);
}

void RowCache::MakeRoom(uint32_t set) {
  const uint32_t shard_number = set / sets_per_shard_;
  Shard& shard = shards_[shard_number];
  // Twice around, as the first time may find all rows found; a third time for sets that were held.
  for (uint32_t i = 0;
       i < 3 * sets_per_shard_ && shard.bytes.load(std::memory_order_relaxed) > shard_bytes_max_;
       ++i) {
    const uint32_t number = shard_number * sets_per_shard_ +
                            shard.hand.fetch_add(1, std::memory_order_relaxed) % sets_per_shard_;
    Bytes* gone[kWays];
    int gone_count = 0;
    {
      const Lock lock(&sets_[number], std::try_to_lock);
      if (!lock.is_held()) continue;
      const uint8_t found = std::exchange(sets_[number].found, uint8_t{0});
      for (int way = 0; way < kWays; ++way) {
        if (sets_[number].rows[way] == nullptr || (found & (1u << way))) continue;
        gone[gone_count++] = TakeOut(number, way);
      }
    }
    std::for_each(gone, gone + gone_count, Bytes::Release);
  }
}

size_t RowCache::bytes() const {
  size_t bytes = sets_count_ * sizeof(Set);
  for (uint32_t shard = 0; shard < shards_count_; ++shard) bytes += shards_[shard].bytes;
  return bytes;
}

}  // namespace dynolith
