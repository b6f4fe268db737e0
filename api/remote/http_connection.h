// One connection to an HTTP server, plain or with TLS, kept open between calls. Every wait is
// bounded.
#ifndef DYNOLITH_API_REMOTE_HTTP_CONNECTION_H_
#define DYNOLITH_API_REMOTE_HTTP_CONNECTION_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/remote/server_address.h"

namespace boost::asio::ssl {
class context;
}  // namespace boost::asio::ssl

namespace dynolith::client {

// The trusted certificates, which all connections with TLS share.
class TlsTrust {
 public:
  // `file`: certificates in PEM; empty: those of the system. Errors: kInvalidArgument for a file
  // that holds none.
  static absl::StatusOr<std::unique_ptr<TlsTrust>> Load(const std::string& file);
  // Trusts every server.
  static std::unique_ptr<TlsTrust> InAnybody();
  virtual ~TlsTrust() = default;

  // For connections of others.
  virtual boost::asio::ssl::context& context() const = 0;
};

// The longest waits. Only the system's resolver decides how long a name takes.
struct HttpTimeouts {
  std::chrono::seconds connect{5};  // for a connection, and then for TLS
  std::chrono::seconds answer{30};  // the service's own limits are shorter
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// A request; borrows all texts.
struct HttpCall {
  std::string_view method = "POST";
  std::string_view target = "/";
  const HttpHeaders& headers;
  std::string_view body;
  // Whether it may be sent again if the server closes a connection that was open while the call is
  // on its way there. Without, a call whose first byte has left is never sent again.
  bool may_repeat = true;
  // Whether the answer keeps its headers.
  bool keeps_headers = false;
  // For its answer, in place of HttpTimeouts' `answer`; for sending it as well. Zero: that one.
  std::chrono::seconds answer_timeout{0};
  // Once it is true, the call fails within a moment, whatever it waits for but a name's resolution.
  const std::atomic<bool>* interrupted = nullptr;
};

struct HttpAnswer {
  int status = 0;
  std::string body;
  // Of headers; empty: there is none.
  std::string request_id;   // x-amzn-RequestId
  std::string retry_after;  // x-amz-retry-after
  HttpHeaders headers;      // all, in order; empty unless the call keeps them
};

// Thread-compatible.
class HttpConnection {
 public:
  // `trust` may be nullptr without TLS. Both are borrowed.
  static std::unique_ptr<HttpConnection> Make(const http::ServerAddress& address,
                                              const TlsTrust* trust,
                                              const HttpTimeouts& timeouts = {});
  virtual ~HttpConnection() = default;

  // A body that is compressed with gzip is returned inflated, up to 64 MB; it is not asked for, but
  // a request without Accept-Encoding admits it (RFC 9110). Another encoding is an error.
  // The body of an answer that keeps its headers is returned as it was sent.
  //
  // Connects first if needed, also if the server has closed the idle connection. If it closes it
  // just then, which looks the same as a lost answer, the call is sent once more if it may be.
  // Errors: kUnavailable, whose text is only the reason.
  virtual absl::StatusOr<HttpAnswer> Send(const HttpCall& call) = 0;
};

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_HTTP_CONNECTION_H_
