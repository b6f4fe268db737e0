// The server on real sockets: order, limits, timeouts, crowds and the end.
#include "tools/server/http/server.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "engine/base/strings.h"
#include "tests/unit/http/raw_client.h"
#include "tests/unit/sleeping_thread.h"

namespace dynolith::http {
namespace {

using ::dynolith::testing::SleepingThread;
using std::chrono::milliseconds;

// Far less than what would be waited for otherwise, and far more than a busy machine takes.
constexpr std::chrono::minutes kHardly(5);

// Answers with method, target and body; "/wait" waits until the test opens the gate; "/late" and
// "/later" are sent later, "/dropped" never; "/bytes/3" has a body of 300,000 times 3.
class EchoHandler : public Handler {
 public:
  Lane ChooseLane(const Request& request) const override {
    const bool on_worker = request.path() == "/wait" || request.path().starts_with("/worker/");
    return on_worker ? Lane::kBrief : Lane::kLoop;
  }

  void Handle(const Request& request, Response* response) override {
    ++handled;
    if (request.path().ends_with("/full")) throw std::bad_alloc();
    if (request.path().ends_with("/threads")) {
      throw std::system_error(EAGAIN, std::generic_category());
    }
    if (request.path().ends_with("/broken")) throw std::runtime_error("broken");
    if (request.path() == "/wait") gate.WaitForNotification();
    if (request.path() == "/large") {
      response->body.assign(8 << 20, 'x');
      return;
    }
    constexpr std::string_view kBytes = "/bytes/";
    if (request.path().starts_with(kBytes)) {
      const char digit = request.path()[kBytes.size()];
      response->body.append(static_cast<size_t>(digit - '0') * 100'000, digit);
      return;
    }
    if (request.path() == "/late") response->delay = absl::Milliseconds(200);
    if (request.path() == "/later") response->delay = absl::Minutes(10);
    response->is_dropped = request.path() == "/dropped";
    if (request.path() == "/door") response->AddHeader("X-Door", std::to_string(request.door));
    response->AddHeader("X-Echo", "yes");
    response->body = Concat(request.method_text, " ", request.target, " ", request.body);
  }

  std::atomic<int> handled{0};
  absl::Notification gate;
};

// What the server has told its owner.
class Warnings {
 public:
  std::function<void(std::string_view)> Taker() {
    return [this](std::string_view text) {
      absl::MutexLock lock(&mutex_);
      texts_.emplace_back(text);
    };
  }
  std::vector<std::string> All() {
    absl::MutexLock lock(&mutex_);
    return texts_;
  }

 private:
  absl::Mutex mutex_;
  std::vector<std::string> texts_;
};

class ServerTest : public ::testing::Test {
 protected:
  void Start(ServerOptions options = {}) {
    options.port = 0;
    if (options.threads == 0) options.threads = 2;
    auto server = Server::Start(options, &handler_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::move(*server);
  }
  RawClient Connect() { return RawClient(server_->port()); }

  // Waits for the loops to notice something; false after a long while.
  template <typename Condition>
  bool Eventually(Condition condition) {
    for (int i = 0; i < 6000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }
  // Stops, and says how long it took.
  std::chrono::steady_clock::duration TimeOfStop() {
    const auto start = std::chrono::steady_clock::now();
    server_->Stop();
    return std::chrono::steady_clock::now() - start;
  }

  EchoHandler handler_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersAndKeepsTheConnection) {
  Start();
  RawClient client = Connect();
  for (int i = 0; i < 3; ++i) {
    const Answer answer =
        client.Call("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "POST /a body");
    EXPECT_EQ(answer.Header("X-Echo"), "yes");
    EXPECT_EQ(answer.Header("Connection"), "keep-alive");
    EXPECT_EQ(answer.Header("Server"), "Server");
    EXPECT_TRUE(answer.Header("Date").ends_with(" GMT"));
  }
}

TEST_F(ServerTest, RequestsSayByWhichPortTheyCame) {
  Start({.more_ports = {0, 0}});
  const std::vector<uint16_t> ports = server_->ports();
  ASSERT_EQ(ports.size(), 3);
  EXPECT_EQ(ports.front(), server_->port());
  for (const size_t door : {2, 0, 1, 2}) {
    RawClient client(ports[door]);
    for (int i = 0; i < 2; ++i) {
      client.Send("GET /door HTTP/1.1\r\nHost: a\r\n\r\n");
      EXPECT_EQ(client.Receive().Header("X-Door"), std::to_string(door));
    }
  }
  server_->Stop();
  for (const uint16_t port : ports) EXPECT_FALSE(RawClient(port).connected());
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrder) {
  Start({.brief_workers = 2});
  RawClient client = Connect();
  constexpr int kRequests = 500;
  std::string bytes;
  for (int i = 0; i < kRequests; ++i) {
    if (i % 2 == 0) {
      bytes += Concat("GET /", i, " HTTP/1.1\r\n\r\n");
    } else {
      bytes +=
          Concat("POST /", i, " HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n");
    }
  }
  std::thread sender([&] { client.Send(bytes); });
  for (int i = 0; i < kRequests; ++i) {
    ASSERT_EQ(client.Receive().body,
              i % 2 == 0 ? Concat("GET /", i, " ") : Concat("POST /", i, " z"));
  }
  sender.join();
}

// A large one is written from where it is, and gets the memory of the one before it.
TEST_F(ServerTest, LargeAnswersStandBetweenSmallOnes) {
  Start({.threads = 1});
  RawClient client = Connect();
  constexpr int kTurns = 5;
  std::string requests;
  for (int i = 0; i < kTurns; ++i) {
    for (const char* target : {"/bytes/1", "/a", "/bytes/7", "/bytes/2", "/b"}) {
      requests += Concat("GET ", target, " HTTP/1.1\r\n\r\n");
    }
  }
  std::thread sender([&] { client.Send(requests); });
  for (int i = 0; i < kTurns; ++i) {
    EXPECT_TRUE(client.Receive().body == std::string(100'000, '1'));
    EXPECT_EQ(client.Receive().body, "GET /a ");
    EXPECT_TRUE(client.Receive().body == std::string(700'000, '7'));
    EXPECT_TRUE(client.Receive().body == std::string(200'000, '2'));
    EXPECT_EQ(client.Receive().body, "GET /b ");
  }
  sender.join();
}

TEST_F(ServerTest, DelayedAnswersKeepOrderAndTheLoopGoesOn) {
  Start({.threads = 1, .brief_workers = 1});
  RawClient never = Connect();
  never.Send("GET /later HTTP/1.1\r\n\r\n");  // in ten minutes
  ASSERT_TRUE(Eventually([&] { return handler_.handled == 1; }));
  RawClient late = Connect();
  const auto start = std::chrono::steady_clock::now();
  late.Send("GET /late HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n");
  RawClient other = Connect();
  EXPECT_EQ(other.Call("GET /a HTTP/1.1\r\n\r\n").body, "GET /a ");
  EXPECT_EQ(late.Receive().body, "GET /late ");
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(200));
  EXPECT_EQ(late.Receive().body, "GET /b ");
}

TEST_F(ServerTest, DelayedAnswersDoNotDelayTheEnd) {
  Start({.threads = 1, .stop_timeout = absl::Minutes(1)});
  RawClient client = Connect();
  client.Send("GET /later HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(Eventually([&] { return handler_.handled == 1; }));
  server_->Stop();
  const Answer answer = client.Receive();
  EXPECT_EQ(answer.body, "GET /later ");
  EXPECT_EQ(answer.Header("Connection"), "close");
}

TEST_F(ServerTest, DroppedAnswerClosesBehindTheOnesBefore) {
  for (const int workers : {0, 1}) {
    Start({.brief_workers = workers});
    RawClient client = Connect();
    client.Send("GET /a HTTP/1.1\r\n\r\nGET /dropped HTTP/1.1\r\n\r\n");
    EXPECT_EQ(client.Receive().body, "GET /a ");
    EXPECT_EQ(client.Receive().status, 0);
    RawClient alone = Connect();
    EXPECT_EQ(alone.Call("GET /dropped HTTP/1.1\r\n\r\n").status, 0);
    EXPECT_TRUE(Eventually([&] { return server_->counters().connections <= 1; }));
  }
}

TEST_F(ServerTest, WorkersKeepOrderAndTheLoopGoesOn) {
  Start({.threads = 1, .brief_workers = 1});
  RawClient waiting = Connect();
  waiting.Send("GET /first HTTP/1.1\r\n\r\nGET /wait HTTP/1.1\r\n\r\nGET /last HTTP/1.1\r\n\r\n");
  EXPECT_EQ(waiting.Receive().body, "GET /first ");
  RawClient other = Connect();
  EXPECT_EQ(other.Call("GET /other HTTP/1.1\r\n\r\n").body, "GET /other ");
  // The worker may come to "/wait" after the loop has answered "/other".
  EXPECT_TRUE(Eventually([&] { return handler_.handled == 3; }));  // not "/last"
  handler_.gate.Notify();
  EXPECT_EQ(waiting.Receive().body, "GET /wait ");
  EXPECT_EQ(waiting.Receive().body, "GET /last ");
}

TEST_F(ServerTest, HeadHasNoBody) {
  Start();
  RawClient client = Connect();
  client.Send("HEAD /h HTTP/1.1\r\n\r\nGET /g HTTP/1.1\r\n\r\n");
  const Answer head = client.Receive(/*to_head=*/true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.Header("Content-Length"), "8");
  EXPECT_EQ(client.Receive().body, "GET /g ");
}

TEST_F(ServerTest, OldClientsAndCloseEndTheConnection) {
  Start();
  for (const char* request :
       {"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"}) {
    RawClient client = Connect();
    const Answer answer = client.Call(request);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.Header("Connection"), "close");
    EXPECT_TRUE(client.ClosedWithin(std::chrono::minutes(1)));
  }
  RawClient kept = Connect();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(kept.Call("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").status, 200);
  }
}

TEST_F(ServerTest, ExpectContinue) {
  Start();
  RawClient client = Connect();
  const Answer go =
      client.Call("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(go.status, 100);
  EXPECT_EQ(client.Call("ok").body, "POST / ok");
}

TEST_F(ServerTest, MalformedGets400AndClose) {
  Start();
  RawClient client = Connect();
  const Answer answer = client.Call("GET / HTTP/1.1\r\nbad line\r\n\r\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.Header("Connection"), "close");
  EXPECT_TRUE(client.ClosedWithin(std::chrono::minutes(1)));
  EXPECT_EQ(handler_.handled, 0);
}

TEST_F(ServerTest, OversizedHeadGets400EvenIfTheClientGoesOnSending) {
  Start();
  RawClient client = Connect();
  client.Send("GET / HTTP/1.1\r\nA: ");
  const std::string piece(64 << 10, 'x');
  for (int i = 0; i < 16; ++i) client.Send(piece);
  EXPECT_EQ(client.Receive().status, 400);
}

TEST_F(ServerTest, OversizedBodyGets413AfterTheClientHasSentAllOfIt) {
  Start();
  const std::string body((16 << 20) + 1, 'x');
  RawClient client = Connect();
  client.Send(Concat("POST / HTTP/1.1\r\nContent-Length: ", body.size(), "\r\n\r\n"));
  ASSERT_TRUE(client.Send(body));
  const Answer answer = client.Receive();
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.Header("Transfer-Encoding"), "chunked");
  EXPECT_EQ(answer.Header("x-amzn-RequestId"), "");

  RawClient exact = Connect();
  exact.Send("POST / HTTP/1.1\r\nContent-Length: 16777216\r\n\r\n");
  ASSERT_TRUE(exact.Send(std::string_view(body).substr(1)));
  EXPECT_EQ(exact.Receive().body.size(), body.size() - 1 + 7);
}

TEST_F(ServerTest, IdleConnectionsAreClosedInTime) {
  Start({.idle_timeout = absl::Milliseconds(100)});
  RawClient silent = Connect();
  EXPECT_TRUE(silent.ClosedWithin(std::chrono::minutes(1)));
  // A client that gets no processor for so long is closed before it has spoken.
  EXPECT_TRUE(Eventually([&] {
    RawClient spoken = Connect();
    if (spoken.Call("GET / HTTP/1.1\r\n\r\n").status != 200) return false;
    EXPECT_TRUE(spoken.ClosedWithin(std::chrono::minutes(1)));
    return true;
  }));
}

// Slow loris: every byte comes, but so slowly that the request would never be complete.
TEST_F(ServerTest, SlowRequestsGet408) {
  Start({.request_timeout = absl::Milliseconds(300)});
  RawClient client = Connect();
  client.Send("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(Eventually([&] {
    pollfd poll{.fd = client.socket(), .events = POLLIN, .revents = 0};
    return !client.Send("a") || ::poll(&poll, 1, 0) > 0;
  }));
  EXPECT_EQ(client.Receive().status, 408);
  EXPECT_EQ(handler_.handled, 0);
}

TEST_F(ServerTest, ClientsThatDoNotReadAreClosedAndHoldUpNobody) {
  Start({.threads = 1, .write_timeout = absl::Milliseconds(200)});
  RawClient stuck = Connect();
  std::string requests;
  for (int i = 0; i < 100; ++i) requests += "GET /large HTTP/1.1\r\n\r\n";
  stuck.Send(requests);
  RawClient other = Connect();
  EXPECT_EQ(other.Call("GET /other HTTP/1.1\r\n\r\n").body, "GET /other ");
  // One answer at a time waits in memory: the others have not been made.
  EXPECT_LT(handler_.handled, 10);
  EXPECT_TRUE(Eventually([&] { return server_->counters().connections == 1; }));
}

TEST_F(ServerTest, BufferedInputIsLimited) {
  Start({.threads = 1, .buffered_bytes_max = 1 << 20});
  const std::string half =
      "POST / HTTP/1.1\r\nContent-Length: 600000\r\n\r\n" + std::string(599'999, 'x');
  RawClient first = Connect();
  first.Send(half);
  // All of it: whoever has to grow further may be the one that is refused.
  EXPECT_TRUE(Eventually([&] { return server_->counters().buffered_bytes >= half.size(); }));
  for (int i = 0; i < 3; ++i) {
    RawClient next = Connect();
    next.Send(half);
    EXPECT_EQ(next.Receive().status, 503);
    EXPECT_LE(server_->counters().buffered_bytes, size_t{1} << 20);
  }
  EXPECT_EQ(first.Call("x").status, 200);
}

size_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// A third each is idle from the start, idle after a request, and in the middle of a head.
TEST_F(ServerTest, ThousandsOfIdleConnectionsCostLittle) {
  Start({.idle_timeout = absl::Minutes(5)});
  constexpr int kConnections = 3000;
  std::vector<RawClient> clients;
  clients.reserve(kConnections);
  const size_t before = ResidentBytes();
  for (int i = 0; i < kConnections; ++i) {
    clients.push_back(Connect());
    ASSERT_TRUE(clients.back().connected()) << i;
    if (i % 3 == 1) {
      ASSERT_EQ(clients.back().Call("GET / HTTP/1.1\r\n\r\n").status, 200);
    } else if (i % 3 == 2) {
      clients.back().Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16777216\r\n\r\nabc");
    }
  }
  EXPECT_TRUE(Eventually([&] { return server_->counters().connections == kConnections; }));
  RawClient other = Connect();
  EXPECT_EQ(other.Call("GET /other HTTP/1.1\r\n\r\n").body, "GET /other ");
  EXPECT_LE(server_->counters().buffered_bytes, kConnections * (8u << 10));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(ResidentBytes(), before + kConnections * size_t{16 << 10});
#else
  EXPECT_GT(before, 0u);
#endif
  clients.clear();
  EXPECT_TRUE(Eventually([&] { return server_->counters().connections == 1; }));
  EXPECT_LE(server_->counters().buffered_bytes, 8u << 10);
}

TEST_F(ServerTest, MemoryOfALargeRequestIsGivenBack) {
  // The shortest time-out decides how often the loops look around; a client that gets no processor
  // must not run into one.
  Start({.idle_timeout = absl::Minutes(5), .stop_timeout = absl::Milliseconds(100)});
  RawClient client = Connect();
  const std::string body(50'000, 'x');
  const std::string request =
      Concat("POST / HTTP/1.1\r\nContent-Length: ", body.size(), "\r\n\r\n", body);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.Call(request).status, 200);
    EXPECT_TRUE(Eventually([&] { return server_->counters().buffered_bytes <= 4096; }));
  }
}

// Not the one that was there first, but the one that was used least recently.
TEST_F(ServerTest, IdleConnectionsMakeRoomForNewOnes) {
  Warnings warnings;
  Start({.threads = 1, .connections_max = 3, .warn = warnings.Taker()});
  RawClient first = Connect();
  RawClient second = Connect();
  RawClient third = Connect();
  for (RawClient* client : {&first, &second, &third, &first}) {
    ASSERT_EQ(client->Call("GET / HTTP/1.1\r\n\r\n").status, 200);
  }
  RawClient fourth = Connect();
  EXPECT_EQ(fourth.Call("GET / HTTP/1.1\r\n\r\n").status, 200);
  EXPECT_TRUE(second.ClosedWithin(std::chrono::minutes(1)));
  EXPECT_EQ(first.Call("GET / HTTP/1.1\r\n\r\n").status, 200);
  EXPECT_EQ(third.Call("GET / HTTP/1.1\r\n\r\n").status, 200);
  ASSERT_EQ(warnings.All().size(), 1u);
  EXPECT_NE(warnings.All()[0].find("closed 1 idle ones, the least recently used"),
            std::string::npos);
}

TEST_F(ServerTest, BusyConnectionsMakeNoRoom) {
  Warnings warnings;
  Start({.threads = 1, .brief_workers = 1, .connections_max = 1, .warn = warnings.Taker()});
  RawClient busy = Connect();
  busy.Send("GET /wait HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(Eventually([&] { return handler_.handled == 1; }));
  RawClient second = Connect();  // one more, for which an idle one might have closed
  second.Send("GET /half HT");
  ASSERT_TRUE(Eventually([&] { return server_->counters().connections == 2; }));
  RawClient third = Connect();
  EXPECT_TRUE(third.ClosedWithin(std::chrono::minutes(1)));
  ASSERT_TRUE(Eventually([&] { return !warnings.All().empty(); }));
  EXPECT_NE(warnings.All()[0].find("none is idle"), std::string::npos) << warnings.All()[0];
  handler_.gate.Notify();
  EXPECT_EQ(busy.Receive().status, 200);
}

// Whatever a handler throws, its connection gets an answer, and all others go on.
TEST_F(ServerTest, WhatHandlersThrow) {
  Warnings warnings;
  Start({.threads = 1, .brief_workers = 1, .warn = warnings.Taker()});
  const auto start = std::chrono::steady_clock::now();
  for (const char* lane : {"", "/worker"}) {
    for (const auto& [path, status] :
         {std::pair("/full", 503), std::pair("/threads", 503), std::pair("/broken", 500)}) {
      RawClient client = Connect();
      const Answer answer = client.Call(Concat("GET ", lane, path, " HTTP/1.1\r\n\r\n"));
      EXPECT_EQ(answer.status, status) << lane << path;
      EXPECT_EQ(answer.body, "");
      EXPECT_EQ(client.Call("GET /after HTTP/1.1\r\n\r\n").body, "GET /after ");
    }
  }
  // One line every ten seconds, however many there are.
  const auto pauses = (std::chrono::steady_clock::now() - start) / std::chrono::seconds(10);
  EXPECT_FALSE(warnings.All().empty());
  EXPECT_LE(warnings.All().size(), 1 + static_cast<size_t>(pauses));
}

// Answers that clients do not read take no memory without bound.
TEST_F(ServerTest, UnreadAnswersAreLimited) {
  Start({.threads = 1, .buffered_bytes_max = 1 << 20});
  std::vector<RawClient> clients;
  // More than the kernel takes off the server's hands.
  for (int i = 0; i < 4; ++i) {
    clients.push_back(Connect());
    const int small = 4096;
    setsockopt(clients.back().socket(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    clients.back().Send("GET /large HTTP/1.1\r\n\r\n");
  }
  EXPECT_TRUE(Eventually([&] { return Connect().Call("GET / HTTP/1.1\r\n\r\n").status == 503; }));
  // Who is refused is told so at once.
  RawClient client = Connect();
  EXPECT_EQ(client.Call("GET / HTTP/1.1\r\n\r\n").status, 503);
  clients.clear();
  EXPECT_TRUE(Eventually([&] { return Connect().Call("GET / HTTP/1.1\r\n\r\n").status == 200; }));
}

// The largest body is taken beside connections that are idle, however it is sent, and takes little
// more than its own length.
TEST_F(ServerTest, TheLargestBodyIsTaken) {
  constexpr size_t kLargest = 16 << 20;
  Start({.threads = 1, .buffered_bytes_max = kLargest + (2 << 20)});
  RawClient idle = Connect();
  ASSERT_EQ(idle.Call("GET / HTTP/1.1\r\n\r\n").status, 200);
  for (const size_t size : {size_t{8 << 20} + 1, kLargest}) {
    const std::string body(size, 'x');
    RawClient client = Connect();
    EXPECT_EQ(
        client.Call(Concat("POST / HTTP/1.1\r\nContent-Length: ", size, "\r\n\r\n", body)).status,
        200)
        << size;
    RawClient chunked = Connect();
    EXPECT_EQ(chunked
                  .Call(Concat("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
                               absl::StrFormat("%x", size), "\r\n", body, "\r\n0\r\n\r\n"))
                  .status,
              200)
        << size;
  }
}

TEST_F(ServerTest, StopFinishesWhatIsUnderWay) {
  Start({.brief_workers = 1, .stop_timeout = absl::Minutes(1), .head_grace = absl::Minutes(1)});
  RawClient idle = Connect();
  EXPECT_EQ(idle.Call("GET / HTTP/1.1\r\n\r\n").status, 200);
  RawClient working = Connect();
  working.Send("GET /wait HTTP/1.1\r\n\r\n");
  RawClient half = Connect();
  // What stands behind an answered one has been read with it.
  EXPECT_EQ(half.Call("GET /a HTTP/1.1\r\n\r\nGET /half HT").status, 200);
  EXPECT_TRUE(Eventually([&] { return handler_.handled == 3; }));
  std::thread stopper([&] { server_->Stop(); });
  EXPECT_TRUE(idle.ClosedWithin(std::chrono::minutes(1)));
  half.Send("TP/1.1\r\n\r\n");
  const Answer late = half.Receive();
  EXPECT_EQ(late.body, "GET /half ");
  EXPECT_EQ(late.Header("Connection"), "close");
  handler_.gate.Notify();
  EXPECT_EQ(working.Receive().body, "GET /wait ");
  stopper.join();
  EXPECT_FALSE(RawClient(server_->port()).connected());
}

// Everything is said to a client that does not close.
TEST_F(ServerTest, StopHardlyWaitsForWhoHasHisAnswer) {
  Start({.stop_timeout = absl::Minutes(10)});
  RawClient refused = Connect();
  EXPECT_EQ(refused.Call("rubbish\r\n\r\n").status, 400);
  EXPECT_LT(TimeOfStop(), kHardly);
}

TEST_F(ServerTest, StopWaitsForNoStraggler) {
  Start({.request_timeout = absl::Minutes(10),
         .stop_timeout = absl::Milliseconds(100),
         .head_grace = absl::Minutes(10)});
  RawClient half = Connect();
  half.Send("GET /half HT");
  EXPECT_TRUE(Eventually([&] { return server_->counters().buffered_bytes > 0; }));
  EXPECT_LT(TimeOfStop(), kHardly);
  EXPECT_EQ(server_->counters().connections, 0u);
}

// Far less than the stop timeout, which is for requests whose head has arrived.
TEST_F(ServerTest, StopHardlyWaitsForTheRestOfAHead) {
  Start({.request_timeout = absl::Minutes(10), .stop_timeout = absl::Minutes(10)});
  RawClient half = Connect();
  half.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Le");
  EXPECT_TRUE(Eventually([&] { return server_->counters().buffered_bytes > 0; }));
  EXPECT_LT(TimeOfStop(), kHardly);
}

TEST_F(ServerTest, StopHardlyWaitsForTheRestOfAHeadThatItHasNotRead) {
  Start({.threads = 1, .request_timeout = absl::Minutes(10), .stop_timeout = absl::Minutes(10)});
  RawClient half = Connect();
  EXPECT_EQ(half.Call("GET / HTTP/1.1\r\n\r\n").status, 200);
  RawClient blocked = Connect();
  blocked.Send("GET /wait HTTP/1.1\r\n\r\n");  // without workers, on the loop
  EXPECT_TRUE(Eventually([&] { return handler_.handled == 2; }));
  SleepingThread stopper([&] { EXPECT_LT(TimeOfStop(), kHardly); });
  EXPECT_TRUE(stopper.Sleeps());  // the loop has been told
  half.Send("GET /half HT");
  handler_.gate.Notify();
}

TEST_F(ServerTest, StopKeepsItsTimeBesideALazyTick) {
  // The shortest time-out decides how often the loops look around: once a second here, which would
  // make it 5 s always. A busy machine makes it that now and then.
  std::chrono::steady_clock::duration shortest = std::chrono::hours(1);
  for (int i = 0; i < 20 && shortest > milliseconds(4900); ++i) {
    Start({.stop_timeout = absl::Milliseconds(4500)});
    RawClient half = Connect();
    half.Send("POST /half HTTP/1.1\r\nContent-Length: 5\r\n\r\n");
    EXPECT_TRUE(Eventually([&] { return server_->counters().buffered_bytes > 0; }));
    shortest = std::min(shortest, TimeOfStop());
  }
  EXPECT_GT(shortest, milliseconds(4000));
  EXPECT_LE(shortest, milliseconds(4900));
}

TEST_F(ServerTest, WhatHasNotBegunWhenItStopsIsNotDone) {
  Start({.threads = 1, .brief_workers = 1, .stop_timeout = absl::Milliseconds(100)});
  RawClient first = Connect();
  first.Send("GET /wait HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(Eventually([&] { return handler_.handled == 1; }));
  RawClient second = Connect();
  // What stands behind an answered one has been read with it.
  EXPECT_EQ(second.Call("GET /a HTTP/1.1\r\n\r\nGET /wait HTTP/1.1\r\n\r\n").status, 200);
  std::thread stopper([&] { server_->Stop(); });
  EXPECT_TRUE(Eventually([&] { return server_->counters().connections == 0; }));
  handler_.gate.Notify();
  stopper.join();
  EXPECT_EQ(handler_.handled, 2);
}

TEST_F(ServerTest, NewClientsDoNotWaitForABusyLoop) {
  Start({.threads = 2});  // no workers: "/wait" stops the loop that it is on
  RawClient blocked = Connect();
  blocked.Send("GET /wait HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(Eventually([&] { return handler_.handled == 1; }));
  // Of the next two one is on the other loop, whichever is blocked.
  RawClient one = Connect();
  RawClient two = Connect();
  one.Send("GET /one HTTP/1.1\r\n\r\n");
  two.Send("GET /two HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(Eventually([&] { return handler_.handled == 2; }));
  handler_.gate.Notify();
  EXPECT_EQ(one.Receive().body, "GET /one ");
  EXPECT_EQ(two.Receive().body, "GET /two ");
}

TEST_F(ServerTest, ManyClientsAtOnce) {
  Start({.brief_workers = 2});
  handler_.gate.Notify();
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      RawClient client = Connect();
      for (int i = 0; i < 200; ++i) {
        const std::string target = Concat(i % 3 == 0 ? "/wait?" : "/go?", t, "-", i);
        right += client.Call(Concat("GET ", target, " HTTP/1.1\r\n\r\n")).body ==
                 Concat("GET ", target, " ");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8 * 200);
}

TEST_F(ServerTest, HasItsPortBeforeItListens) {
  auto server = Server::Open({.port = 0, .threads = 2});
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = std::move(*server);
  EXPECT_FALSE(Connect().connected());
  ASSERT_TRUE(server_->Begin(&handler_).ok());
  EXPECT_EQ(Connect().Call("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").body, "GET /a ");
  // Two that have not begun may have one port, of which one begins.
  auto first = Server::Open({.port = 0});
  auto second = Server::Open({.port = (*first)->port()});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE((*second)->Begin(&handler_).ok());
  EXPECT_EQ((*first)->Begin(&handler_).code(), absl::StatusCode::kUnavailable);
}

TEST_F(ServerTest, StartErrors) {
  Start();
  const auto taken = Server::Start({.port = server_->port()}, &handler_);
  EXPECT_EQ(taken.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(std::string(taken.status().message()).find(std::to_string(server_->port())),
            std::string::npos);
  EXPECT_FALSE(Server::Start({.host = "no host at all", .port = 0}, &handler_).ok());
  EXPECT_FALSE(Server::Start({.port = 0, .tls_certificate_file = "a"}, &handler_).ok());
  EXPECT_FALSE(Server::Start({.port = 0, .tls_certificate_file = "/none", .tls_key_file = "/none"},
                             &handler_)
                   .ok());
}

}  // namespace
}  // namespace dynolith::http
