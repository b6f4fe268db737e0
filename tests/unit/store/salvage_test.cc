// What repair saves: everything of a store that is whole, whatever moment it was left at, and of a
// damaged one what the other files hold; never a row that was not there, and nothing in the old
// folder changes.
#include "engine/store/salvage/salvage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/store/local_store.h"
#include "tests/unit/store/process_limit.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/store_images.h"
#include "tests/unit/store/test_key.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using testing::CopyStore;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::OpenAndRead;
using testing::ReadFile;
using testing::Rows;
using testing::ScratchFolder;
using ::testing::SizeIs;
using testing::StoreFiles;
using testing::StoreImage;
using testing::WriteFile;
using testing::WriteProgram;

class SalvageTest : public ::testing::Test {
 protected:
  struct Saved {
    absl::StatusOr<SalvageSummary> summary;
    std::vector<std::string> losses;
    Rows rows;
  };

  static std::map<std::string, std::string> Contents(const std::string& folder) {
    std::map<std::string, std::string> contents;
    if (!fs::exists(folder)) return contents;
    for (const std::string& name : StoreFiles(folder)) {
      contents[name] = ReadFile(folder + "/" + name);
    }
    return contents;
  }

  Saved Save(const std::string& from) {
    const std::string to = folder_ / "saved";
    fs::remove_all(to);
    const std::map<std::string, std::string> before = Contents(from);
    Saved saved;
    saved.summary = Salvage(
        from, to, [&](const std::string& line) { saved.losses.push_back(line); },
        testing::TestKey());
    EXPECT_TRUE(Contents(from) == before) << from << " was changed";
    if (!saved.summary.ok()) return saved;
    const auto rows = OpenAndRead(to, /*read_only=*/true);
    EXPECT_TRUE(rows.ok()) << rows.status();
    if (rows.ok()) saved.rows = *rows;
    return saved;
  }

  // The last image of a kind, in a folder that may be damaged.
  StoreImage Image(const std::string& kind) {
    if (images_.empty()) images_ = testing::MakeImages(folder_.path(), 3);
    StoreImage found;
    for (const StoreImage& image : images_) {
      if (image.name.starts_with(kind)) found = image;
    }
    const std::string place = folder_ / "damaged";
    fs::remove_all(place);
    CopyStore(found.folder, place, /*is_original=*/true);
    found.folder = place;
    return found;
  }

  // Those with anything in them, in their order.
  static std::vector<std::string> ListLogs(const std::string& folder) {
    std::vector<std::string> logs = StoreFiles(folder);
    std::erase_if(logs, [&](const std::string& name) {
      return !name.ends_with(".log") || fs::file_size(folder + "/" + name) == 0;
    });
    return logs;
  }

  // The largest file whose name ends so.
  static std::string Largest(const std::string& folder, const std::string& suffix) {
    std::string largest;
    for (const std::string& name : StoreFiles(folder)) {
      if (!name.ends_with(suffix)) continue;
      if (largest.empty() ||
          fs::file_size(folder + "/" + name) > fs::file_size(folder + "/" + largest)) {
        largest = name;
      }
    }
    return largest;
  }

  // Every row was there at some time; returns how many are as they were at the end.
  static size_t CountWhole(const Rows& rows, int commits) {
    std::map<std::string, std::set<std::string>> ever;
    for (int i = 0; i < commits; ++i) {
      WriteProgram::Batch(i).ForEach([&](const WriteBatch::Change& change) {
        ever[WriteProgram::RowName(change.family, change.key)].insert(std::string(change.value));
      });
    }
    const Rows whole = WriteProgram::RowsAfter(commits);
    size_t count = 0;
    for (const auto& [key, value] : rows) {
      EXPECT_TRUE(ever[key].contains(value)) << key << " was never there";
      const auto it = whole.find(key);
      if (it != whole.end() && it->second == value) ++count;
    }
    return count;
  }

  ScratchFolder folder_;
  std::vector<StoreImage> images_;
};

TEST_F(SalvageTest, WholeStoresAreSavedWhole) {
  for (const StoreImage& image : testing::MakeImages(folder_.path(), 1)) {
    const Saved saved = Save(image.folder);
    ASSERT_TRUE(saved.summary.ok()) << image.name << ": " << saved.summary.status();
    EXPECT_THAT(saved.losses, SizeIs(0)) << image.name;
    EXPECT_TRUE(saved.rows == WriteProgram::RowsAfter(image.commits)) << image.name;
    // It goes on as a store of its own.
    EXPECT_TRUE(OpenAndRead(folder_ / "saved", /*read_only=*/false).ok());
  }
}

TEST_F(SalvageTest, CopyOfARunningStoreIsSaved) {
  const StoreImage image = Image("at_rest");
  const std::string copy = folder_ / "copy";
  CopyStore(image.folder, copy, /*is_original=*/false);
  const Saved saved = Save(copy);
  ASSERT_TRUE(saved.summary.ok()) << saved.summary.status();
  EXPECT_THAT(saved.losses, Contains(HasSubstr("copied while it was in use")));
  EXPECT_TRUE(saved.rows == WriteProgram::RowsAfter(image.commits));
}

TEST_F(SalvageTest, DamagedTableFileKeepsItsReadableRows) {
  const StoreImage image = Image("checkpoint");
  const std::string name = Largest(image.folder, ".sst");
  std::string bytes = ReadFile(image.folder + "/" + name);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  WriteFile(image.folder + "/" + name, bytes);
  const Saved saved = Save(image.folder);
  ASSERT_TRUE(saved.summary.ok()) << saved.summary.status();
  EXPECT_THAT(saved.losses, Contains(HasSubstr(name + ": Corruption")));
  EXPECT_THAT(saved.losses, Contains(HasSubstr("rows could be read")));
  const size_t all = WriteProgram::RowsAfter(image.commits).size();
  const size_t whole = CountWhole(saved.rows, image.commits);
  EXPECT_LT(whole, all);
  EXPECT_GT(whole, all / 2);
}

// Why: all of its rows were lost.
TEST_F(SalvageTest, TableFileWithOneFlippedBitInItsIndexIsSavedWhole) {
  if (!testing::TestKey().empty()) GTEST_SKIP() << "a flipped bit costs all of its chunk";
  // Of the bytes before the footer, where the properties and the metaindex are, and before these.
  for (const size_t before_end : {60, 100, 300, 900}) {
    const StoreImage image = Image("checkpoint");
    const std::string name = Largest(image.folder, ".sst");
    std::string bytes = ReadFile(image.folder + "/" + name);
    char& byte = bytes[bytes.size() - before_end];
    byte = static_cast<char>(byte ^ 4);
    WriteFile(image.folder + "/" + name, bytes);
    const Saved saved = Save(image.folder);
    ASSERT_TRUE(saved.summary.ok()) << saved.summary.status();
    EXPECT_THAT(saved.losses, Contains(HasSubstr(name + ": one flipped bit"))) << before_end;
    EXPECT_TRUE(saved.rows == WriteProgram::RowsAfter(image.commits)) << before_end;
  }
}

TEST_F(SalvageTest, TableFileWithoutIndexIsNamedAsLost) {
  const StoreImage image = Image("checkpoint");
  const std::string name = Largest(image.folder, ".sst");
  std::string bytes = ReadFile(image.folder + "/" + name);
  for (const size_t before_end : {60, 100}) {
    char& byte = bytes[bytes.size() - before_end];
    byte = static_cast<char>(byte ^ 4);
  }
  WriteFile(image.folder + "/" + name, bytes);
  const Saved saved = Save(image.folder);
  ASSERT_TRUE(saved.summary.ok()) << saved.summary.status();
  EXPECT_THAT(saved.losses, Contains(HasSubstr(name + ": none of its rows could be read")));
}

TEST_F(SalvageTest, MissingFilesAreNamedAndTheRestIsSaved) {
  for (const std::string suffix : {".sst", ".log"}) {
    const StoreImage image = Image("at_rest");
    const std::string name = Largest(image.folder, suffix);
    fs::remove(image.folder + "/" + name);
    const Saved saved = Save(image.folder);
    ASSERT_TRUE(saved.summary.ok()) << saved.summary.status();
    EXPECT_THAT(saved.losses, Contains(name + ": missing"));
    EXPECT_GT(CountWhole(saved.rows, image.commits), 10u) << name;
  }
}

TEST_F(SalvageTest, DamagedLogIsSavedUpToTheDamage) {
  const StoreImage image = Image("closed");
  const std::string name = Largest(image.folder, ".log");
  std::string bytes = ReadFile(image.folder + "/" + name);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  WriteFile(image.folder + "/" + name, bytes);
  const Saved saved = Save(image.folder);
  ASSERT_TRUE(saved.summary.ok()) << saved.summary.status();
  EXPECT_THAT(saved.losses, Contains(HasSubstr(name + ": bytes ")));
  EXPECT_GT(saved.summary->changes, 0u);
  CountWhole(saved.rows, image.commits);
}

// Why: RocksDB asserts when a later log has earlier changes. One that is not needed any more may
// still be there, and have the place of one that is.
TEST_F(SalvageTest, ExchangedLogsAreTakenForWhatTheyAre) {
  for (const bool has_old_log : {false, true}) {
    SCOPED_TRACE(has_old_log);
    const StoreImage image = Image("at_rest");
    std::vector<std::string> logs = ListLogs(image.folder);
    ASSERT_GT(logs.size(), 1u);
    if (has_old_log) {
      const std::string earlier = folder_ / "images/at_rest1";
      const std::string old = ListLogs(earlier).front();
      ASSERT_LE(old, logs.front());
      if (old != logs.front()) {
        fs::copy_file(earlier + "/" + old, image.folder + "/" + old);
        logs.insert(logs.begin(), old);
      }
    }
    const std::string first = image.folder + "/" + logs.front();
    const std::string last = image.folder + "/" + logs.back();
    const std::string bytes = ReadFile(first);
    WriteFile(first, ReadFile(last));
    WriteFile(last, bytes);
    Saved saved = Save(image.folder);
    ASSERT_TRUE(saved.summary.ok()) << saved.summary.status();
    EXPECT_THAT(saved.losses,
                Contains(HasSubstr(logs.front() + ": it holds the changes of " + logs.back())));
    EXPECT_TRUE(saved.rows == WriteProgram::RowsAfter(image.commits));

    // One that is there twice.
    WriteFile(first, bytes);
    saved = Save(image.folder);
    ASSERT_TRUE(saved.summary.ok()) << saved.summary.status();
    EXPECT_THAT(saved.losses, Contains(logs.back() + ": it holds what another log holds"));
    CountWhole(saved.rows, image.commits);
  }
}

TEST_F(SalvageTest, LostManifestTakesAllTableFiles) {
  for (const bool empties : {false, true}) {
    const StoreImage image = Image("at_rest");
    for (const std::string& name : StoreFiles(image.folder)) {
      if (!name.starts_with("MANIFEST-")) continue;
      fs::remove(image.folder + "/" + name);
      if (empties) WriteFile(image.folder + "/" + name, "");
    }
    const Saved saved = Save(image.folder);
    ASSERT_TRUE(saved.summary.ok()) << saved.summary.status();
    EXPECT_THAT(saved.losses, Contains(HasSubstr("which table files belong")));
    // Some may be older ones.
    const size_t all = WriteProgram::RowsAfter(image.commits).size();
    EXPECT_GT(CountWhole(saved.rows, image.commits), all * 9 / 10);
  }
}

// Why: with a manifest that was cut RocksDB deletes what it does not name any more, and the store
// would pass for a whole one.
TEST_F(SalvageTest, ManifestThatDoesNotFitOnTheDiskIsAnError) {
  const StoreImage image = Image("checkpoint");
  std::string manifest;
  for (const std::string& name : StoreFiles(image.folder)) {
    if (name.starts_with("MANIFEST-")) manifest = name;
    // One that is longer would not fit either, and is copied first.
    if (name.ends_with(".log")) fs::resize_file(image.folder + "/" + name, 0);
  }
  Saved saved;
  {
    const testing::ProcessLimit small_files(RLIMIT_FSIZE,
                                            fs::file_size(image.folder + "/" + manifest) / 2);
    saved.summary = Salvage(
        image.folder, folder_ / "saved", [](const std::string&) {}, testing::TestKey());
  }
  const absl::Status& status = saved.summary.status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(manifest + ": "));
}

// Why: an older manifest that is whole was trusted, and what newer table files held was lost
// without a word.
TEST_F(SalvageTest, TableFilesThatAreNewerThanTheManifestAreNamed) {
  const StoreImage image = Image("closed1");
  const std::set<std::string> before = [&] {
    const std::vector<std::string> names = StoreFiles(image.folder);
    return std::set<std::string>(names.begin(), names.end());
  }();
  const std::string later = folder_ / "images/closed2";
  std::vector<std::string> added;
  for (const std::string& name : StoreFiles(later)) {
    if (!name.ends_with(".sst") || before.contains(name)) continue;
    fs::copy_file(later + "/" + name, image.folder + "/" + name);
    added.push_back(name);
  }
  ASSERT_THAT(added, Not(SizeIs(0)));
  const Saved saved = Save(image.folder);
  ASSERT_TRUE(saved.summary.ok()) << saved.summary.status();
  for (const std::string& name : added) {
    EXPECT_THAT(saved.losses, Contains(HasSubstr(name + ": MANIFEST-"))) << name;
  }
  EXPECT_THAT(saved.losses, Contains(HasSubstr("does not name it")));
  // A row that was deleted does not come back.
  EXPECT_TRUE(saved.rows == WriteProgram::RowsAfter(image.commits));
}

TEST_F(SalvageTest, NothingIsMadeOfNothing) {
  EXPECT_EQ(Save(folder_ / "none").summary.status().code(), absl::StatusCode::kNotFound);
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(Save(folder_ / "empty").summary.status().code(), absl::StatusCode::kNotFound);
  const StoreImage image = Image("closed");
  fs::create_directory(folder_ / "full");
  WriteFile(folder_ / "full/thesis.txt", "years of work");
  EXPECT_EQ(Salvage(
                image.folder, folder_ / "full", [](const std::string&) {}, testing::TestKey())
                .status()
                .code(),
            absl::StatusCode::kFailedPrecondition);
  const auto store = LocalStore::Open({.path = image.folder, .encryption_key = testing::TestKey()});
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(Salvage(
                image.folder, folder_ / "saved", [](const std::string&) {}, testing::TestKey())
                .status()
                .code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace dynolith
