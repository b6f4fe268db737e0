#include "engine/process/address_space.h"

#include <windows.h>

namespace dynolith {

// Committed, since that is what ends here.
void* TakeAddressSpace(size_t bytes) {
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void ReturnAddressSpace(void* begin, size_t /*bytes*/) { VirtualFree(begin, 0, MEM_RELEASE); }

}  // namespace dynolith
