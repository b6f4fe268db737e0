// What a manifest of RocksDB's own making says, against the table files that are there.
#include "engine/store/manifest_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "engine/store/integrity_manifest.h"
#include "engine/store/local_store.h"
#include "engine/store/log_reader.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/store_images.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

class ManifestFilesTest : public ::testing::Test {
 protected:
  // A store with table files on several levels of several families.
  ManifestFilesTest() {
    auto store = *LocalStore::Open({.path = data_, .write_buffer_bytes = 64 << 10});
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(store->Commit(testing::WriteProgram::Batch(i)).ok());
      if (i == 800) {
        EXPECT_TRUE(store->CompactAll().ok()) << "moves files to other levels";
      }
    }
    EXPECT_TRUE(store->Flush().ok());
  }

  std::string Manifest() const {
    for (const std::string& name : testing::StoreFiles(data_)) {
      if (name.starts_with("MANIFEST-")) return data_ + "/" + name;
    }
    return {};
  }

  std::vector<std::string> Records() const {
    std::vector<std::string> records;
    auto reader = LogReader::Open(Manifest());
    while (*reader->Next() == LogReader::Outcome::kRecord) records.emplace_back(reader->record());
    return records;
  }

  testing::ScratchFolder folder_;
  const std::string data_ = folder_ / "data";
};

// Why: RocksDB must find what it would have written itself.
TEST_F(ManifestFilesTest, FirstManifestIsWholeAndNamesNoFile) {
  const std::string file = folder_ / "MANIFEST-000001";
  testing::WriteFile(file, FirstManifest({"default", "tables", "gsi"}));
  const auto files = ReadTableFiles(file);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(files->empty());
  auto reader = LogReader::Open(file);
  int records = 0;
  while (*reader->Next() == LogReader::Outcome::kRecord) ++records;
  EXPECT_EQ(*reader->Next(), LogReader::Outcome::kEnd);
  EXPECT_EQ(records, 3);
}

TEST_F(ManifestFilesTest, NamesWhatIsThere) {
  std::set<std::string> there;
  for (const std::string& name : testing::StoreFiles(data_)) {
    if (name.ends_with(".sst")) there.insert(name);
  }
  const auto files = ReadTableFiles(Manifest());
  ASSERT_TRUE(files.ok()) << files.status();
  std::set<std::string> named;
  std::set<uint64_t> families;
  std::set<uint64_t> levels;
  for (const auto& [number, place] : *files) {
    named.insert(LogName(number).substr(0, 6) + ".sst");
    families.insert(place.family);
    levels.insert(place.level);
  }
  EXPECT_EQ(named, there);
  EXPECT_GE(families.size(), 3u);
  EXPECT_GE(levels.size(), 2u);
}

TEST_F(ManifestFilesTest, ALostFileIsNamedNoMore) {
  const TableFiles files = *ReadTableFiles(Manifest());
  TableFiles rest = files;
  for (const auto& [number, place] : files) {
    EXPECT_TRUE(FollowManifestRecord(RecordOfLostTableFile(number, place), &rest));
    EXPECT_FALSE(rest.contains(number));
  }
  EXPECT_TRUE(rest.empty());
}

TEST_F(ManifestFilesTest, CutRecordsChangeNothingOrAreUnderstood) {
  for (const std::string& record : Records()) {
    for (size_t bytes = 0; bytes < record.size(); ++bytes) {
      TableFiles files;
      if (!FollowManifestRecord(record.substr(0, bytes), &files)) {
        EXPECT_TRUE(files.empty());
      }
    }
  }
}

TEST_F(ManifestFilesTest, DamageIsNamed) {
  const std::string manifest = Manifest();
  std::string bytes = testing::ReadFile(manifest);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  testing::WriteFile(manifest, bytes);
  const absl::Status status = ReadTableFiles(manifest).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_NE(std::string(status.message()).find(manifest), std::string::npos);
}

}  // namespace
}  // namespace dynolith
