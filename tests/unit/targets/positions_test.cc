// The file of positions: one that is read wrongly would lose changes, or deliver all of them again.
#include "tools/server/targets/positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "engine/base/errors.h"
#include "engine/base/file_text.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith::targets {
namespace {

const MappingKey kMapping = {"orders", "exec:\"ü\""};

AllPositions Some() {
  AllPositions all;
  MappingPosition& mapping = all[kMapping];
  mapping.begin = 17;
  mapping.lanes[{"shardId-1", 0, 2}] = {.next = 0};
  mapping.lanes[{"shardId-1", 1, 2}] = {.next = 42, .done = true};
  mapping.lanes[{"shardId-2", 0, 1}] = {
      .next = kStamped + 9, .window = 1200, .state = "{\"a\":[1]}"};
  all[{"music", "http://h/"}] = {};
  return all;
}

TEST(Positions, AreReadAsTheyWereWritten) {
  const std::string text = PrintPositions(Some());
  const auto read = ParsePositions(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(PrintPositions(*read), text);
  const MappingPosition& mapping = read->at(kMapping);
  EXPECT_EQ(mapping.begin, SequenceNumber{17});
  EXPECT_EQ(mapping.lanes.at({"shardId-1", 0, 2}).next, SequenceNumber{0});
  EXPECT_TRUE(mapping.lanes.at({"shardId-1", 1, 2}).done);
  const LanePosition& third = mapping.lanes.at({"shardId-2", 0, 1});
  EXPECT_EQ(third.next, kStamped + 9);
  EXPECT_EQ(third.window, 1200);
  EXPECT_EQ(third.state, "{\"a\":[1]}");
}

TEST(Positions, DamageIsSeen) {
  const std::string text = PrintPositions(Some());
  for (size_t size = 0; size < text.size() - 1; ++size) {
    EXPECT_FALSE(ParsePositions(text.substr(0, size)).ok()) << size;
  }
  for (size_t at = 0; at + 1 < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] ^= 1;
    EXPECT_FALSE(ParsePositions(damaged).ok()) << at;
  }
}

TEST(Positions, AreInTheFileOnceTheyAreKept) {
  const testing::ScratchFolder folder;
  const std::string file = folder.path() + ".targets";
  const LaneKey lane = {"shardId-1", 0, 1};
  {
    const auto positions = Positions::Open(file);
    ASSERT_TRUE(positions.ok()) << positions.status();
    ASSERT_TRUE((*positions)->Set(kMapping, lane, {.next = 5}, true).ok());
    ASSERT_TRUE((*positions)->Set(kMapping, lane, {.next = 6}, false).ok());
  }
  const auto again = Positions::Open(file);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->Get(kMapping).lanes.at(lane).next, SequenceNumber{5});
  (*again)->Forget(kMapping, lane);
  ASSERT_TRUE((*again)->Keep().ok());
  EXPECT_TRUE((*Positions::Open(file))->Get(kMapping).lanes.empty());
  std::filesystem::remove(file);
}

TEST(Positions, AMappingWithoutLanesIsKeptForItsBeginning) {
  const testing::ScratchFolder folder;
  const std::string file = folder.path() + ".targets";
  const MappingKey other = {"other", "http://h/"};
  const LaneKey lane = {"shardId-1", 0, 1};
  const auto positions = Positions::Open(file);
  ASSERT_TRUE(positions.ok()) << positions.status();
  ASSERT_TRUE((*positions)->SetBegin(kMapping, 17).ok());
  for (const MappingKey& key : {kMapping, other}) {
    ASSERT_TRUE((*positions)->Set(key, lane, {.next = 5}, true).ok());
    (*positions)->Forget(key, lane);
  }
  (*positions)->Forget({"never", "seen"}, lane);
  ASSERT_TRUE((*positions)->Keep().ok());
  AllPositions expected;
  expected[kMapping].begin = 17;
  EXPECT_EQ(ReadFileText(file).text, PrintPositions(expected));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace dynolith::targets
