// One thread's share of the server: its event loop, its connections and its coarse clock.
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_EVENT_LOOP_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_EVENT_LOOP_H_

#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "tools/server/http/handler.h"
#include "tools/server/http/server_options.h"

namespace dynolith::http {

using SteadyTime = std::chrono::steady_clock::time_point;

// The state that all loops share. Only the counters change after the start.
struct SharedState {
  ServerOptions options;
  Handler* handler = nullptr;
  // By lane; nullptr: the lane has no workers.
  std::array<WorkerPool*, kLanes> workers{};
  std::atomic<size_t> connections{0};
  std::atomic<size_t> buffered_bytes{0};
  std::atomic<size_t> unread_bytes{0};  // of answers that clients have not read yet

  // Warns the owner, at most once in a while for each kind of event. Calls `what` only then.
  enum class Event : uint8_t { kNoRoom, kException };
  void Warn(Event event, absl::FunctionRef<std::string()> what);

 private:
  absl::Mutex mutex_;
  std::array<std::chrono::steady_clock::time_point, 2> warned_ ABSL_GUARDED_BY(mutex_);
};

// A connection as its loop sees it. Confined to the loop's thread.
class LoopMember {
 public:
  virtual ~LoopMember() = default;
  virtual void Start() = 0;
  // Acts on passed deadlines. Called about four times per shortest timeout.
  virtual void OnTick(SteadyTime now) = 0;
  // Closes when idle; otherwise after the running request.
  virtual void FinishAndClose() = 0;
  virtual void CloseNow() = 0;
  // Closes now or soon unless a request has arrived. Returns whether it closes.
  virtual bool CloseIfIdle() = 0;
  // A number that is smaller for a longer idle time; nullopt: not idle. A request may have arrived.
  virtual std::optional<uint64_t> IdleSince() const = 0;

 private:
  friend class EventLoop;
  size_t place_ = 0;  // in the loop's list
};

class EventLoop {
 public:
  explicit EventLoop(SharedState* shared);

  boost::asio::io_context& context() { return context_; }
  SharedState& shared() { return *shared_; }
  // Once, before Run.
  void MakeCompanion() { companion_ = shared_->handler->MakeCompanion(this); }
  // The handler's; nullptr if it has none. Of the loop's own thread.
  LoopCompanion* companion() { return companion_.get(); }

  // Runs until Finish has been called and the last connection is gone.
  void Run();
  // From any thread: closes some of the least recently used idle connections, and calls `closed`
  // with their number on the loop's thread.
  void MakeRoom(std::function<void(size_t)> closed);
  // From any thread: prevents further requests, see Server::Stop.
  void Finish();

  // The methods below are for the loop's own thread.
  void Add(std::shared_ptr<LoopMember> member);
  void Remove(LoopMember* member);
  bool finishing() const { return finishing_; }
  // Grows with each call.
  uint64_t NextUse() { return ++uses_; }
  // The time of the last tick: cheap, and precise enough for timeouts.
  SteadyTime now() const { return now_; }
  // For the Date header, printed once a second.
  std::string_view date();
  // Keeps the memory of the last large answer, so that the next one need not grow and the kernel
  // need not provide pages again. Unused memory is freed after a tick.
  void TakeBody(std::string body);
  void LendBody(std::string* body);

 private:
  // Adds to `closed` for each connection, so the count is right even if an exception ends it.
  void CloseIdle(size_t* closed);
  void ScheduleTick();
  void Tick();
  void StopWhenEmpty();

  SharedState* const shared_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  const std::chrono::milliseconds tick_;
  std::vector<std::shared_ptr<LoopMember>> members_;
  SteadyTime now_;
  SteadyTime stop_deadline_;
  bool finishing_ = false;
  bool is_tick_due_ = false;  // the timer is set
  uint64_t uses_ = 0;
  int64_t date_second_ = 0;
  std::string date_;
  std::string spare_body_;
  bool is_spare_used_ = false;  // since the last tick
  std::unique_ptr<LoopCompanion> companion_;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_EVENT_LOOP_H_
