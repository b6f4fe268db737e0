// A lock for many short reads, which do not meet, and some writes.
#ifndef DYNOLITH_ENGINE_STORE_ROWS_READ_MOSTLY_LOCK_H_
#define DYNOLITH_ENGINE_STORE_ROWS_READ_MOSTLY_LOCK_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace dynolith {

// Each thread reads under one of several words; who writes takes all of them, and whoever comes
// then waits. Not absl::Mutex: what it is held for takes less than waking up a thread.
class ReadMostlyLock {
 public:
  class ReadScope {
   public:
    explicit ReadScope(const ReadMostlyLock& lock) : word_(lock.words_[ThreadWord()].value) {
      Wait wait;
      for (;;) {
        uint32_t readers = word_.load(std::memory_order_relaxed) & ~kWriter;
        if (word_.compare_exchange_weak(readers, readers + 1, std::memory_order_acquire)) return;
        wait.More();
      }
    }
    ~ReadScope() { word_.fetch_sub(1, std::memory_order_release); }
    ReadScope(const ReadScope&) = delete;
    ReadScope& operator=(const ReadScope&) = delete;

   private:
    std::atomic<uint32_t>& word_;
  };

  class WriteScope {
   public:
    explicit WriteScope(const ReadMostlyLock& lock) : lock_(lock) {
      for (Word& word : lock_.words_) {
        Wait wait;
        // Writers meet at the first word.
        while ((word.value.fetch_or(kWriter, std::memory_order_acquire) & kWriter) != 0)
          wait.More();
        while (word.value.load(std::memory_order_acquire) != kWriter) wait.More();
      }
    }
    ~WriteScope() {
      for (Word& word : lock_.words_) word.value.store(0, std::memory_order_release);
    }
    WriteScope(const WriteScope&) = delete;
    WriteScope& operator=(const WriteScope&) = delete;

   private:
    const ReadMostlyLock& lock_;
  };

 private:
  static constexpr size_t kWords = 4;
  // Somebody writes, or waits for readers to be gone. The other bits count them.
  static constexpr uint32_t kWriter = uint32_t{1} << 31;
  struct alignas(64) Word {
    std::atomic<uint32_t> value = 0;
  };

  // For a moment on the processor, then giving it away, then asleep: who is waited for may be doing
  // something long, or not be running.
  class Wait {
   public:
    void More() {
      ++turns_;
      if (turns_ < kTurnsAwake) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      } else if (turns_ < 2 * kTurnsAwake) {
        std::this_thread::yield();
      } else {
        absl::SleepFor(absl::Microseconds(50));
      }
    }

   private:
    static constexpr int kTurnsAwake = 100;
    int turns_ = 0;
  };

  static size_t ThreadWord() {
    static std::atomic<size_t> threads = 0;
    thread_local const size_t word = threads.fetch_add(1, std::memory_order_relaxed) % kWords;
    return word;
  }

  mutable std::array<Word, kWords> words_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROWS_READ_MOSTLY_LOCK_H_
