#include "engine/process/address_space.h"

#include <sys/mman.h>

namespace dynolith {

void* TakeAddressSpace(size_t bytes) {
  void* const begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return begin == MAP_FAILED ? nullptr : begin;
}

void ReturnAddressSpace(void* begin, size_t bytes) { munmap(begin, bytes); }

}  // namespace dynolith
