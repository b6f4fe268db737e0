// One connection to an HTTP server, kept open between calls, plain or with TLS. Every wait ends.
#ifndef DYNOLITH_TOOLS_CLIENT_HTTP_CONNECTION_H_
#define DYNOLITH_TOOLS_CLIENT_HTTP_CONNECTION_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/http/server_address.h"

namespace dynolith::client {

// What all connections with TLS share: whose certificates are believed.
class TlsTrust {
 public:
  // `file`: certificates in PEM; empty: those of the system. Errors: kInvalidArgument for a file
  // that holds none.
  static absl::StatusOr<std::unique_ptr<TlsTrust>> Load(const std::string& file);
  virtual ~TlsTrust() = default;
};

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// Thread-compatible.
class HttpConnection {
 public:
  // `trust` may be nullptr without TLS. Both are borrowed.
  static std::unique_ptr<HttpConnection> Make(const http::ServerAddress& address,
                                              const TlsTrust* trust);
  virtual ~HttpConnection() = default;

  using Headers = std::vector<std::pair<std::string, std::string>>;
  // Connects first if it is not connected; a server may have closed a connection that was idle,
  // which is then made again once. Errors: kUnavailable saying what failed.
  virtual absl::StatusOr<HttpAnswer> Post(const Headers& headers, std::string_view body) = 0;
};

}  // namespace dynolith::client

#endif  // DYNOLITH_TOOLS_CLIENT_HTTP_CONNECTION_H_
