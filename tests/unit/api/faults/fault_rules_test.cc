// What rules say of a call: a test that relies on a fault at the third call needs it there each
// time, and no later.
#include "api/faults/fault_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/limits.h"

namespace dynolith::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FaultRulesTest : public ::testing::Test {
 protected:
  int64_t Add(const FaultRule& rule) {
    const auto id = rules_.Add(rule);
    EXPECT_TRUE(id.ok()) << id.status();
    return id.value_or(0);
  }
  std::string Refusal(const FaultRule& rule) {
    return std::string(rules_.Add(rule).status().message());
  }
  FaultDecision Put(std::string_view artist, std::string_view table = "songs") {
    const Item item = {{"artist", Value::S(artist)}, {"title", Value::S("t")}};
    FaultCall call{.operation = "PutItem", .kind = CallKind::kWrite, .writes = true};
    call.elements.push_back({.table = std::string(table), .item = item.view()});
    return rules_.Decide(call);
  }
  // The numbers, from 1, of those of `calls` puts that are hit.
  std::vector<int> HitCalls(int calls) {
    std::vector<int> hits;
    for (int i = 1; i <= calls; ++i) {
      if (Put("Ray").fault) hits.push_back(i);
    }
    return hits;
  }
  // Positions of the keys of a batch of `count` that are struck.
  std::vector<size_t> StruckElements(int count) {
    std::vector<Item> keys;
    for (int i = 0; i < count; ++i) keys.push_back({{"artist", Value::N(i)}});
    FaultCall call{.operation = "BatchGetItem", .kind = CallKind::kBatch};
    for (const Item& key : keys) call.elements.push_back({.table = "songs", .item = key.view()});
    return rules_.Decide(call).struck;
  }

  ManualClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  FaultRules rules_{&clock_};
};

TEST_F(FaultRulesTest, NothingHappensWithoutRules) {
  EXPECT_FALSE(rules_.any());
  EXPECT_FALSE(Put("Ray").fault);
  EXPECT_THAT(rules_.List(), IsEmpty());
}

TEST_F(FaultRulesTest, MatchesOperationTableAndKey) {
  Add({.fault = FaultKind::kThrottle,
       .operation = "PutItem",
       .table = "songs",
       .key = {{"artist", Value::S("Ray")}}});
  EXPECT_EQ(Put("Ray").fault, FaultKind::kThrottle);
  EXPECT_FALSE(Put("Ann").fault);
  EXPECT_FALSE(Put("Ray", "albums").fault);
  const Item key = {{"artist", Value::S("Ray")}};
  FaultCall get{.operation = "GetItem"};
  get.elements.push_back({.table = "songs", .item = key.view()});
  EXPECT_FALSE(rules_.Decide(get).fault) << "another operation";
  EXPECT_EQ(rules_.List()[0].matches, 1);
  EXPECT_EQ(rules_.List()[0].hits, 1);
}

TEST_F(FaultRulesTest, RuleOfATableIsNotAboutCallsWithoutOne) {
  Add({.fault = FaultKind::kUnavailable, .table = "songs"});
  EXPECT_FALSE(rules_.Decide({.operation = "ListTables"}).fault);
  rules_.RemoveAll();
  Add({.fault = FaultKind::kUnavailable});
  EXPECT_EQ(rules_.Decide({.operation = "ListTables"}).fault, FaultKind::kUnavailable);
}

TEST_F(FaultRulesTest, OnlyTheNthCall) {
  Add({.fault = FaultKind::kInternalError, .nth = 3});
  EXPECT_THAT(HitCalls(10), ElementsAre(3));
  EXPECT_FALSE(rules_.any()) << "there is no other third call";
  EXPECT_TRUE(rules_.List()[0].expired);
  EXPECT_EQ(rules_.List()[0].matches, 3);
}

TEST_F(FaultRulesTest, ExpiresAfterHits) {
  const int64_t id = Add({.fault = FaultKind::kInternalError, .hits_max = 2});
  EXPECT_THAT(HitCalls(10), ElementsAre(1, 2));
  EXPECT_FALSE(rules_.any());
  const std::vector<FaultReport> reports = rules_.List();
  ASSERT_EQ(reports.size(), 1u) << "what it did can still be seen";
  EXPECT_EQ(reports[0].id, id);
  EXPECT_EQ(reports[0].hits, 2);
  EXPECT_TRUE(reports[0].expired);
}

TEST_F(FaultRulesTest, ExpiresByTheClock) {
  Add({.fault = FaultKind::kInternalError, .lifetime = absl::Minutes(1)});
  clock_.Advance(absl::Seconds(59));
  EXPECT_TRUE(Put("Ray").fault);
  EXPECT_EQ(rules_.List()[0].expires, absl::FromUnixSeconds(1'700'000'060));
  clock_.Advance(absl::Seconds(1));
  EXPECT_FALSE(Put("Ray").fault);
  EXPECT_FALSE(rules_.any());
  EXPECT_EQ(rules_.List()[0].hits, 1);
}

// Why: who finds a bug with a seed wants to find it again.
TEST_F(FaultRulesTest, SameSeedSameFaults) {
  const FaultRule rule = {.fault = FaultKind::kThrottle, .probability = 0.5, .seed = 7};
  Add(rule);
  const std::vector<int> first = HitCalls(200);
  EXPECT_GT(first.size(), 60u);
  EXPECT_LT(first.size(), 140u);
  rules_.RemoveAll();
  Add(rule);
  EXPECT_EQ(HitCalls(200), first);
  rules_.RemoveAll();
  FaultRule other = rule;
  other.seed = 8;
  Add(other);
  EXPECT_NE(HitCalls(200), first);
}

TEST_F(FaultRulesTest, ShareOfABatchByTheSeed) {
  const FaultRule rule = {.fault = FaultKind::kPartialBatch, .seed = 3, .share = 0.5};
  Add(rule);
  const std::vector<size_t> first = StruckElements(100);
  const std::vector<size_t> second = StruckElements(100);
  EXPECT_GT(first.size(), 25u);
  EXPECT_LT(first.size(), 75u);
  EXPECT_NE(first, second) << "another call has other luck";
  rules_.RemoveAll();
  Add(rule);
  StruckElements(1);
  EXPECT_EQ(StruckElements(100), second) << "whatever the calls before held";
}

TEST_F(FaultRulesTest, FirstThatHitsIsTheLastAsked) {
  Add({.fault = FaultKind::kLatency, .latency = absl::Milliseconds(30)});
  Add({.fault = FaultKind::kThrottle, .nth = 2});
  Add({.fault = FaultKind::kUnavailable});
  Add({.fault = FaultKind::kLatency, .latency = absl::Milliseconds(40)});
  EXPECT_EQ(Put("Ray").fault, FaultKind::kUnavailable);
  const FaultDecision second = Put("Ray");
  EXPECT_EQ(second.fault, FaultKind::kThrottle);
  EXPECT_EQ(second.rule, 2);
  EXPECT_EQ(second.latency, absl::Milliseconds(30)) << "the fourth was not asked";
  EXPECT_EQ(rules_.List()[2].matches, 1);
}

TEST_F(FaultRulesTest, ConflictsOnlyWhereThereCanBeSome) {
  Add({.fault = FaultKind::kTransactionConflict});
  FaultCall get{.operation = "GetItem"};
  EXPECT_FALSE(rules_.Decide(get).fault);
  FaultCall select{.operation = "ExecuteStatement", .kind = CallKind::kWrite, .writes = false};
  EXPECT_FALSE(rules_.Decide(select).fault);
  EXPECT_TRUE(Put("Ray").fault);
  FaultCall reads{.operation = "TransactGetItems", .kind = CallKind::kTransaction};
  EXPECT_TRUE(rules_.Decide(reads).fault);
}

TEST_F(FaultRulesTest, Removes) {
  Add({.fault = FaultKind::kThrottle});
  const int64_t second = Add({.fault = FaultKind::kThrottle});
  EXPECT_TRUE(rules_.Remove(1));
  EXPECT_FALSE(rules_.Remove(1));
  EXPECT_EQ(Put("Ray").rule, second);
  EXPECT_TRUE(rules_.Remove(second));
  EXPECT_FALSE(rules_.any());
  EXPECT_EQ(Add({.fault = FaultKind::kThrottle}), 3) << "ids are not used again";
}

TEST_F(FaultRulesTest, RefusesWhatCanNeverHappen) {
  EXPECT_THAT(Refusal({.operation = "DropItem"}), HasSubstr("DropItem"));
  EXPECT_THAT(Refusal({.fault = FaultKind::kPartialBatch, .operation = "PutItem"}),
              HasSubstr("PutItem cannot have the fault partial_batch"));
  EXPECT_THAT(Refusal({.fault = FaultKind::kTransactionConflict, .operation = "Query"}),
              HasSubstr("transaction_conflict"));
  EXPECT_THAT(Refusal({.nth = -1}), HasSubstr("\"nth\""));
  EXPECT_THAT(Refusal({.probability = 0}), HasSubstr("\"probability\""));
  EXPECT_THAT(Refusal({.share = 0.5}), HasSubstr("partial_batch only"));
  EXPECT_THAT(Refusal({.latency = absl::Seconds(1)}), HasSubstr("latency only"));
  EXPECT_THAT(Refusal({.fault = FaultKind::kLatency}), HasSubstr("\"latency\""));
  EXPECT_THAT(Refusal({.fault = FaultKind::kLatency, .latency = absl::Hours(1)}),
              HasSubstr("15 minutes"));
  EXPECT_THAT(Refusal({.hits_max = -1}), HasSubstr("\"hits_max\""));
  EXPECT_THAT(Refusal({.lifetime = absl::ZeroDuration()}), HasSubstr("\"lifetime\""));
  EXPECT_THAT(rules_.List(), IsEmpty());
}

TEST_F(FaultRulesTest, ForgetsTheOldestExpiredOnesAndNoOther) {
  for (size_t i = 0; i < kFaultRulesMax; ++i) {
    Add({.fault = FaultKind::kThrottle, .table = i < 2 ? "songs" : "none", .hits_max = 1});
  }
  EXPECT_TRUE(absl::IsResourceExhausted(rules_.Add({}).status()));
  Put("Ray");
  EXPECT_EQ(Add({}), static_cast<int64_t>(kFaultRulesMax) + 1);
  EXPECT_EQ(rules_.List()[0].id, 2);
  EXPECT_EQ(rules_.List().size(), kFaultRulesMax);
}

// Why: calls come from many threads, and each hit may be had once.
TEST_F(FaultRulesTest, ThreadsShareTheHits) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 500;
  constexpr int kHits = 300;
  Add({.fault = FaultKind::kThrottle, .probability = 0.5, .seed = 1, .hits_max = kHits});
  std::atomic<int> hits = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < kCalls; ++call) {
        if (rules_.any() && Put("Ray").fault) ++hits;
        if (call % 100 == 0)
          rules_.Remove(
              Add({.fault = FaultKind::kLatency, .table = "none", .latency = absl::Seconds(1)}));
        EXPECT_GE(rules_.List().size(), 1u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(hits, kHits);
  EXPECT_EQ(rules_.List()[0].hits, kHits);
}

}  // namespace
}  // namespace dynolith::testing
