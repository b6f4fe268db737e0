// Encrypted stores as a whole: nothing of what is written can be read in the folder, every mistake
// about the key has its own error and changes nothing, and both kinds of keys can be changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/crc32c.h"
#include "engine/store/encryption/folder_keys.h"
#include "engine/store/integrity_manifest.h"
#include "engine/store/local_store.h"
#include "engine/store/rotation/rotate_keys.h"
#include "engine/store/salvage/salvage.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/store_images.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::NamesIn;
using ::testing::Not;
using testing::ReadFile;
using testing::ScratchFolder;
using testing::WriteFile;

constexpr std::string_view kSecret = "nobody may read this in a file";
constexpr std::string_view kKeyOfRow = "the-name-of-a-secret-row";

class EncryptedStoreTest : public ::testing::Test {
 protected:
  EncryptedStoreTest() {
    WriteFile(folder_ / "key", std::string(64, '1'));
    WriteFile(folder_ / "other", std::string(64, '2'));
  }
  std::string Key() const { return "file:" + (folder_ / "key"); }
  std::string OtherKey() const { return "file:" + (folder_ / "other"); }
  std::string Data() const { return folder_ / "data"; }

  StoreOptions Options(const std::string& key, bool read_only = false) const {
    StoreOptions options = testing::MakeOptions(Data(), read_only);
    options.encryption_key = key;
    return options;
  }
  // Rows in table files and in logs.
  void MakeStore(const std::string& key) {
    const auto store = LocalStore::Open(Options(key));
    ASSERT_TRUE(store.ok()) << store.status();
    for (int i = 0; i < 600; ++i) {
      ASSERT_TRUE((*store)->Commit(Secret(i)).ok());
      if (i != 400) continue;
      ASSERT_TRUE((*store)->Flush().ok());
    }
    ASSERT_TRUE((*store)->Checkpoint(folder_ / "checkpoint").ok());
  }
  static WriteBatch Secret(int i) {
    WriteBatch batch;
    batch.Put(Family::kTables, std::string(kKeyOfRow) + std::to_string(i), kSecret);
    batch.Put(Family::kMeta, "meta", std::to_string(i));
    return batch;
  }
  absl::Status OpenAndLook(const StoreOptions& options) {
    const auto store = LocalStore::Open(options);
    if (!store.ok()) return store.status();
    for (int i = 0; i < 600; ++i) {
      Row row;
      const auto found =
          (*store)->Get(Family::kTables, std::string(kKeyOfRow) + std::to_string(i), &row);
      if (!found.ok()) return found.status();
      if (!*found || row.value() != kSecret) return absl::InternalError("a row is missing");
    }
    return absl::OkStatus();
  }
  void ExpectRefused(const StoreOptions& options, absl::StatusCode code, std::string_view text) {
    const std::vector<std::string> before = NamesIn(options.path);
    const absl::Status status = OpenAndLook(options);
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(text)));
    EXPECT_THAT(std::string(status.message()), HasSubstr(options.path));
    EXPECT_EQ(NamesIn(options.path), before);
  }

  ScratchFolder folder_;
};

TEST_F(EncryptedStoreTest, NoFileShowsWhatIsInIt) {
  MakeStore(Key());
  int files = 0;
  for (const std::string& place : {Data(), folder_ / "checkpoint"}) {
    for (const std::string& name : NamesIn(place)) {
      const std::string bytes = ReadFile(place + "/" + name);
      EXPECT_THAT(bytes, Not(HasSubstr(std::string(kSecret)))) << name;
      EXPECT_THAT(bytes, Not(HasSubstr(std::string(kKeyOfRow)))) << name;
      files += bytes.starts_with("DYNOENC") ? 1 : 0;
    }
  }
  EXPECT_GT(files, 8);
  EXPECT_TRUE(OpenAndLook(Options(Key())).ok());
  EXPECT_TRUE(OpenAndLook(Options(Key(), /*read_only=*/true)).ok());
  StoreOptions copy = Options(Key());
  copy.path = folder_ / "checkpoint";
  EXPECT_TRUE(OpenAndLook(copy).ok());
}

TEST_F(EncryptedStoreTest, EveryMistakeAboutTheKeyIsNamedAndChangesNothing) {
  MakeStore(Key());
  for (const bool read_only : {true, false}) {
    ExpectRefused(Options("", read_only), absl::StatusCode::kFailedPrecondition, "is encrypted");
    ExpectRefused(Options(OtherKey(), read_only), absl::StatusCode::kFailedPrecondition,
                  "the key is not the one");
  }
  EXPECT_EQ(Salvage(Data(), folder_ / "saved", [](const std::string&) {}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(OpenAndLook(Options(Key())).ok());
  fs::rename(Data() + "/DYNOLITH.keys", folder_ / "kept");
  for (const std::string& key : {std::string(), Key()}) {
    ExpectRefused(Options(key), absl::StatusCode::kDataLoss, "DYNOLITH.keys");
  }
  fs::rename(folder_ / "kept", Data() + "/DYNOLITH.keys");
  EXPECT_TRUE(OpenAndLook(Options(Key())).ok());
}

TEST_F(EncryptedStoreTest, APlainFolderStaysPlain) {
  MakeStore("");
  ExpectRefused(Options(Key()), absl::StatusCode::kFailedPrecondition, "is not encrypted");
  EXPECT_TRUE(OpenAndLook(Options("")).ok());
}

// Why: whoever can write to the folder can also compute its checksums.
TEST_F(EncryptedStoreTest, WhatMustBeThereCannotBeRewritten) {
  MakeStore(Key());
  const std::string file = Data() + "/DYNOLITH";
  const std::string good = ReadFile(file);
  const size_t line = good.find("\nsequence ");
  ASSERT_NE(line, std::string::npos);
  // Without that fact, with and without the seal, and with a right checksum.
  std::string bad = good.substr(0, line + 1) + good.substr(good.find('\n', line + 1) + 1);
  const auto seal_at = [](const std::string& text) { return text.find("\nsealed ") + 1; };
  for (const bool is_sealed : {true, false}) {
    if (!is_sealed) bad.erase(seal_at(bad), bad.find("end ", seal_at(bad)) - seal_at(bad));
    bad.resize(bad.rfind("end "));
    bad += "end " + std::to_string(Crc32c(bad)) + "\n";
    WriteFile(file, bad);
    ASSERT_TRUE(ParseIntegrityManifest(file, bad).ok());
    ExpectRefused(Options(Key()), absl::StatusCode::kDataLoss, "DYNOLITH");
  }
}

TEST_F(EncryptedStoreTest, AnotherWrappingKeyTakesOverAtOnce) {
  MakeStore(Key());
  EXPECT_EQ(RewrapKeys({Data()}, OtherKey(), OtherKey()).code(),
            absl::StatusCode::kFailedPrecondition);
  // One that nobody could give again.
  EXPECT_EQ(RewrapKeys({Data()}, Key(), "command:openssl rand -hex 32").code(),
            absl::StatusCode::kFailedPrecondition);
  // Nothing is changed unless all can be.
  EXPECT_EQ(RewrapKeys({Data(), folder_ / "none"}, Key(), OtherKey()).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(OpenAndLook(Options(Key())).ok());
  const std::vector<std::string> before = NamesIn(Data());
  ASSERT_TRUE(RewrapKeys({Data()}, Key(), OtherKey()).ok());
  ASSERT_TRUE(RewrapKeys({Data()}, Key(), OtherKey()).ok());
  EXPECT_EQ(NamesIn(Data()), before);
  ExpectRefused(Options(Key()), absl::StatusCode::kFailedPrecondition, "the key is not the one");
  EXPECT_TRUE(OpenAndLook(Options(OtherKey())).ok());
  // A copy that was made before is not touched.
  StoreOptions copy = Options(Key());
  copy.path = folder_ / "checkpoint";
  EXPECT_TRUE(OpenAndLook(copy).ok());
}

TEST_F(EncryptedStoreTest, RenewedDataKeysReplaceTheEarlierOnes) {
  MakeStore(Key());
  for (uint32_t number = 2; number <= 3; ++number) {
    const auto renewed = RenewDataKeys(Data(), Key());
    ASSERT_TRUE(renewed.ok()) << renewed.status();
    EXPECT_EQ(renewed->newest, number);
    EXPECT_EQ(renewed->retired, 1u);
    EXPECT_EQ((*KeysOfFolder(Data(), Key()))->size(), 1u);
    EXPECT_TRUE(OpenAndLook(Options(Key(), /*read_only=*/true)).ok());
    EXPECT_TRUE(OpenAndLook(Options(Key())).ok());
  }
  const auto store = LocalStore::Open(Options(Key()));
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(RenewDataKeys(Data(), Key()).status().code(), absl::StatusCode::kUnavailable);
}

// Why: a copy that is made while the file of keys is damaged or gone would be as lost as the store.
TEST_F(EncryptedStoreTest, CopiesGetTheKeysThatTheStoreWasOpenedWith) {
  MakeStore(Key());
  const auto store = LocalStore::Open(Options(Key()));
  ASSERT_TRUE(store.ok()) << store.status();
  WriteFile(Data() + "/DYNOLITH.keys", "x");
  ASSERT_TRUE((*store)->Checkpoint(folder_ / "first").ok());
  fs::remove(Data() + "/DYNOLITH.keys");
  ASSERT_TRUE((*store)->Checkpoint(folder_ / "second").ok());
  for (const char* const name : {"first", "second"}) {
    StoreOptions copy = Options(Key());
    copy.path = folder_ / name;
    EXPECT_TRUE(OpenAndLook(copy).ok()) << name;
  }
}

// Why: the text of a log ends before a frame whose head was altered, as if there were no more.
TEST_F(EncryptedStoreTest, SalvageSaysWhatALogHasLost) {
  MakeStore(Key());
  {
    const auto store = LocalStore::Open(Options(Key()));
    ASSERT_TRUE(store.ok()) << store.status();
    for (int i = 600; i < 700; ++i) ASSERT_TRUE((*store)->Commit(Secret(i)).ok());
    fs::copy(Data(), folder_ / "killed");
  }
  for (const std::string& place : {Data(), folder_ / "killed"}) {
    std::string log;
    for (const std::string& name : NamesIn(place)) {
      const bool is_larger =
          log.empty() || fs::file_size(place + "/" + name) > fs::file_size(place + "/" + log);
      if (name.ends_with(".log") && is_larger) log = name;
    }
    ASSERT_FALSE(log.empty()) << place;
    const std::string good = ReadFile(place + "/" + log);
    ASSERT_GT(good.size(), 2'000U);
    // The head of the first frame, and anything behind it.
    for (size_t at = 64; at < good.size(); at += at < 80 ? 5 : good.size() / 23) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 4);
      WriteFile(place + "/" + log, bad);
      const std::string to = folder_ / "saved";
      int losses = 0;
      const auto saved = Salvage(
          place, to, [&losses](const std::string&) { ++losses; }, Key());
      EXPECT_TRUE(saved.ok()) << saved.status();
      EXPECT_GT(losses, 0) << place << " at " << at;
      fs::remove_all(to);
    }
    WriteFile(place + "/" + log, good);
  }
}

// Why: a process may be killed after the keys were made and before anything else was.
TEST_F(EncryptedStoreTest, AStartThatWasCutOffBeginsAgain) {
  fs::create_directories(Data());
  ASSERT_TRUE(KeysOfNewFolder(Data(), Key()).ok());
  ExpectRefused(Options(""), absl::StatusCode::kFailedPrecondition, "is encrypted");
  MakeStore(Key());
  EXPECT_TRUE(OpenAndLook(Options(Key())).ok());
}

}  // namespace
}  // namespace dynolith
