#include "engine/store/log_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/base/crc32c.h"
#include "engine/base/status_macros.h"
#include "engine/store/encryption/decrypted_file.h"
#include "engine/store/own_files.h"

namespace dynolith {
namespace {

constexpr uint64_t kBufferBytes = 32 * kLogBlockBytes;

// The end of RocksDB's block-based table files.
constexpr uint64_t kTableFileEnd = 0x88e241b785f4cff7;

template <typename Integer>
Integer ReadLittleEndian(std::string_view bytes) {
  Integer number = 0;
  for (size_t i = 0; i < sizeof number; ++i) {
    number |= static_cast<Integer>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  }
  return number;
}

template <typename Integer>
void AppendLittleEndian(Integer number, std::string* out) {
  for (size_t i = 0; i < sizeof number; ++i) out->push_back(static_cast<char>(number >> (8 * i)));
}

// Returns whether the fragment at the front of `rest` is complete with another length than its
// header says. Then the length was damaged, and the write was not cut off.
bool IsWholeWithOtherLength(std::string_view rest) {
  const auto crc = ReadLittleEndian<uint32_t>(rest);
  uint32_t running = ExtendCrc32c(0, rest.substr(kFragmentTypeAt, 1));
  if (MaskCrc32c(running) == crc) return true;
  for (size_t i = kFragmentHeaderBytes; i < rest.size(); ++i) {
    running = ExtendCrc32c(running, rest.substr(i, 1));
    if (MaskCrc32c(running) == crc) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<LogReader> LogReader::Open(const std::string& file, uint64_t begin,
                                          const StoreKeys* keys) {
  LogReader reader(file, begin);
  if (keys != nullptr) {
    DYNOLITH_ASSIGN_OR_RETURN(reader.text_, DecryptedFile::Open(file, *keys));
    reader.file_bytes_ = reader.text_->bytes();
    return reader;
  }
  reader.descriptor_ = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts = {};
  if (reader.descriptor_ < 0 || fstat(reader.descriptor_, &facts) != 0) {
    return ReadFailure(file, errno);
  }
  reader.file_bytes_ = static_cast<uint64_t>(facts.st_size);
  return reader;
}

LogReader::LogReader(std::string file, uint64_t begin)
    : file_(std::move(file)), position_(begin), record_begin_(begin) {}

LogReader::LogReader(LogReader&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      text_(std::move(other.text_)),
      file_bytes_(other.file_bytes_),
      position_(other.position_),
      record_begin_(other.record_begin_) {}

LogReader::~LogReader() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status LogReader::ReadAt(uint64_t at, uint64_t bytes, std::string* out) {
  out->resize(bytes);
  size_t done = 0;
  while (done < bytes && text_ != nullptr) {
    const absl::StatusOr<size_t> got = text_->Read(at + done, bytes - done, out->data() + done);
    if (!got.ok() && done == 0) return got.status();
    if (!got.ok()) meets_damage_ = true;
    if (!got.ok() || *got == 0) break;
    done += *got;
  }
  while (done < bytes && text_ == nullptr) {
    const ssize_t got =
        pread(descriptor_, out->data() + done, bytes - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReadFailure(file_, errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  out->resize(done);
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> LogReader::RestOfBlock() {
  const uint64_t block = position_ - position_ % kLogBlockBytes;
  const uint64_t end = std::min(block + kLogBlockBytes, file_bytes_);
  if (buffer_.empty() || block < buffer_begin_ || end > buffer_begin_ + buffer_.size()) {
    buffer_begin_ = block;
    const uint64_t bytes = std::min(kBufferBytes, file_bytes_ - block);
    DYNOLITH_RETURN_IF_ERROR(ReadAt(block, bytes, &buffer_));
    // The file became shorter during the read.
    if (buffer_.size() < bytes && text_ == nullptr) return ReadFailure(file_, EIO);
  }
  const std::string_view rest =
      std::string_view(buffer_).substr(std::min(position_ - buffer_begin_, buffer_.size()));
  // There is damage behind it; a record that reaches there cannot be read.
  if (rest.empty() && text_ != nullptr) {
    std::string nothing;
    DYNOLITH_RETURN_IF_ERROR(ReadAt(position_, end - position_, &nothing));
  }
  return rest.substr(0, end - position_);
}

absl::StatusOr<bool> LogReader::EndsAsTableFile() {
  if (file_bytes_ < sizeof kTableFileEnd) return false;
  std::string end;
  DYNOLITH_RETURN_IF_ERROR(ReadAt(file_bytes_ - sizeof kTableFileEnd, sizeof kTableFileEnd, &end));
  return end.size() == sizeof kTableFileEnd && ReadLittleEndian<uint64_t>(end) == kTableFileEnd;
}

absl::StatusOr<LogReader::Outcome> LogReader::OutcomeOfZeros() {
  for (uint64_t at = position_; at < file_bytes_;) {
    position_ = at;
    DYNOLITH_ASSIGN_OR_RETURN(const std::string_view rest, RestOfBlock());
    if (rest.find_first_not_of('\0') != std::string_view::npos) return Outcome::kDamaged;
    at += rest.size();
  }
  return Outcome::kTorn;
}

absl::StatusOr<LogReader::Fragment> LogReader::NextFragment() {
  const uint64_t left_in_block = kLogBlockBytes - position_ % kLogBlockBytes;
  if (left_in_block < kFragmentHeaderBytes) {
    position_ = std::min(position_ + left_in_block, file_bytes_);
  }
  if (position_ >= file_bytes_) return Fragment{.outcome = Outcome::kEnd};
  DYNOLITH_ASSIGN_OR_RETURN(const std::string_view rest, RestOfBlock());
  if (rest.size() < kFragmentHeaderBytes) {
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_table_file, EndsAsTableFile());
    return Fragment{.outcome = is_table_file ? Outcome::kDamaged : Outcome::kTorn};
  }
  const auto crc = ReadLittleEndian<uint32_t>(rest);
  const auto length = ReadLittleEndian<uint16_t>(rest.substr(kFragmentLengthAt));
  const auto type = static_cast<FragmentType>(rest[kFragmentTypeAt]);
  if (type == FragmentType::kZero && length == 0 && crc == 0) {
    DYNOLITH_ASSIGN_OR_RETURN(const Outcome outcome, OutcomeOfZeros());
    return Fragment{.outcome = outcome};
  }
  // A write that was cut off leaves none of the other types.
  if (type < FragmentType::kWhole || type > FragmentType::kLast) {
    return Fragment{.outcome = Outcome::kDamaged};
  }
  const uint64_t block_end = position_ - position_ % kLogBlockBytes + kLogBlockBytes;
  if (position_ + kFragmentHeaderBytes + length > block_end) {
    return Fragment{.outcome = Outcome::kDamaged};
  }
  if (kFragmentHeaderBytes + length > rest.size()) {
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_table_file, EndsAsTableFile());
    const bool is_damaged = is_table_file || IsWholeWithOtherLength(rest);
    return Fragment{.outcome = is_damaged ? Outcome::kDamaged : Outcome::kTorn,
                    .payload = rest.substr(kFragmentHeaderBytes)};
  }
  if (MaskCrc32c(Crc32c(rest.substr(kFragmentTypeAt, 1 + length))) != crc) {
    return Fragment{.outcome = Outcome::kDamaged};
  }
  position_ += kFragmentHeaderBytes + length;
  return Fragment{.type = type, .payload = rest.substr(kFragmentHeaderBytes, length)};
}

absl::StatusOr<LogReader::Outcome> LogReader::ReadRecord() {
  bool in_record = false;
  for (;;) {
    DYNOLITH_ASSIGN_OR_RETURN(const Fragment fragment, NextFragment());
    const bool is_torn =
        fragment.outcome == Outcome::kTorn || (fragment.outcome == Outcome::kEnd && in_record);
    if (is_torn) {
      record_ = in_record ? assembled_ : fragment.payload;
      return Outcome::kTorn;
    }
    if (fragment.outcome != Outcome::kRecord) return fragment.outcome;
    const bool begins =
        fragment.type == FragmentType::kWhole || fragment.type == FragmentType::kFirst;
    if (begins == in_record) return Outcome::kDamaged;
    if (fragment.type == FragmentType::kWhole) {
      record_ = fragment.payload;
      return Outcome::kRecord;
    }
    if (begins) assembled_.clear();
    in_record = true;
    assembled_.append(fragment.payload);
    if (fragment.type != FragmentType::kLast) continue;
    record_ = assembled_;
    return Outcome::kRecord;
  }
}

absl::StatusOr<LogReader::Outcome> LogReader::Next() {
  if (outcome_ != Outcome::kRecord) return outcome_;
  record_ = {};
  record_begin_ = position_;
  DYNOLITH_ASSIGN_OR_RETURN(const Outcome outcome, ReadRecord());
  outcome_ = OutcomeOfEnd(outcome);
  return outcome_;
}

LogReader::Outcome LogReader::OutcomeOfEnd(Outcome outcome) const {
  const bool is_end = outcome == Outcome::kEnd || outcome == Outcome::kTorn;
  if (is_end && meets_damage_) return Outcome::kDamaged;
  if (!is_end || text_ == nullptr || text_->end() == FileEnd::kWhole) return outcome;
  return text_->end() == FileEnd::kTorn ? Outcome::kTorn : Outcome::kDamaged;
}

void AppendLogRecord(std::string_view record, std::string* file) {
  for (bool is_first = true; is_first || !record.empty(); is_first = false) {
    uint64_t left = kLogBlockBytes - file->size() % kLogBlockBytes;
    if (left < kFragmentHeaderBytes) {
      file->append(left, '\0');
      left = kLogBlockBytes;
    }
    const std::string_view payload = record.substr(0, left - kFragmentHeaderBytes);
    record.remove_prefix(payload.size());
    const FragmentType type = record.empty()
                                  ? (is_first ? FragmentType::kWhole : FragmentType::kLast)
                                  : (is_first ? FragmentType::kFirst : FragmentType::kMiddle);
    std::string typed(1, static_cast<char>(type));
    typed.append(payload);
    AppendLittleEndian(MaskCrc32c(Crc32c(typed)), file);
    AppendLittleEndian(static_cast<uint16_t>(payload.size()), file);
    file->append(typed);
  }
}

uint64_t BatchSequence(std::string_view record) { return ReadLittleEndian<uint64_t>(record); }

uint32_t BatchCount(std::string_view record) {
  return ReadLittleEndian<uint32_t>(record.substr(sizeof(uint64_t)));
}

absl::StatusOr<uint32_t> Crc32cOfFile(const std::string& file, uint64_t bytes,
                                      const StoreKeys* keys) {
  DYNOLITH_ASSIGN_OR_RETURN(LogReader reader, LogReader::Open(file, 0, keys));
  uint32_t crc = 0;
  std::string buffer;
  for (uint64_t at = 0; at < bytes; at += buffer.size()) {
    DYNOLITH_RETURN_IF_ERROR(reader.ReadAt(at, std::min(kBufferBytes, bytes - at), &buffer));
    if (buffer.empty()) break;
    crc = ExtendCrc32c(crc, buffer);
  }
  return crc;
}

}  // namespace dynolith
