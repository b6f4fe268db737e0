// One number for memory, divided among the parts that grow with use.
//
//   1/4   memtables of all families: rows that are not in table files yet
//   3/8   blocks, indexes and filters of table files
//   1/8   cached items
//   1/8   requests that are being received; one of the largest size is always accepted, beside 2 MB
//         of heads and idle connections
//   1/8   uncounted: cursors, compactions, the allocator's overhead
//
// A part that is set explicitly has that size, and the blocks get the rest.
#ifndef DYNOLITH_ENGINE_PROCESS_MEMORY_BUDGET_H_
#define DYNOLITH_ENGINE_PROCESS_MEMORY_BUDGET_H_

#include <cstddef>
#include <optional>

#include "absl/status/statusor.h"

namespace dynolith {

// Explicitly set parts.
struct MemoryParts {
  std::optional<size_t> write_buffer_bytes;  // of one memtable
  std::optional<size_t> block_cache_bytes;
  std::optional<size_t> item_cache_bytes;
};

struct MemoryShares {
  size_t write_buffer_bytes = 0;  // of one memtable
  size_t memtables_bytes = 0;     // of all
  size_t block_cache_bytes = 0;
  size_t item_cache_bytes = 0;
  size_t request_bytes = 0;
};

// kInvalidArgument if the budget is below kMemoryBudgetBytesMin, or too small for the parts: the
// text names a sufficient one.
absl::StatusOr<MemoryShares> DivideMemory(size_t budget_bytes, const MemoryParts& parts);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_MEMORY_BUDGET_H_
