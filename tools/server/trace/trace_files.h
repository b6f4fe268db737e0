// The files of a trace: FILE is being written, FILE.1 is the previous one, and so on; their total
// is bounded.
#ifndef DYNOLITH_TOOLS_SERVER_TRACE_TRACE_FILES_H_
#define DYNOLITH_TOOLS_SERVER_TRACE_TRACE_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith::trace {

struct TraceFilesOptions {
  std::string file;
  bool plain_keys = false;
  int64_t bytes_max = int64_t{64} << 20;  // of one file
  int files_max = 4;                      // FILE and those behind it
  uint64_t run = 0;
};

// Thread-compatible.
class TraceFiles {
 public:
  // An existing FILE becomes FILE.1, if it has more than a header. Errors: the reason for which it
  // cannot be written; kAlreadyExists if one of the files is no trace, which is left alone.
  static absl::StatusOr<TraceFiles> Open(const TraceFilesOptions& options);
  TraceFiles(TraceFiles&& other) noexcept;
  TraceFiles& operator=(TraceFiles&&) = delete;
  ~TraceFiles();

  // A block goes into one file as a whole: into the next one if this one would be too large.
  // Errors: the system's.
  absl::Status Append(std::string_view block);

 private:
  explicit TraceFiles(const TraceFilesOptions& options) : options_(options) {}

  // FILE becomes FILE.1, FILE.1 becomes FILE.2, and so on; the oldest is deleted.
  absl::Status Rotate() const;
  absl::Status Begin();
  absl::Status Write(std::string_view bytes);

  TraceFilesOptions options_;
  int file_ = -1;
  int64_t bytes_ = 0;  // of the present file
  uint64_t number_ = 0;
};

// FILE.2; FILE itself for 0.
std::string NameOfFile(const std::string& file, int number);

}  // namespace dynolith::trace

#endif  // DYNOLITH_TOOLS_SERVER_TRACE_TRACE_FILES_H_
