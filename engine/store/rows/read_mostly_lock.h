// A lock for many short reads, which do not contend, and some writes.
#ifndef DYNOLITH_ENGINE_STORE_ROWS_READ_MOSTLY_LOCK_H_
#define DYNOLITH_ENGINE_STORE_ROWS_READ_MOSTLY_LOCK_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "engine/process/thread_share.h"
#include "engine/store/rows/wait.h"

namespace dynolith {

// Each thread reads under one of several words. A writer closes one gate for all, and waits until
// no word has a reader. So readers do not contend with each other, and successive writers pass on
// one cache line, not one for each word. Not absl::Mutex: its waiters would need longer to wake up
// than the lock is held.
class ReadMostlyLock {
 public:
  class ReadScope {
   public:
    explicit ReadScope(const ReadMostlyLock& lock)
        : readers_(lock.readers_[ThreadShare::Mine()].value) {
      // Sequentially consistent, as are a writer's: of a reader and a writer that arrive at once at
      // least one sees the other.
      while (readers_.fetch_add(1), lock.gate_.value.load() != kOpen) {
        readers_.fetch_sub(1, std::memory_order_release);
        AwaitOpen(lock);
      }
    }
    ~ReadScope() { readers_.fetch_sub(1, std::memory_order_release); }
    ReadScope(const ReadScope&) = delete;
    ReadScope& operator=(const ReadScope&) = delete;

   private:
    std::atomic<uint32_t>& readers_;
  };

  class WriteScope {
   public:
    explicit WriteScope(const ReadMostlyLock& lock) : lock_(lock) {
      while (lock_.gate_.value.exchange(kClosed) != kOpen) AwaitOpen(lock_);
      for (const Word& readers : lock_.readers_) {
        SpinWait wait;
        while (readers.value.load() != 0) wait.More();
      }
      ++lock_.gate_.writes;
    }
    ~WriteScope() { lock_.gate_.value.store(kOpen, std::memory_order_release); }
    WriteScope(const WriteScope&) = delete;
    WriteScope& operator=(const WriteScope&) = delete;

   private:
    const ReadMostlyLock& lock_;
  };

  // The number of WriteScopes so far, including this one. Requires: a scope.
  uint64_t writes() const { return gate_.writes; }

 private:
  static constexpr uint32_t kOpen = 0;
  static constexpr uint32_t kClosed = 1;
  struct alignas(kCacheLineBytes) Word {
    std::atomic<uint32_t> value = 0;
  };

  // In one cache line: a writer has it anyway.
  struct alignas(kCacheLineBytes) Gate {
    std::atomic<uint32_t> value = kOpen;
    uint64_t writes = 0;
  };

  static void AwaitOpen(const ReadMostlyLock& lock) {
    SpinWait wait;
    while (lock.gate_.value.load(std::memory_order_relaxed) != kOpen) wait.More();
  }

  mutable std::array<Word, kThreadShares> readers_;
  mutable Gate gate_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROWS_READ_MOSTLY_LOCK_H_
