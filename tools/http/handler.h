// What a server asks for its answers.
#ifndef DYNOLITH_TOOLS_HTTP_HANDLER_H_
#define DYNOLITH_TOOLS_HTTP_HANDLER_H_

#include <cstddef>
#include <cstdint>

#include "tools/http/request.h"
#include "tools/http/response.h"
#include "tools/http/worker_pool.h"

namespace dynolith::http {

// Where a request is handled. A loop has many connections, so what takes longer than a few rows or
// waits for anything goes to workers, and what may take minutes has workers of its own.
enum class Lane : uint8_t {
  kLoop,     // at once, on the connection's loop
  kBrief,    // computes for a moment: some tenths of a second at most
  kWaiting,  // waits for the disk more than it computes: many threads, which share the waiting
  kLong,     // may take long
};

inline constexpr size_t kLanes = 4;

// What answers the requests. Called from many threads at once, for each connection one at a time.
class Handler {
 public:
  virtual ~Handler() = default;

  // Where to handle it. A lane without workers is the loop.
  virtual Lane ChooseLane(const Request& /*request*/) const { return Lane::kLoop; }

  // Whose turn it takes on a worker, but for the connection.
  virtual WorkOwner WorkOwnerFor(const Request& /*request*/) const { return {}; }

  // Handle for what ChooseLane leaves on the loop, if kBrief has workers. False: it takes longer
  // than was to be seen; nothing has been done, `response` is empty, and Handle is called on a
  // worker.
  virtual bool HandleOnLoop(const Request& request, Response* response) {
    Handle(request, response);
    return true;
  }

  // Fills `response`, which is empty. What it throws, for want of memory or of a thread, becomes a
  // 503, else a 500.
  virtual void Handle(const Request& request, Response* response) = 0;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_HTTP_HANDLER_H_
