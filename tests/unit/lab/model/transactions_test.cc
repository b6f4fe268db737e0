// What a simulated transaction costs: twice for its items, once for their entries in indexes
// (api/facts/capacity.md §1).
#include <gtest/gtest.h>

#include <string_view>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"

namespace dynolith::lab {
namespace {

using testing::OneTable;
using testing::RunExperiment;

RunResult RunOfWrites(std::string_view operation) {
  return RunExperiment(testing::ReadExperiments(OneTable("10s", Concat(R"(
sort_key = "sk"
local_indexes = 1
[[table.index]]
name = "i"
partition_key = "g"
[keys.any]
distribution = "uniform"
count = 1000
[[access]]
name = "write"
key = { pk = "any", g = "any" }
load = { rate = 10 }
operation = ")",
                                                                       operation, "\"\n")))
                           .at(0));
}

TEST(Transactions, OnlyItemsCostTwice) {
  const RunResult put = RunOfWrites("PutItem");
  EXPECT_EQ(put.resources[0].units.write, 200);  // 100 items, 100 entries of the local index
  EXPECT_EQ(put.resources[1].units.write, 100);
  const RunResult transaction = RunOfWrites("TransactWriteItems");
  EXPECT_EQ(transaction.resources[0].units.write, 300);
  EXPECT_EQ(transaction.resources[1].units.write, 100);
}

constexpr std::string_view kOrders = R"(
[experiment]
duration = "10s"
arrivals = "even"
[[table]]
name = "orders"
partition_key = "customer"
sort_key = "order"
item_size = 1500
[[table.index]]
name = "by-day"
partition_key = "day"
[[table]]
name = "customers"
partition_key = "customer"
item_size = 100
[keys.customer]
distribution = "uniform"
count = 100
[keys.order]
distribution = "ascending"
[[access]]
name = "order"
load = { rate = 10 }
operation = "TransactWriteItems"
[[access.member]]
operation = "PutItem"
table = "orders"
key = { customer = "customer", order = "order", day = { distribution = "time", period = "1d" } }
[[access.member]]
operation = "ConditionCheck"
table = "customers"
key.customer = "customer"
[[access.member]]
operation = "UpdateItem"
table = "stock"
items = 2
key.product = { distribution = "uniform", count = 1000 }
[[table]]
name = "stock"
partition_key = "product"
item_size = 100
)";

RunResult RunOfOrders(std::string_view stock) {
  return RunExperiment(testing::ReadExperiments(Concat(kOrders, stock)).at(0));
}

TEST(Transactions, OverSeveralTables) {
  const RunResult run = RunOfOrders("");
  const AccessMoment& total = run.accesses.front().total;
  EXPECT_EQ(total.requests, 100);
  EXPECT_EQ(total.operations, 100);
  EXPECT_EQ(total.served, 100);
  EXPECT_EQ(run.resources[0].units.write, 400);
  EXPECT_EQ(run.resources[1].units.write, 200);  // entries cost once
  EXPECT_EQ(run.resources[2].units.write, 200);  // the check as well
  EXPECT_EQ(run.resources[3].units.write, 400);
  EXPECT_EQ(run.resources[0].moments.back().bytes, 100 * 1'500);
  EXPECT_EQ(run.resources[2].moments.back().bytes, 0);
}

TEST(Transactions, OneTableThrottlesTheWhole) {
  const RunResult run = RunOfOrders("maximum = { write = 4 }\n");
  const AccessMoment& total = run.accesses.front().total;
  EXPECT_GT(total.throttled, 50);
  EXPECT_EQ(total.served + total.throttled, 100);
  EXPECT_EQ(run.resources[0].units.write, 4 * static_cast<double>(total.served));
  EXPECT_EQ(run.resources[2].units.write, 2 * static_cast<double>(total.served));
}

TEST(Transactions, ReadsOfSeveralTables) {
  std::string text(kOrders);
  text = text.substr(0, text.find("operation = \"Transact")) + R"(operation = "TransactGetItems"
[[access.member]]
table = "orders"
key = { customer = "customer", order = "order" }
[[access.member]]
table = "customers"
key.customer = "customer"
)";
  const RunResult run = RunExperiment(testing::ReadExperiments(text).at(0));
  EXPECT_EQ(run.accesses.front().total.served, 100);
  EXPECT_EQ(run.resources[0].units.read, 200);
  EXPECT_EQ(run.resources[2].units.read, 200);
}

}  // namespace
}  // namespace dynolith::lab
