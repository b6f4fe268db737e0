// The hot keys of a table or of an index: the four lists of the service's Contributor Insights,
// since the first access and for the last minute.
#ifndef DYNOLITH_ENGINE_PARTITION_KEY_WATCH_H_
#define DYNOLITH_ENGINE_PARTITION_KEY_WATCH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/partition/heavy_keys.h"
#include "engine/partition/tokens.h"

namespace dynolith {

// How many of a position's first bytes name keys; 0 bytes: none.
struct KeyNames {
  std::string_view position;
  size_t partition_key_bytes = 0;
  // For an item that has a sort key.
  size_t item_bytes = 0;
};

enum class HotKeyKind : uint8_t {
  kAccessedPartitionKeys,
  kAccessedItems,
  kThrottledPartitionKeys,
  kThrottledItems
};
inline constexpr size_t kHotKeyKinds = 4;

enum class KeyWatchMode : uint8_t { kAccessedAndThrottled, kThrottled };

// Keys as positions. Accesses count their consumption, in the unit of the calls; throttled ones
// count one each.
struct HotKeyLists {
  using List = std::vector<HeavyKeys::CountedKey>;  // the heaviest first; equal ones by their keys

  std::optional<Micros> since;  // the first access; nullopt: there was none
  std::array<List, kHotKeyKinds> all;
  Micros recent_since = 0;  // between one and two minutes ago
  std::array<List, kHotKeyKinds> recent;
};

// Thread-safe. A key is counted in one of several parts, each with a lock of its own, so that
// threads wait for each other only at the same keys.
class KeyWatch {
 public:
  explicit KeyWatch(KeyWatchMode mode) : mode_(mode) {}

  KeyWatchMode mode() const { return mode_; }

  void AddAccess(const KeyNames& names, int64_t consumed, Micros now);
  void AddThrottled(const KeyNames& names, Micros now);

  // The heaviest of each list, at most `most` of each.
  HotKeyLists Report(size_t most, Micros now) const;

 private:
  static constexpr size_t kParts = 4;
  static constexpr size_t kKeysOfPart = 128;

  struct Counts {
    HeavyKeys all{kKeysOfPart};
    HeavyKeys last_minute{kKeysOfPart};
    HeavyKeys this_minute{kKeysOfPart};
  };
  struct Part {
    absl::Mutex mutex;
    std::optional<Micros> since ABSL_GUARDED_BY(mutex);
    Micros minute ABSL_GUARDED_BY(mutex) = 0;  // the number of the present one
    std::array<Counts, kHotKeyKinds> lists ABSL_GUARDED_BY(mutex);

    void TurnTo(Micros now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
    void Count(HotKeyKind list, std::string_view key, int64_t weight)
        ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  };

  void Add(const KeyNames& names, HotKeyKind partition_keys, HotKeyKind items, int64_t weight,
           Micros now);

  const KeyWatchMode mode_;
  mutable std::array<Part, kParts> parts_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_KEY_WATCH_H_
