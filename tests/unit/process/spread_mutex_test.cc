// Whoever holds it exclusively is alone, and threads that are there at the same time have shares of
// their own.
#include "engine/process/spread_mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <thread>
#include <vector>

#include "engine/process/thread_share.h"

namespace dynolith {
namespace {

TEST(SpreadMutex, AWriterIsAlone) {
  constexpr int kRounds = 2'000;
  SpreadMutex mutex;
  int written = 0;
  std::atomic<int> readers = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, writes = i < 2] {
      for (int round = 0; round < kRounds; ++round) {
        if (writes) {
          const SpreadMutex::WriteScope scope(&mutex);
          EXPECT_EQ(readers, 0);
          ++written;
        } else {
          const SpreadMutex::ReadScope scope(&mutex);
          ++readers;
          const int before = written;
          EXPECT_EQ(written, before);
          --readers;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(written, 2 * kRounds);
}

TEST(ThreadShare, AFewThreadsHaveOneEach) {
  // Whichever have gone before.
  for (int i = 0; i < 5; ++i) std::thread([] { ThreadShare::Mine(); }).join();
  std::set<size_t> shares = {ThreadShare::Mine()};
  // One after the other, as two that ask at once may get the same.
  std::vector<std::thread> threads;
  std::latch end(1);
  for (size_t i = 1; i < kThreadShares; ++i) {
    std::latch has_asked(1);
    threads.emplace_back([&] {
      shares.insert(ThreadShare::Mine());
      has_asked.count_down();
      end.wait();
    });
    has_asked.wait();
  }
  end.count_down();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shares.size(), kThreadShares);
}

}  // namespace
}  // namespace dynolith
