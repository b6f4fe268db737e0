// Counts what a test program allocates, and refuses it on demand. This replaces operator new of the
// whole program, of which any number of files may include it.
#ifndef DYNOLITH_TESTS_UNIT_ALLOCATION_COUNTER_H_
#define DYNOLITH_TESTS_UNIT_ALLOCATION_COUNTER_H_

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

// Of the calling thread.
inline constinit thread_local int thread_allocations = 0;
// What it has taken and not given back: above what it holds if another thread gives that back, and
// below zero if it gives back what others took.
inline constinit thread_local int64_t thread_held_bytes = 0;
// So often more it gets memory; below zero: always.
inline constinit thread_local int thread_allocations_left = -1;
// The same of all threads together that a test does not spare.
inline constinit std::atomic<int> shared_allocations_left = -1;
inline constinit thread_local bool is_thread_spared = false;
// Allocations while this is true get memory; nullptr: none more than others.
inline constinit std::atomic<bool (*)()> is_allocation_spared = nullptr;

inline int64_t BytesOfAllocation(void* memory) {
  return static_cast<int64_t>(malloc_usable_size(memory));
}

inline void* Counted(void* memory) {
  ++thread_allocations;
  if (memory != nullptr) thread_held_bytes += BytesOfAllocation(memory);
  return memory;
}
inline bool IsRefused() {
  if (bool (*const is_spared)() = is_allocation_spared; is_spared != nullptr && is_spared()) {
    return false;
  }
  if (thread_allocations_left == 0) return true;
  if (thread_allocations_left > 0) --thread_allocations_left;
  if (is_thread_spared) return false;
  int left = shared_allocations_left;
  while (left > 0 && !shared_allocations_left.compare_exchange_weak(left, left - 1)) {
  }
  return left == 0;
}
inline void FreeCounted(void* memory) {
  if (memory != nullptr) thread_held_bytes -= BytesOfAllocation(memory);
  std::free(memory);
}

// Weak: one of each is that of the program. Inlined, new would pair with free in the compiler's
// eyes.
[[gnu::noinline, gnu::weak]] void* operator new(size_t bytes) {
  if (IsRefused()) throw std::bad_alloc();
  for (;;) {
    if (void* memory = Counted(std::malloc(bytes))) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
// What std::stable_sort and simdjson ask for; a sanitizer's own would not pair with the free below.
[[gnu::noinline, gnu::weak]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return IsRefused() ? nullptr : Counted(std::malloc(bytes));
}
[[gnu::noinline, gnu::weak]] void operator delete(void* memory) noexcept { FreeCounted(memory); }
[[gnu::noinline, gnu::weak]] void operator delete(void* memory, size_t) noexcept {
  FreeCounted(memory);
}
// What has a cache line to itself.
[[gnu::noinline, gnu::weak]] void* operator new(size_t bytes, std::align_val_t alignment) {
  const size_t unit = static_cast<size_t>(alignment);
  void* const memory =
      IsRefused() ? nullptr : Counted(std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit));
  return memory != nullptr ? memory : throw std::bad_alloc();
}
[[gnu::noinline, gnu::weak]] void operator delete(void* memory, std::align_val_t) noexcept {
  FreeCounted(memory);
}
[[gnu::noinline, gnu::weak]] void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  FreeCounted(memory);
}
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Arrays: those of the standard library call the ones above, a sanitizer's do not and would not be
// refused. They are not counted, as some classes of others take arrays only where they are watched.
[[gnu::noinline, gnu::weak]] void* operator new[](size_t bytes) {
  void* const memory = IsRefused() ? nullptr : std::malloc(bytes);
  return memory != nullptr ? memory : throw std::bad_alloc();
}
[[gnu::noinline, gnu::weak]] void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return IsRefused() ? nullptr : std::malloc(bytes);
}
[[gnu::noinline, gnu::weak]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline, gnu::weak]] void operator delete[](void* memory, size_t) noexcept {
  std::free(memory);
}
#endif

// As long as one lives all threads but this one have so many allocations left.
class OthersHave {
 public:
  explicit OthersHave(int allocations) {
    is_thread_spared = true;
    shared_allocations_left = allocations;
  }
  ~OthersHave() {
    shared_allocations_left = -1;
    is_thread_spared = false;
  }
  OthersHave(const OthersHave&) = delete;
  OthersHave& operator=(const OthersHave&) = delete;
  static bool HaveNone() { return shared_allocations_left == 0; }
};

#endif  // DYNOLITH_TESTS_UNIT_ALLOCATION_COUNTER_H_
