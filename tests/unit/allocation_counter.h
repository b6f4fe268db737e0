// Counts what a test program allocates, and refuses it on demand. This replaces operator new of the
// whole program, so that one file of it includes this.
#ifndef DYNOLITH_TESTS_UNIT_ALLOCATION_COUNTER_H_
#define DYNOLITH_TESTS_UNIT_ALLOCATION_COUNTER_H_

#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {
// Of the calling thread.
thread_local int thread_allocations = 0;
// What it has taken and not given back: above what it holds if another thread gives that back, and
// below zero if it gives back what others took.
[[maybe_unused]] thread_local int64_t thread_held_bytes = 0;
// So often more it gets memory; below zero: always.
[[maybe_unused]] thread_local int thread_allocations_left = -1;

int64_t BytesOf(void* memory) { return static_cast<int64_t>(malloc_usable_size(memory)); }

void* Counted(void* memory) {
  ++thread_allocations;
  if (memory != nullptr) thread_held_bytes += BytesOf(memory);
  return memory;
}
void FreeCounted(void* memory) {
  if (memory != nullptr) thread_held_bytes -= BytesOf(memory);
  std::free(memory);
}
}  // namespace

// Inlined, new would pair with free in the compiler's eyes.
[[gnu::noinline]] void* operator new(size_t bytes) {
  if (thread_allocations_left == 0) throw std::bad_alloc();
  if (thread_allocations_left > 0) --thread_allocations_left;
  if (void* memory = Counted(std::malloc(bytes))) return memory;
  throw std::bad_alloc();
}
// What std::stable_sort asks for; a sanitizer's own would not pair with the free below.
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return Counted(std::malloc(bytes));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { FreeCounted(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { FreeCounted(memory); }

#endif  // DYNOLITH_TESTS_UNIT_ALLOCATION_COUNTER_H_
