#include "engine/store/sorted/sorted_run.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/base/crc32c.h"
#include "engine/store/sorted/slice.h"

namespace dynolith {
namespace {

// One call of the system for each.
constexpr size_t kBlockBytes = 64 << 10;
constexpr size_t kNumbersBytes = 2 * sizeof(uint32_t);

void StoreNumbers(uint32_t first, uint32_t second, char* at) {
  std::memcpy(at, &first, sizeof first);
  std::memcpy(at + sizeof first, &second, sizeof second);
}

std::pair<uint32_t, uint32_t> NumbersAt(const char* at) {
  std::pair<uint32_t, uint32_t> numbers;
  std::memcpy(&numbers.first, at, sizeof numbers.first);
  std::memcpy(&numbers.second, at + sizeof numbers.first, sizeof numbers.second);
  return numbers;
}

}  // namespace

rocksdb::Status RunWriter::Open(rocksdb::Env* env) {
  block_.reserve(2 * kBlockBytes);
  block_.resize(kNumbersBytes);
  return env->NewWritableFile(run_->path, &file_, rocksdb::EnvOptions());
}

rocksdb::Status RunWriter::Put(std::string_view key, std::string_view value) {
  if (block_.size() == kNumbersBytes) {
    run_->samples.Add(key, run_->bytes);
    if (run_->bytes == 0) run_->smallest = key;
  }
  char numbers[kNumbersBytes];
  StoreNumbers(static_cast<uint32_t>(key.size()), static_cast<uint32_t>(value.size()), numbers);
  block_.append(numbers, sizeof numbers);
  last_key_at_ = block_.size();
  last_key_bytes_ = key.size();
  block_.append(key).append(value);
  return block_.size() < kBlockBytes ? rocksdb::Status::OK() : WriteBlock();
}

rocksdb::Status RunWriter::WriteBlock() {
  const std::string_view rows = std::string_view(block_).substr(kNumbersBytes);
  StoreNumbers(static_cast<uint32_t>(rows.size()), Crc32c(rows), block_.data());
  run_->largest.assign(block_, last_key_at_, last_key_bytes_);
  run_->bytes += block_.size();
  rocksdb::Status status = file_->Append(ToSlice(block_));
  block_.resize(kNumbersBytes);
  return status;
}

rocksdb::Status RunWriter::Finish() {
  if (block_.size() > kNumbersBytes) {
    if (rocksdb::Status status = WriteBlock(); !status.ok()) return status;
  }
  const char end[kNumbersBytes] = {};
  rocksdb::Status status = file_->Append({end, sizeof end});
  return status.ok() ? file_->Close() : status;
}

rocksdb::Status RunSource::Damaged(std::string_view what) {
  return End(rocksdb::Status::Corruption(run_.path, std::string(what)));
}

rocksdb::Status RunSource::SeekTo(std::string_view begin) {
  rocksdb::Status status = env_->NewRandomAccessFile(run_.path, &file_, rocksdb::EnvOptions());
  if (!status.ok()) return End(status);
  buffer_.resize(kNumbersBytes);
  const KeySamples::Sample& before = run_.samples.Before(begin);
  rocksdb::Slice header;
  status = file_->Read(before.offset, kNumbersBytes, &header, buffer_.data());
  if (!status.ok()) return End(status);
  if (header.size() != kNumbersBytes) return Damaged("ends too early");
  std::tie(bytes_, checksum_) = NumbersAt(header.data());
  offset_ = before.offset + kNumbersBytes;
  do {
    status = Next();
  } while (status.ok() && Valid() && key() < begin);
  return status;
}

rocksdb::Status RunSource::Next() {
  if (rows_.empty()) {
    if (bytes_ == 0) return End();
    if (rocksdb::Status status = ReadBlock(); !status.ok()) return status;
  }
  const auto [key_bytes, value_bytes] = NumbersAt(rows_.data());
  const std::string_view row = rows_.substr(kNumbersBytes);
  rows_ = row.substr(size_t{key_bytes} + value_bytes);
  return ArriveAt(row.substr(0, key_bytes), row.substr(key_bytes, value_bytes));
}

rocksdb::Status RunSource::ReadBlock() {
  const size_t wanted = size_t{bytes_} + kNumbersBytes;
  // Else a damaged number would have any memory asked for.
  if (offset_ + bytes_ > run_.bytes) return Damaged("has a block that is too long");
  if (buffer_.size() < wanted) buffer_.resize(wanted);
  rocksdb::Slice read;
  rocksdb::Status status = file_->Read(offset_, wanted, &read, buffer_.data());
  if (!status.ok()) return End(status);
  if (read.size() != wanted) return Damaged("ends too early");
  const std::string_view block = FromSlice(read);
  rows_ = block.substr(0, bytes_);
  if (Crc32c(rows_) != checksum_) return Damaged("has a block with a wrong checksum");
  offset_ += wanted;
  std::tie(bytes_, checksum_) = NumbersAt(block.data() + rows_.size());
  return status;
}

}  // namespace dynolith
