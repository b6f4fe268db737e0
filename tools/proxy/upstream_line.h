// One connection to an endpoint, kept open between calls; on its loop's thread.
#ifndef DYNOLITH_TOOLS_PROXY_UPSTREAM_LINE_H_
#define DYNOLITH_TOOLS_PROXY_UPSTREAM_LINE_H_

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "tools/proxy/endpoint.h"
#include "tools/proxy/upstream_call.h"

namespace dynolith::proxy {

class UpstreamLine;

// Who has the connection. It outlives the connection's last call of these.
class LineOwner {
 public:
  virtual ~LineOwner() = default;
  // It has no call any more, and may have another one.
  virtual void OnFree(std::shared_ptr<UpstreamLine> line) = 0;
  // It is closed, and must not be used.
  virtual void OnGone(const UpstreamLine* line) = 0;
  // The call has ended; it comes behind one of the former two.
  virtual void OnEnded(UpstreamCall call, const absl::Status& answered) = 0;
  // Not a byte of the call has left, and the connection is gone: another one may send it.
  virtual void OnUnsent(UpstreamCall call) = 0;
};

class UpstreamLine {
 public:
  // Connects with its first call. Borrows all.
  static std::shared_ptr<UpstreamLine> Make(boost::asio::io_context* context, Endpoint* endpoint,
                                            size_t host, LineOwner* owner);
  virtual ~UpstreamLine() = default;

  // Sends the call. Requires: it has none.
  virtual void Take(UpstreamCall call) = 0;
  // Ends a call whose time is over.
  virtual void OnTick(std::chrono::steady_clock::time_point now) = 0;
  // Drops its call, and never calls the owner again.
  virtual void Close() = 0;
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_UPSTREAM_LINE_H_
