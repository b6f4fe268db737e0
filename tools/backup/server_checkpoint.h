// Asks a running server of this machine for a checkpoint of its data (tools/server/admin.h).
#ifndef DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_
#define DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/client/admin_call.h"

namespace dynolith {

// The folder of the checkpoint, by its name on the server's machine: this one must see it by the
// same name. Requirements and errors: those of client::CallAdmin.
absl::StatusOr<std::string> MakeServerCheckpoint(const client::AdminServer& server);
absl::Status RemoveServerCheckpoint(const client::AdminServer& server);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_SERVER_CHECKPOINT_H_
