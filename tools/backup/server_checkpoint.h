// Asks a running server of this machine for a checkpoint of what it serves
// (tools/dynolith/admin.h).
#ifndef DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_
#define DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

bool IsServerUrl(std::string_view text);

// The folder of the checkpoint; on the server's machine, which is this one, since the server
// answers no other. Waits for as long as it takes. Over https the certificate is not checked: what
// counts is what lies in the folder. Requires: IsServerUrl(url). Errors: kInvalidArgument (no
// address), kUnavailable (no answer), kFailedPrecondition with what the server says.
absl::StatusOr<std::string> MakeServerCheckpoint(const std::string& url);
absl::Status RemoveServerCheckpoint(const std::string& url);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_
