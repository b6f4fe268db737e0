// What is done in the background goes on where there was no memory for it for a while: no thread
// ends the process, every piece is done, and each one once.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "engine/base/exceptions.h"
#include "engine/process/background_work.h"
#include "engine/process/thread_start.h"
#include "tests/unit/allocation_counter.h"

namespace dynolith {
namespace {

constexpr absl::Duration kBetweenTries = absl::Milliseconds(1);
constexpr size_t kTextBytes = 100;  // a text of so many bytes takes memory

// With so many allocations for this thread, and as many as it wants afterwards.
void WithAllocations(int allocations, const std::function<void()>& what) {
  thread_allocations_left = allocations;
  what();
  thread_allocations_left = -1;
}

TEST(WithoutMemory, EachAllocationOfAPieceFails) {
  constexpr int kAllocations = 10;
  const NoRoomForThreads no_room;  // it is done here
  for (int allocations = 0; allocations <= kAllocations; ++allocations) {
    BackgroundThreads threads(1);
    int done = 0;
    int left = allocations;
    BackgroundWork work(&threads, [&] {
      thread_allocations_left = std::exchange(left, -1);
      std::vector<std::string> texts;
      texts.reserve(kAllocations - 1);
      while (texts.size() < kAllocations - 1) texts.emplace_back(kTextBytes, 'a');
      ++done;
      return absl::InfiniteDuration();
    });
    work.Wake();
    work.Drain();
    thread_allocations_left = -1;
    const bool had_memory = allocations == kAllocations;
    EXPECT_EQ(done, had_memory ? 1 : 0);
    const absl::Status failure = work.TakeFailure();
    EXPECT_EQ(failure, had_memory ? absl::OkStatus()
                                  : absl::ResourceExhaustedError("there is not enough memory"));
    EXPECT_TRUE(work.TakeFailure().ok());
    work.Wake();
    work.Drain();
    EXPECT_EQ(done, had_memory ? 2 : 1);
  }
}

TEST(WithoutMemory, ItIsTriedAgainByItselfAndOthersGoOn) {
  BackgroundThreads threads(1);
  std::atomic<int> tries = 0;
  std::atomic<bool> is_done = false;
  BackgroundWork unlucky(&threads, [&] {
    ++tries;
    const std::string text(kTextBytes, 'a');
    is_done = !text.empty();
    return absl::InfiniteDuration();
  });
  std::atomic<int> called = 0;
  BackgroundWork other(&threads, [&] {
    ++called;
    return kBetweenTries;
  });
  ASSERT_TRUE(other.Begin(kBetweenTries).ok());
  {
    const OthersHave none(0);
    unlucky.Wake();
    while (tries < 2) absl::SleepFor(kBetweenTries);
    const int then = called;
    while (called < then + 3) absl::SleepFor(kBetweenTries);
    EXPECT_FALSE(is_done);
  }
  while (!is_done) absl::SleepFor(kBetweenTries);
  EXPECT_GT(tries, 2);
}

TEST(WithoutMemory, WhatIsDueTakesNone) {
  BackgroundThreads threads(2);
  std::atomic<int> called = 0;
  const auto counts = [&] {
    ++called;
    return kBetweenTries;
  };
  BackgroundWork one(&threads, counts);
  BackgroundWork other(&threads, counts);
  // Without memory for the first thread nothing is lost but time.
  WithAllocations(0, [&] { one.Wake(); });
  EXPECT_EQ(called, 0);
  ASSERT_TRUE(one.Begin().ok());
  // There is none for another thread.
  const OthersHave none(0);
  WithAllocations(0, [&] { other.Wake(); });
  const int then = called;
  while (called < then + 5) absl::SleepFor(kBetweenTries);
  WithAllocations(0, [&] { other.Stop(); });
}

TEST(WithoutMemory, WhoeverBeginsIsToldAndMayBeginAgain) {
  for (int allocations = 0;; ++allocations) {
    BackgroundThreads threads(1);
    std::atomic<int> called = 0;
    BackgroundWork work(&threads, [&] {
      ++called;
      return absl::InfiniteDuration();
    });
    bool has_begun = true;
    WithAllocations(allocations, [&] {
      try {
        has_begun = work.Begin(absl::ZeroDuration()).ok();
      } catch (const std::bad_alloc&) {
        has_begun = false;
      }
    });
    ASSERT_TRUE(work.Begin(absl::ZeroDuration()).ok());
    work.Drain();
    EXPECT_GE(called, 1);
    if (has_begun) break;
  }
}

TEST(WithoutMemory, WhatWaitsInAQueueIsDoneOnceAndInOrder) {
  for (int allocations = 0; allocations < 6; ++allocations) {
    std::vector<int> done;
    done.reserve(3);
    BackgroundQueue queue;
    std::optional<OthersHave> refusal(-1);
    queue.Do([&] { shared_allocations_left = allocations; });
    for (int i = 0; i < 3; ++i) {
      queue.Do([&done, i] {
        const std::string text(kTextBytes, 'a');
        const std::string another(kTextBytes, 'a');
        done.push_back(i);
      });
    }
    queue.Drain();
    refusal.reset();
    EXPECT_EQ(done.size(), static_cast<size_t>(allocations / 2));
    queue.Do([] {});
    queue.Drain();
    EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
  }
}

TEST(WithoutMemory, OtherExceptionsAreNamed) {
  const NoRoomForThreads no_room;
  BackgroundThreads threads(1);
  BackgroundWork work(&threads, []() -> absl::Duration { throw std::length_error("is too long"); });
  work.Wake();
  work.Drain();
  EXPECT_EQ(work.TakeFailure(), absl::InternalError("is too long"));
}

TEST(WithoutMemory, AStatusWithoutMemoryForItsMessageHasNone) {
  absl::Status status;
  WithAllocations(0,
                  [&] { status = CatchThrown([]() -> absl::Status { throw std::bad_alloc(); }); });
  EXPECT_EQ(status, absl::ResourceExhaustedError(""));
  EXPECT_EQ(CatchThrown([] { return absl::AbortedError("as it is"); }),
            absl::AbortedError("as it is"));
}

}  // namespace
}  // namespace dynolith
