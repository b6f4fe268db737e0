// What the tools work on: a database in this process, or a server by its address. Calls of
// operations and requests of the admin endpoint are JSON in both.
#ifndef DYNOLITH_TOOLS_MCP_BACKEND_H_
#define DYNOLITH_TOOLS_MCP_BACKEND_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/service/database_options.h"
#include "engine/text/json_tree.h"
#include "tools/client/service_target.h"

namespace dynolith::mcp {

struct BackendOptions {
  // Of a database in this process: in a folder, or in memory without a path.
  OpenSettings settings;
  std::string clock_start;  // of a manual clock; empty: the machine's time
  // The address of a server, or of the service; empty: a database in this process.
  std::string endpoint;
  std::string region;             // empty: as SDKs find it
  std::string certificates_file;  // empty: those of the system
  std::string admin_token_file;   // of the server's admin endpoint; empty: none
};

enum class AdminVerb : uint8_t { kGet, kPost, kDelete };

// Thread-safe.
class Backend {
 public:
  // Errors: those of RestorableDatabase::Open, and of MakeServerTarget.
  static absl::StatusOr<std::unique_ptr<Backend>> Open(const BackendOptions& options);
  virtual ~Backend() = default;

  // The answer of a call that succeeded. Errors: "ValidationException: …", as the service names
  // them; kUnavailable without an answer.
  virtual absl::StatusOr<JsonTree> Call(std::string_view operation, const JsonTree& input) = 0;
  // A request of the admin endpoint. `path`: "/_dynolith/clock", with its query. Errors: its
  // reasons; those of a server without an admin endpoint.
  virtual absl::StatusOr<JsonTree> Admin(AdminVerb verb, const std::string& path,
                                         const JsonTree& body) = 0;
  // For loads.
  virtual client::ServiceTarget* target() = 0;
  // Where the data is, for people.
  virtual std::string Place() const = 0;
};

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_BACKEND_H_
