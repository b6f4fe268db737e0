#include "engine/process/memory_budget.h"

#include <algorithm>

#include "engine/base/limits.h"
#include "engine/process/messages.h"

namespace dynolith {
namespace {

constexpr size_t kEighths = 8;
constexpr size_t kEighthsOfMemtables = 2;
// One eighth for requests, and one that stays free.
constexpr size_t kEighthsOfOthers = 2;
// One memtable is being written to while another is flushed; other families have some as well.
constexpr size_t kMemtables = 4;
constexpr size_t kMemtablesMin = 2;
constexpr size_t kMemtableBytesMax = 8 << 20;
constexpr size_t kMegabyte = 1 << 20;
// Memory of request heads and idle connections while one of the largest bodies is received.
constexpr size_t kBesideLargest = 2 << 20;

// Returns the least budget in which the given parts fit, the other parts have their eighths, and
// the block cache at least one.
size_t BudgetForParts(const MemoryParts& parts) {
  const size_t caches = parts.item_cache_bytes.value_or(0) + parts.block_cache_bytes.value_or(0);
  const size_t memtables = kMemtablesMin * parts.write_buffer_bytes.value_or(0);
  const size_t eighths_of_caches = kEighths - kEighthsOfOthers - (parts.item_cache_bytes ? 0 : 1) -
                                   (parts.block_cache_bytes ? 0 : 1);
  const size_t bytes = std::max((caches + memtables) / eighths_of_caches,
                                caches / (eighths_of_caches - kEighthsOfMemtables)) *
                       kEighths;
  return (bytes / kMegabyte + 1) * kMegabyte;
}

}  // namespace

absl::StatusOr<MemoryShares> DivideMemory(size_t budget_bytes, const MemoryParts& parts) {
  const size_t least = std::max(kMemoryBudgetBytesMin, BudgetForParts(parts));
  if (budget_bytes < least) {
    return absl::InvalidArgumentError(messages::MemoryBudgetTooSmall(budget_bytes, least));
  }
  const size_t eighth = budget_bytes / kEighths;
  MemoryShares shares;
  shares.memtables_bytes =
      std::max(kEighthsOfMemtables * eighth, kMemtablesMin * parts.write_buffer_bytes.value_or(0));
  shares.write_buffer_bytes = parts.write_buffer_bytes.value_or(
      std::min(shares.memtables_bytes / kMemtables, kMemtableBytesMax));
  shares.item_cache_bytes = parts.item_cache_bytes.value_or(eighth);
  shares.request_bytes = std::max(eighth, kRequestBytesMax + kBesideLargest);
  shares.block_cache_bytes = parts.block_cache_bytes.value_or(
      budget_bytes - shares.memtables_bytes - shares.item_cache_bytes - kEighthsOfOthers * eighth);
  return shares;
}

}  // namespace dynolith
