// Address space of the system's own, apart from what malloc keeps.
#ifndef DYNOLITH_ENGINE_PROCESS_ADDRESS_SPACE_H_
#define DYNOLITH_ENGINE_PROCESS_ADDRESS_SPACE_H_

#include <cstddef>

namespace dynolith {

// Costs no memory as long as nobody touches it. nullptr: there is none left, or the system would
// not have the memory.
void* TakeAddressSpace(size_t bytes);
// All that was taken by one call.
void ReturnAddressSpace(void* begin, size_t bytes);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_ADDRESS_SPACE_H_
