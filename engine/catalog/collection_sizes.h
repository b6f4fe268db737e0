// The sizes of item collections that have a limit: those of a table with local indexes, while its
// capacity is enforced. Counted at the first write to a collection, and cached as long as there is
// room; nothing is stored, so nothing can be wrong after a restart.
#ifndef DYNOLITH_ENGINE_CATALOG_COLLECTION_SIZES_H_
#define DYNOLITH_ENGINE_CATALOG_COLLECTION_SIZES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/base/strings.h"

namespace dynolith {

// For one table. Thread-safe; the holder of a collection's lock keeps its size up to date.
class CollectionSizes {
 public:
  // The bytes, if cached. `collection`: the common prefix of all row keys of the collection.
  std::optional<int64_t> Find(std::string_view collection) const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const auto it = sizes_.find(collection);
    return it == sizes_.end() ? std::nullopt : std::optional<int64_t>(it->second);
  }
  void Remember(std::string_view collection, int64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (sizes_.size() >= kRememberedMax) sizes_.clear();
    const auto it = sizes_.find(collection);
    // Without memory one that is new is counted again.
    it == sizes_.end() ? void(sizes_.emplace(collection, bytes)) : void(it->second = bytes);
  }
  void ForgetAll() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    sizes_.clear();
  }

 private:
  // Some megabytes.
  static constexpr size_t kRememberedMax = 10'000;

  mutable absl::Mutex mutex_;
  std::unordered_map<std::string, int64_t, StringViewHash, std::equal_to<>> sizes_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_COLLECTION_SIZES_H_
