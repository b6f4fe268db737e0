// Stores that were closed, killed or copied at many moments, each of whose files is then cut,
// emptied, flipped, deleted and swapped at many places. What opens holds everything; what does not
// says which file is wrong; and nothing is deleted on the way. Only the end of the last log of a
// killed store may be missing unseen, as it may never have been written.
//
// DYNOLITH_DAMAGE_PLACES=N damages each file at N places instead of a few; DYNOLITH_DAMAGE_SEED=N
// chooses other ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/store/local_store.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/store_images.h"
#include "tests/unit/under_sanitizer.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using testing::CopyStore;
using ::testing::HasSubstr;
using testing::OpenAndRead;
using testing::ReadFile;
using testing::Rows;
using testing::ScratchFolder;
using testing::StoreFiles;
using testing::StoreImage;
using testing::WriteFile;
using testing::WriteProgram;

int FromEnvironment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// One file that is not as it was.
struct Damage {
  std::string what;
  std::vector<std::string> files;  // one of which a refusal names
  bool is_cut = false;
  // Brings it about in a folder, and takes it back.
  std::function<void(const std::string& folder)> make;
};

// Of so many damages one.
constexpr int kEvery = testing::kUnderSanitizer ? 13 : 1;

class DamageTest : public ::testing::Test {
 protected:
  static int Places() { return FromEnvironment("DYNOLITH_DAMAGE_PLACES", 1); }

  std::vector<StoreImage> MakeImages() { return testing::MakeImages(folder_.path(), Places()); }

  std::vector<Damage> ChooseDamages(const StoreImage& image) {
    std::vector<Damage> damages;
    const std::vector<std::string> files = StoreFiles(image.folder);
    for (const std::string& file : files) {
      const std::string good = ReadFile(image.folder + "/" + file);
      damages.push_back({"deleted", {file}, true, [file](const std::string& folder) {
                           fs::remove(folder + "/" + file);
                         }});
      // RocksDB neither needs nor reads them.
      if (file.starts_with("OPTIONS-") || file == "IDENTITY") continue;
      if (file.ends_with(".log")) AddFalseLog(file, &damages);
      for (const size_t bytes : ChooseCuts(good.size())) AddCut(file, good, bytes, &damages);
      for (const size_t at : PlacesIn(good.size())) {
        AddFlip(file, good, at, 1 << (random_() % 8), &damages);
      }
    }
    for (int i = 0; i < 8 * Places(); ++i) AddSwap(image, files, &damages);
    return damages;
  }

  // Not an exhaustive list, but the edges of a file and some of its middle.
  std::vector<size_t> PlacesIn(size_t bytes) {
    std::vector<size_t> places;
    for (size_t at = 0; at < std::min<size_t>(bytes, 8); at += 4) places.push_back(at);
    for (int i = 0; i < Places() && bytes > 0; ++i) places.push_back(random_() % bytes);
    if (bytes > 0) places.push_back(bytes - 1);
    return places;
  }
  std::vector<size_t> ChooseCuts(size_t bytes) {
    std::vector<size_t> cuts;
    for (const size_t cut : {size_t{0}, size_t{3}, bytes - 1}) {
      if (cut < bytes) cuts.push_back(cut);
    }
    for (int i = 0; i < Places() && bytes > 0; ++i) cuts.push_back(random_() % bytes);
    return cuts;
  }

  static void AddCut(const std::string& file, const std::string& good, size_t bytes,
                     std::vector<Damage>* damages) {
    const std::string rest = good.substr(0, bytes);
    damages->push_back(
        {"cut to " + std::to_string(bytes), {file}, true, [file, rest](const std::string& folder) {
           WriteFile(folder + "/" + file, rest);
         }});
  }
  static void AddFlip(const std::string& file, const std::string& good, size_t at, int bit,
                      std::vector<Damage>* damages) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ bit);
    damages->push_back(
        {"flipped at " + std::to_string(at) + " by " + std::to_string(bit),
         {file},
         false,
         [file, bad](const std::string& folder) { WriteFile(folder + "/" + file, bad); }});
  }
  // What looks like a record that was torn, and never was one.
  static void AddFalseLog(const std::string& file, std::vector<Damage>* damages) {
    const std::string false_record = std::string("\1\2\3\4\xff\0\1", 7) + std::string(60, 'x');
    damages->push_back({"overwritten by something else",
                        {file},
                        false,
                        [file, false_record](const std::string& folder) {
                          WriteFile(folder + "/" + file, false_record);
                        }});
  }
  void AddSwap(const StoreImage& image, const std::vector<std::string>& files,
               std::vector<Damage>* damages) {
    AddSwapOf(image, files[random_() % files.size()], files[random_() % files.size()], damages);
  }
  static void AddSwapOf(const StoreImage& image, const std::string& one, const std::string& other,
                        std::vector<Damage>* damages) {
    const std::string one_bytes = ReadFile(image.folder + "/" + one);
    const std::string other_bytes = ReadFile(image.folder + "/" + other);
    if (one_bytes == other_bytes) return;
    // Of an empty log it is not always seen (engine/store/README.md, "Losses that are not
    // detected").
    const bool are_logs = one.ends_with(".log") && other.ends_with(".log");
    if (are_logs && (one_bytes.empty() || other_bytes.empty())) return;
    damages->push_back(
        {"swapped with " + other, {one, other}, false, [=](const std::string& folder) {
           WriteFile(folder + "/" + one, other_bytes);
           WriteFile(folder + "/" + other, one_bytes);
         }});
  }

  // Whether what is missing may never have been written: the end of the last log that has anything.
  static bool MayBeUnwritten(const StoreImage& image, const Damage& damage) {
    if (image.is_closed || !damage.is_cut) return false;
    std::string last;
    for (const std::string& file : StoreFiles(image.folder)) {
      if (file.ends_with(".log") && fs::file_size(image.folder + "/" + file) > 0) last = file;
    }
    return damage.files[0] >= last && damage.files[0].ends_with(".log");
  }

  // Whether `message` says behind which log the one is missing that was deleted: one that the
  // integrity manifest does not know yet has no name then.
  static bool NamesTheHole(const StoreImage& image, const Damage& damage,
                           const std::string& message) {
    if (damage.what != "deleted" || !damage.files[0].ends_with(".log")) return false;
    std::string before;
    for (const std::string& file : StoreFiles(image.folder)) {
      if (file.ends_with(".log") && file < damage.files[0]) before = std::max(before, file);
    }
    return !before.empty() && message.find(before + " or behind it") != std::string::npos;
  }

  // The rows of one of the first `commits` commits' ends, the last ones first.
  static bool IsPrefix(const Rows& rows, int commits) {
    for (int i = commits; i >= 0; --i) {
      if (WriteProgram::RowsAfter(i) == rows) return true;
    }
    return false;
  }

  void ExpectWholeOrRefused(const StoreImage& image, const Rows& whole, const Damage& damage,
                            bool read_only) {
    const std::string place = folder_ / "damaged";
    fs::remove_all(place);
    if (read_only) {
      // Nobody writes to the files: links will do.
      fs::copy(image.folder, place,
               fs::copy_options::create_hard_links | fs::copy_options::recursive);
    } else {
      CopyStore(image.folder, place, /*is_original=*/true);
    }
    damage.make(place);
    const std::vector<std::string> before = StoreFiles(place);
    const absl::StatusOr<Rows> rows = OpenAndRead(place, read_only);
    const std::string what = image.name + ": " + damage.files[0] + " " + damage.what;
    if (rows.ok()) {
      ++opened_;
      const bool good =
          *rows == whole || (MayBeUnwritten(image, damage) && IsPrefix(*rows, image.commits));
      EXPECT_TRUE(good) << what << ": opened with " << rows->size() << " rows of " << whole.size();
      return;
    }
    ++refused_;
    std::string message(rows.status().message());
    // What a read says of a block that cannot be unpacked does not name the file; a check does.
    if (const auto store = LocalStore::Open(testing::MakeOptions(place, true)); store.ok()) {
      message += (*store)->VerifyChecksums().ToString();
    }
    const bool named = std::any_of(damage.files.begin(), damage.files.end(), [&](const auto& file) {
      return message.find(file) != std::string::npos;
    });
    EXPECT_TRUE(named || NamesTheHole(image, damage, message)) << what << ": " << message;
    // A block is read when the store is open, which may have deleted files that it needs no more.
    const bool is_block = message.find("Corruption: block") != std::string::npos ||
                          message.find(".sst was altered or cut") != std::string::npos;
    if (absl::IsDataLoss(rows.status()) && !is_block) {
      const std::vector<std::string> after = StoreFiles(place);
      EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()))
          << what << ": files were deleted: " << message;
    }
  }

  ScratchFolder folder_;
  std::mt19937 random_{static_cast<unsigned>(FromEnvironment("DYNOLITH_DAMAGE_SEED", 1))};
  int opened_ = 0;
  int refused_ = 0;
};

// Why: the images must be sound, or refusing them would prove nothing; and none may be refused
// because of the moment at which its process was killed.
TEST_F(DamageTest, UndamagedStoresHoldEverything) {
  const std::vector<StoreImage> images = MakeImages();
  EXPECT_GE(images.size(), 10u);
  for (const StoreImage& image : images) {
    for (const bool read_only : {true, false}) {
      const std::string place = folder_ / "undamaged";
      fs::remove_all(place);
      CopyStore(image.folder, place, /*is_original=*/true);
      const absl::StatusOr<Rows> rows = OpenAndRead(place, read_only);
      ASSERT_TRUE(rows.ok()) << image.name << ": " << rows.status();
      EXPECT_EQ(*rows == WriteProgram::RowsAfter(image.commits), true) << image.name;
    }
  }
}

TEST_F(DamageTest, DamagedStoresHoldEverythingOrNameTheFile) {
  for (const StoreImage& image : MakeImages()) {
    const Rows whole = WriteProgram::RowsAfter(image.commits);
    int i = 0;
    for (const Damage& damage : ChooseDamages(image)) {
      if (i % kEvery != 0) {
        ++i;
        continue;
      }
      // Opening to write takes longer: only some.
      ExpectWholeOrRefused(image, whole, damage, /*read_only=*/++i % 10 != 0);
    }
  }
  std::printf("%d opened whole, %d refused\n", opened_, refused_);
  EXPECT_GT(opened_, 0);
  EXPECT_GT(refused_, 100);
}

// Why: each of them is whole by itself.
TEST_F(DamageTest, ExchangedLogsAreNamed) {
  for (const StoreImage& image : MakeImages()) {
    std::vector<std::string> logs = StoreFiles(image.folder);
    std::erase_if(logs, [](const std::string& file) { return !file.ends_with(".log"); });
    std::vector<Damage> damages;
    for (size_t one = 0; one < logs.size(); ++one) {
      for (size_t other = one + 1; other < logs.size(); ++other) {
        AddSwapOf(image, logs[one], logs[other], &damages);
      }
    }
    const Rows whole = WriteProgram::RowsAfter(image.commits);
    for (const Damage& damage : damages) {
      ExpectWholeOrRefused(image, whole, damage, /*read_only=*/true);
      // Opening to write takes longer.
      if (!testing::kUnderSanitizer) {
        ExpectWholeOrRefused(image, whole, damage, /*read_only=*/false);
      }
    }
  }
  EXPECT_GT(refused_, 10);
}

// Flips a bit of each table file, so many bytes behind its beginning, or, below zero, before its
// end.
void FlipInOnlyTableFile(const std::string& folder, int64_t at) {
  for (const std::string& file : StoreFiles(folder)) {
    if (!file.ends_with(".sst")) continue;
    std::string bytes = ReadFile(folder + "/" + file);
    const size_t place =
        at >= 0 ? static_cast<size_t>(at) : bytes.size() - static_cast<size_t>(-at);
    bytes[place] = static_cast<char>(bytes[place] ^ 4);
    WriteFile(folder + "/" + file, bytes);
  }
}

// A closed store with one table file, on level 0.
void MakeStoreOfOneFile(const std::string& folder, Family family) {
  auto store = LocalStore::Open(testing::MakeOptions(folder, false));
  ASSERT_TRUE(store.ok()) << store.status();
  WriteBatch batch;
  for (const char* key : {"a", "b", "c"}) batch.Put(family, key, std::string(20'000, *key));
  ASSERT_TRUE((*store)->Commit(batch).ok());
  ASSERT_TRUE((*store)->Flush().ok());
}

// Why: a compaction moves a file from level 0 as it is, and then an iterator of RocksDB 7.8 that
// heeds range deletions would go on behind its first block without a word.
TEST_F(DamageTest, TheFirstBlockOfAFileOnLevel0IsLookedAt) {
  const std::string place = folder_ / "store";
  MakeStoreOfOneFile(place, Family::kLog);
  FlipInOnlyTableFile(place, 100);
  // Seen by the open with RocksDB 7.8, by who reads the block with 11.8.
  const absl::Status status = OpenAndRead(place, /*read_only=*/true).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr(".sst"));
}

// Why: no checksum covers it, and RocksDB reads blocks by it.
TEST_F(DamageTest, AWrongFormatOfATableFileIsNamed) {
  if (!testing::TestKey().empty()) GTEST_SKIP() << "a flipped bit does not get as far";
  constexpr int64_t kFormatBeforeEnd = 12;
  const std::string place = folder_ / "store";
  MakeStoreOfOneFile(place, Family::kTables);
  FlipInOnlyTableFile(place, -kFormatBeforeEnd);
  const auto store = LocalStore::Open(testing::MakeOptions(place, true));
  // RocksDB 11.8 knows that it never writes this format, and 7.8 does not.
  if (!store.ok()) {
    EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(store.status().message()), ContainsRegex("format_version 1 .*\\.sst"));
    return;
  }
  Row row;
  const absl::Status read = (*store)->Get(Family::kTables, "a", &row).status();
  for (const absl::Status& status : {read, (*store)->VerifyChecksums()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()), HasSubstr(".sst: it says that its format is 1"));
  }
}

// Why: files are copied one after the other, and what was written meanwhile is in none of them.
TEST_F(DamageTest, CopyOfARunningStoreIsRefused) {
  for (const StoreImage& image : MakeImages()) {
    const std::string place = folder_ / "copy";
    fs::remove_all(place);
    CopyStore(image.folder, place, /*is_original=*/false);
    for (const bool read_only : {true, false}) {
      const absl::StatusOr<Rows> rows = OpenAndRead(place, read_only);
      EXPECT_EQ(rows.ok(), image.is_closed) << image.name << ": " << rows.status();
      if (!rows.ok()) {
        EXPECT_THAT(std::string(rows.status().message()),
                    HasSubstr(place + "/DYNOLITH was copied"));
      }
    }
  }
}

}  // namespace
}  // namespace dynolith
