#include "engine/store/sorted/sorted_files.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rocksdb/iterator.h"
#include "rocksdb/sst_file_reader.h"

namespace dynolith {
namespace {

// So many files that have gone through as many merges become one.
constexpr size_t kFilesPerMerge = 32;
constexpr uint64_t kOneFile = std::numeric_limits<uint64_t>::max();

// In the order of keys.
uint64_t BeginOf(std::string_view key) {
  uint64_t begin = 0;
  for (size_t i = 0; i < sizeof begin; ++i) {
    begin = begin << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0);
  }
  return begin;
}

rocksdb::Slice SliceOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view ViewOf(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// One file's rows, read from its beginning.
struct Run {
  std::unique_ptr<rocksdb::SstFileReader> reader;
  std::unique_ptr<rocksdb::Iterator> rows;
};

rocksdb::Status OpenRun(const rocksdb::Options& options, const std::string& file, Run* run) {
  run->reader = std::make_unique<rocksdb::SstFileReader>(options);
  if (rocksdb::Status status = run->reader->Open(file); !status.ok()) return status;
  rocksdb::ReadOptions reading;
  reading.fill_cache = false;
  run->rows.reset(run->reader->NewIterator(reading));
  run->rows->SeekToFirst();
  return run->rows->status();
}

}  // namespace

// Writes rows in order, in files of the size that compactions make them, too.
class SortedFiles::Writer {
 public:
  Writer(SortedFiles* owner, Purpose purpose, uint64_t file_bytes_max, std::vector<File>* files)
      : owner_(owner), options_(owner->options_), file_bytes_max_(file_bytes_max), files_(files) {
    if (purpose == Purpose::kMerge) options_.compression = rocksdb::kNoCompression;
  }

  rocksdb::Status Put(std::string_view key, std::string_view value) {
    if (owner_->is_stopped_) return rocksdb::Status::Aborted();
    if (writer_ != nullptr && writer_->FileSize() >= file_bytes_max_) {
      if (rocksdb::Status status = Finish(); !status.ok()) return status;
    }
    if (writer_ == nullptr) {
      writer_ = std::make_unique<rocksdb::SstFileWriter>(rocksdb::EnvOptions(), options_,
                                                         owner_->family_);
      File& file = files_->emplace_back();
      file.path = owner_->prefix_ + std::to_string(++owner_->made_);
      if (rocksdb::Status status = writer_->Open(file.path); !status.ok()) return status;
      file.smallest = key;
    }
    File& file = files_->back();
    file.largest = key;
    ++file.rows;
    return writer_->Put(SliceOf(key), SliceOf(value));
  }

  rocksdb::Status Finish() {
    return writer_ == nullptr ? rocksdb::Status::OK() : std::exchange(writer_, nullptr)->Finish();
  }

 private:
  SortedFiles* const owner_;
  rocksdb::Options options_;
  const uint64_t file_bytes_max_;
  std::vector<File>* const files_;
  std::unique_ptr<rocksdb::SstFileWriter> writer_;
};

SortedFiles::SortedFiles(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, std::string prefix)
    : family_(family), prefix_(std::move(prefix)), options_(db->GetOptions(family)) {}

SortedFiles::~SortedFiles() {
  is_stopped_ = true;
  Await().PermitUncheckedError();
  Delete(files_, options_.env);
}

void SortedFiles::Delete(const std::vector<File>& files, rocksdb::Env* env) {
  // What was taken is not there any more.
  for (const File& file : files) env->DeleteFile(file.path).PermitUncheckedError();
}

void SortedFiles::Put(std::string_view key, std::string_view value) {
  if (held_.is_sorted && !held_.rows.empty()) {
    held_.is_sorted = held_.KeyOf(held_.rows.back()) < key;
  }
  held_.rows.push_back({held_.bytes.size(), BeginOf(key), static_cast<uint32_t>(key.size()),
                        static_cast<uint32_t>(value.size())});
  held_.bytes.append(key).append(value);
}

void SortedFiles::Held::Sort() {
  if (is_sorted) return;
  std::sort(rows.begin(), rows.end(), [this](const RowAt& left, const RowAt& right) {
    if (left.key_begin != right.key_begin) return left.key_begin < right.key_begin;
    const int order = KeyOf(left).compare(KeyOf(right));
    return order != 0 ? order < 0 : left.begin < right.begin;
  });
}

bool SortedFiles::IsFinished() const {
  return !writing_.valid() ||
         writing_.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
}

rocksdb::Status SortedFiles::Await() {
  return writing_.valid() ? writing_.get() : rocksdb::Status::OK();
}

rocksdb::Status SortedFiles::Spill() {
  if (rocksdb::Status status = Await(); !status.ok()) return status;
  writing_ = std::async(std::launch::async, [this, held = std::exchange(held_, {})]() mutable {
    rocksdb::Status status = Write(std::move(held), /*is_last=*/false);
    return status.ok() ? MergeSmallOnes() : status;
  });
  return rocksdb::Status::OK();
}

rocksdb::Status SortedFiles::BeginFinish() {
  if (rocksdb::Status status = Await(); !status.ok()) return status;
  writing_ = std::async(std::launch::async, [this, held = std::exchange(held_, {})]() mutable {
    rocksdb::Status status = Write(std::move(held), /*is_last=*/files_.empty());
    if (!status.ok() || AreFilesApart()) return status;
    return Merge(0, options_.target_file_size_base, Purpose::kStay);
  });
  return rocksdb::Status::OK();
}

rocksdb::Status SortedFiles::Write(Held held, bool is_last) {
  // What will be read again, and that once, is not compressed.
  const bool is_read_again = !held.is_sorted && !is_last;
  held.Sort();
  Writer writer(this, is_read_again ? Purpose::kMerge : Purpose::kStay,
                is_last ? options_.target_file_size_base : kOneFile, &files_);
  const std::vector<RowAt>& rows = held.rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i + 1 < rows.size() && held.KeyOf(rows[i]) == held.KeyOf(rows[i + 1])) continue;
    rocksdb::Status status = writer.Put(held.KeyOf(rows[i]), held.ValueOf(rows[i]));
    if (!status.ok()) return status;
  }
  return writer.Finish();
}

rocksdb::Status SortedFiles::MergeSmallOnes() {
  rocksdb::Status status;
  while (status.ok() && !files_.empty() && !AreFilesApart()) {
    size_t begin = files_.size();
    while (begin > 0 && files_[begin - 1].merges == files_.back().merges) --begin;
    if (files_.size() - begin < kFilesPerMerge) break;
    status = Merge(begin, kOneFile, Purpose::kMerge);
  }
  return status;
}

bool SortedFiles::AreFilesApart() const {
  return std::adjacent_find(files_.begin(), files_.end(), [](const File& one, const File& next) {
           return one.largest >= next.smallest;
         }) == files_.end();
}

rocksdb::Status SortedFiles::Merge(size_t begin, uint64_t file_bytes_max, Purpose purpose) {
  std::vector<File> files(std::make_move_iterator(files_.begin() + static_cast<ptrdiff_t>(begin)),
                          std::make_move_iterator(files_.end()));
  files_.resize(begin);
  std::vector<Run> runs(files.size());
  const auto comes_later = [&runs](size_t left, size_t right) {
    const int order = runs[left].rows->key().compare(runs[right].rows->key());
    // Of the same key the newest one first.
    return order != 0 ? order > 0 : left < right;
  };
  rocksdb::Status status;
  std::priority_queue<size_t, std::vector<size_t>, decltype(comes_later)> next(comes_later);
  for (size_t i = 0; i < runs.size(); ++i) {
    status = OpenRun(options_, files[i].path, &runs[i]);
    if (!status.ok()) break;
    if (runs[i].rows->Valid()) next.push(i);
  }
  Writer writer(this, purpose, file_bytes_max, &files_);
  std::string last;
  for (bool is_first = true; status.ok() && !next.empty();) {
    rocksdb::Iterator& rows = *runs[next.top()].rows;
    const std::string_view key = ViewOf(rows.key());
    if (is_first || key != last) {
      status = writer.Put(key, ViewOf(rows.value()));
      last = key;
      is_first = false;
    }
    const size_t run = next.top();
    next.pop();
    rows.Next();
    if (rows.Valid()) {
      next.push(run);
    } else if (status.ok()) {
      status = rows.status();
    }
  }
  if (status.ok()) status = writer.Finish();
  runs.clear();
  Delete(files, options_.env);
  for (size_t i = begin; i < files_.size(); ++i) files_[i].merges = files.back().merges + 1;
  return status;
}

std::vector<std::string> SortedFiles::files() const {
  std::vector<std::string> paths;
  for (const File& file : files_) paths.push_back(file.path);
  return paths;
}

absl::Status SortedFiles::VisitHeld(
    absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)> visit) const {
  for (const RowAt& row : held_.rows) {
    absl::Status status = visit(held_.KeyOf(row), held_.ValueOf(row));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

rocksdb::Status SortedFiles::Visit(
    absl::FunctionRef<rocksdb::Status(std::string_view key, std::string_view value)> visit) const {
  for (const File& file : files_) {
    Run run;
    if (rocksdb::Status status = OpenRun(options_, file.path, &run); !status.ok()) return status;
    for (; run.rows->Valid(); run.rows->Next()) {
      rocksdb::Status status = visit(ViewOf(run.rows->key()), ViewOf(run.rows->value()));
      if (!status.ok()) return status;
    }
    if (!run.rows->status().ok()) return run.rows->status();
  }
  return rocksdb::Status::OK();
}

uint64_t SortedFiles::rows() const {
  uint64_t rows = 0;
  for (const File& file : files_) rows += file.rows;
  return rows;
}

rocksdb::Status IngestSorted(
    rocksdb::DB* db,
    const std::vector<std::pair<rocksdb::ColumnFamilyHandle*, std::vector<std::string>>>& files) {
  std::vector<rocksdb::IngestExternalFileArg> arguments;
  for (const auto& [family, names] : files) {
    if (names.empty()) continue;
    rocksdb::IngestExternalFileArg& argument = arguments.emplace_back();
    argument.column_family = family;
    argument.external_files = names;
    argument.options.move_files = true;
    // A number that no log has would look like a hole between two logs.
    argument.options.allow_global_seqno = false;
    argument.options.snapshot_consistency = false;
    argument.options.allow_blocking_flush = false;
    argument.options.write_global_seqno = false;
  }
  return arguments.empty() ? rocksdb::Status::OK() : db->IngestExternalFiles(arguments);
}

}  // namespace dynolith
