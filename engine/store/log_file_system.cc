#include "engine/store/log_file_system.h"

#include <algorithm>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "engine/store/integrity_manifest.h"
#include "engine/store/log_reader.h"

namespace dynolith {
namespace {

uint64_t PayloadBytes(std::string_view header) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(header[i]); };
  return at(kFragmentLengthAt) | static_cast<uint64_t>(at(kFragmentLengthAt + 1)) << 8;
}

bool IsOfType(std::string_view header, FragmentType type) {
  return header[kFragmentTypeAt] == static_cast<char>(type);
}

// Returns how many bytes of the block are left if no fragment can begin in them, else 0.
uint64_t TrailerBytes(uint64_t position) {
  const uint64_t left = kLogBlockBytes - position % kLogBlockBytes;
  return left < kFragmentHeaderBytes ? left : 0;
}

// Returns a batch of `bytes` bytes that contains only a note, which a replay of the log ignores.
std::string VoidBatch(std::string_view header, size_t bytes) {
  constexpr char kNote = 3;
  std::string batch(header.substr(0, sizeof(uint64_t)));
  batch.append(sizeof(uint32_t), '\0');  // number of changes
  if (bytes == batch.size()) return batch;
  batch.push_back(kNote);
  // The note's length is a varint of one byte or, so that every total length is possible, of five.
  constexpr size_t kLengthBytes = 5;
  const size_t left = bytes - batch.size();
  if (left - 1 < 128) {
    batch.push_back(static_cast<char>(left - 1));
  } else {
    size_t length = left - kLengthBytes;
    for (size_t i = 1; i < kLengthBytes; ++i, length >>= 7) {
      batch.push_back(static_cast<char>(length | 128));
    }
    batch.push_back(static_cast<char>(length));
  }
  batch.resize(bytes, '\0');
  return batch;
}

}  // namespace

void RecordEnds::Feed(std::string_view piece) {
  // Nearly always the piece is one record in one fragment.
  if (is_at_end() && header_.empty() && TrailerBytes(position_) == 0 &&
      piece.size() >= kFragmentHeaderBytes && IsOfType(piece, FragmentType::kWhole) &&
      piece.size() == kFragmentHeaderBytes + PayloadBytes(piece)) {
    position_ += piece.size();
    return;
  }
  const auto take = [&](uint64_t bytes) {
    const std::string_view taken = piece.substr(0, bytes);
    piece.remove_prefix(taken.size());
    position_ += taken.size();
    return taken;
  };
  while (!piece.empty()) {
    if (rest_ > 0) {
      rest_ -= take(rest_).size();
      continue;
    }
    if (header_.empty()) {
      if (const uint64_t trailer = TrailerBytes(position_); trailer > 0) {
        take(trailer);
        continue;
      }
    }
    header_.append(take(kFragmentHeaderBytes - header_.size()));
    in_record_ = true;
    if (header_.size() < kFragmentHeaderBytes) return;
    rest_ = PayloadBytes(header_);
    in_record_ =
        !IsOfType(header_, FragmentType::kWhole) && !IsOfType(header_, FragmentType::kLast);
    header_.clear();
  }
}

std::string VoidRecord(uint64_t log_bytes, std::string_view record) {
  std::string batch_header;
  uint64_t batch_bytes = 0;
  for (uint64_t at = TrailerBytes(log_bytes); at < record.size();) {
    const uint64_t bytes = PayloadBytes(record.substr(at));
    const std::string_view payload = record.substr(at + kFragmentHeaderBytes, bytes);
    batch_header.append(payload.substr(0, sizeof(uint64_t) - batch_header.size()));
    batch_bytes += bytes;
    at += kFragmentHeaderBytes + bytes;
    at += TrailerBytes(log_bytes + at);
  }
  // The new record depends on the log before it only by its position in the block.
  std::string log(log_bytes % kLogBlockBytes, '\0');
  const size_t before = log.size();
  AppendLogRecord(VoidBatch(batch_header, batch_bytes), &log);
  return log.substr(before);
}

namespace {

// After a sync that reports a lack of space, RocksDB would continue with a log that contains a
// refused record.
rocksdb::IOStatus Final(const rocksdb::IOStatus& status) {
  if (status.IsNoSpace()) return rocksdb::IOStatus::IOError(status.ToString());
  return status;
}

class LogFolder final : public rocksdb::FSDirectoryWrapper {
 public:
  using FSDirectoryWrapper::FSDirectoryWrapper;

  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    return Final(FSDirectoryWrapper::Fsync(options, debug));
  }
  rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options,
                                        rocksdb::IODebugContext* debug,
                                        const rocksdb::DirFsyncOptions& reason) override {
    return Final(FSDirectoryWrapper::FsyncWithDirOptions(options, debug, reason));
  }
};

// One thread at a time appends; any thread syncs.
class LogFile final : public rocksdb::FSWritableFile {
 public:
  LogFile(std::string name, rocksdb::FileSystem* file_system, const rocksdb::FileOptions& options,
          std::unique_ptr<rocksdb::FSWritableFile> file,
          std::shared_ptr<std::atomic<int>> failed_logs)
      : name_(std::move(name)),
        file_system_(file_system),
        options_(options),
        is_sync_thread_safe_(file->IsSyncThreadSafe()),
        failed_logs_(std::move(failed_logs)),
        file_(std::move(file)) {}
  ~LogFile() override {
    if (has_failed_) --*failed_logs_;
  }

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override;
  using FSWritableFile::Append;
  rocksdb::IOStatus Flush(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override;
  // Threads that sync call this while file_ may be replaced, so the answer is kept.
  bool IsSyncThreadSafe() const override { return is_sync_thread_safe_; }
  uint64_t GetFileSize(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return file_->GetFileSize(options, debug);
  }
  void SetWriteLifeTimeHint(rocksdb::Env::WriteLifeTimeHint hint) override {
    file_->SetWriteLifeTimeHint(hint);
  }
  void SetPreallocationBlockSize(size_t size) override { file_->SetPreallocationBlockSize(size); }
  void PrepareWrite(size_t offset, size_t length, const rocksdb::IOOptions& options,
                    rocksdb::IODebugContext* debug) override {
    file_->PrepareWrite(offset, length, options, debug);
  }

 private:
  rocksdb::IOStatus DoAppend(std::string_view piece, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug);
  // Whatever RocksDB is told counts for it as the end of this log.
  rocksdb::IOStatus Noted(rocksdb::IOStatus status) {
    if (!status.ok() && !status.IsBusy() && !has_failed_.exchange(true)) ++*failed_logs_;
    return status;
  }
  // Whether the disk lacks something that this file was given.
  bool is_behind() const { return !voids_.empty() || !held_.ok(); }
  // Returns the error if the log ends here: the disk lacks a part of a record that this file was
  // given. Flush does not check it, since RocksDB also flushes whenever its buffer is full; neither
  // does Sync, which other threads call for earlier records.
  rocksdb::IOStatus Unfinished() const;
  // Truncates the file behind the last whole record.
  rocksdb::IOStatus Rewind();
  // Writes the held bytes up to the end of a record, or refuses that record.
  rocksdb::IOStatus WriteHeld(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug);

  const std::string name_;
  rocksdb::FileSystem* const file_system_;
  const rocksdb::FileOptions options_;
  const bool is_sync_thread_safe_;
  const std::shared_ptr<std::atomic<int>> failed_logs_;
  std::atomic<bool> has_failed_ = false;
  // Held during syncs and while file_ is replaced, which only appends do.
  absl::Mutex mutex_;
  std::unique_ptr<rocksdb::FSWritableFile> file_;
  RecordEnds ends_;
  uint64_t whole_bytes_ = 0;  // bytes of the file up to the end of its last whole record
  std::string record_;        // what was given of the record that has not come to its end
  std::string voids_;         // what takes the place of refused records, in front of record_
  rocksdb::IOStatus held_;    // why the disk has not taken the record_ so far; OK if it has
  rocksdb::IOStatus refused_;
};

rocksdb::IOStatus LogFile::Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                                  rocksdb::IODebugContext* debug) {
  return Noted(DoAppend({data.data(), data.size()}, options, debug));
}

rocksdb::IOStatus LogFile::DoAppend(std::string_view piece, const rocksdb::IOOptions& options,
                                    rocksdb::IODebugContext* debug) {
  ends_.Feed(piece);
  if (!is_behind()) {
    rocksdb::IOStatus status =
        file_->Append(rocksdb::Slice(piece.data(), piece.size()), options, debug);
    if (status.ok() && ends_.is_at_end()) {
      whole_bytes_ += record_.size() + piece.size();
      record_.clear();
      return status;
    }
    if (!status.ok()) {
      if (!status.IsNoSpace()) return status;
      if (rocksdb::IOStatus rewound = Rewind(); !rewound.ok()) return rewound;
      held_ = std::move(status);
    }
  }
  record_.append(piece);
  // A record that is longer than RocksDB's buffer is written or refused when it is complete.
  if (!is_behind() || !ends_.is_at_end()) return rocksdb::IOStatus::OK();
  return WriteHeld(options, debug);
}

rocksdb::IOStatus LogFile::WriteHeld(const rocksdb::IOOptions& options,
                                     rocksdb::IODebugContext* debug) {
  const std::string held = voids_ + record_;
  rocksdb::IOStatus status = file_->Append(held, options, debug);
  if (status.ok()) {
    whole_bytes_ += held.size();
    voids_.clear();
  } else {
    if (!status.IsNoSpace()) return status;
    if (rocksdb::IOStatus rewound = Rewind(); !rewound.ok()) return rewound;
    voids_ += VoidRecord(whole_bytes_ + voids_.size(), record_);
    // The next Flush returns the error: if this call did, RocksDB would keep the record in its
    // buffer.
    refused_ = rocksdb::IOStatus::Busy(status.ToString());
  }
  record_.clear();
  held_ = rocksdb::IOStatus::OK();
  return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus LogFile::Rewind() {
  absl::MutexLock lock(&mutex_);
  const rocksdb::IOOptions options;
  // Close truncates the file to the length that it knows, so it comes first.
  file_->Close(options, nullptr).PermitUncheckedError();
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status = file_system_->ReopenWritableFile(name_, options_, &file, nullptr);
  if (status.ok()) status = file->Truncate(whole_bytes_, options, nullptr);
  if (status.ok()) file_ = std::move(file);
  return Final(status);
}

rocksdb::IOStatus LogFile::Unfinished() const {
  if (!is_behind() || record_.empty()) return rocksdb::IOStatus::OK();
  if (held_.ok()) return rocksdb::IOStatus::IOError(name_);
  return Final(held_);
}

rocksdb::IOStatus LogFile::Flush(const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) {
  if (!refused_.ok()) return std::exchange(refused_, rocksdb::IOStatus::OK());
  return Noted(Final(file_->Flush(options, debug)));
}

rocksdb::IOStatus LogFile::Close(const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) {
  rocksdb::IOStatus status = file_->Close(options, debug);
  rocksdb::IOStatus unfinished = Unfinished();
  return unfinished.ok() ? status : unfinished;
}

rocksdb::IOStatus LogFile::Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
  absl::MutexLock lock(&mutex_);
  return Noted(Final(file_->Sync(options, debug)));
}

rocksdb::IOStatus LogFile::Fsync(const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) {
  absl::MutexLock lock(&mutex_);
  return Noted(Final(file_->Fsync(options, debug)));
}

}  // namespace

rocksdb::IOStatus LogFileSystem::NewWritableFile(const std::string& file,
                                                 const rocksdb::FileOptions& options,
                                                 std::unique_ptr<rocksdb::FSWritableFile>* result,
                                                 rocksdb::IODebugContext* debug) {
  rocksdb::IOStatus status = target()->NewWritableFile(file, options, result, debug);
  if (status.ok() && LogNumber(NameWithin(folder_, file))) {
    *result = std::make_unique<LogFile>(file, target(), options, std::move(*result), failed_logs_);
  }
  return status;
}

rocksdb::IOStatus LogFileSystem::NewDirectory(const std::string& name,
                                              const rocksdb::IOOptions& options,
                                              std::unique_ptr<rocksdb::FSDirectory>* result,
                                              rocksdb::IODebugContext* debug) {
  rocksdb::IOStatus status = target()->NewDirectory(name, options, result, debug);
  if (status.ok()) *result = std::make_unique<LogFolder>(std::move(*result));
  return status;
}

}  // namespace dynolith
