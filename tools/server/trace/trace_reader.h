// Reads a trace: a file and, if they are of the same run, those that it replaced.
#ifndef DYNOLITH_TOOLS_SERVER_TRACE_TRACE_READER_H_
#define DYNOLITH_TOOLS_SERVER_TRACE_TRACE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/server/trace/trace_format.h"

namespace dynolith::trace {

// The state after all requests have been read.
struct TraceContents {
  std::vector<Resource> resources;  // by the numbers in uses; their last state
  bool has_plain_keys = false;
  uint64_t dropped = 0;  // requests
  size_t files = 0;
  int64_t bytes = 0;
  // One line for each file that could not be read to its end.
  std::vector<std::string> warnings;
};

// Calls `visit` with each request, nearly in the order of time; it is valid during the call. `read`
// returns all bytes of a file. Errors: those of `read` for the first file; kInvalidArgument if it
// is not a trace, or one of a newer version.
absl::StatusOr<TraceContents> ReadTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    absl::FunctionRef<void(const Request& request)> visit);

// Plain keys in a readable form: "Ray", "Ray, Blues"; bytes in hexadecimal digits if they do not
// fit the schema.
std::string PartitionKeyText(const Resource& resource, const Use& use);
// "#00f3a1b2c3d4e5f6": a placeholder for an unknown partition key.
std::string HashText(uint64_t hash);

}  // namespace dynolith::trace

#endif  // DYNOLITH_TOOLS_SERVER_TRACE_TRACE_READER_H_
