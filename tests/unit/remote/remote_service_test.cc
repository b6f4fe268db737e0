// Calls of a service behind an endpoint: one connection at a time, what is repeated, and tokens.
#include "api/remote/remote_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tests/unit/remote/scripted_server.h"

namespace dynolith::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScriptedAnswer;
using testing::ScriptedServer;

constexpr std::string_view kGetItem = "DynamoDB_20120810.GetItem";
constexpr std::string_view kThrottled =
    R"({"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"})";

class RemoteServiceTest : public ::testing::Test {
 protected:
  RemoteOptions Options() {
    RemoteOptions options{.endpoint = server_.url()};
    options.identity.environment = [](const char*) { return std::string(); };
    options.retries.seed = 1;
    options.retries.sleep = [this](absl::Duration delay) { slept_.push_back(delay); };
    return options;
  }
  std::unique_ptr<RemoteService> Open(const RemoteOptions& options) {
    absl::StatusOr<std::unique_ptr<RemoteService>> service = RemoteService::Open(options);
    EXPECT_TRUE(service.ok()) << service.status();
    return *std::move(service);
  }
  // "200 {}", or the reason for which there is no answer.
  static std::string Called(RemoteService* service, std::string_view target = kGetItem,
                            std::string_view body = "{}") {
    const absl::StatusOr<HttpAnswer> answer = service->Call(target, body);
    if (!answer.ok()) return std::string(MessageOf(answer.status()));
    return Concat(answer->status, " ", answer->body);
  }

  std::deque<ScriptedAnswer> answers_;  // the last one stays
  std::vector<std::string> requests_;
  std::vector<absl::Duration> slept_;
  ScriptedServer server_{[this](const std::string& request) {
    requests_.push_back(request);
    const ScriptedAnswer answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }};
};

TEST_F(RemoteServiceTest, SignsAndKeepsTheConnection) {
  answers_ = {{.body = "{}", .headers = "x-amzn-RequestId: ID\r\n"}};
  const std::unique_ptr<RemoteService> service = Open(Options());
  const absl::StatusOr<HttpAnswer> answer = service->Call(kGetItem, R"({"a":1})");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->request_id, "ID");
  EXPECT_EQ(Called(service.get()), "200 {}");
  EXPECT_THAT(requests_[0], HasSubstr("POST / HTTP/1.1\r\n"));
  EXPECT_THAT(requests_[0], HasSubstr("X-Amz-Target: DynamoDB_20120810.GetItem\r\n"));
  EXPECT_THAT(requests_[0], HasSubstr("Authorization: AWS4-HMAC-SHA256 Credential=dynolith/"));
  EXPECT_TRUE(requests_[0].ends_with("\r\n\r\n{\"a\":1}"));
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(RemoteServiceTest, RepeatsWhatMayPass) {
  answers_ = {
      {.status = 500, .body = R"({"__type":"x#InternalServerError"})"},
      {.status = 400, .body = std::string(kThrottled), .headers = "x-amz-retry-after: 4000\r\n"},
      {.is_lost = true},
      {.body = R"({"Item":{}})"}};
  const std::unique_ptr<RemoteService> service = Open(Options());
  EXPECT_EQ(Called(service.get()), R"(200 {"Item":{}})");
  ASSERT_EQ(slept_.size(), 2);  // the lost one was on a connection that was open: at once
  EXPECT_LT(slept_[0], absl::Milliseconds(25));
  EXPECT_GE(slept_[1], absl::Seconds(4));
}

TEST_F(RemoteServiceTest, GivesUpAndSaysWhatTheServiceSays) {
  answers_ = {{.status = 400, .body = R"({"__type":"x#ValidationException"})"},
              {.status = 400, .body = std::string(kThrottled)}};
  const std::unique_ptr<RemoteService> service = Open(Options());
  EXPECT_EQ(Called(service.get()), R"(400 {"__type":"x#ValidationException"})");
  EXPECT_TRUE(slept_.empty());
  EXPECT_EQ(Called(service.get()), Concat("400 ", kThrottled));
  EXPECT_EQ(slept_.size(), 3);
}

TEST_F(RemoteServiceTest, NobodyAnswers) {
  RemoteOptions options = Options();
  options.endpoint = "http://127.0.0.1:9";
  EXPECT_THAT(Called(Open(options).get()), HasSubstr("cannot ask http://127.0.0.1:9: "));
  EXPECT_EQ(slept_.size(), 3);
  options.endpoint = "127.0.0.1:9";
  EXPECT_THAT(RemoteService::Open(options).status().message(), HasSubstr("no server's address"));
}

TEST_F(RemoteServiceTest, AnIdleConnectionThatTheServerClosedIsNotUsed) {
  answers_ = {{.body = "1", .closes_after = true}, {.body = "2"}};
  const std::unique_ptr<RemoteService> service = Open(Options());
  EXPECT_EQ(Called(service.get()), "200 1");
  server_.AwaitClosed(1);
  EXPECT_EQ(Called(service.get()), "200 2");
  EXPECT_EQ(requests_.size(), 2);
}

std::string TokenIn(const std::string& request) {
  const size_t at = request.find("Token\":\"");
  return at == std::string::npos ? "" : request.substr(at + 8, 32);
}

// A transaction whose answer is lost must not happen twice.
TEST_F(RemoteServiceTest, ATokenIsMadeOnceForAllAttempts) {
  answers_ = {{.status = 503}, {.is_lost = true}, {.body = "{}"}};
  const std::unique_ptr<RemoteService> service = Open(Options());
  const auto call = [&](std::string_view operation, std::string_view body) {
    EXPECT_EQ(Called(service.get(), Concat("DynamoDB_20120810.", operation), body), "200 {}");
    return TokenIn(requests_.back());
  };
  const std::string token = call("TransactWriteItems", R"({"TransactItems":[]})");
  EXPECT_EQ(token.size(), 32);
  ASSERT_EQ(requests_.size(), 3);
  EXPECT_EQ(TokenIn(requests_[0]), token);
  EXPECT_EQ(TokenIn(requests_[1]), token);
  EXPECT_TRUE(requests_[2].ends_with(
      Concat(R"({"ClientRequestToken":")", token, R"(","TransactItems":[]})")));
  EXPECT_NE(call("ExecuteTransaction", "{}"), token);
  EXPECT_TRUE(requests_.back().ends_with(
      Concat(R"({"ClientRequestToken":")", TokenIn(requests_.back()), "\"}")));
  EXPECT_NE(call("ImportTable", "{}"), "");
  call("TransactWriteItems", R"({"ClientRequestToken":"mine"})");
  EXPECT_TRUE(requests_.back().ends_with("\r\n\r\n{\"ClientRequestToken\":\"mine\"}"));
  EXPECT_EQ(call("PutItem", "{}"), "");
}

// The second of two calls waits for the only connection, for a bounded time.
TEST(ConnectionPool, BoundsConnectionsAndWaits) {
  absl::Notification may_answer;
  std::atomic<int> arrived = 0;
  const auto script = [&](const std::string&) -> ScriptedAnswer {
    ++arrived;
    may_answer.WaitForNotification();
    return {.body = "{}"};
  };
  ScriptedServer server(script);
  ConnectionPool pool(server.address(), nullptr,
                      {.connections_max = 1, .wait_max = absl::Milliseconds(10)});
  const HttpHeaders headers = {{"Host", "localhost"}};
  std::thread first([&] { EXPECT_TRUE(pool.Send({.headers = headers, .body = ""}).ok()); });
  while (arrived == 0) std::this_thread::yield();
  EXPECT_EQ(MessageOf(pool.Send({.headers = headers, .body = ""}).status()),
            "1 calls are running, and none of them ends");
  may_answer.Notify();
  first.join();
  EXPECT_TRUE(pool.Send({.headers = headers, .body = ""}).ok());
  EXPECT_EQ(server.connections(), 1);
}

}  // namespace
}  // namespace dynolith::client
