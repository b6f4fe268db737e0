// The hottest keys: reads and writes are apart, weighed by what a partition can take of each, and a
// load that is even has none.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"

namespace dynolith::lab {
namespace {

using testing::OneTable;
using testing::ReadExperiments;
using testing::RunExperiment;

ResourceResult RunTable(std::string_view accesses) {
  const RunResult run = RunExperiment(ReadExperiments(OneTable("60s", accesses)).front());
  return run.resources.front();
}

std::string Writes(std::string_view distribution) {
  return Concat("[[access]]\nname = \"write\"\noperation = \"PutItem\"\nkey.pk = { ", distribution,
                " }\nload = { rate = 500 }\n");
}

// 900 strongly consistent reads are less of a partition than 400 writes.
TEST(HottestKeysTest, ReadsAndWritesAreApart) {
  const ResourceResult table = RunTable(
      "[[access]]\nname = \"read\"\noperation = \"GetItem\"\nconsistency = \"strong\"\n"
      "key.pk = { distribution = \"list\", values = [\"read\"] }\nload = { rate = 900 }\n"
      "[[access]]\nname = \"write\"\noperation = \"PutItem\"\n"
      "key.pk = { distribution = \"list\", values = [\"written\"] }\nload = { rate = 400 }\n");
  ASSERT_EQ(table.hottest.size(), 2);
  EXPECT_EQ(table.hottest[0].key, "written");
  EXPECT_EQ(table.hottest[0].units, (PerKind<double>{0, 24'000}));
  EXPECT_EQ(table.hottest[1].key, "read");
  EXPECT_EQ(table.hottest[1].units, (PerKind<double>{54'000, 0}));
  EXPECT_FALSE(table.is_even);
}

TEST(HottestKeysTest, AnEvenLoadHasNone) {
  EXPECT_TRUE(RunTable(Writes("distribution = \"uniform\", count = 100")).is_even);
  // More keys than are counted.
  EXPECT_TRUE(RunTable(Writes("distribution = \"uniform\", count = 1000000")).is_even);
  EXPECT_TRUE(RunTable(Writes("distribution = \"random\"")).is_even);
}

// A few throttles of many keys: some key has several by chance alone.
TEST(HottestKeysTest, AnEvenLoadHasNoneWhereLittleIsThrottled) {
  Experiment experiment =
      ReadExperiments(OneTable("300s", Concat("billing = \"provisioned\"\nunits = { read = 1, ",
                                              "write = 480 }\n",
                                              Writes("distribution = \"uniform\", count = 30000"))))
          .front();
  experiment.admission = Admission::kStatic;
  const RunResult run = RunExperiment(experiment);
  const ResourceResult& table = run.resources.front();
  uint64_t throttled = 0;
  for (const uint64_t count : table.throttled.write) throttled += count;
  EXPECT_GT(throttled, 1'000);
  EXPECT_LT(throttled, 10'000);
  EXPECT_TRUE(table.is_even);
}

TEST(HottestKeysTest, OthersHaveSome) {
  EXPECT_FALSE(RunTable(Writes("distribution = \"zipfian\", count = 1000000")).is_even);
  EXPECT_FALSE(
      RunTable(Writes("distribution = \"celebrity\", count = 1000000, hot_share = 0.01")).is_even);
  EXPECT_FALSE(RunTable(Writes("distribution = \"hot-set\", count = 100, hot_keys = 0.2, hot_share "
                               "= 0.4"))
                   .is_even);
  // So few can all be listed.
  EXPECT_FALSE(RunTable(Writes("distribution = \"uniform\", count = 20")).is_even);
}

}  // namespace
}  // namespace dynolith::lab
