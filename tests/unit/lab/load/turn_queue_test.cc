// A calendar queue gives the turns of a heap, whatever the gaps between them: those of few and of
// many, at the same moment, on the open page, behind all pages.
#include "tools/lab/load/turn_queue.h"

#include <cstdint>
#include <queue>
#include <vector>

#include "gtest/gtest.h"
#include "tools/lab/load/key_generator.h"

namespace dynolith::lab {
namespace {

struct LaterTurn {
  bool operator()(const Turn& left, const Turn& right) const { return right < left; }
};

// Takes so many turns, of so many who wait on average `gap`, but sometimes not at all or very long.
void ExpectOrder(uint32_t many, double gap, uint64_t seed) {
  std::priority_queue<Turn, std::vector<Turn>, LaterTurn> expected;
  std::vector<Turn> first;
  for (uint32_t who = 0; who < many; ++who) {
    first.push_back({static_cast<Micros>(NextPart(&seed) * gap), who, 0});
    expected.push(first.back());
  }
  TurnQueue queue(first, gap);
  for (int i = 0; i < 20'000; ++i) {
    const Turn turn = queue.next();
    const Turn& wanted = expected.top();
    ASSERT_EQ(turn.at, wanted.at) << many << " " << gap << " " << i;
    ASSERT_EQ(turn.who, wanted.who) << many << " " << gap << " " << i;
    ASSERT_EQ(turn.what, wanted.what) << many << " " << gap << " " << i;
    const Turn* const ahead = queue.Ahead(3);
    ASSERT_FALSE(ahead != nullptr && *ahead < turn);
    const uint64_t lot = NextBelow(&seed, 100);
    const double wait = lot < 10 ? 0 : lot < 12 ? 50 * gap : 2 * NextPart(&seed) * gap;
    const Turn next = {turn.at + static_cast<Micros>(wait), turn.who, turn.what + 1};
    expected.pop();
    expected.push(next);
    queue.Replace(next);
  }
}

TEST(TurnQueueTest, GivesTheTurnsOfAHeap) {
  for (const uint32_t many : {1U, 2U, 300U, 5'000U}) {
    for (const double gap : {0.0, 0.5, 3.0, 1e3, 1e9}) ExpectOrder(many, gap, many + 7);
  }
}

TEST(TurnQueueTest, AllAtOnce) {
  std::vector<Turn> turns;
  for (uint32_t who = 0; who < 10'000; ++who) turns.push_back({5, 9'999 - who, 0});
  TurnQueue queue(turns, 1'000);
  for (Micros round = 0; round < 3; ++round) {
    for (uint32_t who = 0; who < 10'000; ++who) {
      ASSERT_EQ(queue.next().at, 5 + round * 1'000);
      ASSERT_EQ(queue.next().who, who);
      queue.Replace({queue.next().at + 1'000, who, 0});
    }
  }
}

}  // namespace
}  // namespace dynolith::lab
