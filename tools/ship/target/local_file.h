// Local files, read and written in pieces. Their errors name the file: kNotFound,
// kPermissionDenied, kResourceExhausted, kInternal.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_LOCAL_FILE_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_LOCAL_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith::ship {

inline constexpr mode_t kNewFileMode = 0644;

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();
  int number() const { return number_; }
  bool IsOpen() const { return number_ >= 0; }

 private:
  int number_;
};

// Write all of `bytes`, read until `bytes` are there or the file ends. Return 0 or errno.
int WriteAll(int descriptor, std::string_view bytes);
int ReadUpTo(int descriptor, size_t bytes, std::string* read);

class LocalReader {
 public:
  // Errors: kInvalidArgument if it is no regular file.
  static absl::StatusOr<LocalReader> Open(const std::string& path);
  uint64_t bytes() const { return bytes_; }  // when it was opened
  // The next bytes, fewer only at the end.
  absl::StatusOr<std::string> Read(size_t bytes);

 private:
  LocalReader(std::string path, Descriptor in, uint64_t bytes)
      : path_(std::move(path)), in_(std::move(in)), bytes_(bytes) {}
  std::string path_;
  Descriptor in_;
  uint64_t bytes_;
};

// A new file, which is removed again unless it is finished.
class LocalWriter {
 public:
  // Errors: kAlreadyExists.
  static absl::StatusOr<std::unique_ptr<LocalWriter>> Make(const std::string& path);
  LocalWriter(const LocalWriter&) = delete;
  LocalWriter& operator=(const LocalWriter&) = delete;
  ~LocalWriter();
  absl::Status Write(std::string_view bytes);
  // Syncs the file; it stays.
  absl::Status Finish();

 private:
  LocalWriter(std::string path, int out) : path_(std::move(path)), out_(out) {}
  std::string path_;
  Descriptor out_;
  bool is_finished_ = false;
};

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_LOCAL_FILE_H_
