#include "engine/base/errno_status.h"

#include <cerrno>
#include <system_error>

#include "engine/base/strings.h"

namespace dynolith {

std::string ErrnoReason(int error) { return std::generic_category().message(error); }

absl::Status ErrnoStatus(int error, std::string_view message) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(ToAbsl(message));
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(ToAbsl(message));
    case ENOSPC:
#ifdef EDQUOT  // not on Windows
    case EDQUOT:
#endif
    case EFBIG:
      return absl::ResourceExhaustedError(ToAbsl(message));
    default:
      return absl::InternalError(ToAbsl(message));
  }
}

}  // namespace dynolith
