// `dynolith serve`: the server's process from start to signal.
#ifndef DYNOLITH_TOOLS_DYNOLITH_SERVE_H_
#define DYNOLITH_TOOLS_DYNOLITH_SERVE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "tools/http/authenticator.h"

namespace dynolith {

struct ServeOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;
  std::string data_folder;  // empty: in memory
  http::AuthMode auth = http::AuthMode::kShape;
  std::string credentials_file;
  std::string region = "us-east-1";
  int threads = 0;  // 0: as many as the machine has
  bool sync = false;
  size_t cache_bytes = size_t{128} << 20;
  std::string tls_certificate_file;
  std::string tls_key_file;
  bool verbose = false;
};

// Opens the database, serves until SIGTERM or SIGINT, and closes it. Prints one line to standard
// output once calls are answered. Errors say why it could not start.
absl::Status Serve(const ServeOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_SERVE_H_
