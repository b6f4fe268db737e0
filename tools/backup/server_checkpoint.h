// Asks a running server of this machine for a checkpoint of its data (tools/server/admin.h).
#ifndef DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_
#define DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/client/admin_call.h"

namespace dynolith {

// Returns the path of the checkpoint on the server's machine, which must be valid on this one, too.
// Requirements and errors: those of client::CallAdmin.
absl::StatusOr<std::string> MakeServerCheckpoint(const client::AdminServer& server);
absl::Status RemoveServerCheckpoint(const client::AdminServer& server);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_
