// Writes of a table with replicas are counted once more for each of them, by what they would cost
// outside of a transaction; the account's quota of a table throttles it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/experiment/experiment_doubts.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/report/verdict.h"
#include "tools/lab/shipped/shipped.h"

namespace dynolith::lab {
namespace {

std::string Replicated(std::string_view more, std::string_view operation) {
  return Concat(
      "[experiment]\nduration = \"10s\"\narrivals = \"even\"\n[[table]]\nname = \"t\"\n",
      "partition_key = \"pk\"\nitem_size = 1500\nreplicas = [\"eu-west-1\", \"eu-central-1\"]\n",
      more, "\n[[table.index]]\nname = \"ix\"\npartition_key = \"a\"\nentry_size = 100\n",
      "[[access]]\nname = \"write\"\noperation = \"", operation, "\"\n",
      "key = { pk = { distribution = \"uniform\", count = 100 }, a = { distribution = ",
      "\"uniform\", count = 100 } }\nload = { rate = 10 }\n");
}

std::vector<double> ReplicatedUnits(std::string_view text) {
  std::vector<double> units;
  for (const ResourceResult& resource :
       testing::RunExperiment(testing::ReadExperiments(text).front()).resources) {
    units.push_back(resource.replicated_units);
  }
  return units;
}

TEST(ReplicasTest, RepeatEachWrite) {
  // 100 writes of 2 units and of an entry of 1.
  EXPECT_THAT(ReplicatedUnits(Replicated("", "PutItem")), ::testing::ElementsAre(400, 200));
  // They are no transactions.
  EXPECT_THAT(ReplicatedUnits(Replicated("", "TransactWriteItems")),
              ::testing::ElementsAre(400, 200));
}

std::string ReadErrors(std::string_view text) {
  const auto parsed = ParseExperiment("test.toml", text, [](const std::string& path) {
    return absl::StatusOr<std::string>(absl::NotFoundError(path));
  });
  return std::string(parsed.status().message());
}

// "Table write capacity should either be Pay-Per-Request or AutoScaled."
TEST(ReplicasTest, WritesAreOnDemandOrScaled) {
  constexpr std::string_view kUnits =
      "billing = \"provisioned\"\nunits = { read = 9, write = 9 }\n";
  EXPECT_EQ(ReadErrors(Replicated(kUnits, "PutItem")),
            "test.toml:8:12: table.t.replicas: write units of a table with replicas in other "
            "regions are on demand or scaled, but those of t are provisioned; give it "
            "auto_scaling.write");
  EXPECT_EQ(
      ReadErrors(Replicated(Concat(kUnits, "auto_scaling.write = { maximum = 90 }"), "PutItem")),
      "");
}

// A transaction is paid twice here, and once in each replica.
TEST(ReplicasTest, ArePaidForWhatTheyTake) {
  const absl::StatusOr<PriceList> prices = ParsePriceList("prices.toml", ShippedPrices(), {});
  ASSERT_TRUE(prices.ok()) << prices.status();
  const BillLines lines =
      MakeBillLines(testing::RunExperiment(
                        testing::ReadExperiments(Replicated("", "TransactWriteItems")).front()),
                    *prices);
  const auto millions_of = [&](std::string_view position) {
    std::vector<double> quantities;
    for (const BillLine& line : lines) {
      if (line.position == position && line.resource == "t") quantities.push_back(line.quantity);
    }
    return quantities;
  };
  const double here = millions_of("writes on demand").at(0);
  EXPECT_THAT(millions_of("replicated writes"), ::testing::ElementsAre(here / 2, here / 2));
}

std::string Asking(std::string_view quota) {
  return Concat("[experiment]\nduration = \"10s\"\narrivals = \"even\"\n", quota,
                "\n[[table]]\nname = \"t\"\npartition_key = \"pk\"\nitem_size = \"40KB\"\n",
                "warm = { write = 100_000 }\n[[access]]\nname = \"write\"\n",
                "operation = \"PutItem\"\nload = { rate = 1_250 }\n",
                "key.pk = { distribution = \"uniform\", count = 100_000 }\n");
}

// 50,000 units a second, of 100,000 that the table is warm for. A second of the quota is saved.
TEST(QuotaTest, IsTheMostOfATableOnDemand) {
  const std::vector<Experiment> experiments = testing::ReadExperiments(Asking(""));
  const RunResult run = testing::RunExperiment(experiments.front());
  const Finding finding = MakeVerdict(run).front();
  EXPECT_EQ(finding.limit, ThroughputLimit::kAccount);
  EXPECT_NEAR(finding.share, 0.12, 0.01);
  EXPECT_THAT(finding.sentence,
              ::testing::HasSubstr(": t met the account's quota of a table, 40,000 write units a "
                                   "second. What helps: a higher quota of the table"));
  std::vector<std::string> doubts;
  AddDoubts(experiments.front(), &doubts);
  EXPECT_THAT(doubts, ::testing::ElementsAre(
                          "t: warm.write = 100000 is above what the account may give a table or an "
                          "index, 40000, so the service refuses it: say experiment.quota.table if "
                          "the account has more"));

  const Experiment more =
      testing::ReadExperiments(Asking("quota = { table = { write = 100_000 } }")).front();
  EXPECT_LT(MakeVerdict(testing::RunExperiment(more)).front().throttled, 100);
  doubts.clear();
  AddDoubts(more, &doubts);
  EXPECT_THAT(doubts, ::testing::IsEmpty());
}

// What may be provisioned is the sum of what scaling may ask for.
TEST(QuotaTest, OfTheAccountIsOfAllTogether) {
  constexpr std::string_view kTables =
      "[[table]]\nname = \"t\"\npartition_key = \"pk\"\nitem_size = 100\n"
      "billing = \"provisioned\"\nunits = { read = 40_000, write = 1 }\n"
      "auto_scaling.write = { maximum = 30_000 }\n"
      "[[table.index]]\nname = \"ix\"\npartition_key = \"a\"\nunits = { read = 1 }\n"
      "[[table]]\nname = \"u\"\npartition_key = \"pk\"\nitem_size = 100\n"
      "billing = \"provisioned\"\nunits = { read = 1, write = 30_000 }\n"
      "[[access]]\nname = \"write\"\noperation = \"PutItem\"\nload = { rate = 1 }\ntable = \"t\"\n"
      "key.pk = { distribution = \"uniform\", count = 10 }\nindex_change = \"none\"\n";
  const auto doubts_of = [&](std::string_view head) {
    std::vector<std::string> doubts;
    AddDoubts(testing::ReadExperiments(Concat("[experiment]\nduration = \"1s\"\n", head, kTables))
                  .front(),
              &doubts);
    return doubts;
  };
  EXPECT_THAT(doubts_of(""),
              ::testing::ElementsAre(
                  "tables and indexes may be provisioned with 90000 write units together, above "
                  "what the account may have, 80000, so the service refuses it: say "
                  "experiment.quota.account if it has more"));
  EXPECT_THAT(doubts_of("quota.account.write = 90_000\n"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace dynolith::lab
