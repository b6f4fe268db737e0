// One number for memory, divided among what grows with its use.
//
//   1/4   memtables of all families: what is not yet in table files
//   3/8   blocks, indexes and filters of table files
//   1/8   items that are read again and again
//   1/8   requests that are being received; one of the largest size is taken in any case,
//         beside 2 MB of heads and idle connections
//   1/8   stays free for what is not counted: cursors, compactions, what the allocator keeps
//
// A part that is given by itself is as large as it says, and the blocks have what is left.
#ifndef DYNOLITH_ENGINE_BASE_MEMORY_BUDGET_H_
#define DYNOLITH_ENGINE_BASE_MEMORY_BUDGET_H_

#include <cstddef>
#include <optional>

#include "absl/status/statusor.h"

namespace dynolith {

// Parts that are given by themselves.
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
// text says which one would do.
absl::StatusOr<MemoryShares> DivideMemory(size_t budget_bytes, const MemoryParts& parts);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_MEMORY_BUDGET_H_
