// The protocol's methods for one client, whatever carries its messages: handshake, tools,
// resources, progress and cancellation.
//
// Revisions up to 2025-11-25 begin with initialize, which the session remembers. A request of
// revision 2026-07-28 carries its revision in _meta and needs no session; both may come together.
#ifndef DYNOLITH_TOOLS_MCP_SESSION_H_
#define DYNOLITH_TOOLS_MCP_SESSION_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "tools/mcp/backend.h"
#include "tools/mcp/message.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

struct ServerParts {
  Backend* backend = nullptr;  // borrowed
  ToolRules rules;
  std::string version;  // of the program
};

// The newest revision with a handshake, and the one without.
inline constexpr std::string_view kNewestWithHandshake = "2025-11-25";
inline constexpr std::string_view kStateless = "2026-07-28";
// The member of _meta that has the revision of a request without a handshake.
inline constexpr std::string_view kVersionInMeta = "io.modelcontextprotocol/protocolVersion";

// Whether a handshake may end with this revision.
bool IsHandshakeVersion(std::string_view version);
// The error for a revision that is not supported, with those that are.
RpcError UnsupportedVersion(std::string_view version);

// Thread-safe.
class Session {
 public:
  // Sends a notification to the client.
  using Notify = std::function<void(const std::string& text)>;

  // Messages that have been read; of which nothing has run but notifications.
  struct Work {
    struct Step {
      std::variant<Message, BadMessage> message;
      std::shared_ptr<std::atomic<bool>> is_cancelled;  // of a request
    };
    bool is_batch = false;
    std::vector<Step> steps;  // those that are answered

    // Whether it runs in no time: whatever only answers what is known.
    bool is_quick() const;
  };
  struct Answer {
    std::string text;                // empty: nothing is sent
    std::optional<ErrorCode> error;  // of a single message that failed
    bool is_stateless = false;       // of a single message of revision 2026-07-28
    bool has_initialized = false;    // it was a successful initialize
  };

  explicit Session(const ServerParts* parts) : parts_(parts) {}

  // Reads a message or a batch, and handles its notifications at once: a cancellation reaches a
  // running request.
  Work Take(std::string_view text);
  // Answers it. `notify`: may be empty; then there is no progress.
  Answer Run(const Work& work, const Notify& notify);

  // Cancels all requests, since nobody waits for their answers.
  void CancelAll();

 private:
  using Outcome = std::variant<JsonTree, RpcError>;

  struct RequestScope {
    const Message& message;
    std::function<bool()> is_cancelled;
    const Notify& notify;
    bool is_stateless;
  };

  void TakeNotification(const Message& message);
  std::optional<Work::Step> TakeRequest(Message message);
  void Forget(const Work::Step& step);
  std::string RunStep(const Work::Step& step, const Notify& notify, Answer* answer);
  // nullopt: the request may run.
  std::optional<RpcError> Refusal(const Message& message, bool is_stateless);
  Outcome RunRequest(const RequestScope& scope);
  Outcome Initialize(const Message& message);
  Outcome CallNamedTool(const RequestScope& scope);
  Outcome Resources(const RequestScope& scope);
  ToolCall MakeCall(const RequestScope& scope, const JsonTree& arguments) const;
  JsonTree ServerInfo() const;
  JsonTree Described() const;  // capabilities and instructions
  JsonTree ListTools() const;
  void Complete(const RequestScope& scope, JsonTree* result) const;

  const ServerParts* const parts_;
  absl::Mutex mutex_;
  std::string version_ ABSL_GUARDED_BY(mutex_);  // empty: before the handshake
  // By the JSON of their ids.
  std::map<std::string, std::shared_ptr<std::atomic<bool>>> pending_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_SESSION_H_
