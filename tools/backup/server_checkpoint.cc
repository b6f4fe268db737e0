#include "tools/backup/server_checkpoint.h"

#include <variant>

#include "api/json/single_member.h"
#include "engine/base/messages/store_backup.h"
#include "engine/base/status_macros.h"
#include "tools/backup/server_call.h"

namespace dynolith {

absl::StatusOr<std::string> MakeServerCheckpoint(const AdminServer& server) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string body,
                            CallServer(server, ServerMethod::kPost, "/_dynolith/checkpoint"));
  const auto folder = ReadSingleMember(body, "folder");
  const auto* path = std::get_if<std::string>(&folder);
  if (path == nullptr) return absl::FailedPreconditionError(messages::ServerHasNoAdmin(server.url));
  return *path;
}

absl::Status RemoveServerCheckpoint(const AdminServer& server) {
  return CallServer(server, ServerMethod::kPost, "/_dynolith/checkpoint/remove").status();
}

}  // namespace dynolith
