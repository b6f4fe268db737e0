#include "engine/store/encryption/decrypted_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/messages.h"

namespace dynolith {
namespace {

constexpr size_t kReadBytes = 256 << 10;

absl::Status Altered(const std::string& name, uint64_t at) {
  return absl::DataLossError(messages::FileAltered(name, at));
}
absl::Status NoMemory() { return absl::ResourceExhaustedError(messages::NoMemoryToEncrypt()); }

absl::Status Unread(const std::string& file, int error) {
  return ErrnoStatus(error, messages::KeysUnread(file, ErrnoReason(error)));
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& file)
      : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

absl::Status ReadAt(const std::string& file, int descriptor, uint64_t at, size_t bytes,
                    std::string* out) {
  out->resize(bytes);
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        pread(descriptor, out->data() + done, bytes - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unread(file, errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  out->resize(done);
  return absl::OkStatus();
}

// A file that is looked through from its beginning, in large pieces.
class ForwardReader {
 public:
  ForwardReader(const ReadRaw& read, uint64_t file_bytes) : read_(read), file_bytes_(file_bytes) {}

  // Valid until the next call; fewer bytes where the file ends.
  absl::StatusOr<std::string_view> At(uint64_t at, size_t bytes) {
    const uint64_t wanted = std::min<uint64_t>(bytes, file_bytes_ - std::min(at, file_bytes_));
    if (at < begin_ || at + wanted > begin_ + buffer_.size()) {
      const uint64_t rest = file_bytes_ - std::min(at, file_bytes_);
      DYNOLITH_RETURN_IF_ERROR(
          read_(at, static_cast<size_t>(std::min<uint64_t>(rest, kReadBytes)), &buffer_));
      begin_ = at;
    }
    return std::string_view(buffer_).substr(at - begin_, wanted);
  }
  absl::StatusOr<bool> IsZeroFrom(uint64_t at) {
    for (; at < file_bytes_; at += kReadBytes) {
      DYNOLITH_ASSIGN_OR_RETURN(const std::string_view bytes, At(at, kReadBytes));
      if (bytes.find_first_not_of('\0') != std::string_view::npos) return false;
    }
    return true;
  }

 private:
  const ReadRaw& read_;
  const uint64_t file_bytes_;
  std::string buffer_;
  uint64_t begin_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DecryptedFile>> DecryptedFile::Open(std::string name,
                                                                   uint64_t file_bytes,
                                                                   const StoreKeys& keys,
                                                                   ReadRaw read) {
  std::unique_ptr<DecryptedFile> file(
      new DecryptedFile(std::move(name), file_bytes, std::move(read)));
  if (file_bytes == 0) return file;
  std::string bytes;
  DYNOLITH_RETURN_IF_ERROR(file->read_(
      0, static_cast<size_t>(std::min<uint64_t>(file_bytes, kFileHeaderBytes)), &bytes));
  const bool is_zero = bytes.find_first_not_of('\0') == std::string::npos;
  if (bytes.size() == kFileHeaderBytes && !is_zero) {
    DYNOLITH_ASSIGN_OR_RETURN(const FileHeader header,
                              ParseHeader(file->name_, bytes, keys, 0, {}));
    if (header.kind == FileKind::kChunks) {
      file->kind_ = header.kind;
      if (!file->map_.is_whole()) return Altered(file->name_, file_bytes);
      file->text_bytes_ = file->map_.text_bytes();
      file->end_at_ = file_bytes;
      file->salts_ = {header.salt};
      file->key_numbers_ = {header.key};
      file->parts_.push_back(
          std::make_unique<Decryptor>(DeriveFileSecrets(*keys.Find(header.key), header).contents));
      const ChunkMap::Span last = file->map_.LastSpan();
      DYNOLITH_RETURN_IF_ERROR(file->read_(last.at, last.bytes, &bytes));
      if (!file->map_.IsLast(*file->parts_[0], bytes)) return Altered(file->name_, last.at);
      return file;
    }
  }
  DYNOLITH_RETURN_IF_ERROR(file->FindFrames(file_bytes, keys));
  return file;
}

absl::StatusOr<std::unique_ptr<DecryptedFile>> DecryptedFile::Open(const std::string& file,
                                                                   const StoreKeys& keys) {
  const auto opened = std::make_shared<OpenFile>(file);
  struct stat facts = {};
  if (opened->descriptor() < 0 || fstat(opened->descriptor(), &facts) != 0) {
    return Unread(file, errno);
  }
  return Open(file, static_cast<uint64_t>(facts.st_size), keys,
              [file, opened](uint64_t at, size_t bytes, std::string* out) {
                return ReadAt(file, opened->descriptor(), at, bytes, out);
              });
}

absl::Status DecryptedFile::FindFrames(uint64_t file_bytes, const StoreKeys& keys) {
  ForwardReader reader(read_, file_bytes);
  const auto ends = [&](FileEnd end) {
    end_ = end;
    return absl::OkStatus();
  };
  end_ = FileEnd::kWhole;
  for (uint64_t at = end_at_; at < file_bytes; end_at_ = at) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string_view front, reader.At(at, kFileHeaderBytes));
    if (LooksLikeHeader(front)) {
      if (front.size() < kFileHeaderBytes) return ends(FileEnd::kTorn);
      const absl::StatusOr<FileHeader> header =
          ParseHeader(name_, front, keys, at, salts_.empty() ? std::string_view() : salts_.back());
      if (!header.ok() && at == 0) return header.status();
      if (!header.ok() || header->kind != FileKind::kFrames) return ends(FileEnd::kAltered);
      const FileSecrets secrets = DeriveFileSecrets(*keys.Find(header->key), *header);
      parts_.push_back(std::make_unique<Decryptor>(secrets.contents));
      lengths_.emplace(secrets.lengths);
      key_numbers_.push_back(header->key);
      salts_.push_back(header->salt);
      at += kFileHeaderBytes;
      continue;
    }
    const std::string_view head = front.substr(0, kFrameHeadBytes);
    if (head.find_first_not_of('\0') == std::string_view::npos) {
      DYNOLITH_ASSIGN_OR_RETURN(const bool is_zero, reader.IsZeroFrom(at));
      return ends(is_zero ? FileEnd::kTorn : FileEnd::kAltered);
    }
    // A header that was cut, or another file under this name.
    if (!lengths_)
      return ends(front.size() < kFileHeaderBytes ? FileEnd::kTorn : FileEnd::kAltered);
    if (head.size() < kFrameHeadBytes) return ends(FileEnd::kTorn);
    const std::optional<uint32_t> length = UnsealLength(&*lengths_, at, head);
    if (!length) return ends(FileEnd::kAltered);
    const uint64_t next = at + kFrameOverheadBytes + *length;
    if (next > file_bytes) return ends(FileEnd::kTorn);
    frames_.push_back({.text_at = text_bytes_,
                       .at = at + kFrameHeadBytes,
                       .bytes = *length,
                       .part = static_cast<uint32_t>(parts_.size() - 1)});
    text_bytes_ += *length;
    at = next;
  }
  return absl::OkStatus();
}

absl::Status DecryptedFile::Extend(const StoreKeys& keys) {
  std::string bytes;
  while (end_ != FileEnd::kAltered) {
    const uint64_t before = end_at_;
    const FileEnd end = end_;
    // A frame has fewer.
    DYNOLITH_RETURN_IF_ERROR(read_(end_at_, kReadBytes, &bytes));
    DYNOLITH_RETURN_IF_ERROR(FindFrames(end_at_ + bytes.size(), keys));
    if (end_at_ == before) {
      end_ = end;
      break;
    }
  }
  return absl::OkStatus();
}

std::optional<DecryptedFile::Place> DecryptedFile::PlaceBehind(uint64_t text_bytes) const {
  if (text_bytes == 0) return Place();
  if (text_bytes == text_bytes_) return Place{.at = end_at_, .salt = salts_.back()};
  const auto it =
      std::lower_bound(frames_.begin(), frames_.end(), text_bytes,
                       [](const Frame& frame, uint64_t at) { return frame.text_at < at; });
  if (it == frames_.end() || it->text_at != text_bytes) return std::nullopt;
  return Place{.at = it->at - kFrameHeadBytes, .salt = salts_[it->part]};
}

absl::StatusOr<size_t> DecryptedFile::ReadFrames(uint64_t at, size_t bytes, char* out) const {
  auto it =
      std::upper_bound(frames_.begin(), frames_.end(), at,
                       [](uint64_t place, const Frame& frame) { return place < frame.text_at; });
  if (it != frames_.begin()) --it;
  const auto end =
      std::lower_bound(it, frames_.end(), at + bytes,
                       [](const Frame& frame, uint64_t place) { return frame.text_at < place; });
  // Of all frames that are wanted, in pieces.
  std::string raw;
  uint64_t raw_at = 0;
  std::string text;
  size_t done = 0;
  for (; it != end; ++it) {
    if (it->text_at + it->bytes <= at + done) continue;
    const size_t sealed_bytes = it->bytes + kTagBytes;
    if (it->at < raw_at || it->at + sealed_bytes > raw_at + raw.size()) {
      const uint64_t wanted = std::prev(end)->at + std::prev(end)->bytes + kTagBytes - it->at;
      raw_at = it->at;
      DYNOLITH_RETURN_IF_ERROR(
          read_(raw_at, std::min<uint64_t>(wanted, std::max(sealed_bytes, kReadBytes)), &raw));
    }
    const std::string_view sealed =
        std::string_view(raw).substr(std::min<size_t>(it->at - raw_at, raw.size()), sealed_bytes);
    text.resize(it->bytes);
    const Decryptor::Outcome outcome =
        sealed.size() < sealed_bytes
            ? Decryptor::Outcome::kAltered
            : parts_[it->part]->Decrypt(NonceOfFrame(it->at - kFrameHeadBytes), sealed,
                                        text.data());
    if (outcome == Decryptor::Outcome::kNoMemory) return NoMemory();
    if (outcome == Decryptor::Outcome::kAltered) {
      // What stands before it is good. Who goes on behind that gets the error.
      if (done > 0) return done;
      return Altered(name_, it->at);
    }
    const size_t skipped = static_cast<size_t>(at + done - it->text_at);
    const size_t taken = std::min(text.size() - skipped, bytes - done);
    std::copy_n(text.data() + skipped, taken, out + done);
    done += taken;
  }
  return done;
}

absl::StatusOr<size_t> DecryptedFile::Read(uint64_t at, size_t bytes, char* out) const {
  if (at >= text_bytes_) return 0;
  bytes = static_cast<size_t>(std::min<uint64_t>(bytes, text_bytes_ - at));
  if (bytes == 0) return 0;
  if (kind_ == FileKind::kFrames) return ReadFrames(at, bytes, out);
  const ChunkMap::Span span = map_.SpanOf(at, bytes);
  std::string raw;
  DYNOLITH_RETURN_IF_ERROR(read_(span.at, span.bytes, &raw));
  uint64_t bad_at = span.at;
  if (raw.size() < span.bytes) return Altered(name_, bad_at);
  const Decryptor::Outcome outcome = map_.Decrypt(*parts_[0], at, bytes, raw, out, &bad_at);
  if (outcome == Decryptor::Outcome::kNoMemory) return NoMemory();
  if (outcome == Decryptor::Outcome::kAltered) return Altered(name_, bad_at);
  return bytes;
}

absl::StatusOr<std::string> DecryptedFile::ReadAll() const {
  std::string text(text_bytes_, '\0');
  for (size_t done = 0; done < text.size();) {
    DYNOLITH_ASSIGN_OR_RETURN(const size_t got, Read(done, text.size() - done, &text[done]));
    done += got;
  }
  if (end_ != FileEnd::kWhole) return Altered(name_, end_at_);
  return text;
}

std::string FrontOfFile(const std::string& file) {
  const OpenFile opened(file);
  std::string front;
  if (opened.descriptor() < 0) return front;
  if (!ReadAt(file, opened.descriptor(), 0, kFileHeaderBytes, &front).ok()) front.clear();
  return front;
}

absl::StatusOr<std::string> DecryptText(const std::string& file, std::string_view bytes,
                                        const StoreKeys& keys) {
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::unique_ptr<DecryptedFile> opened,
      DecryptedFile::Open(file, bytes.size(), keys,
                          [bytes](uint64_t at, size_t wanted, std::string* out) {
                            out->assign(bytes.substr(std::min<uint64_t>(at, bytes.size()), wanted));
                            return absl::OkStatus();
                          }));
  return opened->ReadAll();
}

absl::StatusOr<std::string> EncryptText(std::string_view text, const StoreKeys& keys) {
  FileHeader header;
  DYNOLITH_ASSIGN_OR_RETURN(std::string bytes, MakeHeader(keys, FileKind::kChunks, 0, {}, &header));
  Encryptor encryptor(DeriveFileSecrets(*keys.Find(header.key), header).contents);
  uint64_t number = 0;
  for (bool is_last = false; !is_last; ++number) {
    const std::string_view chunk = text.substr(0, kChunkBytes);
    text.remove_prefix(chunk.size());
    is_last = text.empty();
    const size_t at = bytes.size();
    bytes.resize(at + chunk.size() + kTagBytes);
    if (!encryptor.Encrypt(NonceOfChunk(number, is_last), chunk, bytes.data() + at)) {
      return NoMemory();
    }
  }
  return bytes;
}

absl::StatusOr<std::string> EncryptFrames(std::string_view text, const StoreKeys& keys) {
  if (text.empty()) return std::string();
  FileHeader header;
  DYNOLITH_ASSIGN_OR_RETURN(std::string bytes, MakeHeader(keys, FileKind::kFrames, 0, {}, &header));
  const FileSecrets secrets = DeriveFileSecrets(*keys.Find(header.key), header);
  Encryptor encryptor(secrets.contents);
  BlockCipher lengths(secrets.lengths);
  if (!AppendFrames(&encryptor, &lengths, kFileHeaderBytes, text, &bytes)) return NoMemory();
  return bytes;
}

}  // namespace dynolith
