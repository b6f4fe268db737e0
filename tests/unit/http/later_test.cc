// Answers that come later, from the loop: in order, also behind exceptions, gone clients and the
// server's end.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/base/strings.h"
#include "tests/unit/http/raw_client.h"
#include "tools/server/http/event_loop.h"
#include "tools/server/http/server.h"

namespace dynolith::http {
namespace {

class ClosingCompanion final : public LoopCompanion {
 public:
  explicit ClosingCompanion(std::atomic<int>* closed) : closed_(closed) {}
  void Close() override { ++*closed_; }

 private:
  std::atomic<int>* const closed_;
};

// Sends bodies of a letter, in parts.
class Parts final : public PartSender, public std::enable_shared_from_this<Parts> {
 public:
  static constexpr size_t kPartBytes = 100'000;
  static constexpr int kParts = 20;
  // More than the sockets' buffers take.
  static constexpr int kManyParts = 1'000'000;

  // `last`: the part at which it gives up.
  Parts(std::shared_ptr<PendingAnswer> pending, int parts, int last)
      : pending_(std::move(pending)), parts_(parts), last_(last) {}
  void Begin() {
    pending_->response()->body.assign(kPartBytes, 'x');
    pending_->BeginParts(kPartBytes * parts_, shared_from_this());
  }
  void OnWritten() override {
    ++sent_;
    if (sent_ == last_) return pending_->GiveUp();
    pending_->AddPart(std::string(kPartBytes, 'x'));
  }
  void OnGone() override { gone = true; }

  static std::atomic<bool> gone;

 private:
  const std::shared_ptr<PendingAnswer> pending_;
  const int parts_;
  const int last_;
  int sent_ = 0;
};
std::atomic<bool> Parts::gone = false;

// Answers with the path: "/now" within Begin, "/thrown" never, "/kept…" when it is told to, and
// others in a later turn of the loop.
class LaterHandler final : public Handler {
 public:
  Lane ChooseLane(const Request& /*request*/) const override { return Lane::kLater; }
  std::unique_ptr<LoopCompanion> MakeCompanion(EventLoop* loop) override {
    loop_ = loop;
    return std::make_unique<ClosingCompanion>(&closed);
  }
  void Handle(const Request& /*request*/, Response* /*response*/) override { std::abort(); }

  void Begin(EventLoop* loop, std::shared_ptr<PendingAnswer> pending) override {
    EXPECT_EQ(loop, loop_);
    EXPECT_NE(loop->companion(), nullptr);
    const std::string_view path = pending->request().path();
    if (path == "/thrown") throw std::bad_alloc();
    if (path == "/now") return Answer(*pending);
    if (path.starts_with("/parts")) {
      const int parts = path == "/parts/many" ? Parts::kManyParts : Parts::kParts;
      const int last = path == "/parts/cut" ? 3 : INT_MAX;
      boost::asio::post(loop->context(), [pending = std::move(pending), parts, last] {
        std::make_shared<Parts>(pending, parts, last)->Begin();
      });
      return;
    }
    if (path.starts_with("/kept")) {
      absl::MutexLock lock(&mutex_);
      kept_.push_back(std::move(pending));
      return;
    }
    boost::asio::post(loop->context(), [pending = std::move(pending)] { Answer(*pending); });
  }

  // Once so many are kept.
  void AnswerKept(size_t count) { AnswerNow(TakeKept(count)); }
  void AnswerNow(std::vector<std::shared_ptr<PendingAnswer>> kept) {
    boost::asio::post(loop_->context(), [kept = std::move(kept)] {
      // Of several connections the last one first.
      std::for_each(kept.rbegin(), kept.rend(), [](const auto& each) { Answer(*each); });
    });
  }
  std::vector<std::shared_ptr<PendingAnswer>> TakeKept(size_t count) {
    absl::MutexLock lock(&mutex_);
    const auto is_there = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return kept_.size() == count;
    };
    mutex_.Await(absl::Condition(&is_there));
    return std::exchange(kept_, {});
  }

  std::atomic<int> closed = 0;

 private:
  static void Answer(PendingAnswer& pending) {
    pending.response()->body = pending.request().path();
    pending.Finish();
  }

  EventLoop* loop_ = nullptr;  // of one
  absl::Mutex mutex_;
  std::vector<std::shared_ptr<PendingAnswer>> kept_ ABSL_GUARDED_BY(mutex_);
};

class LaterTest : public ::testing::Test {
 protected:
  void Start(absl::Duration stop_timeout = absl::Seconds(5)) {
    auto server = Server::Start({.port = 0, .threads = 1, .stop_timeout = stop_timeout}, &handler_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::move(*server);
  }
  RawClient Connect() { return RawClient(server_->port()); }
  static std::string Get(std::string_view path) {
    return Concat("GET ", path, " HTTP/1.1\r\n\r\n");
  }

  LaterHandler handler_;
  std::unique_ptr<Server> server_;
};

TEST_F(LaterTest, AnswersKeepTheirOrder) {
  Start();
  RawClient client = Connect();
  std::string requests;
  std::vector<std::string> expected;
  for (int i = 0; i < 50; ++i) {
    for (const std::string& path :
         {std::string("/now"), Concat("/later", i), std::string("/now")}) {
      requests += Get(path);
      expected.push_back(path);
    }
  }
  client.Send(requests);
  for (const std::string& path : expected) ASSERT_EQ(client.Receive().body, path);
}

TEST_F(LaterTest, TheLoopServesOthersMeanwhile) {
  Start();
  RawClient first = Connect();
  RawClient second = Connect();
  first.Send(Get("/kept1") + Get("/now"));
  second.Send(Get("/kept2"));
  EXPECT_EQ(Connect().Call(Get("/now")).body, "/now");
  handler_.AnswerKept(2);
  EXPECT_EQ(second.Receive().body, "/kept2");
  EXPECT_EQ(first.Receive().body, "/kept1");
  EXPECT_EQ(first.Receive().body, "/now");
}

TEST_F(LaterTest, AnExceptionIsAnAnswer) {
  Start();
  RawClient client = Connect();
  client.Send(Get("/thrown") + Get("/later"));
  EXPECT_EQ(client.Receive().status, 503);
  EXPECT_EQ(client.Receive().body, "/later");
}

TEST_F(LaterTest, ABodyMayComeInParts) {
  Start();
  RawClient client = Connect();
  client.Send(Get("/now") + Get("/parts") + Get("/later") + Get("/parts") + Get("/half") +
              Get("/parts/cut"));
  const std::string body(Parts::kPartBytes * Parts::kParts, 'x');
  EXPECT_EQ(client.Receive().body, "/now");
  EXPECT_TRUE(client.Receive().body == body);
  EXPECT_EQ(client.Receive().body, "/later");
  EXPECT_TRUE(client.Receive().body == body);
  EXPECT_EQ(client.Receive().body, "/half");
  EXPECT_EQ(client.Receive().status, 0);
}

TEST_F(LaterTest, TheSenderOfPartsIsToldThatTheClientHasGone) {
  Parts::gone = false;
  Start();
  {
    RawClient client = Connect();
    client.Send(Get("/parts/many"));
    char byte = 0;
    ASSERT_EQ(recv(client.socket(), &byte, 1, 0), 1);
  }
  while (!Parts::gone) std::this_thread::yield();
  EXPECT_EQ(Connect().Call(Get("/now")).body, "/now");
}

TEST_F(LaterTest, AnAnswerForNobodyIsDropped) {
  Start();
  { Connect().Send(Get("/kept")); }
  handler_.AnswerKept(1);
  EXPECT_EQ(Connect().Call(Get("/later")).body, "/later");
}

TEST_F(LaterTest, TheEndWaitsForAnswersAndThenClosesWhatTheHandlerKeeps) {
  Start(absl::Minutes(5));
  RawClient idle = Connect();
  EXPECT_EQ(idle.Call(Get("/now")).status, 200);
  RawClient client = Connect();
  client.Send(Get("/kept"));
  std::vector<std::shared_ptr<PendingAnswer>> kept = handler_.TakeKept(1);
  std::thread end([&] { server_->Stop(); });
  // The loop closes connections that are idle once it is ending; the server may stop accepting
  // before.
  EXPECT_EQ(idle.Receive().status, 0);
  EXPECT_EQ(handler_.closed, 0);
  handler_.AnswerNow(std::move(kept));
  const http::Answer answer = client.Receive();
  EXPECT_EQ(answer.body, "/kept");
  EXPECT_EQ(answer.Header("Connection"), "close");
  end.join();
  EXPECT_GE(handler_.closed, 1);
}

TEST_F(LaterTest, TheEndIsBounded) {
  Start(absl::Milliseconds(50));
  RawClient client = Connect();
  client.Send(Get("/kept"));
  const std::vector<std::shared_ptr<PendingAnswer>> kept = handler_.TakeKept(1);
  server_->Stop();
  EXPECT_EQ(client.Receive().status, 0);
  EXPECT_GE(handler_.closed, 1);
}

}  // namespace
}  // namespace dynolith::http
