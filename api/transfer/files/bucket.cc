#include "api/transfer/files/bucket.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "api/transfer/files/messages.h"
#include "api/transfer/messages.h"
#include "dynolith/bulk_transfer.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kNewFileMode = 0666;

absl::Status Denied(std::string_view name, std::string_view reason) {
  return TransferFailure(messages::kAccessDenied, messages::BucketNotAccessible(name, reason));
}

// Returns whether all parts of the name can be file names: none is empty, "." or "..".
bool HasOnlyNames(std::string_view name) {
  if (name.find('\0') != std::string_view::npos) return false;
  for (size_t begin = 0;;) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == name.size()) return true;
    begin = end + 1;
  }
}

}  // namespace

ObjectFile::~ObjectFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::StatusOr<int64_t> ObjectFile::Size() const {
  struct stat found = {};
  if (fstat(descriptor_, &found) != 0) return Denied("size", std::strerror(errno));
  return found.st_size;
}

absl::Status ObjectFile::Write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Denied("write", std::strerror(errno));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::StatusOr<Bucket> Bucket::Open(const std::string& buckets_folder, std::string_view name) {
  const bool is_name = HasOnlyNames(name) && name.find('/') == std::string_view::npos;
  std::error_code error;
  const fs::path root = fs::canonical(fs::path(buckets_folder) / (is_name ? name : ""), error);
  if (!is_name || error || !fs::is_directory(root, error)) {
    return TransferFailure(messages::kNoSuchBucket, messages::NoSuchBucket());
  }
  return Bucket(root);
}

bool Bucket::IsInside(const fs::path& path) const {
  const auto [root_end, rest] = std::mismatch(root_.begin(), root_.end(), path.begin(), path.end());
  return root_end == root_.end();
}

absl::StatusOr<std::vector<std::string>> Bucket::List(std::string_view prefix) const {
  std::vector<std::string> names;
  std::error_code error;
  // Links to folders are not followed.
  fs::recursive_directory_iterator file(root_, error);
  for (; !error && file != fs::recursive_directory_iterator(); file.increment(error)) {
    std::error_code no_file;
    if (!file->is_regular_file(no_file)) continue;
    std::string name = file->path().lexically_relative(root_).string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  if (error) return Denied(prefix, error.message());
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<ObjectFile> Bucket::OpenToRead(std::string_view name) const {
  std::error_code error;
  const fs::path path = fs::canonical(root_ / name, error);
  if (error) return Denied(name, error.message());
  if (!HasOnlyNames(name) || !IsInside(path)) {
    return Denied(name, messages::ObjectOutsideBucket());
  }
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Denied(name, std::strerror(errno));
  return ObjectFile(descriptor);
}

absl::StatusOr<ObjectFile> Bucket::Create(std::string_view name) const {
  if (!HasOnlyNames(name)) return Denied(name, messages::ObjectOutsideBucket());
  const fs::path path = root_ / name;
  std::error_code error;
  // The existing part of the path must not lead out of the bucket before anything is created behind
  // it.
  const fs::path folder = fs::weakly_canonical(path.parent_path(), error);
  if (!error && !IsInside(folder)) return Denied(name, messages::ObjectOutsideBucket());
  if (!error) fs::create_directories(folder, error);
  if (error) return Denied(name, error.message());
  const int descriptor = open((folder / path.filename()).c_str(),
                              O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kNewFileMode);
  if (descriptor < 0) return Denied(name, std::strerror(errno));
  return ObjectFile(descriptor);
}

}  // namespace dynolith
