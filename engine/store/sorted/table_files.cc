#include "engine/store/sorted/table_files.h"

#include <utility>

#include "engine/store/sorted/slice.h"

namespace dynolith {

rocksdb::Status TableWriter::Put(std::string_view key, std::string_view value) {
  const rocksdb::Options& options = maker_->options();
  if (writer_ != nullptr && writer_->FileSize() >= options.target_file_size_base) {
    if (rocksdb::Status status = Finish(); !status.ok()) return status;
  }
  if (writer_ == nullptr) {
    // Much of it is read again soon: by whoever fills indexes, if by nobody else.
    writer_ =
        std::make_unique<rocksdb::SstFileWriter>(rocksdb::EnvOptions(), options, maker_->family(),
                                                 /*invalidate_page_cache=*/false);
    TableFile& file = files_->emplace_back();
    file.path = maker_->NextPath();
    file.smallest = key;
    if (rocksdb::Status status = writer_->Open(file.path); !status.ok()) return status;
  }
  TableFile& file = files_->back();
  file.largest = key;
  file.samples.Add(key, file.bytes);
  file.bytes += key.size() + value.size();
  ++file.rows;
  return writer_->Put(ToSlice(key), ToSlice(value));
}

rocksdb::Status TableWriter::Finish() {
  return writer_ == nullptr ? rocksdb::Status::OK() : std::exchange(writer_, nullptr)->Finish();
}

rocksdb::Status TableSource::SeekTo(std::string_view begin) {
  while (file_ < files_.size() && files_[file_].largest < begin) ++file_;
  if (file_ == files_.size()) return End();
  if (rocksdb::Status status = Open(); !status.ok()) return End(status);
  rows_->Seek(ToSlice(begin));
  return Arrive();
}

rocksdb::Status TableSource::Next() {
  rows_->Next();
  return Arrive();
}

rocksdb::Status TableSource::Open() {
  rows_.reset();
  reader_ = std::make_unique<rocksdb::SstFileReader>(options_);
  rocksdb::Status status = reader_->Open(files_[file_].path);
  if (!status.ok()) return status;
  rocksdb::ReadOptions reading;
  reading.fill_cache = false;
  rows_.reset(reader_->NewIterator(reading));
  return rows_->status();
}

rocksdb::Status TableSource::Arrive() {
  while (!rows_->Valid()) {
    if (!rows_->status().ok()) return End(rows_->status());
    if (++file_ == files_.size()) return End();
    if (rocksdb::Status status = Open(); !status.ok()) return End(status);
    rows_->SeekToFirst();
  }
  return ArriveAt(FromSlice(rows_->key()), FromSlice(rows_->value()));
}

}  // namespace dynolith
