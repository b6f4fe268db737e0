// A server whose threads get no memory for a while goes on when there is some again.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <thread>

#include "absl/synchronization/notification.h"
#include "tests/unit/allocation_counter.h"
#include "tests/unit/http/raw_client.h"
#include "tools/server/http/server.h"
#include "tools/server/http/worker_pool.h"

namespace dynolith::http {
namespace {

// Why: such work was in the queue without an owner, and the next look at the queue crashed.
TEST(WithoutMemory, WorkIsNotQueued) {
  const std::unique_ptr<WorkerPool> pool = WorkerPool::Start({.threads = 1}).value();
  absl::Notification gate, is_over;
  std::atomic<int> done = 0;
  pool->Add({.caller = 99}, [&] { gate.WaitForNotification(); });
  const auto has_room_with = [&](int allocations) {
    // A caller whom it does not know takes memory.
    const WorkOwner owner = {.caller = static_cast<uint64_t>(allocations)};
    thread_allocations_left = allocations;
    bool has_room = true;
    try {
      pool->Add(owner, [&done] { ++done; });
    } catch (const std::bad_alloc&) {
      has_room = false;
    }
    thread_allocations_left = -1;
    return has_room;
  };
  int allocations = 0;
  while (!has_room_with(allocations)) ++allocations;
  EXPECT_GT(allocations, 1);
  pool->Add({.caller = 98}, [&] { is_over.Notify(); });
  gate.Notify();
  is_over.WaitForNotification();
  EXPECT_EQ(done, 1);
}

class HelloHandler : public Handler {
 public:
  Lane ChooseLane(const Request& /*request*/) const override { return Lane::kLoop; }
  void Handle(const Request& /*request*/, Response* response) override { response->body = "hello"; }
};

// Why: without memory for the connection that had come, nothing waited for the next one any more.
TEST(WithoutMemory, ConnectionsAreAcceptedAfterwards) {
  is_thread_spared = true;
  HelloHandler handler;
  const std::unique_ptr<Server> server = Server::Start({.port = 0, .threads = 1}, &handler).value();
  constexpr int kMost = 12;
  for (int allocations = 0; allocations < kMost; ++allocations) {
    shared_allocations_left = allocations;
    RawClient unlucky(server->port());
    unlucky.Send("GET / HTTP/1.1\r\n\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    shared_allocations_left = -1;
    RawClient client(server->port());
    EXPECT_EQ(client.Call("GET / HTTP/1.1\r\n\r\n").body, "hello") << allocations;
  }
  server->Stop();
  is_thread_spared = false;
}

}  // namespace
}  // namespace dynolith::http
