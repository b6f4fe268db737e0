// The connections to an endpoint that one loop of the server has, and the calls on their way there.
// A call is sent, and its answer read, on the loop's thread; nothing waits.
#ifndef DYNOLITH_TOOLS_PROXY_UPSTREAM_H_
#define DYNOLITH_TOOLS_PROXY_UPSTREAM_H_

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "tools/proxy/endpoint.h"
#include "tools/proxy/upstream_call.h"
#include "tools/server/http/handler.h"

namespace dynolith::proxy {

// Whose calls they are.
class UpstreamOwner {
 public:
  virtual ~UpstreamOwner() = default;
  // The endpoint has answered, or why it has not: kUnavailable, which names it. Finishes the
  // pending answer, unless it is sent in parts: then the last one follows, or it is given up.
  virtual void OnAnswered(const UpstreamCall& call, const absl::Status& answered) = 0;
};

class UpstreamHost;

// Confined to the loop's thread.
class Upstream final : public http::LoopCompanion {
 public:
  // `calls_max`: to each host of the endpoint at once, and connections; further calls wait for
  // their turn, but not longer than for an answer. Borrows all.
  Upstream(boost::asio::io_context* context, Endpoint* endpoint, size_t calls_max,
           UpstreamOwner* owner);
  ~Upstream() override;

  // The owner is told of the end later, or before this returns. A request is sent once: never again
  // after a byte of it has left. A connection that the endpoint has closed before is not used.
  void Send(UpstreamCall call);

  // Drops calls that are on their way.
  void Close() override;

 private:
  Endpoint* const endpoint_;
  std::vector<std::unique_ptr<UpstreamHost>> hosts_;
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_UPSTREAM_H_
