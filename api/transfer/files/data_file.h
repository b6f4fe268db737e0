// One compressed file of an export's data.
#ifndef DYNOLITH_API_TRANSFER_FILES_DATA_FILE_H_
#define DYNOLITH_API_TRANSFER_FILES_DATA_FILE_H_

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/transfer/files/bucket.h"

namespace dynolith {

// zlib's number for "a gzip stream with the largest window".
inline constexpr int kGzipWindowBits = 15 + 16;

// The MD5 of the bytes, 16 bytes.
std::string Md5(std::string_view bytes);
// For bytes that arrive in pieces.
class Md5Sum {
 public:
  Md5Sum();
  void Add(std::string_view bytes);
  std::string Finish();

 private:
  struct FreeContext {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, FreeContext> context_;  // OpenSSL's
};

// Writes lines as gzip. Not thread-safe. Errors: TransferFailure.
class DataFile {
 public:
  static absl::StatusOr<std::unique_ptr<DataFile>> Create(const Bucket& bucket, std::string name);
  ~DataFile();
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;

  // A line with its line break.
  absl::Status Append(std::string_view line);
  // Before compression.
  size_t bytes() const { return bytes_; }

  struct Summary {
    std::string name;
    int64_t lines = 0;
    std::string md5;  // of the file, 16 bytes
  };
  // Ends the file; nothing can be appended any more.
  absl::StatusOr<Summary> Finish();

 private:
  DataFile(ObjectFile file, std::string name);
  // Compresses the stream's input.
  absl::Status Compress(int flush);

  const ObjectFile file_;
  const std::string name_;
  z_stream stream_ = {};
  std::vector<char> out_;
  Md5Sum md5_;
  size_t bytes_ = 0;
  int64_t lines_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_DATA_FILE_H_
