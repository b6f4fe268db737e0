// The decompressed bytes of a file, piece by piece.
#ifndef DYNOLITH_API_TRANSFER_FILES_DECODED_FILE_H_
#define DYNOLITH_API_TRANSFER_FILES_DECODED_FILE_H_

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "dynolith/requests.h"

namespace dynolith {

// Calls `take` for each piece until the end of the file. An empty file has no bytes in every
// coding; several streams one after the other are one. Errors: those of `take`, which end the
// reading; ValidationException if the file is damaged or of another coding; kUnavailable if it
// cannot be read, or was written to or truncated meanwhile.
absl::Status ReadDecoded(int file, InputCompressionType coding,
                         absl::FunctionRef<absl::Status(std::string_view)> take);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_DECODED_FILE_H_
