// One connection to an HTTP server, kept open between calls, plain or with TLS. Every wait ends.
#ifndef DYNOLITH_TOOLS_CLIENT_HTTP_CONNECTION_H_
#define DYNOLITH_TOOLS_CLIENT_HTTP_CONNECTION_H_

#include <chrono>
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
  // Every server is believed.
  static std::unique_ptr<TlsTrust> InAnybody();
  virtual ~TlsTrust() = default;
};

// How long is waited at most. A name is waited for as long as the system's resolver does.
struct HttpTimeouts {
  std::chrono::seconds connect{5};  // for a connection, and then for TLS
  std::chrono::seconds answer{30};  // the service's own limits are shorter
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// What is asked; borrows all texts.
struct HttpCall {
  std::string_view method = "POST";
  std::string_view target = "/";
  const HttpHeaders& headers;
  std::string_view body;
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
                                              const TlsTrust* trust,
                                              const HttpTimeouts& timeouts = {});
  virtual ~HttpConnection() = default;

  // Connects first if it is not connected; a server may have closed a connection that was idle,
  // which is then made again once. Errors: kUnavailable, whose text is the reason alone.
  virtual absl::StatusOr<HttpAnswer> Send(const HttpCall& call) = 0;
};

}  // namespace dynolith::client

#endif  // DYNOLITH_TOOLS_CLIENT_HTTP_CONNECTION_H_
