#include "tools/backup/file_copy.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "engine/base/errno_status.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/backup/messages.h"

namespace dynolith {
namespace {

constexpr size_t kPartBytes = 1 << 20;

absl::Status Unread(const std::string& file) {
  const int error = errno;
  return ErrnoStatus(error, messages::BackupFileUnread(file, ErrnoReason(error)));
}

absl::Status Unwritten(const std::string& file) {
  const int error = errno;
  return ErrnoStatus(error, messages::BackupFileUnwritten(file, ErrnoReason(error)));
}

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  const int number_;
};

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void Add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string Finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
    return Hex({reinterpret_cast<const char*>(digest.data()), size});
  }

 private:
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

// Passes the file's bytes to `take`, in pieces of at most kPartBytes.
absl::StatusOr<FileDigest> Read(const std::string& file,
                                absl::FunctionRef<absl::Status(std::string_view)> take) {
  const Descriptor in(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.number() < 0) return Unread(file);
  std::vector<char> part(kPartBytes);
  FileDigest digest;
  Sha256 sha256;
  ssize_t got = 0;
  while ((got = read(in.number(), part.data(), part.size())) > 0) {
    const std::string_view bytes(part.data(), static_cast<size_t>(got));
    sha256.Add(bytes);
    digest.bytes += bytes.size();
    DYNOLITH_RETURN_IF_ERROR(take(bytes));
  }
  if (got < 0) return Unread(file);
  digest.sha256 = sha256.Finish();
  return digest;
}

absl::Status WriteAll(int out, const std::string& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(out, bytes.data(), bytes.size());
    if (written < 0) return Unwritten(file);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace

std::string Sha256OfText(std::string_view text) {
  Sha256 sha256;
  sha256.Add(text);
  return sha256.Finish();
}

absl::StatusOr<FileDigest> DigestFile(const std::string& file) {
  return Read(file, [](std::string_view) { return absl::OkStatus(); });
}

absl::StatusOr<std::string> ReadTextFile(const std::string& file) {
  std::string text;
  const auto append = [&](std::string_view bytes) {
    text.append(bytes);
    return absl::OkStatus();
  };
  DYNOLITH_RETURN_IF_ERROR(Read(file, append).status());
  return text;
}

absl::StatusOr<FileDigest> CopyAndDigest(const std::string& from, const std::string& to) {
  const Descriptor out(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (out.number() < 0) return Unwritten(to);
  const auto write = [&](std::string_view bytes) { return WriteAll(out.number(), to, bytes); };
  DYNOLITH_ASSIGN_OR_RETURN(FileDigest digest, Read(from, write));
  if (fsync(out.number()) != 0) return Unwritten(to);
  return digest;
}

absl::Status PlaceTextFile(const std::string& temporary, const std::string& file,
                           std::string_view text) {
  {
    const Descriptor out(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (out.number() < 0) return Unwritten(temporary);
    DYNOLITH_RETURN_IF_ERROR(WriteAll(out.number(), temporary, text));
    if (fsync(out.number()) != 0) return Unwritten(temporary);
  }
  if (rename(temporary.c_str(), file.c_str()) != 0) return Unwritten(file);
  return SyncFolder(std::filesystem::path(file).parent_path().string());
}

absl::Status SyncFolder(const std::string& folder) {
  const std::string path = folder.empty() ? "." : folder;
  const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.number() < 0 || fsync(descriptor.number()) != 0) return Unwritten(path);
  return absl::OkStatus();
}

absl::Status MakeFolders(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(folder, error)) return absl::OkStatus();
  fs::path path(folder);
  if (!path.has_filename()) path = path.parent_path();
  const std::string parent = path.parent_path().string();
  if (!parent.empty()) DYNOLITH_RETURN_IF_ERROR(MakeFolders(parent));
  fs::create_directories(path, error);
  if (error) {
    return ErrnoStatus(error.value(), messages::BackupFileUnwritten(folder, error.message()));
  }
  return SyncFolder(parent);
}

absl::StatusOr<FolderHold> FolderHold::Take(const std::string& folder, Kind kind,
                                            std::string_view held) {
  FolderHold hold(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (hold.descriptor_ < 0) return Unread(folder);
  const int lock = kind == Kind::kShared ? LOCK_SH : LOCK_EX;
  if (flock(hold.descriptor_, lock | LOCK_NB) != 0) {
    // A file system without flock cannot lock the folder; it is used without a lock.
    if (errno == EWOULDBLOCK) return absl::UnavailableError(ToAbsl(held));
  }
  // The previous holder may have removed the folder after it was opened here; then the path names
  // another folder or none.
  struct stat taken = {};
  struct stat there = {};
  const bool is_there = fstat(hold.descriptor_, &taken) == 0 && stat(folder.c_str(), &there) == 0 &&
                        taken.st_dev == there.st_dev && taken.st_ino == there.st_ino;
  if (!is_there) return absl::UnavailableError(ToAbsl(held));
  return hold;
}

FolderHold::FolderHold(FolderHold&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderHold& FolderHold::operator=(FolderHold&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FolderHold::~FolderHold() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace dynolith
