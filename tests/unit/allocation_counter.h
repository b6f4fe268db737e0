// Counts what a test program allocates. This replaces operator new of the whole program, so that
// one file of it includes this.
#ifndef DYNOLITH_TESTS_UNIT_ALLOCATION_COUNTER_H_
#define DYNOLITH_TESTS_UNIT_ALLOCATION_COUNTER_H_

#include <cstdlib>
#include <new>

namespace {
// Of the calling thread.
thread_local int thread_allocations = 0;
}  // namespace

// Inlined, new would pair with free in the compiler's eyes.
[[gnu::noinline]] void* operator new(size_t bytes) {
  ++thread_allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
// What std::stable_sort asks for; a sanitizer's own would not pair with the free below.
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++thread_allocations;
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

#endif  // DYNOLITH_TESTS_UNIT_ALLOCATION_COUNTER_H_
