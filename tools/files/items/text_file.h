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

// What may stand around JSON.
inline constexpr std::string_view kBlank = " \t\r\n";

// The pieces of a file behind its compression, which is that of its name's end: .gz, .zst or none.
// `bytes_read`, unless it is nullptr: of the file as it lies on the disk, when `take` is called.
// Errors: those of `take`, which end the reading; kInvalidArgument saying why it cannot be read.
absl::Status ReadPieces(const std::string& file,
                        absl::FunctionRef<absl::Status(std::string_view)> take,
                        uint64_t* bytes_read = nullptr);

// Errors: kInvalidArgument saying why it cannot be read, or that it is larger than `bytes_max`.
absl::StatusOr<std::string> ReadWhole(const std::string& file, size_t bytes_max);

// The text behind the mark with which some editors begin every file.
inline std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// So many bytes of the text, or fewer if it has no more. Errors: as ReadWhole.
absl::StatusOr<std::string> ReadBeginning(const std::string& file, size_t bytes);

// Whether the first line that is not blank is a JSON object by itself, and others follow: one item
// a line. Reads no more than it needs. Errors: kInvalidArgument saying why it cannot be read.
absl::StatusOr<bool> HoldsJsonLines(const std::string& file);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_TEXT_FILE_H_
