#include "engine/store/encryption/encrypted_file_system.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/ciphers.h"
#include "engine/store/encryption/decrypted_file.h"
#include "engine/store/encryption/file_format.h"
#include "engine/store/encryption/messages.h"

namespace dynolith {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// What is decrypted or encrypted at once, so that buffers stay small and in the processor's cache.
constexpr size_t kChunksAtOnce = 32;
constexpr size_t kTextAtOnce = kChunksAtOnce * kChunkBytes;

IOStatus ToRocks(const absl::Status& status) {
  if (status.ok()) return IOStatus::OK();
  const std::string message(status.message());
  if (absl::IsDataLoss(status)) return IOStatus::Corruption(message);
  if (absl::IsNotFound(status)) return IOStatus::PathNotFound(message);
  return IOStatus::IOError(message);
}
// The inverse, for what a target's file says.
absl::Status ToAbslStatus(const IOStatus& status) {
  if (status.ok()) return absl::OkStatus();
  return absl::InternalError(status.ToString());
}
IOStatus NoCipherMemory() { return IOStatus::IOError(messages::NoMemoryToEncrypt()); }
IOStatus AlteredFile(const std::string& name, uint64_t at) {
  return IOStatus::Corruption(messages::FileAltered(name, at));
}

// Logs and manifests; and the file of a store's name, which is never synced: what a loss of power
// leaves of it is no damage.
bool MayBeTorn(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name.ends_with(".log") || name.starts_with("MANIFEST-") || name == "IDENTITY";
}

IOStatus ReadRawly(const rocksdb::FSRandomAccessFile& file, uint64_t at, size_t bytes,
                   std::string* out) {
  out->resize(bytes);
  Slice read;
  IOStatus status = file.Read(at, bytes, IOOptions(), &read, out->data(), nullptr);
  if (!status.ok()) return status;
  if (read.data() != out->data()) std::memcpy(out->data(), read.data(), read.size());
  out->resize(read.size());
  return status;
}

IOStatus OpenDecrypted(rocksdb::FileSystem* target, const std::string& file,
                       const FileOptions& options, const StoreKeys& keys, IODebugContext* debug,
                       std::unique_ptr<DecryptedFile>* result) {
  uint64_t bytes = 0;
  IOStatus status = target->GetFileSize(file, options.io_options, &bytes, debug);
  if (!status.ok()) return status;
  std::unique_ptr<rocksdb::FSRandomAccessFile> opened;
  status = target->NewRandomAccessFile(file, options, &opened, debug);
  if (!status.ok()) return status;
  const std::shared_ptr<rocksdb::FSRandomAccessFile> raw = std::move(opened);
  absl::StatusOr<std::unique_ptr<DecryptedFile>> decrypted =
      DecryptedFile::Open(file, bytes, keys, [raw](uint64_t at, size_t wanted, std::string* out) {
        return ToAbslStatus(ReadRawly(*raw, at, wanted, out));
      });
  if (!decrypted.ok()) return ToRocks(decrypted.status());
  *result = *std::move(decrypted);
  return status;
}

// Of either kind, from the beginning to the end.
class SequentialFile final : public rocksdb::FSSequentialFile {
 public:
  SequentialFile(std::string name, std::unique_ptr<DecryptedFile> file,
                 std::shared_ptr<const StoreKeys> keys)
      : name_(std::move(name)), file_(std::move(file)), keys_(std::move(keys)) {}

  IOStatus Read(size_t bytes, const IOOptions&, Slice* result, char* scratch,
                IODebugContext*) override {
    // A reader takes fewer bytes than it asked for as the end of the file.
    size_t done = 0;
    while (done < bytes) {
      if (at_ < buffer_at_ || at_ >= buffer_at_ + buffer_.size()) {
        IOStatus status = Fill();
        if (!status.ok()) return status;
        if (buffer_.empty()) break;
      }
      const std::string_view text =
          std::string_view(buffer_).substr(at_ - buffer_at_, bytes - done);
      std::memcpy(scratch + done, text.data(), text.size());
      at_ += text.size();
      done += text.size();
    }
    if (done == 0 && bytes > 0 && file_->end() == FileEnd::kAltered) {
      return AlteredFile(name_, file_->end_at());
    }
    *result = Slice(scratch, done);
    return IOStatus::OK();
  }
  IOStatus Skip(uint64_t bytes) override {
    at_ += bytes;
    return IOStatus::OK();
  }

 private:
  IOStatus Fill() {
    // A log or manifest that another process writes goes on.
    if (at_ >= file_->bytes() && file_->kind() == FileKind::kFrames) {
      const absl::Status extended = file_->Extend(*keys_);
      if (!extended.ok()) return ToRocks(extended);
    }
    buffer_.resize(kTextAtOnce);
    const absl::StatusOr<size_t> got = file_->Read(at_, buffer_.size(), buffer_.data());
    buffer_.resize(got.ok() ? *got : 0);
    buffer_at_ = at_;
    return ToRocks(got.status());
  }

  const std::string name_;
  const std::unique_ptr<DecryptedFile> file_;
  const std::shared_ptr<const StoreKeys> keys_;
  std::string buffer_;  // text from buffer_at_ on
  uint64_t buffer_at_ = 0;
  uint64_t at_ = 0;
};

// Of kind 1.
class RandomAccessFile final : public rocksdb::FSRandomAccessFile {
 public:
  RandomAccessFile(std::string name, std::unique_ptr<rocksdb::FSRandomAccessFile> file,
                   const ChunkMap& map, const SecretKey& contents)
      : name_(std::move(name)), file_(std::move(file)), map_(map), decryptor_(contents) {}

  IOStatus CheckEnd() const {
    const ChunkMap::Span last = map_.LastSpan();
    std::string raw;
    IOStatus status = ReadRawly(*file_, last.at, last.bytes, &raw);
    if (!status.ok() || map_.IsLast(decryptor_, raw)) return status;
    return AlteredFile(name_, last.at);
  }

  IOStatus Read(uint64_t at, size_t bytes, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) const override {
    *result = Slice(scratch, 0);
    if (at >= map_.text_bytes()) return IOStatus::OK();
    bytes = static_cast<size_t>(std::min<uint64_t>(bytes, map_.text_bytes() - at));
    for (size_t done = 0; done < bytes;) {
      const size_t part = std::min(bytes - done, kTextAtOnce);
      IOStatus status = ReadPart(at + done, part, options, scratch + done, debug);
      if (!status.ok()) return status;
      done += part;
    }
    *result = Slice(scratch, bytes);
    return IOStatus::OK();
  }
  IOStatus Prefetch(uint64_t at, size_t bytes, const IOOptions& options,
                    IODebugContext* debug) override {
    if (bytes == 0 || at >= map_.text_bytes()) return IOStatus::OK();
    bytes = static_cast<size_t>(std::min<uint64_t>(bytes, map_.text_bytes() - at));
    const ChunkMap::Span span = map_.SpanOf(at, bytes);
    return file_->Prefetch(span.at, span.bytes, options, debug);
  }
  size_t GetUniqueId(char* id, size_t size) const override { return file_->GetUniqueId(id, size); }
  void Hint(AccessPattern pattern) override { file_->Hint(pattern); }

 private:
  IOStatus ReadPart(uint64_t at, size_t bytes, const IOOptions& options, char* out,
                    IODebugContext* debug) const {
    if (bytes == 0) return IOStatus::OK();
    const ChunkMap::Span span = map_.SpanOf(at, bytes);
    thread_local std::string raw;
    if (raw.size() < span.bytes) raw.resize(span.bytes);
    Slice read;
    IOStatus status = file_->Read(span.at, span.bytes, options, &read, raw.data(), debug);
    if (!status.ok()) return status;
    uint64_t bad_at = span.at;
    if (read.size() < span.bytes) return AlteredFile(name_, bad_at);
    switch (map_.Decrypt(decryptor_, at, bytes, std::string_view(read.data(), read.size()), out,
                         &bad_at)) {
      case Decryptor::Outcome::kText:
        return status;
      case Decryptor::Outcome::kAltered:
        return AlteredFile(name_, bad_at);
      case Decryptor::Outcome::kNoMemory:
        break;
    }
    return NoCipherMemory();
  }

  const std::string name_;
  const std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
  const ChunkMap map_;
  const Decryptor decryptor_;
};

// What all files that are written have in common: their length is that of the text.
class WritableFile : public rocksdb::FSWritableFile {
 public:
  using Length = std::shared_ptr<std::atomic<uint64_t>>;
  WritableFile(std::string name, std::unique_ptr<rocksdb::FSWritableFile> file, Length length)
      : name_(std::move(name)), file_(std::move(file)), length_(std::move(length)) {}

  using FSWritableFile::Append;
  IOStatus Flush(const IOOptions& options, IODebugContext* debug) override {
    return file_->Flush(options, debug);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    return file_->Close(options, debug);
  }
  uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return *length_; }
  void SetWriteLifeTimeHint(rocksdb::Env::WriteLifeTimeHint hint) override {
    file_->SetWriteLifeTimeHint(hint);
  }
  IOStatus Truncate(uint64_t bytes, const IOOptions&, IODebugContext*) override {
    if (bytes == *length_) return IOStatus::OK();
    return IOStatus::NotSupported(name_);
  }
  // Places in the text say nothing of the file.
  IOStatus InvalidateCache(size_t, size_t) override { return IOStatus::OK(); }
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }
  void PrepareWrite(size_t, size_t, const IOOptions&, IODebugContext*) override {}
  IOStatus Allocate(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }

 protected:
  const std::string name_;
  const std::unique_ptr<rocksdb::FSWritableFile> file_;
  const Length length_;
};

// Of kind 1. What does not fill a chunk waits for more, until the first sync.
class ChunkWriter final : public WritableFile {
 public:
  ChunkWriter(std::string name, std::unique_ptr<rocksdb::FSWritableFile> file, Length length,
              std::string header, const SecretKey& contents)
      : WritableFile(std::move(name), std::move(file), std::move(length)),
        raw_(std::move(header)),
        encryptor_(contents) {}
  // RocksDB leaves it to the destructor to close small files.
  ~ChunkWriter() override { End(IOOptions(), nullptr).PermitUncheckedError(); }

  using WritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    if (is_ended_) return IOStatus::IOError(messages::FileIsEnded(name_));
    std::string_view rest(data.data(), data.size());
    IOStatus status;
    // The last chunk stays, as it is not known yet whether it is the file's last one.
    while (status.ok() && waiting_.size() + rest.size() > kChunkBytes) {
      std::string_view chunk = rest.substr(0, kChunkBytes - waiting_.size());
      rest.remove_prefix(chunk.size());
      if (!waiting_.empty()) chunk = waiting_.append(chunk);
      if (!Add(chunk, /*is_last=*/false)) return NoCipherMemory();
      waiting_.clear();
      if (raw_.size() >= kChunksAtOnce * kSealedChunkBytes) status = WriteRaw(options, debug);
    }
    if (!status.ok()) return status;
    waiting_.append(rest);
    *length_ += data.size();
    return status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus status = End(options, debug);
    return status.ok() ? file_->Sync(options, debug) : status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus status = End(options, debug);
    return status.ok() ? file_->Fsync(options, debug) : status;
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus status = End(options, debug);
    const IOStatus closed = file_->Close(options, debug);
    return status.ok() ? closed : status;
  }

 private:
  bool Add(std::string_view chunk, bool is_last) {
    const size_t at = raw_.size();
    raw_.resize(at + chunk.size() + kTagBytes);
    return encryptor_.Encrypt(NonceOfChunk(chunks_++, is_last), chunk, raw_.data() + at);
  }
  IOStatus WriteRaw(const IOOptions& options, IODebugContext* debug) {
    IOStatus status = file_->Append(raw_, options, debug);
    raw_.clear();
    // A part of it may be there.
    if (!status.ok()) is_ended_ = true;
    return status;
  }
  IOStatus End(const IOOptions& options, IODebugContext* debug) {
    if (is_ended_) return IOStatus::OK();
    is_ended_ = true;
    if (!Add(waiting_, /*is_last=*/true)) return NoCipherMemory();
    return WriteRaw(options, debug);
  }

  std::string raw_;      // not written yet: at first the header
  std::string waiting_;  // text that is in no chunk yet
  Encryptor encryptor_;
  uint64_t chunks_ = 0;
  bool is_ended_ = false;
};

// Of kind 1, whole: to be synced once more.
class EndedFile final : public WritableFile {
 public:
  using WritableFile::Append;
  using WritableFile::WritableFile;
  IOStatus Append(const Slice&, const IOOptions&, IODebugContext*) override {
    return IOStatus::IOError(messages::FileIsEnded(name_));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return file_->Sync(options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return file_->Fsync(options, debug);
  }
};

// Of kind 2: each append is a frame, and is in the target's hands when it returns.
class FrameWriter final : public WritableFile {
 public:
  // `known`: what there is already; nullptr: nothing.
  FrameWriter(std::string name, std::unique_ptr<rocksdb::FSWritableFile> file, Length length,
              std::shared_ptr<const StoreKeys> keys, std::unique_ptr<DecryptedFile> known)
      : WritableFile(std::move(name), std::move(file), std::move(length)),
        keys_(std::move(keys)),
        known_(std::move(known)) {}

  using WritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    if (is_broken_) return IOStatus::IOError(messages::FileIsBroken(name_));
    if (data.empty()) return IOStatus::OK();
    raw_.clear();
    if (!lengths_) {
      IOStatus begun = Begin(options, debug);
      if (!begun.ok()) return begun;
    }
    if (!AppendFrames(&*encryptor_, &*lengths_, before_.at + raw_.size(),
                      std::string_view(data.data(), data.size()), &raw_)) {
      // Some of its nonces are used.
      is_broken_ = true;
      return NoCipherMemory();
    }
    IOStatus status = file_->Append(raw_, options, debug);
    // Its nonce is used, and a part of it may be there.
    if (!status.ok()) is_broken_ = true;
    if (!status.ok()) return status;
    before_.at += raw_.size();
    *length_ += data.size();
    if (raw_.capacity() > kTextAtOnce) std::string().swap(raw_);
    return status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return file_->Sync(options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return file_->Fsync(options, debug);
  }
  bool IsSyncThreadSafe() const override { return file_->IsSyncThreadSafe(); }
  // Only to the end of a write that was there when the file was opened, before the next one.
  IOStatus Truncate(uint64_t bytes, const IOOptions& options, IODebugContext* debug) override {
    if (lengths_ || known_ == nullptr) return WritableFile::Truncate(bytes, options, debug);
    const std::optional<DecryptedFile::Place> place = known_->PlaceBehind(bytes);
    if (!place) return IOStatus::NotSupported(messages::FileNotCutThere(name_, bytes));
    return CutTo(*place, bytes, options, debug);
  }

 private:
  IOStatus CutTo(const DecryptedFile::Place& place, uint64_t bytes, const IOOptions& options,
                 IODebugContext* debug) {
    IOStatus status = file_->Truncate(place.at, options, debug);
    if (!status.ok()) return status;
    before_ = place;
    *length_ = bytes;
    known_.reset();
    return status;
  }
  // Puts a header in front of the first frame.
  IOStatus Begin(const IOOptions& options, IODebugContext* debug) {
    // A part of a write may be behind what counts.
    if (known_ != nullptr) {
      IOStatus status =
          CutTo(*known_->PlaceBehind(known_->bytes()), known_->bytes(), options, debug);
      if (!status.ok()) return status;
    }
    FileHeader header;
    absl::StatusOr<std::string> bytes =
        MakeHeader(*keys_, FileKind::kFrames, before_.at, before_.salt, &header);
    if (!bytes.ok()) return ToRocks(bytes.status());
    raw_ = *std::move(bytes);
    const FileSecrets secrets = DeriveFileSecrets(*keys_->Find(header.key), header);
    encryptor_.emplace(secrets.contents);
    lengths_.emplace(secrets.lengths);
    return IOStatus::OK();
  }

  const std::shared_ptr<const StoreKeys> keys_;
  std::unique_ptr<DecryptedFile> known_;  // until the first write
  DecryptedFile::Place before_;           // what the next write follows
  std::optional<Encryptor> encryptor_;
  std::optional<BlockCipher> lengths_;
  std::string raw_;
  bool is_broken_ = false;
};

}  // namespace

std::unique_ptr<rocksdb::Env> EnvToRead(const std::shared_ptr<const StoreKeys>& keys) {
  if (keys == nullptr) return nullptr;
  return rocksdb::NewCompositeEnv(
      std::make_shared<EncryptedFileSystem>(rocksdb::FileSystem::Default(), keys));
}

EncryptedFileSystem::Length EncryptedFileSystem::NoteLength(const std::string& file,
                                                            uint64_t bytes) {
  auto length = std::make_shared<std::atomic<uint64_t>>(bytes);
  absl::MutexLock lock(&mutex_);
  std::erase_if(lengths_, [](const auto& entry) { return entry.second.expired(); });
  lengths_[file] = length;
  return length;
}

IOStatus EncryptedFileSystem::NewSequentialFile(const std::string& file, const FileOptions& options,
                                                std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                                IODebugContext* debug) {
  std::unique_ptr<DecryptedFile> decrypted;
  IOStatus status = OpenDecrypted(target(), file, options, *keys_, debug, &decrypted);
  // RocksDB 7.8 asserts that this is no corruption.
  if (status.IsCorruption() && file.ends_with("/IDENTITY")) {
    return IOStatus::IOError(status.ToString());
  }
  if (status.ok()) *result = std::make_unique<SequentialFile>(file, std::move(decrypted), keys_);
  return status;
}

IOStatus EncryptedFileSystem::NewRandomAccessFile(
    const std::string& file, const FileOptions& options,
    std::unique_ptr<rocksdb::FSRandomAccessFile>* result, IODebugContext* debug) {
  uint64_t bytes = 0;
  IOStatus status = target()->GetFileSize(file, options.io_options, &bytes, debug);
  if (!status.ok()) return status;
  std::unique_ptr<rocksdb::FSRandomAccessFile> raw;
  status = target()->NewRandomAccessFile(file, options, &raw, debug);
  if (!status.ok()) return status;
  std::string front;
  status = ReadRawly(*raw, 0, kFileHeaderBytes, &front);
  if (!status.ok()) return status;
  if (front.size() < kFileHeaderBytes) return AlteredFile(file, front.size());
  const absl::StatusOr<FileHeader> header = ParseHeader(file, front, *keys_, 0, {});
  if (!header.ok()) return ToRocks(header.status());
  if (header->kind != FileKind::kChunks) {
    return IOStatus::Corruption(messages::FileNotEncrypted(file));
  }
  const ChunkMap map(bytes);
  if (!map.is_whole()) return AlteredFile(file, bytes);
  const SecretKey contents = DeriveFileSecrets(*keys_->Find(header->key), *header).contents;
  auto opened = std::make_unique<RandomAccessFile>(file, std::move(raw), map, contents);
  status = opened->CheckEnd();
  if (status.ok()) *result = std::move(opened);
  return status;
}

IOStatus EncryptedFileSystem::NewWritableFile(const std::string& file, const FileOptions& options,
                                              std::unique_ptr<rocksdb::FSWritableFile>* result,
                                              IODebugContext* debug) {
  std::unique_ptr<rocksdb::FSWritableFile> raw;
  IOStatus status = target()->NewWritableFile(file, options, &raw, debug);
  if (!status.ok()) return status;
  Length length = NoteLength(file, 0);
  if (MayBeTorn(file)) {
    *result =
        std::make_unique<FrameWriter>(file, std::move(raw), std::move(length), keys_, nullptr);
    return status;
  }
  FileHeader header;
  absl::StatusOr<std::string> bytes = MakeHeader(*keys_, FileKind::kChunks, 0, {}, &header);
  if (!bytes.ok()) return ToRocks(bytes.status());
  *result =
      std::make_unique<ChunkWriter>(file, std::move(raw), std::move(length), *std::move(bytes),
                                    DeriveFileSecrets(*keys_->Find(header.key), header).contents);
  return status;
}

IOStatus EncryptedFileSystem::ReopenWritableFile(const std::string& file,
                                                 const FileOptions& options,
                                                 std::unique_ptr<rocksdb::FSWritableFile>* result,
                                                 IODebugContext* debug) {
  IOStatus there = target()->FileExists(file, options.io_options, debug);
  if (there.IsNotFound()) return NewWritableFile(file, options, result, debug);
  if (!there.ok()) return there;
  std::unique_ptr<DecryptedFile> known;
  IOStatus status = OpenDecrypted(target(), file, options, *keys_, debug, &known);
  if (!status.ok()) return status;
  std::unique_ptr<rocksdb::FSWritableFile> raw;
  status = target()->ReopenWritableFile(file, options, &raw, debug);
  if (!status.ok()) return status;
  Length length = NoteLength(file, known->bytes());
  if (known->kind() == FileKind::kChunks) {
    *result = std::make_unique<EndedFile>(file, std::move(raw), std::move(length));
    return status;
  }
  if (known->end() == FileEnd::kAltered) return AlteredFile(file, known->end_at());
  *result = std::make_unique<FrameWriter>(file, std::move(raw), std::move(length), keys_,
                                          std::move(known));
  return status;
}

IOStatus EncryptedFileSystem::GetFileSize(const std::string& file, const IOOptions& options,
                                          uint64_t* bytes, IODebugContext* debug) {
  IOStatus status = target()->GetFileSize(file, options, bytes, debug);
  if (!status.ok() || *bytes == 0) return status;
  {
    absl::MutexLock lock(&mutex_);
    const auto it = lengths_.find(file);
    const Length length = it == lengths_.end() ? nullptr : it->second.lock();
    if (length != nullptr) {
      *bytes = *length;
      return status;
    }
  }
  if (!MayBeTorn(file)) {
    // One of another length is found when it is opened.
    const ChunkMap map(*bytes);
    *bytes = map.is_whole() ? map.text_bytes() : 0;
    return status;
  }
  FileOptions file_options;
  file_options.io_options = options;
  std::unique_ptr<DecryptedFile> decrypted;
  status = OpenDecrypted(target(), file, file_options, *keys_, debug, &decrypted);
  if (status.ok()) *bytes = decrypted->bytes();
  return status;
}

}  // namespace dynolith
