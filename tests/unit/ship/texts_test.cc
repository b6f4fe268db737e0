// The texts of shipping: read as they were written, and every damage is found.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/base/crc32c.h"
#include "engine/base/strings.h"
#include "tests/unit/store/scratch_folder.h"
#include "tools/backup/file_copy.h"
#include "tools/backup/snapshot_file.h"
#include "tools/ship/base.h"
#include "tools/ship/log_files.h"
#include "tools/ship/segment.h"
#include "tools/ship/shipping_state.h"

namespace dynolith::ship {
namespace {

const absl::Time kTime = absl::FromUnixMillis(1'790'000'000'123);

Segment MakeSegment() {
  return {.owner = std::string(32, 'a'),
          .chain = 3,
          .time = kTime,
          .complete = kTime - absl::Seconds(1),
          .parts = {{.log = 7, .offset = 100, .bytes = 4}, {.log = 9, .offset = 0, .bytes = 6}},
          .data = "end \n\n3456"};
}

Base MakeBase() {
  return {.owner = std::string(32, 'b'),
          .chain = 3,
          .time = kTime,
          .complete = kTime - absl::Seconds(1),
          .segment = 12,
          .log = 7,
          .files = {.name = SnapshotName(14, kTime),
                    .store = "/var/lib/music",
                    .files = {{.name = "000007.log",
                               .sha256 = Sha256OfText("x"),
                               .bytes = 104,
                               .origin = {.inode = 1, .modified_nanoseconds = 2}}}}};
}

// No text that lacks bytes at its end or has one flipped bit is read.
void ExpectDamageFound(const std::string& text,
                       const std::function<absl::Status(std::string_view)>& read) {
  EXPECT_TRUE(read(text).ok()) << read(text);
  for (size_t bytes = 0; bytes < text.size(); ++bytes) {
    const absl::Status status = read(std::string_view(text).substr(0, bytes));
    EXPECT_TRUE(absl::IsDataLoss(status)) << bytes << " " << status;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      EXPECT_FALSE(read(flipped).ok()) << i << " " << flipped;
    }
  }
}

TEST(ShippedTexts, SegmentsAreReadAsWritten) {
  const Segment written = MakeSegment();
  const absl::StatusOr<Segment> read = ParseSegment("log/1", SegmentText(written));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->owner, written.owner);
  EXPECT_EQ(read->chain, written.chain);
  EXPECT_EQ(read->time, written.time);
  EXPECT_EQ(read->complete, written.complete);
  EXPECT_EQ(read->parts, written.parts);
  EXPECT_EQ(read->data, written.data);
  const Segment mark = {.owner = written.owner, .chain = 1, .time = kTime};
  EXPECT_TRUE(ParseSegment("log/1", SegmentText(mark))->parts.empty());
}

TEST(ShippedTexts, DamagedSegmentsAreFound) {
  ExpectDamageFound(SegmentText(MakeSegment()),
                    [](std::string_view text) { return ParseSegment("log/1", text).status(); });
}

TEST(ShippedTexts, NamesOfSegmentsAreInOrder) {
  EXPECT_EQ(SegmentName(10), "log/00000000000000000010");
  EXPECT_LT(SegmentName(9), SegmentName(10));
  EXPECT_EQ(SegmentNumber(SegmentName(1'234'567'890'123)), 1'234'567'890'123U);
  for (const char* const name :
       {"log/1", "log/", "files/00000000000000000010", "", "log/0000000000000000001x"}) {
    EXPECT_FALSE(SegmentNumber(name)) << name;
  }
}

TEST(ShippedTexts, BasesAreReadAsWritten) {
  const Base written = MakeBase();
  const std::string name = "bases/" + written.files.name;
  const absl::StatusOr<Base> read = ParseBase(name, BaseText(written));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->owner, written.owner);
  EXPECT_EQ(read->chain, written.chain);
  EXPECT_EQ(read->time, written.time);
  EXPECT_EQ(read->complete, written.complete);
  EXPECT_EQ(read->segment, written.segment);
  EXPECT_EQ(read->log, written.log);
  EXPECT_EQ(read->files, written.files);
  ExpectDamageFound(BaseText(written), [&](std::string_view text) {
    const absl::Status status = ParseBase(name, text).status();
    if (absl::IsDataLoss(status)) {
      EXPECT_EQ(status.message(), name + " is damaged: it is not as it was written");
    }
    return status;
  });
}

TEST(ShippedTexts, NewerOnesAreNoDamage) {
  const std::string base = BaseText(MakeBase());
  std::string head = base.substr(0, base.find("head "));
  head.replace(head.find("base 1"), 6, "base 2");
  const std::string newer = Concat(head, "head ", Crc32c(head), "\n");
  EXPECT_TRUE(absl::IsFailedPrecondition(ParseBase("bases/x", newer).status()));
}

TEST(ShippedTexts, StatesAreReadAsWritten) {
  const testing::ScratchFolder folder;
  const std::string file = folder.path() + "/data.shipping";
  EXPECT_EQ(ReadShippingState(file)->has_value(), false);
  const ShippingState written = {
      .owner = NewOwner(), .chain = 5, .target = "s3://a/b c", .manifest = "MANIFEST-000005"};
  EXPECT_EQ(written.owner.size(), 32U);
  EXPECT_NE(written.owner, NewOwner());
  ASSERT_TRUE(WriteShippingState(file, written).ok());
  const auto read = ReadShippingState(file);
  ASSERT_TRUE(read.ok() && read->has_value()) << read.status();
  EXPECT_EQ((*read)->owner, written.owner);
  EXPECT_EQ((*read)->chain, written.chain);
  EXPECT_EQ((*read)->target, written.target);
  EXPECT_EQ((*read)->manifest, written.manifest);
  const std::string text = *ReadTextFile(file);
  ExpectDamageFound(text, [&](std::string_view damaged) -> absl::Status {
    std::ofstream(file) << damaged;
    return ReadShippingState(file).status();
  });
}

TEST(LogLengths, KnowWhatIsMissing) {
  LogLengths logs(MakeBase());  // it needs logs from 7 on, and has 104 bytes of that
  EXPECT_EQ(*logs.Add("a", {.log = 6, .offset = 50, .bytes = 10}), false);
  EXPECT_EQ(*logs.Add("a", {.log = 7, .offset = 90, .bytes = 10}), true);
  EXPECT_EQ(*logs.Add("a", {.log = 7, .offset = 104, .bytes = 10}), true);
  EXPECT_TRUE(absl::IsDataLoss(logs.Add("a", {.log = 7, .offset = 115, .bytes = 1}).status()));
  EXPECT_EQ(*logs.Add("a", {.log = 9, .offset = 0, .bytes = 10}), true);
  EXPECT_TRUE(absl::IsDataLoss(logs.Add("a", {.log = 11, .offset = 1, .bytes = 1}).status()));
}

}  // namespace
}  // namespace dynolith::ship
