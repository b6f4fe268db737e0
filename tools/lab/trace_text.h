// What a trace holds, for people and for programs.
#ifndef DYNOLITH_TOOLS_LAB_TRACE_TEXT_H_
#define DYNOLITH_TOOLS_LAB_TRACE_TEXT_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace dynolith::lab {

struct TraceText {
  std::string text;
  // What could not be read, a line each.
  std::vector<std::string> warnings;
};

// Its period, its requests over time, what they were, what they used and of which keys. Errors:
// trace::ReadTrace's.
absl::StatusOr<TraceText> SummaryOfTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read);

// A row for each access, in the order of the file.
absl::StatusOr<TraceText> CsvOfTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_TRACE_TEXT_H_
