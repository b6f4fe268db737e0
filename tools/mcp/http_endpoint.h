// The protocol over HTTP: one endpoint, /mcp, of the transport "streamable HTTP".
//
//   POST    a message; answered with JSON, 202 for a notification
//   DELETE  ends a session
//   GET     405: the server opens no streams
//
// Revisions with a handshake have sessions by the header Mcp-Session-Id; requests of revision
// 2026-07-28 have none, and headers that repeat what is in the body.
#ifndef DYNOLITH_TOOLS_MCP_HTTP_ENDPOINT_H_
#define DYNOLITH_TOOLS_MCP_HTTP_ENDPOINT_H_

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tools/mcp/session.h"
#include "tools/server/http/handler.h"
#include "tools/server/wire/page_guard.h"

namespace dynolith::mcp {

struct HttpEndpointOptions {
  std::string token;  // empty: callers on this machine need none
  http::PageGuardOptions pages;
};

// Thread-safe.
class HttpEndpoint final : public http::Handler {
 public:
  // Borrows the parts.
  HttpEndpoint(const ServerParts* parts, HttpEndpointOptions options)
      : parts_(parts), options_(std::move(options)), pages_(options_.pages) {}

  // Tools may compute for long; the rest, cancellations among it, takes no time.
  http::Lane ChooseLane(const http::Request& request) const override;
  void Handle(const http::Request& request, http::Response* response) override;

  // Ends all running requests, for a stop.
  void CancelAll() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Refusal {
    int status = 0;
    ErrorCode code = ErrorCode::kInvalidRequest;
    std::string reason;
  };
  struct NamedSession {
    std::string id;
    std::shared_ptr<Session> session;
  };

  // Who may call. nullopt: admitted.
  std::optional<Refusal> Objection(const http::Request& request) const;
  void Post(const http::Request& request, http::Response* response);
  void PostInSession(const http::Request& request, http::Response* response);
  void PostAlone(const http::Request& request, const Message& message, http::Response* response);
  void End(const http::Request& request, http::Response* response) ABSL_LOCKS_EXCLUDED(mutex_);
  // nullptr: there is none of this id. The found one becomes the most recently used.
  std::shared_ptr<Session> FindSession(std::string_view id) ABSL_LOCKS_EXCLUDED(mutex_);
  // Its id; the session that was used least recently ends if there are too many.
  std::string Keep(std::shared_ptr<Session> session) ABSL_LOCKS_EXCLUDED(mutex_);

  const ServerParts* const parts_;
  const HttpEndpointOptions options_;
  const http::PageGuard pages_;
  absl::Mutex mutex_;
  std::list<NamedSession> sessions_ ABSL_GUARDED_BY(mutex_);  // the most recently used first
};

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_HTTP_ENDPOINT_H_
