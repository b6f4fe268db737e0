// The interface through which a server gets its answers.
#ifndef DYNOLITH_TOOLS_HTTP_HANDLER_H_
#define DYNOLITH_TOOLS_HTTP_HANDLER_H_

#include <cstddef>
#include <cstdint>

#include "tools/http/request.h"
#include "tools/http/response.h"
#include "tools/http/worker_pool.h"

namespace dynolith::http {

// The threads that handle a request. A loop serves many connections, so requests that read more
// than a few rows or wait go to workers, and requests that may take minutes have separate workers.
enum class Lane : uint8_t {
  kLoop,     // at once, on the connection's loop
  kBrief,    // computes for a moment: some tenths of a second at most
  kWaiting,  // waits for the disk more than it computes: many threads, which share the waiting
  kLong,     // may take long
};

inline constexpr size_t kLanes = 4;

// Answers requests. Called from many threads concurrently, but one at a time for each connection.
class Handler {
 public:
  virtual ~Handler() = default;

  // Chooses where to handle the request. Requests of a lane without workers run on the loop.
  virtual Lane ChooseLane(const Request& /*request*/) const { return Lane::kLoop; }

  // The owner by which workers order the request; the server sets its connection.
  virtual WorkOwner WorkOwnerFor(const Request& /*request*/) const { return {}; }

  // Called instead of Handle for requests on the loop, if kBrief has workers. Returns false if the
  // request takes longer than expected; then nothing has been done, `response` is empty, and Handle
  // is called on a worker.
  virtual bool HandleOnLoop(const Request& request, Response* response) {
    Handle(request, response);
    return true;
  }

  // Fills `response`, which is empty. An exception for a lack of memory or threads becomes a 503,
  // any other a 500.
  virtual void Handle(const Request& request, Response* response) = 0;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_HTTP_HANDLER_H_
