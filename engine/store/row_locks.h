// Locks on rows: a fixed number of stripes, always taken in one order, so that no two writers wait
// for each other.
#ifndef DYNOLITH_ENGINE_STORE_ROW_LOCKS_H_
#define DYNOLITH_ENGINE_STORE_ROW_LOCKS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/inlined_vector.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"

namespace dynolith {

class RowLocks {
  using StripeList = absl::InlinedVector<uint32_t, 4>;

 public:
  // The number is rounded up to a power of two.
  explicit RowLocks(size_t stripes = 4096);
  ~RowLocks();
  RowLocks(const RowLocks&) = delete;
  RowLocks& operator=(const RowLocks&) = delete;

  // Holds the stripes of some rows until destroyed.
  class Guard {
   public:
    Guard() = default;
    Guard(Guard&& other) noexcept;
    Guard& operator=(Guard&& other) noexcept;
    ~Guard();

   private:
    friend class RowLocks;
    void Release() ABSL_NO_THREAD_SAFETY_ANALYSIS;
    RowLocks* locks_ = nullptr;
    StripeList stripes_;  // ascending, distinct
  };

  Guard Lock(std::string_view row_key) { return Lock(absl::MakeConstSpan(&row_key, 1)); }
  // Locks all rows. Rows that share a stripe are locked once. The keys determine the mutexes, so
  // clang cannot follow it, as below.
  Guard Lock(absl::Span<const std::string_view> row_keys) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  // Nothing held and false when any stripe is held by someone else.
  bool TryLock(absl::Span<const std::string_view> row_keys,
               Guard* guard) ABSL_NO_THREAD_SAFETY_ANALYSIS;

 private:
  uint32_t FindStripe(std::string_view row_key) const;
  void FindStripes(absl::Span<const std::string_view> row_keys, StripeList* stripes) const;
  struct alignas(64) Stripe {
    absl::Mutex mutex;
  };
  static constexpr size_t kStripesOfBlock = 16;
  using Block = std::array<Stripe, kStripesOfBlock>;

  absl::Mutex& StripeMutex(uint32_t stripe) {
    std::atomic<Block*>& block = blocks_[stripe / kStripesOfBlock];
    Block* made = block.load(std::memory_order_acquire);
    if (made == nullptr) made = Make(&block);
    return (*made)[stripe % kStripesOfBlock].mutex;
  }
  static Block* Make(std::atomic<Block*>* block);

  // Each is made when one of its rows is locked for the first time: all of them take 256 KB, and of
  // thousands of databases in one process most have few rows.
  std::vector<std::atomic<Block*>> blocks_;
  uint32_t mask_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROW_LOCKS_H_
