// The text of a backup: it is what says whether files are whole, so nothing that was changed in it
// may pass for one, and no name in it may lead a restore out of its folder.
#include "tools/backup/snapshot_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/strings.h"
#include "tools/backup/file_copy.h"

namespace dynolith {
namespace {

const std::string kSha256(64, 'a');

SnapshotFile MakeSnapshotFile(const std::string& name) {
  return {.name = name, .sha256 = kSha256, .bytes = 5, .origin = {7, 9}};
}

// A text with a right checksum, whatever is in it.
std::string Sealed(const std::string& text) {
  return Concat(text, "end ", Sha256OfText(text), "\n");
}

constexpr std::string_view kName = "000001-20260131T120000Z";

absl::StatusCode ParseCode(const std::string& text) {
  return ParseSnapshot(Concat("to/snapshots/", kName), text).status().code();
}

TEST(SnapshotFileTest, RoundTrip) {
  StoreSnapshot snapshot{.name = std::string(kName),
                         .store = "/a b/\n\"\\ü",
                         .files = {MakeSnapshotFile("CURRENT"), MakeSnapshotFile("end ")}};
  snapshot.files[1].bytes = UINT64_MAX;
  snapshot.files[1].origin = {UINT64_MAX, UINT64_MAX};
  const absl::StatusOr<StoreSnapshot> parsed =
      ParseSnapshot(std::string(kName), SnapshotText(snapshot));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, snapshot);
}

TEST(SnapshotFileTest, EveryCutAndEveryFlippedBitIsDamage) {
  const std::string text =
      SnapshotText({.name = std::string(kName),
                    .store = "/data",
                    .files = {MakeSnapshotFile("CURRENT"), MakeSnapshotFile("000012.sst")}});
  for (size_t bytes = 0; bytes < text.size(); ++bytes) {
    EXPECT_EQ(ParseCode(text.substr(0, bytes)), absl::StatusCode::kDataLoss) << bytes;
  }
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(ParseCode(damaged), absl::StatusCode::kDataLoss) << bit;
  }
  EXPECT_EQ(ParseCode(text + "\n"), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ParseCode(text), absl::StatusCode::kOk);
}

TEST(SnapshotFileTest, TheTextOfAnotherOne) {
  const std::string text = SnapshotText({.name = "000002-20260131T120000Z",
                                         .store = "/data",
                                         .files = {MakeSnapshotFile("CURRENT")}});
  const absl::Status status = ParseSnapshot(std::string(kName), text).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status.message(), Concat("the backup folder is damaged: ", kName,
                                     " holds the text of 000002-20260131T120000Z"));
}

TEST(SnapshotFileTest, NewerVersion) {
  EXPECT_EQ(ParseCode(Sealed("dynolith snapshot 3\nanything\n")),
            absl::StatusCode::kFailedPrecondition);
}

TEST(SnapshotFileTest, WellSealedNonsense) {
  const std::string head = "dynolith snapshot 1\nstore /data\n";
  const std::string file = Concat("file ", kSha256, " 5 7 9 ");
  ASSERT_EQ(ParseCode(Sealed(head + file + "CURRENT\n")), absl::StatusCode::kOk);
  const std::vector<std::string> bodies = {
      "",
      file + "\n",
      file + ".\n",
      file + "..\n",
      file + "../CURRENT\n",
      file + "/etc/passwd\n",
      file + "a/b\n",
      Concat("file ", std::string(64, 'A'), " 5 7 9 CURRENT\n"),
      Concat("file ", std::string(63, 'a'), " 5 7 9 CURRENT\n"),
      Concat("file ../", std::string(61, 'a'), " 5 7 9 CURRENT\n"),
      Concat("file ", kSha256, " -5 7 9 CURRENT\n"),
      Concat("file ", kSha256, " 5 7 18446744073709551616 CURRENT\n"),
      Concat("link ", kSha256, " 5 7 9 CURRENT\n"),
  };
  for (const std::string& body : bodies) {
    EXPECT_EQ(ParseCode(Sealed(head + body)), absl::StatusCode::kDataLoss) << body;
  }
  EXPECT_EQ(ParseCode(Sealed("dynolith snapshot 1\n" + file + "CURRENT\n")),
            absl::StatusCode::kDataLoss);
}

TEST(SnapshotFileTest, Names) {
  const absl::Time time = absl::FromUnixSeconds(1'769'860'800);
  EXPECT_EQ(SnapshotName(1, time), "000001-20260131T120000Z");
  EXPECT_EQ(SnapshotName(12'345'678, time), "12345678-20260131T120000Z");
  EXPECT_EQ(SnapshotNumber("000001-20260131T120000Z"), 1);
  EXPECT_EQ(SnapshotNumber("12345678-20260131T120000Z"), 12'345'678);
  for (const std::string_view name : {"", "1-x", "000001", "00000a-x", "-000001", "lost+found"}) {
    EXPECT_EQ(SnapshotNumber(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace dynolith
