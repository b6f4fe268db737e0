// The file by which a migration goes on: what is written is read again, and nothing else is.
#include "tools/migrate/migration_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "tests/unit/store/scratch_folder.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::migrate {
namespace {

using ::testing::HasSubstr;

JsonTree What(const std::string& to) {
  JsonTree what = designs::MapTree();
  designs::SetMember(&what, "from", designs::TextTree("here"));
  designs::SetMember(&what, "to", designs::TextTree(to));
  return what;
}

MigrationState Example() {
  MigrationState state;
  TableState& table = state.tables["music"];
  table.is_being_made = true;
  table.is_made = true;
  table.bucket = {.token = "t", .exported = "arn:export", .imported = ""};
  table.segments = {{.is_done = true, .after = ""},
                    {.is_done = false, .after = R"({"pk":{"S":"a \"quoted\" ü"}})"},
                    {}};
  table.items = 7;
  table.changes = 8;
  table.refused = 9;
  table.stream = "arn:stream";
  table.shards["shard-1"] = {
      .parent = "", .is_done = true, .after = "12", .first = "3", .seen = 1'795'000'000};
  table.shards["shard-2"] = {.parent = "shard-1", .is_done = false, .after = "", .seen = 5};
  table.needs_second_scan = true;
  state.tables["empty"];
  return state;
}

TEST(MigrationState, IsReadAsWritten) {
  const std::string text = PrintState(Example(), What("there"));
  const absl::StatusOr<MigrationState> read = ParseState(text, What("there"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(PrintState(*read, What("there")), text);
  const TableState& table = read->tables.at("music");
  EXPECT_EQ(table.segments[1].after, R"({"pk":{"S":"a \"quoted\" ü"}})");
  EXPECT_EQ(table.shards.at("shard-1").after, "12");
  EXPECT_EQ(table.shards.at("shard-2").parent, "shard-1");
  EXPECT_EQ(table.bucket.exported, "arn:export");
  EXPECT_TRUE(table.needs_second_scan);
  EXPECT_FALSE(table.IsCopied());
  EXPECT_FALSE(read->tables.at("empty").IsCopied());
  EXPECT_FALSE(read->is_over);
}

TEST(MigrationState, EachOtherLengthIsRefused) {
  const std::string text = PrintState(Example(), What("there"));
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(ParseState(text.substr(0, size), What("there")).ok()) << size;
  }
  EXPECT_FALSE(ParseState(text + " ", What("there")).ok());
}

TEST(MigrationState, EachFlippedBitIsRefused) {
  const std::string text = PrintState(Example(), What("there"));
  for (size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_FALSE(ParseState(damaged, What("there")).ok()) << damaged;
    }
  }
}

TEST(MigrationState, OfAnotherMigrationOrVersionIsRefused) {
  const std::string text = PrintState(Example(), What("there"));
  const absl::Status other = ParseState(text, What("elsewhere")).status();
  EXPECT_EQ(other.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(other.ToString(), HasSubstr("\"to\" is not the same"));
  const absl::Status newer =
      ParseState(R"({"dynolith_migration":2,"what":{},"tables":{}})", What("there")).status();
  EXPECT_THAT(newer.ToString(), HasSubstr("has version 2"));
}

TEST(StateFile, KeepsWhatWasSaved) {
  const dynolith::testing::ScratchFolder folder;
  const std::string file = folder.path() + "/state";
  {
    absl::StatusOr<std::unique_ptr<StateFile>> opened = StateFile::Open(file, What("there"));
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_FALSE((*opened)->was_there());
    (*opened)->Change([](MigrationState* state) { *state = Example(); });
    ASSERT_TRUE((*opened)->Save().ok());
    // One run at a time.
    const absl::Status held = StateFile::Open(file, What("there")).status();
    EXPECT_EQ(held.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(held.ToString(), HasSubstr("another run holds"));
  }
  absl::StatusOr<std::unique_ptr<StateFile>> again = StateFile::Open(file, What("there"));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE((*again)->was_there());
  EXPECT_EQ((*again)->Get("music").items, 7U);
  EXPECT_EQ((*again)->Get("unknown").items, 0U);
}

TEST(StateFile, ErrorsNameTheFile) {
  const dynolith::testing::ScratchFolder folder;
  const std::string file = folder.path() + "/state";
  std::ofstream(file) << "nonsense";
  EXPECT_THAT(StateFile::Open(file, What("there")).status().ToString(),
              HasSubstr(file + ": this is no state"));
  EXPECT_THAT(StateFile::Open(folder.path() + "/none/state", What("there")).status().ToString(),
              HasSubstr("cannot be written: No such file"));
  // It was not touched.
  std::stringstream left;
  left << std::ifstream(file).rdbuf();
  EXPECT_EQ(left.str(), "nonsense");
}

}  // namespace
}  // namespace dynolith::migrate
