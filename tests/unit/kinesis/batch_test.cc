// What a call holds decides whether an item's changes stay in order when Kinesis takes only some of
// them.
#include "tools/server/kinesis/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tools/server/kinesis/kinesis_client.h"

namespace dynolith::kinesis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

WaitingRecord Waiting(const std::string& item, size_t bytes = 100, bool is_sent = false) {
  return {.record = {.partition_key = item, .data = std::string(bytes - item.size(), 'x')},
          .is_sent = is_sent};
}

TEST(Batch, HasTheFirstOfEachItem) {
  EXPECT_THAT(ChooseBatch({}), IsEmpty());
  EXPECT_THAT(ChooseBatch({Waiting("a"), Waiting("b"), Waiting("a"), Waiting("c"), Waiting("b")}),
              ElementsAre(0, 1, 3));
}

TEST(Batch, LeavesOutWhatIsSent) {
  EXPECT_THAT(ChooseBatch({Waiting("a"), Waiting("b", 100, true), Waiting("b"), Waiting("a")}),
              ElementsAre(0, 2));
}

TEST(Batch, HasAtMostFiveHundred) {
  std::deque<WaitingRecord> waiting;
  for (int i = 0; i < 600; ++i) waiting.push_back(Waiting(std::to_string(i)));
  EXPECT_THAT(ChooseBatch(waiting), SizeIs(kRecordsMax));
}

TEST(Batch, HasAtMostFiveMegabytes) {
  std::deque<WaitingRecord> waiting;
  for (int i = 0; i < 7; ++i) waiting.push_back(Waiting(std::to_string(i), kRecordBytesMax));
  EXPECT_THAT(ChooseBatch(waiting), ElementsAre(0, 1, 2, 3, 4));
  // What does not fit keeps those behind it back, so that none waits for ever.
  waiting[4] = Waiting("4", kRecordBytesMax - 100);
  waiting[6] = Waiting("6", 50);
  EXPECT_THAT(ChooseBatch(waiting), ElementsAre(0, 1, 2, 3, 4));
}

TEST(Batch, ALargeRecordIsAlone) {
  const size_t large = kRecordBytesMax + 1;
  EXPECT_THAT(ChooseBatch({Waiting("a"), Waiting("b", large), Waiting("c")}), ElementsAre(0));
  EXPECT_THAT(ChooseBatch({Waiting("b", large), Waiting("c")}), ElementsAre(0));
  EXPECT_THAT(ChooseBatch({Waiting("b", 6 * large), Waiting("c")}), ElementsAre(0));
}

}  // namespace
}  // namespace dynolith::kinesis
