// One thread's share of the server: its event loop, its connections and its coarse clock.
#ifndef DYNOLITH_TOOLS_HTTP_EVENT_LOOP_H_
#define DYNOLITH_TOOLS_HTTP_EVENT_LOOP_H_

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
#include "tools/http/handler.h"
#include "tools/http/server_options.h"

namespace dynolith::http {

using SteadyTime = std::chrono::steady_clock::time_point;

// What all loops share. Constant after the start, but for the counters.
struct SharedState {
  ServerOptions options;
  Handler* handler = nullptr;
  // By lane; nullptr: none.
  std::array<WorkerPool*, kLanes> workers{};
  std::atomic<size_t> connections{0};
  std::atomic<size_t> buffered_bytes{0};
  std::atomic<size_t> unread_bytes{0};  // of answers that clients have not taken yet

  // Tells the owner, but of each kind of event only once in a while. `what` is called if it does.
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
  // Called about four times per shortest timeout: acts if a deadline has passed.
  virtual void OnTick(SteadyTime now) = 0;
  // Close when idle, after the request under way otherwise.
  virtual void FinishAndClose() = 0;
  virtual void CloseNow() = 0;
  // Now or in a moment, unless a request has arrived. Whether it is closed.
  virtual bool CloseIfIdle() = 0;
  // Less for who has been idle for longer; nullopt: it is not idle. A request may have arrived.
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

  // Runs until Finish has been called and the last connection is gone.
  void Run();
  // From any thread: closes the least recently used of the idle connections, some of them, and
  // calls `closed` with their number on its own thread.
  void MakeRoom(std::function<void(size_t)> closed);
  // From any thread: lets no connection begin another request, see Server::Stop.
  void Finish();

  // The rest is for the loop's own thread.
  void Add(std::shared_ptr<LoopMember> member);
  void Remove(LoopMember* member);
  bool finishing() const { return finishing_; }
  // Grows with each call.
  uint64_t NextUse() { return ++uses_; }
  // As of the last tick: cheap, and precise enough for timeouts.
  SteadyTime now() const { return now_; }
  // For the Date header, printed once a second.
  std::string_view date();
  // The memory of the last large answer, if it is free: the next one need not grow, nor ask the
  // kernel for its pages. What nobody has used for a tick goes.
  void TakeBody(std::string body);
  void LendBody(std::string* body);

 private:
  // `closed` counts them, also of those before something is thrown.
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
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_HTTP_EVENT_LOOP_H_
