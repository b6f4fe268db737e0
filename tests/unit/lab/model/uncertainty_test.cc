// The corners of what is uncertain in the service are what they say: a later split throttles for
// longer, and only reads that are all eventually consistent get more of a partition.
#include "tools/lab/model/uncertainty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/report/spread.h"

namespace dynolith::lab {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// Early splits first, and of each first those of 3,000 units.
std::vector<double> ServedInCorners(std::string_view text) {
  std::vector<double> served;
  for (const Experiment& corner : MakeCorners(testing::ReadExperiments(text).front())) {
    served.push_back(SummarizeRun(testing::RunExperiment(corner), {}).served);
  }
  return served;
}

// 4,500 units a second of one key, 100 KB each.
std::string HotReads(std::string_view consistency, int rate) {
  return Concat("[experiment]\nduration = \"40s\"\narrivals = \"even\"\n[[table]]\nname = \"t\"\n",
                "partition_key = \"pk\"\nitem_size = \"100KB\"\n[[access]]\nname = \"read\"\n",
                "operation = \"GetItem\"\nconsistency = \"", consistency, "\"\n",
                "key.pk = { distribution = \"list\", values = [\"one\"] }\nload = { rate = ", rate,
                " }\n");
}

TEST(UncertaintyTest, EventualReadsMayGetMore) {
  const auto two_thirds = DoubleNear(2.0 / 3, 0.02);
  EXPECT_THAT(ServedInCorners(HotReads("eventual", 360)),
              ElementsAre(two_thirds, DoubleNear(1, 0.02), two_thirds, DoubleNear(1, 0.02)));
  EXPECT_THAT(ServedInCorners(HotReads("strong", 180)),
              ElementsAre(two_thirds, two_thirds, two_thirds, two_thirds));
}

// Two keys of one partition ask for 750 of its 1,000 units a second each: a third is throttled
// until it has split between them, a minute and the delay later.
TEST(UncertaintyTest, SplitsMayComeLate) {
  const auto served = [](double minutes) { return DoubleNear(1 - minutes / 20 / 3, 0.02); };
  EXPECT_THAT(ServedInCorners("[experiment]\nduration = \"20m\"\narrivals = \"even\"\n[[table]]\n"
                              "name = \"t\"\npartition_key = \"pk\"\nitem_size = \"100KB\"\n"
                              "[[access]]\nname = \"write\"\noperation = \"PutItem\"\n"
                              "key.pk = { distribution = \"list\", values = [\"1\", \"b\"] }\n"
                              "load = { rate = 15 }"),
              ElementsAre(served(4), served(4), served(16), served(16)));
}

}  // namespace
}  // namespace dynolith::lab
