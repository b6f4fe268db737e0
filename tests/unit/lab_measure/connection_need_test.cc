// How many connections a schedule gets, held against rates times durations that were worked out by
// hand: without a bound, a target at its limit got as many as there may be.
#include "tools/lab/measure/connection_need.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace dynolith {
namespace {

using State = lab::OpenLoop::State;

constexpr int64_t kMilli = 1'000'000;
constexpr int64_t kLook = 50 * kMilli;

// Calls of one look, all of which came late.
State Late(double calls_a_second, int64_t due_a_second, int64_t each, uint64_t together = 1) {
  const double taken = calls_a_second * 0.05;
  return {.elapsed = kLook,
          .taken = static_cast<uint64_t>(taken),
          .span = static_cast<int64_t>(taken / static_cast<double>(due_a_second) * 1e9),
          .late = static_cast<uint64_t>(taken),
          .together = together,
          .answered = static_cast<uint64_t>(taken),
          .in_call = static_cast<int64_t>(taken * static_cast<double>(each))};
}

// Of looks that are told how many connections there are.
template <typename Look>
size_t ConnectionsAfter(int looks, Look look) {
  lab::ConnectionNeed need;
  size_t connections = 4;
  for (int i = 0; i < looks; ++i) connections += need.Missing(look(connections), connections);
  return connections;
}

// 100 a second of 50 ms: 5 at a time on average, and three standard deviations more.
TEST(ConnectionNeed, AsManyAsAreUnderWay) {
  EXPECT_EQ(ConnectionsAfter(100, [](size_t) { return Late(100, 100, 50 * kMilli); }), 13);
}

// 20,000 calls a second are answered, however many ask; 40,000 are due. 4 of them take 0.2 ms, 8
// would take 0.4.
TEST(ConnectionNeed, ATargetAtItsLimitGetsNoMore) {
  const auto look = [](size_t connections) {
    return Late(20'000, 40'000, static_cast<int64_t>(connections) * kMilli / 20);
  };
  EXPECT_EQ(ConnectionsAfter(1'000, look), 29);
}

// A request of ten calls, ten times a second, of 5 ms.
TEST(ConnectionNeed, CallsOfOneRequestAreUnderWayTogether) {
  EXPECT_EQ(ConnectionsAfter(100, [](size_t) { return Late(100, 100, 5 * kMilli, 10); }), 18);
}

TEST(ConnectionNeed, NoneWhereCallsBeginInTime) {
  State state = Late(20'000, 20'000, 50 * kMilli);
  state.late = state.taken / 200;
  EXPECT_EQ(ConnectionsAfter(100, [&](size_t) { return state; }), 4);
}

// Nobody has answered yet: they have been under way since the run began.
TEST(ConnectionNeed, WhatIsNotAnsweredIsUnderWay) {
  const auto look = [](size_t) {
    State state = Late(100, 100, 0);
    state.answered = 0;
    return state;
  };
  EXPECT_GE(ConnectionsAfter(20, look), 100);
}

}  // namespace
}  // namespace dynolith
