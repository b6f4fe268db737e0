// Why: callers tell a full disk from a broken one, and a missing file from a locked one, by the
// code alone.
#include "engine/base/errno_status.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace dynolith {
namespace {

TEST(ErrnoStatusTest, CodesFollowWhatCanBeDoneAboutIt) {
  for (const int error : {ENOENT, ENOTDIR}) {
    EXPECT_EQ(ErrnoStatus(error, "m").code(), absl::StatusCode::kNotFound) << error;
  }
  for (const int error : {EACCES, EPERM, EROFS}) {
    EXPECT_EQ(ErrnoStatus(error, "m").code(), absl::StatusCode::kPermissionDenied) << error;
  }
  for (const int error : {ENOSPC, EDQUOT, EFBIG}) {
    EXPECT_EQ(ErrnoStatus(error, "m").code(), absl::StatusCode::kResourceExhausted) << error;
  }
  for (const int error : {EIO, EMFILE, EINVAL}) {
    EXPECT_EQ(ErrnoStatus(error, "m").code(), absl::StatusCode::kInternal) << error;
  }
  EXPECT_EQ(ErrnoStatus(EIO, "cannot read x").message(), "cannot read x");
  EXPECT_EQ(ErrnoReason(ENOSPC), "No space left on device");
}

}  // namespace
}  // namespace dynolith
