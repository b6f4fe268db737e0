// Who waits for running calls waits for each that may have missed what was said before.
#include "tools/server/handover/running_calls.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace dynolith::handover {
namespace {

TEST(RunningCalls, WaitsForThoseThatHaveMissedIt) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  RunningCalls calls;
  std::atomic<int> said = 0;
  std::atomic<bool> is_over = false;
  std::atomic<int> late = 0;
  std::atomic<int> ended_round = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      while (!is_over) {
        const RunningCalls::Call call(&calls);
        const int seen = said;
        // One that has seen an old round may not be running when that round's end is awaited.
        if (ended_round > seen) ++late;
      }
    });
  }
  for (int round = 1; round <= kRounds; ++round) {
    said = round;
    calls.AwaitThoseBefore();
    ended_round = round;
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(late, 0);
}

}  // namespace
}  // namespace dynolith::handover
