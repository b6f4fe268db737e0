#include "engine/store/ticker_counts.h"

namespace dynolith {

uint64_t TickerCounts::getTickerCount(uint32_t ticker) const {
  const size_t counter = CounterForTicker(ticker);
  if (counter == kCounters) return 0;
  uint64_t count = 0;
  for (const Share& share : shares_) count += share.counts[counter].load(std::memory_order_relaxed);
  return count;
}

TickerCounts::Share& TickerCounts::Mine() {
  // Threads have their variables at different addresses, whose middle bits the product mixes.
  thread_local const char here = 0;
  constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  const uint64_t mixed = reinterpret_cast<uintptr_t>(&here) * kGoldenRatio;
  return shares_[(mixed >> 32) % kShares];
}

}  // namespace dynolith
