// A call that is passed on as it is, on a loop of the server.
#ifndef DYNOLITH_TOOLS_PROXY_UPSTREAM_CALL_H_
#define DYNOLITH_TOOLS_PROXY_UPSTREAM_CALL_H_

#include <chrono>
#include <cstdint>
#include <memory>

#include "tools/server/http/handler.h"

namespace dynolith::proxy {

struct UpstreamCall {
  std::shared_ptr<http::PendingAnswer> pending;  // whose response the answer fills
  std::chrono::steady_clock::time_point start;
  // Of an answer of which the client has got the beginning; 0: it has got nothing yet.
  uint64_t body_bytes = 0;
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_UPSTREAM_CALL_H_
