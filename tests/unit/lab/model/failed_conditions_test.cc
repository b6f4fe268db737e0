// What a simulated write costs whose condition fails: the table the units of the larger of the
// existing and the attempted item, an index and the storage nothing (api/facts/capacity.md §1).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"

namespace dynolith::lab {
namespace {

using testing::OneTable;
using testing::RunExperiment;

RunResult RunOfFailing(std::string_view access) {
  return RunExperiment(testing::ReadExperiments(OneTable("100s", Concat(R"(
sort_key = "sk"
local_indexes = 1
[[table.index]]
name = "i"
partition_key = "g"
[keys.new]
distribution = "ascending"
[[access]]
name = "write"
key = { pk = "new", g = "new" }
item_size = 1500
load = { rate = 10 }
)",
                                                                        access, "\n")))
                           .at(0));
}

TEST(FailedConditions, AllCostTheItemAndChangeNothing) {
  const RunResult run = RunOfFailing("operation = \"PutItem\"\nfails = 1");
  const AccessResult& write = run.accesses.front();
  EXPECT_EQ(write.total.served, 1'000);
  EXPECT_EQ(write.failed_conditions, 1'000);
  EXPECT_EQ(write.total.errors + write.total.failed + write.total.throttled, 0);
  // Two blocks; none of the local index.
  EXPECT_EQ(run.resources[0].units.write, 2'000);
  EXPECT_EQ(run.resources[1].units.write, 0);
  EXPECT_EQ(run.resources[0].moments.back().bytes, 0);
  EXPECT_EQ(run.resources[1].moments.back().bytes, 0);
}

TEST(FailedConditions, APartOfTheWrites) {
  const RunResult run = RunOfFailing("operation = \"PutItem\"\nfails = 0.2");
  const auto failed = static_cast<double>(run.accesses.front().failed_conditions);
  EXPECT_NEAR(failed, 200, 50);
  const double written = 1'000 - failed;
  EXPECT_EQ(run.resources[0].units.write, 4 * written + 2 * failed);
  EXPECT_EQ(run.resources[1].units.write, 2 * written);
}

// One condition of a transaction fails: the others are not charged, and nothing is written.
TEST(FailedConditions, ATransactionIsCancelled) {
  const RunResult run = RunOfFailing("operation = \"TransactWriteItems\"\nitems = 3\nfails = 1");
  EXPECT_EQ(run.accesses.front().total.served, 1'000);
  EXPECT_EQ(run.accesses.front().failed_conditions, 1'000);
  EXPECT_EQ(run.resources[0].units.write, 4'000);
  EXPECT_EQ(run.resources[1].units.write, 0);
}

// A version that somebody else has changed meanwhile: the read is charged as ever.
TEST(FailedConditions, OfAWriteThatFollowsARead) {
  const RunResult run = RunOfFailing("operation = \"GetItem\"\nthen = \"UpdateItem\"\nfails = 1");
  EXPECT_EQ(run.accesses.front().total.operations, 2'000);
  EXPECT_EQ(run.accesses.front().failed_conditions, 1'000);
  EXPECT_EQ(run.accesses.front().units.read, 500);
  EXPECT_EQ(run.resources[0].units.write, 2'000);
}

TEST(FailedConditions, OnlyWritesThatCanHaveOne) {
  for (const std::string_view operation : {"GetItem", "BatchWriteItem"}) {
    const auto parsed = ParseExperiment(
        "x.toml",
        OneTable("1s", Concat("[[access]]\nname = \"a\"\nfails = 0.5\noperation = \"", operation,
                              "\"\nkey.pk = { distribution = \"random\" }\nload = { rate = 1 }\n")),
        [](const std::string& path) {
          return absl::StatusOr<std::string>(absl::NotFoundError(path));
        });
    EXPECT_THAT(
        parsed.status().message(),
        ::testing::HasSubstr("writes with a condition, which BatchWriteItem does not have"));
  }
}

}  // namespace
}  // namespace dynolith::lab
