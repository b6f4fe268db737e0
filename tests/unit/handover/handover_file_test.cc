// The file of tables that are handed over: a server that forgets one would answer from old data.
#include "tools/server/handover/handover_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/store/scratch_folder.h"

namespace dynolith::handover {
namespace {

using ::testing::HasSubstr;

std::vector<HandedTable> TwoTables() {
  return {{.database = "", .table = "music", .state = HandoverState::kRefuse, .to = {}},
          {.database = "test-1",
           .table = "plain",
           .state = HandoverState::kForward,
           .to = {.url = "https://example.com/\"ü\"",
                  .region = "eu-west-1",
                  .profile = "work",
                  .certificates = "/etc/a b.pem"}}};
}

TEST(HandoverFile, IsReadAsItWasWritten) {
  const std::string text = PrintHandovers(TwoTables());
  const auto read = ParseHandovers(text);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[1].database, "test-1");
  EXPECT_EQ((*read)[1].table, "plain");
  EXPECT_EQ((*read)[1].state, HandoverState::kForward);
  EXPECT_EQ((*read)[1].to, TwoTables()[1].to);
  EXPECT_EQ(PrintHandovers(*read), text);
}

TEST(HandoverFile, EveryDamageIsFound) {
  const std::string text = PrintHandovers(TwoTables());
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(ParseHandovers(text.substr(0, length)).ok()) << length;
  }
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(ParseHandovers(damaged).ok()) << bit;
  }
}

TEST(HandoverFile, IsReplacedAndRemoved) {
  const dynolith::testing::ScratchFolder folder;
  const std::string file = folder.path() + "/data.handovers";
  EXPECT_TRUE(ReadHandovers(file)->empty());
  ASSERT_TRUE(WriteHandovers(file, TwoTables()).ok());
  EXPECT_EQ(ReadHandovers(file)->size(), 2u);
  ASSERT_TRUE(WriteHandovers(file, {}).ok());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(file + ".new"));
  ASSERT_TRUE(WriteHandovers(file, {}).ok());

  const absl::Status unwritten = WriteHandovers(folder.path() + "/absent/x", TwoTables());
  EXPECT_THAT(std::string(unwritten.message()), HasSubstr("/absent/x cannot be written: "));
  std::filesystem::create_directory(file);
  EXPECT_FALSE(ReadHandovers(file).ok());
}

}  // namespace
}  // namespace dynolith::handover
