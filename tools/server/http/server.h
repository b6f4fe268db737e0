// An event-driven HTTP/1.1 server: a few threads, each with its own event loop and its own share of
// the connections; no thread and no lock per connection.
//
//   auto server = Server::Start({.port = 0}, &handler);
//   printf("listening on %d\n", (*server)->port());
//   (*server)->Stop();
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_SERVER_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/server/http/handler.h"
#include "tools/server/http/server_options.h"

namespace dynolith::http {

struct ServerCounters {
  size_t connections = 0;     // open now
  size_t buffered_bytes = 0;  // of input buffers now
};

// Raises the limit of open files of this process to its maximum; returns the new limit.
size_t RaiseFileLimit();

class Server {
 public:
  // Reads the TLS files and takes the ports, so that what can go wrong there is known before a
  // handler is made; clients are refused until Begin. Also raises the process's limit of open files
  // to its maximum. Errors name the address or the file: kUnavailable (address in use or not ours),
  // kInvalidArgument (host, TLS files).
  static absl::StatusOr<std::unique_ptr<Server>> Open(const ServerOptions& options);
  // Listens and starts the threads, once. `handler` must outlive the server. Errors: kUnavailable;
  // kResourceExhausted, too few files or threads.
  virtual absl::Status Begin(Handler* handler) = 0;
  // Both.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       Handler* handler);
  // Stops.
  virtual ~Server() = default;

  // Those of ServerOptions, the first one first.
  virtual std::vector<uint16_t> ports() const = 0;
  uint16_t port() const { return ports().front(); }
  // Whether it listens on an address that only this machine can reach.
  virtual bool only_this_machine() const = 0;

  // Stops accepting, closes idle connections, finishes running requests, and returns when
  // everything is closed, at the latest after `stop_timeout` if the handler returns. Idempotent.
  virtual void Stop() = 0;

  virtual ServerCounters counters() const = 0;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_SERVER_H_
