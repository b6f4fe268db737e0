// One thread's share of the server: its event loop, its connections and its coarse clock.
#ifndef DYNOLITH_TOOLS_HTTP_EVENT_LOOP_H_
#define DYNOLITH_TOOLS_HTTP_EVENT_LOOP_H_

#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/http/handler.h"
#include "tools/http/server_options.h"

namespace dynolith::http {

using SteadyTime = std::chrono::steady_clock::time_point;

// What all loops share. Constant after the start, but for the counters.
struct Shared {
  ServerOptions options;
  Handler* handler = nullptr;
  // By lane; nullptr: none.
  std::array<boost::asio::thread_pool*, kLanes> workers{};
  std::atomic<size_t> connections{0};
  std::atomic<size_t> buffered_bytes{0};
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

 private:
  friend class EventLoop;
  size_t place_ = 0;  // in the loop's list
};

class EventLoop {
 public:
  explicit EventLoop(Shared* shared);

  boost::asio::io_context& context() { return context_; }
  Shared& shared() { return *shared_; }

  // Runs until Finish has been called and the last connection is gone.
  void Run();
  // From any thread: lets no connection begin another request, see Server::Stop.
  void Finish();

  // The rest is for the loop's own thread.
  void Add(std::shared_ptr<LoopMember> member);
  void Remove(LoopMember* member);
  bool finishing() const { return finishing_; }
  // As of the last tick: cheap, and precise enough for timeouts.
  SteadyTime now() const { return now_; }
  // For the Date header, printed once a second.
  std::string_view date();
  // The memory of the last large answer, if it is free: the next one need not grow, nor ask the
  // kernel for its pages. What nobody has used for a tick goes.
  void TakeBody(std::string body);
  void LendBody(std::string* body);

 private:
  void ScheduleTick();
  void Tick();
  void StopWhenEmpty();

  Shared* const shared_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  const std::chrono::milliseconds tick_;
  std::vector<std::shared_ptr<LoopMember>> members_;
  SteadyTime now_;
  SteadyTime stop_deadline_;
  bool finishing_ = false;
  int64_t date_second_ = 0;
  std::string date_;
  std::string spare_body_;
  bool is_spare_used_ = false;  // since the last tick
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_HTTP_EVENT_LOOP_H_
