// A folder as a bucket: its files are the objects, their paths in it the names.
#ifndef DYNOLITH_API_TRANSFER_FILES_BUCKET_H_
#define DYNOLITH_API_TRANSFER_FILES_BUCKET_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

// An open file; closed by the destructor.
class ObjectFile {
 public:
  explicit ObjectFile(int descriptor) : descriptor_(descriptor) {}
  ObjectFile(ObjectFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ObjectFile& operator=(ObjectFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~ObjectFile();

  int descriptor() const { return descriptor_; }
  absl::StatusOr<int64_t> Size() const;
  // All of it, or an error.
  absl::Status Write(std::string_view bytes) const;

 private:
  int descriptor_;
};

// Names do not lead out of the folder, be it by "..", by a leading slash or by a symbolic link.
// Thread-safe. Errors of all: TransferFailure.
class Bucket {
 public:
  // The folder `name` in `buckets_folder`, which may be a link. Names with a slash or ".." are not
  // buckets.
  static absl::StatusOr<Bucket> Open(const std::string& buckets_folder, std::string_view name);

  // The names that begin with `prefix`, in bytewise order. O(files of the bucket).
  absl::StatusOr<std::vector<std::string>> List(std::string_view prefix) const;
  absl::StatusOr<ObjectFile> OpenToRead(std::string_view name) const;
  // A new object, or an emptied old one; parent folders are made.
  absl::StatusOr<ObjectFile> Create(std::string_view name) const;

 private:
  explicit Bucket(std::filesystem::path root) : root_(std::move(root)) {}

  bool IsInside(const std::filesystem::path& path) const;

  std::filesystem::path root_;  // without links
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_BUCKET_H_
