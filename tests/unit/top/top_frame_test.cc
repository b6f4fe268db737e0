// What `dynolith top` makes of a server's figures: rates between two looks, also over a restart,
// and lines that no key and no small window breaks.
#include "tools/program/top/top_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace dynolith {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kUrl = "http://127.0.0.1:8000";

TopSample MakeSample(int second, std::string_view metrics) {
  TopSample sample;
  sample.taken = absl::FromUnixSeconds(1'700'000'000 + second);
  ReadMetrics(metrics, &sample);
  return sample;
}

TEST(TopFrameTest, RatesAndLatencies) {
  const TopSample before = MakeSample(0, R"(# HELP dynolith_requests_total x
# TYPE dynolith_requests_total counter
dynolith_requests_total{operation="PutItem",outcome="success"} 100
dynolith_request_duration_seconds_bucket{operation="PutItem",le="0.001"} 100
dynolith_request_duration_seconds_bucket{operation="PutItem",le="0.01"} 100
dynolith_request_duration_seconds_bucket{operation="PutItem",le="+Inf"} 100
dynolith_open_connections 3
)");
  const TopSample after = MakeSample(2, R"(
dynolith_requests_total{operation="PutItem",outcome="success"} 140
dynolith_requests_total{operation="PutItem",outcome="ThrottlingException"} 10
dynolith_request_duration_seconds_bucket{operation="PutItem",le="0.001"} 100
dynolith_request_duration_seconds_bucket{operation="PutItem",le="0.01"} 150
dynolith_request_duration_seconds_bucket{operation="PutItem",le="+Inf"} 150
dynolith_consumed_capacity_units_total{table="music",index="",kind="write"} 40
dynolith_throttled_accesses_total{table="music",index="",kind="write",reason="key_range"} 10
dynolith_open_connections 3
)");
  const std::vector<std::string> lines = TopFrame(kUrl, before, after, {});
  EXPECT_THAT(lines[0], StartsWith("dynolith top  http://127.0.0.1:8000  "));
  EXPECT_THAT(lines[0], EndsWith("   3 connections  25.0 calls/s  5.0 throttled/s"));
  // All of the 50 calls lie between 1 and 10 ms.
  EXPECT_THAT(lines,
              Contains("PutItem                               25.0       5.0   5.50 ms   9.91 ms"));
  EXPECT_THAT(lines,
              Contains("music                                  0.0      20.0         5.0  write "
                       "key_range 5.0"));
}

TEST(TopFrameTest, ShardsOfIndexes) {
  TopSample sample = MakeSample(0, "");
  const std::string head = "INDEX                               shards moving to  filling";
  ReadIndexes(R"({"tables": [{"table": "music", "indexes": [{"index": "by-year", "shards": 1}],
              "waiting_tags": []}]})",
              &sample);
  EXPECT_THAT(TopFrame(kUrl, sample, sample, {}), Not(Contains(head)));
  ReadIndexes(R"({"tables": [{"table": "music", "indexes": [
              {"index": "by-year", "shards": 4},
              {"index": "by-genre", "shards": 8, "moving_to": 16, "filling": "rows", "filled": 0.25},
              {"index": "new", "shards": 1, "filling": "sorted-files"}],
              "waiting_tags": ["by-yaer"]}]})",
              &sample);
  const std::vector<std::string> lines = TopFrame(kUrl, sample, sample, {});
  const auto at = std::find(lines.begin(), lines.end(), head);
  ASSERT_GE(lines.end() - at, 5);
  EXPECT_EQ(at[1], "music/by-yaer                   there is no such index; its tag waits for one");
  EXPECT_EQ(at[2], "music/by-genre                           8        16  rows 25 %");
  EXPECT_EQ(at[3], "music/new                                1            sorted-files");
  EXPECT_EQ(at[4], "music/by-year                            4            ");
}

TEST(TopFrameTest, RegionsThatLagBehindAndConflict) {
  TopSample before = MakeSample(0, "");
  ReadRegions(R"({"regions": [{"name": "us-east-1", "tables": 1, "conflicts": 0}], "links": [],
              "tables": []})",
              &before);
  for (const std::string& line : TopFrame(kUrl, before, before, {})) {
    EXPECT_THAT(line, Not(StartsWith("REGION")));
  }
  ReadRegions(R"({"regions": [], "links": [{"from": "us-east-1", "to": "eu-west-1", "pending": 0,
              "behind_milliseconds": 0, "arrived": 100, "lost": 1, "paused": false,
              "cut": false}]})",
              &before);
  TopSample after = MakeSample(2, "");
  ReadRegions(R"({"regions": [{"name": "us-east-1", "tables": 3, "conflicts": 5},
                              {"name": "eu-west-1", "tables": 2, "conflicts": 0}],
      "links": [{"from": "eu-west-1", "to": "us-east-1", "pending": 0, "behind_milliseconds": 0,
                 "arrived": 0, "lost": 0, "paused": false, "cut": false},
                {"from": "us-east-1", "to": "eu-west-1", "pending": 12, "oldest": 1,
                 "behind_milliseconds": 2500, "arrived": 140, "lost": 3, "paused": true,
                 "cut": true}],
      "tables": []})",
              &after);
  const std::vector<std::string> lines = TopFrame(kUrl, before, after, {});
  const auto at = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("REPLICATION");
  });
  ASSERT_GE(lines.end() - at, 7);
  EXPECT_THAT(at[1], ContainsRegex("^us-east-1 to eu-west-1 +12 +2\\.5 +20\\.0 +1\\.0  cut off$"));
  EXPECT_THAT(at[2], ContainsRegex("^eu-west-1 to us-east-1 +0 +0\\.0 +0\\.0 +0\\.0  $"));
  EXPECT_THAT(at[4], ContainsRegex("^REGION +tables +conflicts/s +in all$"));
  EXPECT_THAT(at[5], ContainsRegex("^us-east-1 +3 +2\\.5 +5$"));
}

TEST(TopFrameTest, AServerThatHasBegunAnew) {
  const std::string_view calls =
      R"(dynolith_requests_total{operation="GetItem",outcome="success"} )";
  const TopSample before = MakeSample(0, std::string(calls) + "1000\n");
  const TopSample after = MakeSample(1, std::string(calls) + "7\n");
  EXPECT_THAT(TopFrame(kUrl, before, after, {}),
              Contains(ContainsRegex("^GetItem +7\\.0 +0\\.0 +- +-$")));
}

TEST(TopFrameTest, WhatIsHotIsWhatHasGrown) {
  const auto sample = [](int second, int hot, int cold) {
    TopSample of = MakeSample(second, "");
    ReadHotKeys(R"({"table":"t","watched":true,"all":{"accessed_partition_keys":[)"
                R"({"key":{"pk":{"S":"cold"}},"units":)" +
                    std::to_string(cold) +
                    R"(,"error":0.0},)"
                    R"({"key":{"pk":{"S":"hot\nkey"}},"units":)" +
                    std::to_string(hot) + R"(,"error":2.0}]}})",
                &of);
    return of;
  };
  const auto lines = TopFrame(kUrl, sample(0, 10, 500), sample(1, 30, 500), {});
  EXPECT_THAT(lines, Contains(ContainsRegex("^t +20\\.0 +30\\.0 +2\\.0  .*hot.*key")));
  EXPECT_THAT(lines, Not(Contains(ContainsRegex("cold"))));
  // A key that has come in only now has brought its error with it.
  const auto fresh = TopFrame(kUrl, MakeSample(0, ""), sample(1, 30, 0), {});
  EXPECT_THAT(fresh, Contains(ContainsRegex("^t +28\\.0 +30\\.0 +2\\.0 ")));
}

// A partition key may be hot by many items of which none is.
TEST(TopFrameTest, PartitionKeysAreListedBesideItems) {
  TopSample after = MakeSample(1, "");
  ReadHotKeys(
      R"({"table":"t","watched":true,"all":{"accessed_partition_keys":[{"key":{"pk":{"S":"hot"}},)"
      R"("units":9,"error":0}],"accessed_items":[{"key":{"pk":{"S":"hot"},"sk":{"S":"x"}},)"
      R"("units":2,"error":0}],"throttled_partition_keys":[],"throttled_items":[]}})",
      &after);
  const auto lines = TopFrame(kUrl, MakeSample(0, ""), after, {});
  EXPECT_THAT(lines, Contains(ContainsRegex("^HOT PARTITION KEYS ")));
  EXPECT_THAT(lines, Contains(ContainsRegex("^t +9\\.0 .*  \\{\"pk\":\\{\"S\":\"hot\"\\}\\}$")));
  EXPECT_THAT(lines, Contains(ContainsRegex("^HOT ITEMS ")));
  EXPECT_THAT(lines, Contains(ContainsRegex("^t +2\\.0 .*\"sk\"")));
  // Nothing was throttled, so there are no items to tell from partition keys.
  EXPECT_THAT(lines, Contains(ContainsRegex("^THROTTLED PARTITION KEYS ")));
  EXPECT_THAT(lines, Not(Contains(ContainsRegex("^THROTTLED ITEMS "))));
}

TEST(TopFrameTest, LinesAreCutBetweenCharacters) {
  const std::string_view line =
      "dynolith_consumed_capacity_units_total{table=\"\xC3\xA4\xC3\xB6\\\"\\\\\\n\x1b\",index=\"\","
      "kind=\"read\"} 5\n";
  const TopSample after = MakeSample(1, line);
  EXPECT_EQ(after.uses.begin()->first.first, "\xC3\xA4\xC3\xB6\"\\\n\x1b");
  EXPECT_THAT(TopFrame(kUrl, MakeSample(0, ""), after, {.columns = 6}),
              Contains("\xC3\xA4\xC3\xB6\"\\??"));
  EXPECT_THAT(TopFrame(kUrl, MakeSample(0, ""), after, {.columns = 1}), Contains("\xC3\xA4"));
}

TEST(TopFrameTest, ReadsOnlyWhatItKnows) {
  TopSample sample;
  for (const char* text :
       {"", "\n", "{", "x", "x{", "x{a=\"", "dynolith_open_connections", "# x 1", "x{a=\"b\"}"}) {
    ReadMetrics(text, &sample);
    ReadCapacity(text, &sample);
    ReadHotKeys(text, &sample);
  }
  ReadCapacity(R"({"tables":[{"table":"t","throughputs":[{"partitions":[{"id":1}]}]}]})", &sample);
  EXPECT_TRUE(sample.operations.empty());
  EXPECT_TRUE(sample.uses.empty());
  EXPECT_TRUE(sample.partitions.empty());
  EXPECT_FALSE(sample.watches_keys);
}

}  // namespace
}  // namespace dynolith
