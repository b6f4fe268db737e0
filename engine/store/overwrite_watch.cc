#include "engine/store/overwrite_watch.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/process/memory_reserve.h"

namespace dynolith {
namespace {

// Shares of a memtable's changes that its flush kept. Between the two the buffer stays as it is, or
// a family would oscillate: doubling the buffer lowers the kept share, at most to a half.
constexpr double kKeptOfOverwritten = 0.6;
constexpr double kKeptOfUsual = 0.8;
// A smaller memtable would be flushed too often: each flush syncs three files.
constexpr size_t kBufferShareMin = 4;
// RocksDB ends the process when it makes a memtable that is full before anything is in it.
constexpr size_t kBufferBytesMin = 256 << 10;
// In write buffers. A compaction of one file writes at most so many times the bytes of the file.
constexpr uint64_t kLevel1BuffersMax = 4;
constexpr absl::Duration kPauseWithoutMemory = absl::Seconds(1);

}  // namespace

FamilyTuning TuningAfterFlush(const FamilyTuning& usual, const FamilyTuning& now, double kept,
                              uint64_t level1_bytes) {
  FamilyTuning next = now;
  if (kept < kKeptOfOverwritten) {
    next.write_buffer_bytes =
        std::min(now.write_buffer_bytes,
                 std::max({now.write_buffer_bytes / 2, usual.write_buffer_bytes / kBufferShareMin,
                           kBufferBytesMin}));
  } else if (kept > kKeptOfUsual) {
    next.write_buffer_bytes = std::min(now.write_buffer_bytes * 2, usual.write_buffer_bytes);
  }
  const bool is_cheap = level1_bytes <= kLevel1BuffersMax * usual.write_buffer_bytes;
  next.level0_files = kept <= kKeptOfUsual && is_cheap ? 1 : usual.level0_files;
  return next;
}

class OverwriteWatch::Counts : public rocksdb::EventListener {
 public:
  void OnMemTableSealed(const rocksdb::MemTableInfo& memtable) override {
    absl::MutexLock lock(&mutex_);
    const size_t family = FindFamily(memtable.cf_name);
    if (work_ == nullptr || family == kFamilies) return;
    sealed_[family].push_back({memtable.first_seqno, memtable.num_entries});
  }

  // A flush writes the oldest memtables of a family, one or more.
  void OnFlushCompleted(rocksdb::DB*, const rocksdb::FlushJobInfo& flush) override {
    absl::MutexLock lock(&mutex_);
    const size_t family = FindFamily(flush.cf_name);
    if (work_ == nullptr || family == kFamilies) return;
    std::deque<SealedMemtable>& sealed = sealed_[family];
    uint64_t changes = 0;
    while (!sealed.empty() && sealed.front().first_sequence <= flush.largest_seqno) {
      changes += sealed.front().changes;
      sealed.pop_front();
    }
    if (changes == 0) return;
    const double kept =
        static_cast<double>(flush.table_properties.num_entries) / static_cast<double>(changes);
    if (kept > kKeptOfUsual && !has_overwritten_) return;
    has_overwritten_ = true;
    flushed_.push_back({family, kept});
    work_->Wake();
  }

  // From then on flushes are taken down, and `work` is woken when there is one to Take. nullptr:
  // nobody watches.
  void Tell(BackgroundWork* work) {
    absl::MutexLock lock(&mutex_);
    work_ = work;
  }

  std::optional<FlushResult> Take() {
    absl::MutexLock lock(&mutex_);
    if (flushed_.empty()) return std::nullopt;
    const FlushResult flushed = flushed_.front();
    flushed_.pop_front();
    return flushed;
  }

 private:
  struct SealedMemtable {
    uint64_t first_sequence;
    uint64_t changes;
  };

  // kFamilies: none of ours.
  static size_t FindFamily(std::string_view name) {
    return static_cast<size_t>(std::find(std::begin(kFamilyNames), std::end(kFamilyNames), name) -
                               std::begin(kFamilyNames));
  }

  absl::Mutex mutex_;
  BackgroundWork* work_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool has_overwritten_ ABSL_GUARDED_BY(mutex_) = false;  // any flush yet
  std::array<std::deque<SealedMemtable>, kFamilies> sealed_ ABSL_GUARDED_BY(mutex_);
  std::deque<FlushResult> flushed_ ABSL_GUARDED_BY(mutex_);
};

OverwriteWatch::OverwriteWatch(const FamilyTuning& usual, BackgroundThreads* threads)
    : usual_(usual),
      counts_(std::make_shared<Counts>()),
      work_(threads, [this] { return TuneNext(); }) {
  tuning_.fill(usual);
}

std::shared_ptr<rocksdb::EventListener> OverwriteWatch::listener() const { return counts_; }

void OverwriteWatch::Start(rocksdb::DB* db, const FamilyHandles& families,
                           absl::Mutex* resuming_mutex) {
  db_ = db;
  resuming_mutex_ = resuming_mutex;
  families_ = families;
  counts_->Tell(&work_);
}

void OverwriteWatch::Stop() {
  counts_->Tell(nullptr);
  work_.Stop();
}

absl::Duration OverwriteWatch::TuneNext() {
  if (!MemoryReserve::IsThere()) return kPauseWithoutMemory;
  const auto flushed = counts_->Take();
  if (!flushed) return absl::InfiniteDuration();
  Tune(*flushed);
  return absl::ZeroDuration();
}

void OverwriteWatch::Tune(const FlushResult& flushed) {
  FamilyTuning& now = tuning_[flushed.family];
  if (flushed.kept > kKeptOfUsual && now == usual_) return;
  rocksdb::ColumnFamilyHandle* const family = families_[flushed.family];
  rocksdb::ColumnFamilyMetaData files;
  InRocks([&] { db_->GetColumnFamilyMetaData(family, &files); });
  const uint64_t level1_bytes = files.levels.size() > 1 ? files.levels[1].size : 0;
  const FamilyTuning next = TuningAfterFlush(usual_, now, flushed.kept, level1_bytes);
  if (next == now) return;
  std::unordered_map<std::string, std::string> changed = {
      {"level0_file_num_compaction_trigger", std::to_string(next.level0_files)}};
  // RocksDB takes a little one for 64 KB when it opens, but not here.
  if (next.write_buffer_bytes != now.write_buffer_bytes) {
    changed["write_buffer_size"] = std::to_string(next.write_buffer_bytes);
  }
  absl::MutexLock not_beside_resume(resuming_mutex_);
  // A failure would only be one of speed; RocksDB has it in its log.
  InRocks([&] { return db_->SetOptions(family, changed); }).PermitUncheckedError();
  now = next;
}

}  // namespace dynolith
