// What recorded requests cost: a trace minute by minute, and a log of AWS CloudTrail.
#include "tools/lab/bill/request_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/traced_orders.h"
#include "tools/lab/bill/bill.h"

namespace dynolith::lab {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::StatusOr<std::vector<std::string>> AddRequestText(const std::string& text, Metrics* metrics,
                                                        const LogAssumptions& assumptions = {}) {
  const auto read = [&text](const std::string& path) -> absl::StatusOr<std::string> {
    if (path != "requests") return absl::NotFoundError(path);
    return text;
  };
  return AddRequestMetrics("requests", read, assumptions, metrics);
}

// A put of three units each ten seconds, with an entry of one; a query of a unit each minute. The
// index has units of its own. They begin so many seconds behind a whole minute.
std::string RequestsLasting(int seconds, int behind = 0) {
  trace::Block block = testing::OrdersBlock();
  block.resources[1].on_demand = false;
  block.resources[1].units = {5, 7};
  for (int i = 0; i < seconds; i += 10) {
    const int64_t at = testing::kBegun + (behind + i) * kSecond;
    trace::Request put = {.at = at, .operation = trace::Operation::kPutItem, .uses = {}};
    put.uses.push_back(testing::Write(0, 0x1111, 6));
    put.uses.push_back(testing::Write(1, 0x7777, 2));
    put.uses.back().begins = false;
    block.requests.push_back(put);
    if (i % 60 != 0) continue;
    trace::Request query = {.at = at + 1, .operation = trace::Operation::kQuery, .uses = {}};
    query.uses.push_back({.resource = 1, .half_units = 2, .hash = 0x7777, .has_key = true});
    block.requests.push_back(query);
    // What is throttled consumes nothing.
    query.uses.front().throttled = ThroughputLimit::kKeyRange;
    block.requests.push_back(query);
  }
  return testing::MakeTraceFile(block);
}

PriceList RequestPrices() {
  PriceList prices;
  prices.million = {1, 2};
  prices.unit_hour = {0.001, 0.002};
  prices.storage_gb_month = 1;
  prices.hours_month = 1'000;
  return prices;
}

TEST(RequestMetrics, OfATraceByTheMinute) {
  Metrics metrics;
  const std::string text = RequestsLasting(190);
  ASSERT_TRUE(HoldsRequests(text));
  const auto warnings = AddRequestText(text, &metrics);
  ASSERT_TRUE(warnings.ok()) << warnings.status();
  EXPECT_THAT(*warnings, IsEmpty());
  const int64_t begin = testing::kBegun / kSecond;
  // Ten seconds of a fourth minute are left out.
  const ResourceMetrics& table = metrics.resources.at("orders");
  EXPECT_EQ(table.consumed.write, (MetricPoints{{begin, 18}, {begin + 60, 18}, {begin + 120, 18}}));
  EXPECT_EQ(table.consumed.read, (MetricPoints{{begin, 0}, {begin + 120, 0}}));
  EXPECT_TRUE(table.provisioned.write.empty());
  const ResourceMetrics& index = metrics.resources.at("orders/by-status");
  EXPECT_EQ(index.consumed.write, (MetricPoints{{begin, 6}, {begin + 60, 6}, {begin + 120, 6}}));
  EXPECT_EQ(index.consumed.read, (MetricPoints{{begin, 1}, {begin + 60, 1}, {begin + 120, 1}}));
  EXPECT_EQ(index.throttled.read, index.consumed.read);
  EXPECT_EQ(index.provisioned.write, (MetricPoints{{begin, 7}, {begin + 120, 7}}));
  EXPECT_EQ(metrics.period(), 60);
}

// Those of two files that begin at different seconds of a minute.
TEST(RequestMetrics, OfSeveralFiles) {
  Metrics metrics;
  ASSERT_TRUE(AddRequestText(RequestsLasting(190, /*behind=*/5), &metrics).ok());
  ASSERT_TRUE(AddRequestText(RequestsLasting(190, /*behind=*/607), &metrics).ok());
  const int64_t begin = testing::kBegun / kSecond;
  MetricPoints entries;
  for (const int minute : {1, 2, 11, 12}) entries[begin + minute * 60] = 6;
  EXPECT_EQ(metrics.resources.at("orders/by-status").consumed.write, entries);
  const auto bill = MakeBill(metrics, RequestPrices());
  ASSERT_TRUE(bill.ok()) << bill.status();
  EXPECT_EQ(bill->begin, begin + 60);
  EXPECT_EQ(bill->end, begin + 13 * 60);
}

// Puts of one item at these minutes; its table has ten write units.
std::string RequestsAt(const std::vector<int64_t>& minutes) {
  trace::Block block = testing::OrdersBlock();
  block.resources.front().on_demand = false;
  block.resources.front().units = {1, 10};
  for (const int64_t minute : minutes) {
    block.requests.push_back({.at = testing::kBegun + minute * kMinute,
                              .operation = trace::Operation::kPutItem,
                              .uses = {testing::Write(0, 0x1111, 120)}});
  }
  return testing::MakeTraceFile(block);
}

// Years without requests take no memory.
TEST(RequestMetrics, OnlyOfMinutesWithRequests) {
  constexpr int64_t kLastMinute = 1'800'000;
  Metrics metrics;
  ASSERT_TRUE(AddRequestText(RequestsAt({0, 5, kLastMinute}), &metrics).ok());
  const int64_t begin = testing::kBegun / kSecond;
  const ResourceMetrics& table = metrics.resources.at("orders");
  // The last minute is not whole.
  const int64_t last = begin + (kLastMinute - 1) * 60;
  EXPECT_EQ(table.consumed.write, (MetricPoints{{begin, 60}, {begin + 300, 60}, {last, 0}}));
  EXPECT_EQ(table.consumed.read, (MetricPoints{{begin, 0}, {last, 0}}));
  EXPECT_EQ(table.provisioned.write, (MetricPoints{{begin, 10}, {last, 10}}));
  EXPECT_EQ(metrics.period(), 60);
  EXPECT_EQ(metrics.end(), last + 60);
}

TEST(RequestMetrics, InMinutesWithoutRequestsNothingIsConsumed) {
  Metrics metrics;
  ASSERT_TRUE(AddRequestText(RequestsAt({0, 5, 20}), &metrics).ok());
  const auto bill = MakeBill(metrics, RequestPrices());
  ASSERT_TRUE(bill.ok()) << bill.status();
  EXPECT_EQ(bill->period, 60);
  EXPECT_EQ(bill->end - bill->begin, 20 * 60);
  const ResourceBill& table = bill->resources.front();
  EXPECT_NEAR(table.use.write.mean, 2.0 / 20, 1e-12);
  EXPECT_NEAR(table.use.write.peak, 1, 1e-12);
  EXPECT_NEAR(table.use.write.provisioned, 10, 1e-12);
}

TEST(RequestMetrics, AreBilledAsMeasuredOnes) {
  Metrics metrics;
  ASSERT_TRUE(AddRequestText(RequestsLasting(180), &metrics).ok());
  const auto bill = MakeBill(metrics, RequestPrices());
  ASSERT_TRUE(bill.ok()) << bill.status();
  // 0.3 and 0.1 write units a second, and a sixtieth of a read unit, of 3.6 million seconds.
  EXPECT_NEAR(bill->on_demand, 3.6 * (0.4 * 2 + 1.0 / 60), 1e-9);
  EXPECT_NEAR(bill->present.value_or(0), 1'000 * (7 * 0.002 + 5 * 0.001), 1e-9);
}

TEST(RequestMetrics, OfALogWithAnAssumedSize) {
  std::string log;
  for (const std::string_view time : {"10:00:00", "10:01:30", "10:02:00"}) {
    log += Concat(
        "{\"eventTime\": \"2026-11-25T", time,
        "Z\", \"eventSource\": \"dynamodb.amazonaws.com\", \"eventName\": \"PutItem\", "
        "\"requestParameters\": {\"tableName\": \"Music\", \"key\": {\"Artist\": \"A\"}}}\n");
  }
  ASSERT_TRUE(HoldsRequests(log));
  Metrics metrics;
  const auto warnings = AddRequestText(log, &metrics, {.item_bytes = 2'500, .partition_keys = {}});
  ASSERT_TRUE(warnings.ok()) << warnings.status();
  EXPECT_THAT(*warnings, Contains(HasSubstr("an item counts as 2500 bytes")));
  const MetricPoints& writes = metrics.resources.at("Music").consumed.write;
  ASSERT_EQ(writes.size(), 2u);
  EXPECT_EQ(writes.begin()->second, 3);
  EXPECT_EQ(writes.rbegin()->second, 3);
}

TEST(RequestMetrics, WhatIsTooShortIsRefused) {
  Metrics metrics;
  EXPECT_THAT(AddRequestText(testing::Orders(), &metrics).status().message(),
              HasSubstr("requests has requests of less than two whole minutes"));
  EXPECT_FALSE(HoldsRequests("time,orders ConsumedReadCapacityUnits\n2026-11-25T12:00:00Z,5\n"));
}

// The members of the first object say it, whatever words are inside of them.
TEST(RequestMetrics, WhatHoldsRequests) {
  EXPECT_TRUE(HoldsRequests(R"({"userIdentity": {"a": ["}", "\"{"]}, "eventName": "PutItem",
    "requestParameters": {"tableName": "Datapoints", "MetricDataResults": 1}})"));
  EXPECT_TRUE(HoldsRequests("\n {\"Records\": [{\"Datapoints\": 1}]}"));
  EXPECT_TRUE(HoldsRequests("\x1f\x8b\x08{"));  // which is refused with a word on compression
  EXPECT_FALSE(HoldsRequests(R"({"MetricDataResults": [{"Label": "eventName"}]})"));
  EXPECT_FALSE(
      HoldsRequests("\n"
                    R"({"Datapoints": [{"Records": 1}], "Label": "Records"})"));
  EXPECT_FALSE(HoldsRequests(R"({"Label": "t"} {"eventName": "PutItem"})"));
  EXPECT_FALSE(HoldsRequests(R"({"Label": "eventName)"));
  EXPECT_FALSE(HoldsRequests(R"({"Label\)"));
}

}  // namespace
}  // namespace dynolith::lab
