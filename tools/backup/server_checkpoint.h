// Asks a running server of this machine for a checkpoint of what it serves
// (tools/dynolith/admin.h).
#ifndef DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_
#define DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

// The folder of the checkpoint; on the server's machine, which is this one, since the server
// answers no other. Requirements and errors: those of CallServer.
absl::StatusOr<std::string> MakeServerCheckpoint(const std::string& url);
absl::Status RemoveServerCheckpoint(const std::string& url);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_
