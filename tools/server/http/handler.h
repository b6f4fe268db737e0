// The interface through which a server gets its answers.
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_HANDLER_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_HANDLER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tools/server/http/request.h"
#include "tools/server/http/response.h"
#include "tools/server/http/worker_pool.h"

namespace dynolith::http {

// The threads that handle a request. A loop serves many connections, so requests that read more
// than a few rows or wait go to workers, and requests that may take minutes have separate workers.
enum class Lane : uint8_t {
  kLoop,     // at once, on the connection's loop
  kBrief,    // computes for a moment: some tenths of a second at most
  kWaiting,  // waits for the disk more than it computes: many threads, which share the waiting
  kLong,     // may take long
  kPolling,  // waits for something to happen: threads of its own, so that nothing waits behind it
  kLater,    // begun on the loop, which then serves others until the answer has come (Begin)
};

inline constexpr size_t kLanes = 6;

class EventLoop;

// What a handler keeps on a loop, for the loop's thread alone.
class LoopCompanion {
 public:
  virtual ~LoopCompanion() = default;
  // Behind the loop's last connection: ends everything that would keep the loop running.
  // Idempotent.
  virtual void Close() = 0;
};

// Who has the rest of an answer that is sent in parts. Of the loop's thread.
class PartSender {
 public:
  virtual ~PartSender() = default;
  // The client has what there was so far: the next part may come.
  virtual void OnWritten() = 0;
  // The client, or the server, is gone: nothing of it is wanted any more. The last call.
  virtual void OnGone() = 0;
};

// A request whose answer comes later. Confined to its loop's thread. If its client or the server
// goes first, the answer is dropped.
class PendingAnswer {
 public:
  virtual ~PendingAnswer() = default;
  // Lives until Finish.
  virtual const Request& request() const = 0;
  // To be filled; empty at first.
  virtual Response* response() = 0;
  // The response is filled. Once, also within Begin.
  virtual void Finish() = 0;

  // In place of Finish, and not within Begin: the response is filled but for the rest of a body
  // that has `body_bytes` together, which follows in parts. Each comes when OnWritten has been
  // called; the last one is the end, as Finish is. Requires: no delay, and a rest.
  virtual void BeginParts(uint64_t body_bytes, std::shared_ptr<PartSender> sender) = 0;
  virtual void AddPart(std::string part) = 0;
  // The rest does not come: the connection is closed, and the sender is not called any more.
  virtual void GiveUp() = 0;
};

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
  // is called on a worker of LaneAfterLoop.
  virtual bool HandleOnLoop(const Request& request, Response* response) {
    Handle(request, response);
    return true;
  }

  // kBrief, kWaiting or kLong; one without workers stands for kBrief.
  virtual Lane LaneAfterLoop(const Request& /*request*/) const { return Lane::kBrief; }

  // For requests in kLater: sees to it that the answer is finished at some time, and does not wait.
  // After an exception, which becomes an answer as in Handle, it must not be finished.
  virtual void Begin(EventLoop* /*loop*/, std::shared_ptr<PendingAnswer> pending) {
    const std::shared_ptr<PendingAnswer> kept = std::move(pending);
    Handle(kept->request(), kept->response());
    kept->Finish();
  }
  // Called once for each loop before its first request; nullptr: nothing is kept there. The loop
  // outlives the companion.
  virtual std::unique_ptr<LoopCompanion> MakeCompanion(EventLoop* /*loop*/) { return nullptr; }

  // Fills `response`, which is empty. An exception for a lack of memory or threads becomes a 503,
  // any other a 500.
  virtual void Handle(const Request& request, Response* response) = 0;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_HANDLER_H_
