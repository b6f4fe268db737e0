// Errors of the operating system as statuses: the only mapping of errors to codes.
#ifndef DYNOLITH_ENGINE_BASE_ERRNO_STATUS_H_
#define DYNOLITH_ENGINE_BASE_ERRNO_STATUS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace dynolith {

// `error` in words: "No space left on device".
std::string ErrnoReason(int error);

// kNotFound (a file or a folder on the way to it is none), kPermissionDenied, kResourceExhausted
// (disk, quota or largest size of a file), else kInternal. Requires: error is not 0.
absl::Status ErrnoStatus(int error, std::string_view message);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_ERRNO_STATUS_H_
