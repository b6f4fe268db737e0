// Prints the contents of a trace as text for people, and as CSV for programs.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_TRACE_TEXT_H_
#define DYNOLITH_TOOLS_LAB_REPORT_TRACE_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {

struct TraceText {
  std::string text;
  // Unreadable parts, a line each.
  std::vector<std::string> warnings;
};

// The trace's period, its requests over time, their operations, and their use of tables and keys.
// Lines have at most `width` characters where possible. Errors: those of trace::ReadTrace.
absl::StatusOr<TraceText> SummaryOfTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    size_t width = kAnyWidth);

// A row for each access, in the order of the file.
absl::StatusOr<TraceText> CsvOfTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_TRACE_TEXT_H_
