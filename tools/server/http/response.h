// One HTTP response, and its bytes.
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_RESPONSE_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_RESPONSE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace dynolith::http {

struct Response {
  int status = 200;
  // Complete lines "name: value\r\n". Content-Length, Connection, Date and Server are added when it
  // is written.
  std::string header_lines;
  std::string body;
  // For fault injection: the delay of the answer, or that it is not sent and the connection is
  // closed.
  absl::Duration delay;
  bool is_dropped = false;

  // Requires: no line breaks in either; a value from a client has passed the RequestReader.
  void AddHeader(std::string_view name, std::string_view value);
  void Clear();
};

struct ResponseFraming {
  bool keep_alive = true;
  bool without_body = false;                          // the answer to HEAD
  std::string_view date;                              // as FormatDate prints it
  std::optional<uint64_t> body_bytes = std::nullopt;  // of a body that has only begun
};

// Appends the whole response, head and body in one piece.
void AppendResponse(const Response& response, const ResponseFraming& framing, std::string* out);

// Appends the response to a request that the reader refused or that came too slowly: without a
// body, with the connection closed. A 413 has the service's empty chunked body (api/facts/wire.md
// §3).
void AppendRefusal(int status, std::string_view date, std::string* out);
// Appends the response to a plain request to a TLS server: 400 with this reason.
void AppendRefusalOfPlainRequest(std::string_view date, std::string* out);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string FormatDate(absl::Time time);

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_RESPONSE_H_
