// Capacity units of reads and writes (api/facts/capacity.md §1).
#ifndef DYNOLITH_ENGINE_PARTITION_CAPACITY_H_
#define DYNOLITH_ENGINE_PARTITION_CAPACITY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/base/limits.h"

namespace dynolith {

enum class ReadMode : uint8_t { kEventual, kStrong, kTransactional };

// Units of one read that covered `bytes` billed bytes: 4 KiB blocks, at least one, times 0.5, 1
// or 2.
inline double ReadUnits(size_t bytes, ReadMode mode) {
  const auto blocks =
      static_cast<double>(std::max<size_t>(1, (bytes + kReadUnitBytes - 1) / kReadUnitBytes));
  return blocks * (mode == ReadMode::kEventual ? 0.5 : mode == ReadMode::kStrong ? 1.0 : 2.0);
}

// Units of one write of `bytes` billed bytes: 1 KiB blocks, at least one; twice that in a
// transaction.
inline double WriteUnits(size_t bytes, bool transactional = false) {
  const auto blocks =
      static_cast<double>(std::max<size_t>(1, (bytes + kWriteUnitBytes - 1) / kWriteUnitBytes));
  return transactional ? 2 * blocks : blocks;
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_CAPACITY_H_
