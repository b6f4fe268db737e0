#include "engine/store/following/writer_follower.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "engine/base/status_macros.h"
#include "rocksdb/metadata.h"

namespace dynolith {
namespace {

using Families = absl::Span<rocksdb::ColumnFamilyHandle* const>;

// In "000012.log".
uint64_t LogNumber(std::string_view name) {
  uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

uint64_t Property(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, const std::string& name) {
  uint64_t value = 0;
  return db->GetIntProperty(family, name, &value) ? value : 0;
}

// Whether rows in memtables may be older than rows behind that one, which are in table files, where
// a point read does not look for what a memtable has.
bool MayHideRows(rocksdb::DB* db, Families families, uint64_t sequence) {
  using Properties = rocksdb::DB::Properties;
  for (rocksdb::ColumnFamilyHandle* const family : families) {
    const uint64_t rows = Property(db, family, Properties::kNumEntriesActiveMemTable) +
                          Property(db, family, Properties::kNumEntriesImmMemTables);
    if (rows == 0) continue;
    rocksdb::ColumnFamilyMetaData files;
    db->GetColumnFamilyMetaData(family, &files);
    for (const rocksdb::LevelMetaData& level : files.levels) {
      for (const rocksdb::SstFileMetaData& file : level.files) {
        if (file.largest_seqno > sequence) return true;
      }
    }
  }
  return false;
}

// All logs before it may have been deleted, as the manifest says as far as it was read.
uint64_t OldestLogKept(rocksdb::DB* db) {
  return Property(db, db->DefaultColumnFamily(), rocksdb::DB::Properties::kMinLogNumberToKeep);
}

std::vector<uint64_t> FilesOf(rocksdb::DB* db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::vector<uint64_t> numbers;
  numbers.reserve(files.size());
  for (const rocksdb::LiveFileMetaData& file : files) numbers.push_back(file.file_number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The first that is in one of them only. Requires: they differ.
uint64_t FirstDifference(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return in_a == a.end() ? *in_b : *in_a;
}

// Whether it is one manifest that the writer writes. The inode of CURRENT may be that of an earlier
// one, so the newest manifest has to be the same, too.
bool HaveSameManifest(const WriterFiles& a, const WriterFiles& b) {
  const auto has_current = [](const WriterFiles& files) {
    return !files.manifests.empty() && files.manifests.front().name == "CURRENT";
  };
  return has_current(a) && has_current(b) && a.manifests.front() == b.manifests.front() &&
         a.manifests.back().name == b.manifests.back().name;
}

}  // namespace

absl::Status WriterFollower::BeginInstance() {
  DYNOLITH_ASSIGN_OR_RETURN(state_, LookAtWriter(folder_));
  is_new_ = true;
  kept_.reset();
  read_before_files_.reset();
  missing_file_.reset();
  return absl::OkStatus();
}

absl::StatusOr<bool> WriterFollower::HasFallenBehind() const {
  DYNOLITH_ASSIGN_OR_RETURN(const WriterFiles now, LookAtWriter(folder_));
  return is_new_ || now != state_;
}

rocksdb::Status WriterFollower::ReadLogs(rocksdb::DB* db) {
  manifest_->Hold();
  const absl::Cleanup release = [this] { manifest_->Release(); };
  return db->TryCatchUpWithPrimary();
}

absl::StatusOr<WriterFollower::Step> WriterFollower::CatchUp(rocksdb::DB* db, Families families,
                                                             rocksdb::Status* failed) {
  DYNOLITH_ASSIGN_OR_RETURN(WriterFiles before, LookAtWriter(folder_));
  // An instance reads one manifest.
  if (!HaveSameManifest(state_, before)) return Step::kNewInstance;
  if (!kept_) kept_ = OldestLogKept(db);
  const bool has_new_files = is_new_ || before.manifests != state_.manifests;
  *failed = ReadLogs(db);
  if (failed->ok() && has_new_files) {
    if (!read_before_files_) read_before_files_ = db->GetLatestSequenceNumber();
    *failed = db->TryCatchUpWithPrimary();
  }
  if (!failed->ok()) return Step::kNewInstance;
  DYNOLITH_ASSIGN_OR_RETURN(const WriterFiles after, LookAtWriter(folder_));
  if (!HaveSameManifest(before, after)) return Step::kNewInstance;
  // As long as they are the same, no log was deleted that is needed beside the table files.
  if (before.manifests != after.manifests) return Step::kAgain;
  if (has_new_files) {
    DYNOLITH_ASSIGN_OR_RETURN(const Step step, TakeOverFiles(db, families));
    if (step != Step::kOneState) return step;
  }
  state_ = std::move(before);
  is_new_ = false;
  read_before_files_.reset();
  return Step::kOneState;
}

absl::StatusOr<WriterFollower::Step> WriterFollower::TakeOverFiles(rocksdb::DB* db,
                                                                   Families families) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<uint64_t> named, named_(manifest_->opened()));
  // RocksDB leaves out, without a word, what needs a file that it cannot open.
  const std::vector<uint64_t> files = FilesOf(db);
  missing_file_.reset();
  if (named != files) {
    missing_file_ = FirstDifference(named, files);
    return Step::kNewInstance;
  }
  // Of the logs that were there at the last state the newest may not have been read to its end; of
  // those at the opening, the oldest that was needed.
  uint64_t needed = *kept_;
  if (!state_.logs.empty()) {
    const WriterFile& log = is_new_ ? state_.logs.front() : state_.logs.back();
    needed = std::max(needed, LogNumber(log.name));
  }
  const uint64_t kept = OldestLogKept(db);
  if (kept > needed || MayHideRows(db, families, *read_before_files_)) return Step::kNewInstance;
  kept_ = kept;
  return Step::kOneState;
}

}  // namespace dynolith
