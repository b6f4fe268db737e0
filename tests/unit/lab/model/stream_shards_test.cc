// Each partition has a shard whose readers share what it gives; behind a split the children wait
// for their parent.
#include "tools/lab/model/stream_shards.h"

#include <gtest/gtest.h>

#include "tests/unit/lab/lab_run.h"
#include "tools/lab/report/verdict.h"

namespace dynolith::lab {
namespace {

constexpr double kMebibyte = 1 << 20;

TEST(StreamShardsTest, ReadersShareTwoMegabytesASecond) {
  // One gets 1 MB of each of its 4 calls, but of 2 MB a second; of three each gets a third of that.
  for (const auto& [readers, behind] : {std::pair(1, 0.0), std::pair(2, 1.0), std::pair(3, 2.0)}) {
    StreamShards shards({.readers = readers});
    shards.Add(1, 10, 2 * kMebibyte);
    shards.CloseSecond(kSecond);
    const StreamResult result = shards.Finish(1);
    EXPECT_NEAR(result.behind_at_end, behind, 1e-9) << readers;
    EXPECT_EQ(result.behind_from.has_value(), behind > 1) << readers;
    EXPECT_EQ(result.calls, 4 * readers);
    EXPECT_EQ(result.records, 10);
    EXPECT_EQ(result.bytes, 2 * kMebibyte);
  }
}

TEST(StreamShardsTest, ACallHasAThousandRecords) {
  StreamShards shards({.readers = 1, .interval = kSecond});
  shards.Add(7, 2'500, 100);
  shards.CloseSecond(kSecond);
  EXPECT_NEAR(shards.Finish(1).behind_at_end, 1.5, 1e-9);
  shards.CloseSecond(2 * kSecond);
  shards.CloseSecond(3 * kSecond);
  const StreamResult result = shards.Finish(1);
  EXPECT_EQ(result.behind_at_end, 0);
  EXPECT_NEAR(result.behind_most, 1.5, 1e-9);
  EXPECT_EQ(result.behind_from, kSecond);
}

TEST(StreamShardsTest, ChildrenWaitForTheirParent) {
  StreamShards shards({.readers = 1, .interval = kSecond});
  shards.Add(1, 3'000, 0);
  shards.CloseSecond(kSecond);
  shards.Split({.parent = 1, .low = 2, .high = 3, .boundary = ""});
  shards.Add(2, 500, 0);
  shards.CloseSecond(2 * kSecond);
  // A second of the parent is left, and then half a second of the child.
  EXPECT_NEAR(shards.Finish(2).behind_at_end, 1.5, 1e-9);
  shards.CloseSecond(3 * kSecond);
  EXPECT_EQ(shards.Finish(2).behind_at_end, 0);
}

// 800 writes of 1 KB a second to one key: two images are 1.6 MB, half of that for a new item.
std::string StreamText(std::string_view stream) {
  return testing::OneTable(
      "10s", Concat("stream = ", stream,
                    "\n[[access]]\nname = \"write\"\noperation = \"PutItem\"\nitem_size = 1024\n",
                    "key.pk = { distribution = \"list\", values = [\"one\"] }\n",
                    "load = { rate = 800 }\nadds = false\n"));
}

Finding FindStreamFinding(std::string_view stream) {
  const RunResult run =
      testing::RunExperiment(testing::ReadExperiments(StreamText(stream)).front());
  for (const Finding& finding : MakeVerdict(run)) {
    if (finding.kind == Finding::Kind::kStream) return finding;
  }
  ADD_FAILURE() << stream;
  return {};
}

TEST(StreamShardsTest, TheVerdictSaysWhetherReadersKeepUp) {
  EXPECT_EQ(FindStreamFinding("{}").sentence,
            "The 1 reader of the stream of t keeps up: each of its 4 shards is asked 4 times a "
            "second, and the most that one of them got in a second is 800 records, 1.6 MB.");
  const Finding behind = FindStreamFinding("{ readers = 2 }");
  EXPECT_EQ(behind.sentence,
            "The 2 readers of the stream of t fall behind from 00:00:02 on, by 5.6 s of reading "
            "at most and 5.6 s at the end: each of its 4 shards is asked 8 times a second, of "
            "which 5 are answered, and the most that one of them got in a second is 800 records, "
            "1.6 MB. What helps: a view with fewer images, or fewer readers.");
  EXPECT_EQ(behind.from, 2 * kSecond);
  EXPECT_EQ(FindStreamFinding("{ readers = 2, view = \"NEW_IMAGE\" }").from, std::nullopt);
}

// Of writes that change nothing there are no records.
TEST(StreamShardsTest, AFailedConditionIsNoRecord) {
  const RunResult run = testing::RunExperiment(
      testing::ReadExperiments(Concat(StreamText("{}"), "fails = 1\n")).front());
  EXPECT_EQ(run.resources.front().stream->records, 0);
}

}  // namespace
}  // namespace dynolith::lab
