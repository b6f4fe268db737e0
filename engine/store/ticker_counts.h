// Counts the few RocksDB events that are reported. RocksDB's own statistics count all of them, at
// the price of some percent of a read. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_TICKER_COUNTS_H_
#define DYNOLITH_ENGINE_STORE_TICKER_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "rocksdb/statistics.h"

namespace dynolith {

// Thread-safe. Each counter is spread over several cache lines, so that threads do not wait for
// each other's.
class TickerCounts final : public rocksdb::Statistics {
 public:
  TickerCounts() { set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers); }

  const char* Name() const override { return "dynolith.TickerCounts"; }

  // 0 for events that are not counted.
  uint64_t getTickerCount(uint32_t ticker) const override;
  void recordTick(uint32_t ticker, uint64_t count) override {
    if (const size_t counter = CounterForTicker(ticker); counter < kCounters) {
      Mine().counts[counter].fetch_add(count, std::memory_order_relaxed);
    }
  }

  // Unused, and there are no histograms.
  void setTickerCount(uint32_t, uint64_t) override {}
  uint64_t getAndResetTickerCount(uint32_t) override { return 0; }
  void histogramData(uint32_t, rocksdb::HistogramData*) const override {}
  void recordInHistogram(uint32_t, uint64_t) override {}
  bool HistEnabledForType(uint32_t) const override { return false; }

 private:
  static constexpr size_t kCounters = 5;
  static constexpr size_t kShares = 16;
  struct alignas(64) Share {
    std::array<std::atomic<uint64_t>, kCounters> counts = {};
  };

  static size_t CounterForTicker(uint32_t ticker) {
    switch (ticker) {
      case rocksdb::BLOCK_CACHE_HIT:
        return 0;
      case rocksdb::BLOCK_CACHE_MISS:
        return 1;
      case rocksdb::STALL_MICROS:
        return 2;
      // Not RocksDB's row cache, which nobody uses, but ours (rows/row_cache.h).
      case rocksdb::ROW_CACHE_HIT:
        return 3;
      case rocksdb::ROW_CACHE_MISS:
        return 4;
      default:
        return kCounters;
    }
  }
  // The calling thread's share.
  Share& Mine();

  std::array<Share, kShares> shares_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TICKER_COUNTS_H_
