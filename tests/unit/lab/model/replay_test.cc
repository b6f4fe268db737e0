// What a replay asks for, held against traces that were made by hand: when, by which keys, for how
// much, and what of a design it follows; and what is said of experiments that cannot be replayed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tests/unit/lab/traced_orders.h"
#include "tools/lab/experiment/recorded_trace.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/report/result_json.h"
#include "tools/server/trace/trace_format.h"

namespace dynolith {
namespace {

using lab::Experiment;
using lab::RunResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kBegun;
using testing::MakeTraceFile;
using testing::Orders;
using testing::OrdersBlock;
using testing::StoredBytes;
using testing::Write;
using trace::Block;
using trace::Operation;
using trace::Request;

absl::StatusOr<std::vector<Experiment>> Parse(const std::string& text,
                                              const std::string& file = Orders()) {
  return lab::ParseExperiment("test.toml", text, [&](const std::string& path) {
    return path == "orders.trace" ? absl::StatusOr<std::string>(file)
                                  : absl::NotFoundError(ToAbsl(Concat("no ", path)));
  });
}

constexpr std::string_view kReplayHead =
    "[experiment]\nsplits = false\n[replay]\nfile = \"orders.trace\"\n";

RunResult RunOfReplay(std::string_view more) {
  const auto experiments = Parse(Concat(kReplayHead, more));
  EXPECT_TRUE(experiments.ok()) << experiments.status();
  return experiments.ok() ? testing::RunExperiment(experiments->front()) : RunResult();
}

double CountWriteUnits(const RunResult& run, size_t resource) {
  return run.resources[resource].units.write;
}

TEST(Replay, OneUserDoesWhatWasTraced) {
  const RunResult run = RunOfReplay("");
  EXPECT_EQ(run.experiment.duration, 10 * kSecond);
  ASSERT_EQ(run.accesses.size(), 2u);
  EXPECT_EQ(run.accesses[0].name, "PutItem orders");
  EXPECT_EQ(run.accesses[1].name, "Query orders/by-status");
  for (const auto& moment : run.accesses[0].moments) EXPECT_EQ(moment.served, 1u);
  for (const auto& moment : run.accesses[1].moments) EXPECT_EQ(moment.served, 1u);
  ASSERT_EQ(run.resources.size(), 2u);
  EXPECT_EQ(run.resources[0].name, "orders");
  EXPECT_EQ(run.resources[1].name, "orders/by-status");
  EXPECT_EQ(StoredBytes(run, 0), 10 * 100);
  EXPECT_EQ(StoredBytes(run, 1), 10 * (100 + 4 * 4'096));
  EXPECT_EQ(CountWriteUnits(run, 0), 20);
  EXPECT_EQ(CountWriteUnits(run, 1), 10);
  EXPECT_EQ(run.resources[1].units.read, 20);
  EXPECT_EQ(run.resources[1].hottest.front().key, "#7777777777777777");
  EXPECT_EQ(run.resources[1].hottest.size(), 1u);
  EXPECT_EQ(run.resources[0].hottest.size(), 10u);
}

TEST(Replay, TimeIsCompressedAndRoundsRepeat) {
  const RunResult fast = RunOfReplay("speed = 5");
  EXPECT_EQ(fast.experiment.duration, 2 * kSecond);
  ASSERT_EQ(fast.accesses[0].moments.size(), 2u);
  EXPECT_EQ(fast.accesses[0].moments[0].served, 5u);
  EXPECT_EQ(fast.accesses[0].moments[1].served, 5u);
  const RunResult rounds = RunOfReplay("rounds = 3");
  EXPECT_EQ(rounds.experiment.duration, 30 * kSecond);
  for (const auto& moment : rounds.accesses[0].moments) EXPECT_EQ(moment.served, 1u);
}

TEST(Replay, UsersHaveKeysOfTheirOwn) {
  const RunResult own = RunOfReplay("users = 100");
  EXPECT_EQ(CountWriteUnits(own, 0), 2'000);
  // An index key that all users share in truth is each one's own, unless the experiment says so.
  EXPECT_EQ(own.resources[1].hottest.front().units, (PerKind<double>{20, 10}));
  EXPECT_THAT(own.resources[1].hottest.front().key, HasSubstr("#7777777777777777 (user "));
  const RunResult shared = RunOfReplay("users = 100\nshared_keys = [\"orders/by-status\"]");
  ASSERT_EQ(shared.resources[1].hottest.size(), 1u);
  EXPECT_EQ(shared.resources[1].hottest.front().units, (PerKind<double>{2'000, 1'000}));
  EXPECT_EQ(shared.resources[0].hottest.front().units.write, 2);
  const RunResult all = RunOfReplay("users = 100\nshared_keys = true");
  EXPECT_EQ(all.resources[0].hottest.front().units.write, 200);
}

TEST(Replay, UsersBeginWithinTheSpread) {
  const RunResult together = RunOfReplay("users = 50\nspread = 0");
  for (const auto& moment : together.accesses[0].moments) EXPECT_EQ(moment.served, 50u);
  // At any moment of a round some are in the middle of it, and what wraps around goes on.
  const RunResult apart = RunOfReplay("users = 50");
  EXPECT_EQ(apart.accesses[0].total.served, 500u);
  for (const auto& moment : apart.accesses[0].moments) EXPECT_EQ(moment.served, 50u);
}

// 10,000 users of one key are more than a partition can take; one is not.
TEST(Replay, ManyUsersThrottleASharedKey) {
  const RunResult one = RunOfReplay("");
  EXPECT_EQ(one.total().throttled, 0u);
  const RunResult many = RunOfReplay(
      "users = 10_000\nshared_keys = [\"orders/by-status\"]\n"
      "[[table]]\nname = \"orders\"\nwarm = { read = 200_000, write = 100_000 }\n"
      "[[table.index]]\nname = \"by-status\"\nwarm = { read = 200_000, write = 100_000 }");
  EXPECT_EQ(many.resources[0].throttled_by(ThroughputLimit::kKeyRange), 0u);
  EXPECT_GT(many.resources[1].throttled_by(ThroughputLimit::kKeyRange), 0u);
  EXPECT_LT(testing::FindAccess(many, "PutItem orders").served_part(), 0.3);
  // 1,000 writes a second of one key, and what was saved at the start.
  EXPECT_NEAR(CountWriteUnits(many, 1), 10'000, 2'000);
}

TEST(Replay, AnotherDesignSpreadsTheIndex) {
  const std::string warm = ", write = 100_000 }";
  const std::string design =
      "users = 4_000\nshared_keys = true\n[[table]]\nname = \"orders\"\n"
      "warm = { read = 200_000, write = 100_000 }\n[[table.index]]\nname = \"by-status\"\n"
      "warm = { read = 200_000, write = 100_000 }\npartitions = 100\n";
  const RunResult plain = RunOfReplay(design);
  const RunResult sharded = RunOfReplay(Concat(design, "shards = 10"));
  EXPECT_LT(testing::FindAccess(plain, "PutItem orders").served_part(), 0.6);
  EXPECT_GT(testing::FindAccess(sharded, "PutItem orders").served_part(),
            testing::FindAccess(plain, "PutItem orders").served_part());
  // A Query asks every shard: 4 blocks, eventually consistent, become a block of each of 10.
  EXPECT_EQ(testing::FindAccess(sharded, "Query orders/by-status").amplification(), 10);
  const RunResult small = RunOfReplay(
      "[[table]]\nname = \"orders\"\n[[table.index]]\n"
      "name = \"by-status\"\nshards = 10");
  EXPECT_EQ(small.resources[1].units.read, 50);
}

TEST(Replay, ProvisionedUnitsAreThoseOfTheDesign) {
  const RunResult run = RunOfReplay(
      "users = 1000\n[[table]]\nname = \"orders\"\nbilling = \"provisioned\"\n"
      "units = { read = 10, write = 10 }\n");
  EXPECT_GT(run.resources[0].throttled_by(ThroughputLimit::kProvisionedThroughput), 0u);
}

// --- storage

// A customer's order is made, changed, and taken away; another one was there and stays.
std::string Changes() {
  Block block = OrdersBlock();
  const auto add = [&block](Micros at, Operation operation, std::vector<trace::Use> uses) {
    Request request = {.at = kBegun + at, .operation = operation, .uses = {}};
    for (trace::Use& use : uses) {
      use.begins = request.uses.empty();
      request.uses.push_back(use);
    }
    block.requests.push_back(request);
  };
  trace::Use read = Write(0, 0x5555555555555555, 1, 700);
  read.kind = AccessKind::kRead;
  add(0, Operation::kGetItem, {read});
  add(1, Operation::kPutItem, {Write(0, 0x1111111111111111, 2, 400), Write(1, 0x77, 2, 90)});
  // The entry moves to another key.
  add(2 * kSecond, Operation::kUpdateItem,
      {Write(0, 0x1111111111111111, 2, 500), Write(1, 0x99, 4, 90)});
  add(4 * kSecond, Operation::kPutItem, {Write(0, 0x2222222222222222, 2, 300)});
  add(6 * kSecond, Operation::kDeleteItem,
      {Write(0, 0x1111111111111111, 2, 500), Write(1, 0x99, 2, 90)});
  add(7 * kSecond, Operation::kPutItem, {Write(0, 0x5555555555555555, 2, 600)});
  return MakeTraceFile(block);
}

// At the end of each second.
std::vector<int64_t> StoredPerMoment(std::string_view more, size_t resource) {
  const auto experiments = Parse(Concat(kReplayHead, more), Changes());
  EXPECT_TRUE(experiments.ok()) << experiments.status();
  std::vector<int64_t> stored;
  if (!experiments.ok()) return stored;
  const RunResult run = testing::RunExperiment(experiments->front());
  for (const auto& moment : run.resources[resource].moments) stored.push_back(moment.bytes);
  return stored;
}

TEST(Replay, StorageFollowsItemsFromWriteToWrite) {
  EXPECT_THAT(StoredPerMoment("", 0),
              ElementsAre(1'100, 1'100, 1'200, 1'200, 1'500, 1'500, 1'000, 900));
  // Each entry takes 100 bytes more than it holds.
  EXPECT_THAT(StoredPerMoment("", 1), ElementsAre(190, 190, 190, 190, 190, 190, 0, 0));
}

TEST(Replay, LocalIndexesHoldEachItemAgain) {
  Block block = OrdersBlock();
  block.resources[0].local_indexes = 2;
  Request put = {.at = kBegun, .operation = Operation::kPutItem, .uses = {}};
  put.uses.push_back(Write(0, 1, 6, 400));
  block.requests.push_back(put);
  const auto experiments = Parse(std::string(kReplayHead), MakeTraceFile(block));
  ASSERT_TRUE(experiments.ok()) << experiments.status();
  const RunResult run = testing::RunExperiment(experiments->front());
  EXPECT_EQ(run.resources[0].moments.back().bytes, 400 + 2 * (400 + 100));
}

TEST(Replay, ASecondRoundFindsWhatTheFirstHasLeft) {
  EXPECT_THAT(StoredPerMoment("rounds = 2", 0),
              ElementsAre(1'100, 1'100, 1'200, 1'200, 1'500, 1'500, 1'000, 900,  //
                          1'300, 1'300, 1'400, 1'400, 1'400, 1'400, 900, 900));
}

TEST(Replay, EachUserStoresItemsOfHisOwn) {
  EXPECT_THAT(StoredPerMoment("users = 3\nspread = 0", 0),
              ElementsAre(3'300, 3'300, 3'600, 3'600, 4'500, 4'500, 3'000, 2'700));
  // Wherever in the round they begin, after one of it all is as it was, but for what is new.
  const std::vector<int64_t> apart = StoredPerMoment("users = 50\nrounds = 3", 0);
  ASSERT_EQ(apart.size(), 24u);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(apart[8 + i], apart[16 + i]) << i;
  EXPECT_THAT(StoredPerMoment("users = 3\nspread = 0\nshared_keys = true", 0),
              ElementsAre(1'100, 1'100, 1'200, 1'200, 1'500, 1'500, 1'000, 900));
  EXPECT_THAT(StoredPerMoment("[[table]]\nname = \"orders\"\nstorage = \"10KB\"", 0).front(),
              10'640);
}

TEST(Replay, ASeedRepeatsItToTheByte) {
  const auto prices = lab::ParsePriceList("prices.toml", lab::ShippedPrices());
  const auto json = [&] {
    return lab::ResultJson({RunOfReplay("users = 300\nrounds = 2")}, *prices);
  };
  EXPECT_EQ(json(), json());
}

TEST(Replay, PlainKeysKeepTheirNamesAndTheirOrder) {
  Block block = OrdersBlock();
  // In the opposite order of their sort keys.
  for (int i = 0; i < 3; ++i) {
    Request put = {.at = kBegun + i, .operation = Operation::kPutItem, .uses = {}};
    put.uses.push_back(Write(0, 0x3c99f5e4d3a18bc3, 2));
    // As positions have it; the hash is not that of the key, so it is shown as it stands there.
    put.uses.back().partition_key = std::string_view("Ray\0\1", 5);
    put.uses.back().sort_key = i == 0 ? "c" : i == 1 ? "b" : "a";
    block.requests.push_back(put);
  }
  std::string file = trace::EncodeHeader({.has_plain_keys = true, .run = 1});
  trace::EncodeBlock(block, /*plain=*/true, &file);
  const auto loaded = lab::LoadTrace("t", [&](const std::string& path) {
    return path == "t" ? absl::StatusOr<std::string>(file) : absl::NotFoundError(path);
  });
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::vector<uint64_t> sorts;
  for (const lab::RecordedUse& use : (*loaded)->uses) sorts.push_back(use.sort);
  EXPECT_THAT(sorts, ElementsAre(2, 1, 0));
  EXPECT_EQ((*loaded)->KeyText(0x3c99f5e4d3a18bc3), "0x5261790001");
  EXPECT_EQ((*loaded)->KeyText(1), "#0000000000000001");
}

TEST(Replay, WhatWasThrottledIsLeftOutAndTransactionsAreWhole) {
  Block block = OrdersBlock();
  Request refused = {.at = kBegun, .operation = Operation::kPutItem, .uses = {}};
  refused.uses.push_back(Write(0, 1, 0));
  refused.uses.back().throttled = ThroughputLimit::kKeyRange;
  block.requests.push_back(refused);
  // Later in the file, and earlier in time.
  Request transaction = {.at = kBegun - 5, .operation = Operation::kTransactWriteItems, .uses = {}};
  transaction.uses = {Write(0, 1, 4), Write(0, 2, 4)};
  block.requests.push_back(transaction);
  Request batch = {.at = kBegun - 9, .operation = Operation::kBatchWriteItem, .uses = {}};
  batch.uses = {Write(0, 1, 2), Write(0, 2, 2)};
  block.requests.push_back(batch);
  const std::string file = MakeTraceFile(block);
  const auto experiments = Parse(std::string(kReplayHead), file);
  ASSERT_TRUE(experiments.ok()) << experiments.status();
  const lab::RecordedTrace& loaded = *experiments->front().replay->trace;
  EXPECT_EQ(loaded.throttled, 1u);
  ASSERT_EQ(loaded.requests.size(), 2u);
  EXPECT_EQ(loaded.requests[1].at, 4);
  const RunResult run = testing::RunExperiment(experiments->front());
  EXPECT_EQ(testing::FindAccess(run, "TransactWriteItems orders").total.operations, 1u);
  EXPECT_EQ(testing::FindAccess(run, "BatchWriteItem orders").total.operations, 2u);
}

TEST(Replay, WhatCannotBeReplayedIsRefusedInWords) {
  const auto error_of = [](std::string_view more, const std::string& file = Orders()) {
    const auto experiments = Parse(Concat(kReplayHead, more), file);
    EXPECT_FALSE(experiments.ok()) << more;
    return std::string(ToStd(experiments.status().message()));
  };
  EXPECT_EQ(error_of("speed = 0"),
            "test.toml:5:9: replay.speed must be a number from 0.001 to 1e+06");
  EXPECT_EQ(error_of("usres = 3"),
            "test.toml:5:1: replay.usres is not known here; did you mean users?");
  EXPECT_EQ(error_of("[keys.customer]\ndistribution = \"uniform\"\nshards = 10"),
            "test.toml:5:1: keys does not go together with [replay]: what is asked for, and by "
            "which keys, is in the trace; keys of a trace get no suffixes");
  EXPECT_THAT(error_of("[[access]]\nname = \"a\""),
              HasSubstr("access does not go together with [replay]"));
  EXPECT_THAT(error_of("[load]\nrate = 1"), HasSubstr("load does not go together with [replay]"));
  EXPECT_EQ(error_of("[[table]]\nname = \"order\""),
            "test.toml:6:8: table.order.name: there is no table in the trace named order; did you "
            "mean orders?");
  EXPECT_EQ(
      error_of("[[table]]\nname = \"orders\"\nitem_size = 3\n[[table.index]]\nname = \"new\""),
      "test.toml:7:13: table.orders.item_size does not go together with [replay]: it is as in "
      "the trace\n"
      "test.toml:9:8: index.new.name: there is no index in the trace named new");
  EXPECT_EQ(
      error_of("shared_keys = [\"order\"]"),
      "test.toml:5:16: replay.shared_keys: there is no table or index in the trace order; did "
      "you mean orders?");
  EXPECT_EQ(error_of("", "a letter to a friend"),
            "test.toml:4:8: orders.trace is no trace: dynolith serve --trace FILE writes one");
  EXPECT_EQ(error_of("", trace::EncodeHeader({})),
            "test.toml:4:8: orders.trace holds no request that was served, so there is nothing to "
            "replay");
  const auto none = Parse("[experiment]\n[replay]\nfile = \"x\"");
  EXPECT_EQ(ToStd(none.status().message()), "test.toml:3:8: no x");
  const auto sampled = Parse("[experiment]\nsample = 10\n[replay]\nfile = \"orders.trace\"");
  EXPECT_EQ(ToStd(sampled.status().message()),
            "test.toml:2:10: experiment.sample does not go together with [replay]; fewer users do");
}

}  // namespace
}  // namespace dynolith
