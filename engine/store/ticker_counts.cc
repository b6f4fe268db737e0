#include "engine/store/ticker_counts.h"

namespace dynolith {

uint64_t TickerCounts::getTickerCount(uint32_t ticker) const {
  const size_t counter = CounterOf(ticker);
  if (counter == kCounters) return 0;
  uint64_t count = 0;
  for (const Share& share : shares_) count += share.counts[counter].load(std::memory_order_relaxed);
  return count;
}

TickerCounts::Share& TickerCounts::Mine() {
  static std::atomic<size_t> threads = 0;
  thread_local const size_t share = threads.fetch_add(1, std::memory_order_relaxed) % kShares;
  return shares_[share];
}

}  // namespace dynolith
