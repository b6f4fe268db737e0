// An event-driven HTTP/1.1 server: a few threads, each with its own event loop and its own share of
// the connections; no thread and no lock per connection.
//
//   auto server = Server::Start({.port = 0}, &handler);
//   printf("listening on %d\n", (*server)->port());
//   (*server)->Stop();
#ifndef DYNOLITH_TOOLS_HTTP_SERVER_H_
#define DYNOLITH_TOOLS_HTTP_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/base/clock.h"
#include "tools/http/request.h"
#include "tools/http/request_reader.h"
#include "tools/http/response.h"

namespace dynolith::http {

// What answers the requests. Called from many threads at once, for each connection one at a time.
class Handler {
 public:
  virtual ~Handler() = default;

  // Whether Handle may wait for something, such as the disk: then it is called on a worker's thread
  // and the connection's event loop serves others meanwhile. Called only if there are workers.
  virtual bool MayWait(const Request& /*request*/) const { return false; }

  // Fills `response`, which is empty. Must not throw.
  virtual void Handle(const Request& request, Response* response) = 0;
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;  // 0: a free one, see Server::port
  int threads = 0;       // event loops; 0: as many as the machine has hardware threads
  int workers = 0;       // threads for requests that may wait; 0: none, Handle runs on the loop
  // PEM files; both or neither. With them the server speaks TLS only.
  std::string tls_certificate_file;
  std::string tls_key_file;

  Limits limits;
  // 0: as many as the process may open files, less a reserve. Further ones are closed at once.
  size_t connections_max = 0;
  // Of input buffers of all connections together; who needs more gets 503.
  size_t buffered_bytes_max = size_t{1} << 30;
  absl::Duration idle_timeout = absl::Minutes(5);      // between requests
  absl::Duration request_timeout = absl::Seconds(60);  // from a request's first byte to its last
  absl::Duration write_timeout = absl::Seconds(60);    // without the client reading anything
  absl::Duration stop_timeout = absl::Seconds(5);      // for requests under way when stopping
  const Clock* clock = &SystemClock();                 // of the Date header
};

struct ServerCounters {
  size_t connections = 0;     // open now
  size_t buffered_bytes = 0;  // of input, now
};

class Server {
 public:
  // Listens and starts the threads. `handler` must outlive the server. Also raises the process's
  // limit of open files to the most that is allowed. Errors name the address or the file:
  // kUnavailable (address in use or not ours), kInvalidArgument (host, TLS files).
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       Handler* handler);
  // Stops.
  virtual ~Server() = default;

  virtual uint16_t port() const = 0;

  // Accepts no more, closes idle connections, finishes requests under way, and returns when
  // everything is closed, after `stop_timeout` at the latest if the handler returns. Idempotent.
  virtual void Stop() = 0;

  virtual ServerCounters counters() const = 0;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_HTTP_SERVER_H_
