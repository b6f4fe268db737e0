// What a simulated transaction costs: twice for its items, once for their entries in indexes
// (api/facts/capacity.md §1).
#include <gtest/gtest.h>

#include <string_view>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"

namespace dynolith::lab {
namespace {

using testing::OneTable;
using testing::RunOf;

RunResult RunOfWrites(std::string_view operation) {
  return RunOf(testing::ExperimentsOf(OneTable("10s", Concat(R"(
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

}  // namespace
}  // namespace dynolith::lab
