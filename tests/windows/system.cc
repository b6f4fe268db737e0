// What the rooms have of their own for Windows, apart from the library: waits, files with names in
// UTF-8, machine and clocks.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/file_text.h"
#include "engine/base/holds_bytes.h"
#include "engine/process/memory_reserve.h"
#include "engine/process/processors.h"
#include "engine/process/resource_limits.h"
#include "engine/process/sleeper.h"

namespace dynolith {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

#define REQUIRE(condition) Require((condition), #condition, __LINE__)

void Require(bool holds, const char* what, int line) {
  if (holds) return;
  std::fprintf(stderr, "system.cc:%d: not so: %s\n", line, what);
  std::exit(1);
}

void Waits() {
  Sleeper early;
  early.Wake();
  early.Sleep();
  const steady_clock::time_point start = steady_clock::now();
  REQUIRE(!early.SleepUntil(start + milliseconds(30)));
  REQUIRE(steady_clock::now() - start >= milliseconds(30));
  REQUIRE(!early.SleepUntil(start));
  constexpr int kTurns = 2000;
  Sleeper there;
  Sleeper back;
  std::thread other([&] {
    for (int i = 0; i < kTurns; ++i) {
      there.Sleep();
      back.Wake();
    }
  });
  for (int i = 0; i < kTurns; ++i) {
    there.Wake();
    REQUIRE(back.SleepUntil(steady_clock::now() + std::chrono::seconds(60)));
  }
  other.join();
}

void ReachesMilestones() {
  Milestone milestone;
  std::atomic<int> arrived = 0;
  std::thread threads[8];
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      milestone.Await(3);
      ++arrived;
    });
  }
  milestone.Reach(2);
  milestone.WakeAll();
  std::this_thread::sleep_for(milliseconds(20));
  REQUIRE(arrived == 0);
  milestone.Reach(3);
  milestone.WakeAll();
  for (std::thread& thread : threads) thread.join();
  REQUIRE(arrived == 8);
}

void KeepsFiles() {
  const std::string name = "f\u00fcr \u6771\u4eac \U0001F9EA.txt";
  REQUIRE(!MayBeThere(name));
  REQUIRE(ReadFileText(name).error == ENOENT);
  REQUIRE(ReplaceFileText(name, "one") == 0);
  REQUIRE(MayBeThere(name) && !MayBeThere(name + ".new"));
  // Over a file that somebody reads.
  const std::string text(3 << 20, 'x');
  REQUIRE(ReplaceFileText(name, text) == 0);
  REQUIRE(ReadFileText(name).text == text);
  REQUIRE(ReadFileText(name, 10).error == EFBIG);
  REQUIRE(ReplaceFileText("missing\\" + name, "x") == ENOENT);
}

void HoldsWhatStringsFind() {
  uint32_t random = 7;
  for (int i = 0; i < 20000; ++i) {
    std::string texts[2];
    for (std::string& text : texts) {
      random = random * 1664525 + 1013904223;
      const size_t bytes = (random >> 20) % (&text == texts ? 40 : 6);
      for (size_t at = 0; at < bytes; ++at) {
        random = random * 1664525 + 1013904223;
        text.push_back("ab\0"[(random >> 24) % 3]);
      }
    }
    REQUIRE(HoldsBytes(texts[0], texts[1]) == (texts[0].find(texts[1]) != std::string::npos));
  }
  const std::string many(404'000, 'a');
  const steady_clock::time_point start = steady_clock::now();
  REQUIRE(!HoldsBytes(many, std::string(200'000, 'a') + "b"));
  REQUIRE(steady_clock::now() - start < std::chrono::seconds(5));
}

void KnowsTheMachine() {
  REQUIRE(UsableProcessors() >= 1);
  REQUIRE(MemoryLimit() > 64 << 20);
  MemoryReserve::Keep();
  REQUIRE(MemoryReserve::IsThere());
  // 2026 and later, and before 2100.
  const absl::Time now = SystemClock().Now();
  REQUIRE(now > absl::FromUnixSeconds(1'780'000'000) && now < absl::FromUnixSeconds(4'102'444'800));
  REQUIRE(now - SystemClock().RecentNow() < absl::Seconds(1));
}

}  // namespace
}  // namespace dynolith

int main() {
  dynolith::Waits();
  dynolith::ReachesMilestones();
  dynolith::KeepsFiles();
  dynolith::HoldsWhatStringsFind();
  dynolith::KnowsTheMachine();
  std::puts("ok");
  return 0;
}
