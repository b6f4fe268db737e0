// A result for programs has each place of the heat map; for a picture it has what can be seen
// there, in a tenth of the bytes.
#include "tools/lab/report/result_json.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/lab/lab_run.h"

namespace dynolith::lab {
namespace {

// Of one second, in which two neighbours and the last bucket were hot.
std::string HeatText(HeatForm form) {
  RunResult run =
      testing::RunExperiment(testing::ReadExperiments(testing::OneKey("1s", 1)).front());
  HeatMap& heat = run.resources.front().heat;
  heat.cells.assign(kHeatBuckets, {});
  heat.cells[7].operations = 1'234;
  heat.cells[9].operations = 2;
  heat.cells.back().operations = 8;
  const std::string json = ResultJson({run}, {}, form);
  const size_t begin = json.find("\"heat\":");
  return json.substr(begin, json.find("\"splits\":") - begin);
}

TEST(ResultJsonTest, ProgramsGetEachPlace) {
  EXPECT_EQ(
      HeatText(HeatForm::kCells),
      R"("heat":{"slot_seconds":1,"buckets":1000,"operations":[[0,7,1234],[0,9,2],[0,999,8]],)"
      R"("bytes":[],"units":[],"throttled":[]},)");
}

TEST(ResultJsonTest, APictureHasNeighboursTogether) {
  std::string zeros;
  for (int i = 2; i < 199; ++i) zeros += "0,";
  EXPECT_EQ(HeatText(HeatForm::kPicture),
            R"("heat":{"slot_seconds":1,"slots":1,"buckets":200,"operations":[0,1.24e+03,)" +
                zeros + R"(8],"bytes":[],"units":[],"throttled":[]},)");
}

}  // namespace
}  // namespace dynolith::lab
