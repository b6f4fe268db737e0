#include "engine/base/errno_status.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace dynolith {

std::string ErrnoReason(int error) { return std::generic_category().message(error); }

absl::Status ErrnoStatus(int error, std::string message) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(std::move(message));
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(std::move(message));
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(std::move(message));
    default:
      return absl::InternalError(std::move(message));
  }
}

}  // namespace dynolith
