// The options and bounds of a server and its loops.
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_SERVER_OPTIONS_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_SERVER_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "engine/base/clock.h"
#include "tools/server/http/request_reader.h"

namespace dynolith::http {

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;  // 0: a free one, see Server::port
  // Further ones on that host. A request says by which of all it came (Request::door).
  std::vector<uint16_t> more_ports;
  int threads = 0;  // event loops; 0: as many as there are processors to use
  // Threads of each lane of workers; the requests of a lane without threads run on the loop.
  int brief_workers = 0;
  int waiting_workers = 0;
  int long_workers = 0;
  int polling_workers = 0;
  // PEM files; both or neither. With them the server speaks TLS only.
  std::string tls_certificate_file;
  std::string tls_key_file;

  Limits limits;
  // The most connections; 0: the limit of open files, less a reserve. For a further one the least
  // recently used idle connections are closed.
  size_t connections_max = 0;
  // The limit for the input buffers of all connections together, and also for all unread answers;
  // requests beyond it get 503.
  size_t buffered_bytes_max = size_t{1} << 30;
  absl::Duration idle_timeout = absl::Minutes(5);      // between requests
  absl::Duration request_timeout = absl::Seconds(60);  // from a request's first byte to its last
  absl::Duration write_timeout = absl::Seconds(60);    // without the client reading anything
  absl::Duration stop_timeout = absl::Seconds(5);      // for running requests during a stop
  // A shorter limit during a stop for requests whose head is incomplete.
  absl::Duration head_grace = absl::Milliseconds(500);
  const Clock* clock = &SystemClock();  // of the Date header
  // Called from any thread with rare warnings for the owner; may be empty.
  std::function<void(std::string_view)> warn;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_SERVER_OPTIONS_H_
