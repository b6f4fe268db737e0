// Files as texts, whole or line by line, compressed or not.
#ifndef DYNOLITH_TOOLS_FILES_ITEMS_TEXT_FILE_H_
#define DYNOLITH_TOOLS_FILES_ITEMS_TEXT_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith::designs {

// White space around JSON.
inline constexpr std::string_view kBlank = " \t\r\n";

// The decompressed pieces of a file, by the end of its name: .gz, .zst or none. `bytes_read`,
// unless it is nullptr: the position in the file on the disk when `take` is called. Errors: those
// of `take`, which end the reading; kInvalidArgument with the reason for which it cannot be read.
absl::Status ReadPieces(const std::string& file,
                        absl::FunctionRef<absl::Status(std::string_view)> take,
                        uint64_t* bytes_read = nullptr);

// Errors: kInvalidArgument with the reason for which it cannot be read, or that it is larger than
// `bytes_max`.
absl::StatusOr<std::string> ReadWhole(const std::string& file, size_t bytes_max);

// The text after a byte order mark, with which some editors begin every file.
inline std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// The first bytes of the text, or all if there are fewer. Errors: as ReadWhole.
absl::StatusOr<std::string> ReadBeginning(const std::string& file, size_t bytes);

// Whether the first line that is not blank is a JSON object by itself, and others follow: one item
// a line. Reads only as much as necessary. Errors: kInvalidArgument with the reason for which it
// cannot be read.
absl::StatusOr<bool> HoldsJsonLines(const std::string& file);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_TEXT_FILE_H_
