#include "tools/backup/server_checkpoint.h"

#include <chrono>
#include <variant>

#include "api/json/single_member.h"
#include "engine/base/status_macros.h"
#include "tools/client/admin_call.h"
#include "tools/client/messages.h"

namespace dynolith {

namespace {

// A checkpoint flushes the memtables to files first, which may take long.
constexpr std::chrono::minutes kCheckpointPatience(10);

absl::StatusOr<std::string> Ask(client::AdminServer server, const std::string& path) {
  server.timeouts.answer = kCheckpointPatience;
  return client::CallAdmin(server, client::AdminMethod::kPost, path);
}

}  // namespace

absl::StatusOr<std::string> MakeServerCheckpoint(const client::AdminServer& server) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string body, Ask(server, "/_dynolith/checkpoint"));
  const auto folder = ReadSingleMember(body, "folder");
  const auto* path = std::get_if<std::string>(&folder);
  if (path == nullptr) return absl::FailedPreconditionError(messages::ServerHasNoAdmin(server.url));
  return *path;
}

absl::Status RemoveServerCheckpoint(const client::AdminServer& server) {
  return Ask(server, "/_dynolith/checkpoint/remove").status();
}

}  // namespace dynolith
