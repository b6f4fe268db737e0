// Every wait for a server ends, and says what was waited for; whom TLS believes.
#include "api/remote/http_connection.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "tests/unit/remote/listening_socket.h"
#include "tests/unit/remote/scripted_server.h"

namespace dynolith::client {
namespace {

// The kernel accepts connections for it, and nobody answers.
class SilentServer {
 public:
  http::ServerAddress address(bool is_tls) const {
    const std::string port = std::to_string(socket_.port());
    return {.is_tls = is_tls, .host = "127.0.0.1", .port = port, .authority = "127.0.0.1:" + port};
  }

 private:
  const testing::ListeningSocket socket_;
};

absl::Status Asked(const SilentServer& server, bool is_tls, const HttpTimeouts& timeouts) {
  const std::unique_ptr<TlsTrust> trust = TlsTrust::InAnybody();
  const HttpHeaders headers = {{"Host", "localhost"}};
  return HttpConnection::Make(server.address(is_tls), trust.get(), timeouts)
      ->Send({.method = "GET", .headers = headers, .body = ""})
      .status();
}

// What is not waited for here would be for an hour.
constexpr std::chrono::hours kLong(1);
constexpr std::chrono::seconds kShort(1);

TEST(HttpConnection, WaitsForAnAnswerAsLongAsItIsTold) {
  const SilentServer server;
  EXPECT_EQ(Asked(server, /*is_tls=*/false, {.connect = kLong, .answer = kShort}).code(),
            absl::StatusCode::kUnavailable);
}

TEST(HttpConnection, WaitsForTlsAsLongAsForAConnection) {
  const SilentServer server;
  EXPECT_EQ(Asked(server, /*is_tls=*/true, {.connect = kShort, .answer = kLong}).code(),
            absl::StatusCode::kUnavailable);
}

// A server that answers one call, and closes the connection during the next.
TEST(HttpConnection, RepeatsOnlyWhatMayBeRepeated) {
  std::atomic<int> calls = 0;
  testing::ScriptedServer server([&calls](const std::string&) {
    const bool is_lost = ++calls == 2;
    return testing::ScriptedAnswer{.body = "{}", .headers = "X-Own: 1\r\n", .is_lost = is_lost};
  });
  const HttpHeaders headers = {{"Host", "localhost"}};
  const auto connection = HttpConnection::Make(server.address(), nullptr);
  const auto send = [&] {
    return connection->Send(
        {.headers = headers, .body = "{}", .may_repeat = false, .keeps_headers = true});
  };
  const absl::StatusOr<HttpAnswer> first = send();
  ASSERT_EQ(first.status(), absl::OkStatus());
  EXPECT_EQ(first->headers, (HttpHeaders{{"Content-Length", "2"}, {"X-Own", "1"}}));
  EXPECT_EQ(send().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(calls, 2);
  // One that it has closed while nothing was on the way is only opened again.
  server.AwaitClosed(1);
  EXPECT_EQ(send().status(), absl::OkStatus());
  EXPECT_EQ(calls, 3);
}

TEST(HttpConnection, ACallMayHaveATimeOfItsOwn) {
  const SilentServer server;
  const HttpHeaders headers = {{"Host", "localhost"}};
  const auto connection = HttpConnection::Make(server.address(/*is_tls=*/false), nullptr,
                                               {.connect = kLong, .answer = kLong});
  EXPECT_EQ(
      connection->Send({.headers = headers, .body = "", .answer_timeout = kShort}).status().code(),
      absl::StatusCode::kUnavailable);
}

TEST(HttpConnection, LargeBodiesArriveWhole) {
  testing::ScriptedServer server([](const std::string& request) {
    return testing::ScriptedAnswer{.body = request.substr(request.find("\r\n\r\n") + 4)};
  });
  const HttpHeaders headers = {{"Host", "localhost"}};
  const auto connection = HttpConnection::Make(server.address(), nullptr);
  for (const size_t size : {size_t{64} << 10, (size_t{64} << 10) + 1, size_t{5'000'000}}) {
    std::string body(size, 'x');
    body.back() = 'y';
    const absl::StatusOr<HttpAnswer> answer =
        connection->Send({.method = "PUT", .headers = headers, .body = body});
    ASSERT_EQ(answer.status(), absl::OkStatus());
    EXPECT_TRUE(answer->body == body) << size;
  }
  EXPECT_EQ(server.connections(), 1);
}

// A server may refuse a call by its headers, and close the connection while the body is on its way.
TEST(HttpConnection, AnEarlyRefusalIsRead) {
  const testing::ListeningSocket socket;
  std::thread server([&socket] {
    const int connection = accept(socket.number(), nullptr, nullptr);
    char part[4096];
    EXPECT_GT(recv(connection, part, sizeof part, 0), 0);
    constexpr std::string_view kRefusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno";
    EXPECT_GT(send(connection, kRefusal.data(), kRefusal.size(), MSG_NOSIGNAL), 0);
    // Without having read the rest: the client's next bytes are refused.
    close(connection);
  });
  const HttpHeaders headers = {{"Host", "localhost"}};
  const http::ServerAddress address =
      *http::ParseServerUrl(Concat("http://127.0.0.1:", socket.port()));
  const absl::StatusOr<HttpAnswer> answer = HttpConnection::Make(address, nullptr)
                                                ->Send({.method = "PUT",
                                                        .headers = headers,
                                                        .body = std::string(40 << 20, 'x'),
                                                        .may_repeat = false});
  server.join();
  ASSERT_EQ(answer.status(), absl::OkStatus());
  EXPECT_EQ(answer->status, 403);
  EXPECT_EQ(answer->body, "no");
}

}  // namespace
}  // namespace dynolith::client
