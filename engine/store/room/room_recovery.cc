#include "engine/store/room/room_recovery.h"

#include <utility>

#include "engine/process/memory_reserve.h"
#include "rocksdb/version.h"
#include "rocksdb/write_batch.h"

namespace dynolith {
namespace {

// How often it is looked whether there is room, and how often a flush is tried that may not fit:
// what is in memory may become smaller.
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(250);
constexpr int kLooksBetweenTries = 8;

uint64_t CountUnflushedBytes(rocksdb::DB* db) {
  uint64_t bytes = 0;
  InRocks([&] {
    return db->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &bytes);
  });
  return bytes;
}

// What RocksDB would say to a commit. Nothing is written, and it does not wait.
rocksdb::Status Probe(rocksdb::DB* db) {
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  options.no_slowdown = true;
  rocksdb::WriteBatch nothing;
  return InRocks([&] { return db->Write(options, &nothing); });
}

// RocksDB 7.8 asserts that deletions of files are off if its manifest could not be written. It
// switches them off after a failure of a flush, a compaction or an ingestion, but not of SetOptions
// and DeleteFilesInRanges. Once resumed it has switched them on.
rocksdb::Status ResumeDatabase(rocksdb::DB* db) {
#if ROCKSDB_MAJOR >= 10
  return db->Resume();
#else
  rocksdb::Status off = db->DisableFileDeletions();
  if (!off.ok()) return off;
  rocksdb::Status resumed = db->Resume();
  if (!resumed.ok()) db->EnableFileDeletions(/*force=*/false).PermitUncheckedError();
  return resumed;
#endif
}

}  // namespace

void RoomRecovery::Start(rocksdb::DB* db) {
  absl::MutexLock lock(&mutex_);
  db_ = db;
  if (is_stopped_) LookSoon();
}

void RoomRecovery::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    db_ = nullptr;
  }
  work_.Stop();
}

void RoomRecovery::NoteStopped() {
  absl::MutexLock lock(&mutex_);
  is_stopped_ = true;
  ++stops_;
  if (db_ != nullptr) LookSoon();
}

void RoomRecovery::LookSoon() {
  // Not at once: RocksDB sets an error only when it has told of it. Where no thread can be started,
  // the next commit that is refused tries again.
  work_.Begin(kBetweenLooks).IgnoreError();
}

uint64_t RoomRecovery::UnflushedBytes() const {
  absl::MutexLock lock(&mutex_);
  return db_ == nullptr ? 0 : CountUnflushedBytes(db_);
}

void RoomRecovery::OnBackgroundError(rocksdb::BackgroundErrorReason reason,
                                     rocksdb::Status* error) {
  if (reason != rocksdb::BackgroundErrorReason::kCompaction || !error->IsNoSpace()) return;
  // RocksDB tries it again by itself.
  {
    absl::MutexLock lock(&mutex_);
    lacks_compactions_ = true;
  }
  if (was_stopped()) *error = rocksdb::Status::OK();
}

void RoomRecovery::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/,
                                        rocksdb::Status error, bool* auto_recovery) {
  if (!error.IsNoSpace()) return;
  *auto_recovery = false;
  if (error.severity() >= rocksdb::Status::Severity::kHardError) NoteStopped();
}

void RoomRecovery::OnTableFileCreationStarted(const rocksdb::TableFileCreationBriefInfo& file) {
  if (file.reason == rocksdb::TableFileCreationReason::kCompaction) {
    files_->Announce(file.file_path, /*is_compaction=*/true);
  }
}

void RoomRecovery::OnTableFileCreated(const rocksdb::TableFileCreationInfo& file) {
  if (!file.status.ok()) files_->Announce(file.file_path, /*is_compaction=*/false);
}

void RoomRecovery::OnCompactionCompleted(rocksdb::DB* /*db*/,
                                         const rocksdb::CompactionJobInfo& job) {
  if (!job.status.ok()) return;
  room_->NoteCompacted();
  absl::MutexLock lock(&mutex_);
  lacks_compactions_ = false;
}

absl::Duration RoomRecovery::Look() {
  rocksdb::DB* db = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    if (!is_stopped_ || db_ == nullptr) return absl::InfiniteDuration();
    db = db_;
  }
  if (!MemoryReserve::IsThere()) return kBetweenLooks;
  // Stop waits for this piece, so the database stays.
  if (looks_++ % kLooksBetweenTries == 0 || room_->FreeBytes() >= CountUnflushedBytes(db))
    Resume(db);
  return kBetweenLooks;
}

void RoomRecovery::Resume(rocksdb::DB* db) {
  absl::MutexLock resuming(&resuming_mutex_);
  const uint64_t stops = stops_;
  // Only this clears an error. Where there is none, RocksDB's Resume would wait until no compaction
  // is left to be tried, which is never while they find no room.
  rocksdb::Status resumed = Probe(db);
  if (resumed.IsNoSpace()) resumed = InRocks([&] { return ResumeDatabase(db); });
  absl::MutexLock lock(&mutex_);
  // What no room would mend stays, and is told to each commit.
  const bool is_final =
      !resumed.ok() && !resumed.IsNoSpace() && !resumed.IsBusy() && !resumed.IsIncomplete();
  const bool is_over = resumed.ok() || resumed.IsIncomplete();  // a stall is none
  if ((is_over && stops == stops_) || is_final) is_stopped_ = false;
}

}  // namespace dynolith
