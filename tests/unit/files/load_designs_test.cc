// A load that makes a table with its items has phases in which no item is read: it says so, and can
// be stopped there. What a journal of another version says must not lose items.
#include "tools/files/load_designs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dynolith/database.h"
#include "tests/unit/store/scratch_folder.h"
#include "tools/files/excerpt/excerpt.h"

namespace dynolith::designs {
namespace {

constexpr int kItems = 2'000;

class LoadDesignsTest : public ::testing::Test {
 protected:
  LoadDesignsTest() {
    std::ofstream(folder_ / "songs.json")
        << R"({"TableName": "songs", "BillingMode": "PAY_PER_REQUEST",
               "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
               "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})";
    std::ofstream items(folder_ / "songs.items.json");
    for (int i = 0; i < kItems; ++i) {
      items << R"({"Item":{"pk":{"S":"song )" << i << "\"}}}\n";
    }
  }

  LoadSummary Load(const LoadListener& listener, const std::string& journal = "") {
    LoadOptions options;
    options.files = {folder_ / "songs.json", folder_ / "songs.items.json"};
    options.journal = journal;
    const auto target = client::MakeDatabaseTarget(database_.get());
    return LoadDesigns(options, target.get(), listener).value();
  }
  int64_t ItemsThere() {
    int64_t items = 0;
    auto scan = database_->ScanAll({.table_name = "songs"});
    for ([[maybe_unused]] const Item& item : scan) ++items;
    return scan.status().ok() ? items : -1;
  }

  const dynolith::testing::ScratchFolder folder_;
  const std::unique_ptr<Database> database_ = Database::Open({.in_memory = true}).value();
};

TEST_F(LoadDesignsTest, SaysWhenItSorts) {
  std::vector<LoadProgress> shown;
  const LoadListener listener = {
      .find = [](const Finding& finding) { ADD_FAILURE() << finding.text; },
      .progress = [&](const LoadProgress& progress) { shown.push_back(progress); },
      .made = nullptr,
      .is_over = nullptr};
  const LoadSummary summary = Load(listener);
  EXPECT_EQ(summary.made, 1U);
  EXPECT_EQ(summary.items, static_cast<uint64_t>(kItems));
  EXPECT_EQ(ItemsThere(), kItems);
  bool was_sorting = false;
  for (const LoadProgress& progress : shown) {
    was_sorting |= progress.is_sorting;
    EXPECT_EQ(progress.bytes_all, std::filesystem::file_size(folder_ / "songs.items.json"));
    if (progress.is_sorting) {
      EXPECT_EQ(progress.items, static_cast<uint64_t>(kItems));
      EXPECT_EQ(progress.bytes, progress.bytes_all);
    }
  }
  EXPECT_TRUE(was_sorting);
  EXPECT_FALSE(shown.back().is_sorting);
}

TEST_F(LoadDesignsTest, IsStoppedWhereverItIs) {
  for (const bool in_sorting : {false, true}) {
    bool is_over = false;
    const LoadListener listener = {
        .find = [](const Finding& finding) { ADD_FAILURE() << finding.text; },
        .progress =
            [&](const LoadProgress& progress) { is_over |= progress.is_sorting == in_sorting; },
        .made = nullptr,
        .is_over = [&] { return is_over; }};
    const LoadSummary summary = Load(listener, folder_ / "journal");
    EXPECT_TRUE(summary.is_over);
    EXPECT_TRUE(summary.is_kept);
    EXPECT_EQ(summary.made, 0U);
    EXPECT_EQ(summary.items, 0U);
    EXPECT_FALSE(database_->DescribeTable({.table_name = "songs"}).ok());
  }
  const LoadSummary summary = Load(
      {.find = [](const Finding& finding) { ADD_FAILURE() << finding.text; }}, folder_ / "journal");
  EXPECT_EQ(summary.items, static_cast<uint64_t>(kItems));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "journal"));
}

// A speed is that of this run only.
TEST_F(LoadDesignsTest, CountsAsSkippedWhatAnEarlierRunHasWritten) {
  std::ofstream(folder_ / "albums.json")
      << R"({"TableName": "albums", "BillingMode": "PAY_PER_REQUEST",
             "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
             "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})";
  std::ofstream(folder_ / "albums.items.json") << R"({"Item":{"pk":{"S":"album"}}})" << '\n';
  LoadOptions options;
  for (const char* file : {"songs.json", "songs.items.json", "albums.json", "albums.items.json"}) {
    options.files.push_back(folder_ / file);
  }
  options.journal = folder_ / "journal";
  const auto target = client::MakeDatabaseTarget(database_.get());
  bool is_over = false;
  LoadListener listener = {.find = [](const Finding& finding) { ADD_FAILURE() << finding.text; },
                           .progress = nullptr,
                           .made = [&](const std::string& table) { is_over = table == "songs"; },
                           .is_over = [&] { return is_over; }};
  EXPECT_TRUE(LoadDesigns(options, target.get(), listener)->is_kept);

  LoadProgress last;
  listener.progress = [&](const LoadProgress& progress) { last = progress; };
  is_over = false;
  EXPECT_EQ(LoadDesigns(options, target.get(), listener)->made, 1U);
  EXPECT_EQ(last.bytes, last.bytes_all);
  EXPECT_EQ(last.bytes_skipped, std::filesystem::file_size(folder_ / "songs.items.json"));
}

// Its tables were made empty.
TEST_F(LoadDesignsTest, AJournalWithoutWholeTables) {
  int calls = 0;
  const LoadListener stopped = {.find = [](const Finding&) {},
                                .progress = nullptr,
                                .made = nullptr,
                                .is_over = [&] { return ++calls > 0; }};
  EXPECT_TRUE(Load(stopped, folder_ / "journal").is_kept);
  std::string journal;
  std::getline(std::ifstream(folder_ / "journal"), journal);
  const std::string nothing = R"("made":[],"whole":[])";
  ASSERT_NE(journal.find(nothing), std::string::npos) << journal;
  journal.replace(journal.find(nothing), nothing.size(), R"("made":["songs"],"part":0,"record":0)");
  std::ofstream(folder_ / "journal") << journal << '\n';
  ASSERT_TRUE(database_
                  ->CreateTable({.table_name = "songs",
                                 .attribute_definitions = {{{"pk"}}},
                                 .key_schema = {{{"pk"}}},
                                 .billing_mode = BillingMode::kPayPerRequest})
                  .ok());
  const LoadSummary summary = Load(
      {.find = [](const Finding& finding) { ADD_FAILURE() << finding.text; }}, folder_ / "journal");
  EXPECT_EQ(summary.made, 0U);
  EXPECT_EQ(summary.items, static_cast<uint64_t>(kItems));
  EXPECT_EQ(ItemsThere(), kItems);
}

// Loads the items by rules into the table, which is there; with a journal.
class LoadByRulesTest : public LoadDesignsTest {
 protected:
  LoadByRulesTest() {
    EXPECT_TRUE(database_
                    ->CreateTable({.table_name = "songs",
                                   .attribute_definitions = {{{"pk"}}},
                                   .key_schema = {{{"pk"}}},
                                   .billing_mode = BillingMode::kPayPerRequest})
                    .ok());
    std::ofstream(folder_ / "copy.key") << "a key of the tests\n";
  }

  LoadSummary LoadSome(int hash_length, int items) {
    std::ofstream(folder_ / "rules.toml")
        << "key = { file = \"copy.key\" }\n[[rule]]\nattributes = [\"pk\"]\nkind = \"hash\"\n"
        << "length = " << hash_length << "\n";
    const auto excerpt =
        excerpt::Excerpt::Make({.rules_file = folder_ / "rules.toml", .is_strict = true}).value();
    LoadOptions options;
    options.files = {folder_ / "songs.items.json"};
    options.journal = folder_ / "journal";
    options.excerpt = excerpt.get();
    const auto target = client::MakeDatabaseTarget(database_.get());
    const LoadListener listener = {
        .find = [&](const Finding& finding) { errors_.push_back(finding.text); },
        .progress = nullptr,
        .made = nullptr,
        .is_over = [&] { return items-- <= 0; }};
    errors_.clear();
    return LoadDesigns(options, target.get(), listener).value();
  }

  std::vector<std::string> errors_;
};

TEST_F(LoadByRulesTest, GoesOnWithTheSameOnes) {
  const LoadSummary stopped = LoadSome(/*hash_length=*/64, kItems / 2);
  EXPECT_TRUE(stopped.is_kept);
  EXPECT_EQ(stopped.items, static_cast<uint64_t>(kItems / 2));
  LoadSome(/*hash_length=*/32, kItems);
  ASSERT_EQ(errors_.size(), 1U);
  EXPECT_NE(errors_[0].find("another filter, sample or rules"), std::string::npos) << errors_[0];
  const LoadSummary summary = LoadSome(/*hash_length=*/64, 2 * kItems);
  EXPECT_EQ(errors_, std::vector<std::string>());
  EXPECT_EQ(stopped.items + summary.items, static_cast<uint64_t>(kItems));
  EXPECT_EQ(ItemsThere(), kItems);
}

// One of the two was written before the interruption.
TEST_F(LoadByRulesTest, FindsKeysThatMeetAgain) {
  constexpr int kKeys = 16;
  const LoadSummary stopped = LoadSome(/*hash_length=*/1, kItems / 2);
  EXPECT_EQ(stopped.items, static_cast<uint64_t>(kKeys));
  const LoadSummary summary = LoadSome(/*hash_length=*/1, 2 * kItems);
  EXPECT_EQ(summary.items, 0U);
  EXPECT_EQ(summary.errors, static_cast<uint64_t>(kItems - kKeys));
  EXPECT_EQ(ItemsThere(), kKeys);
}

}  // namespace
}  // namespace dynolith::designs
