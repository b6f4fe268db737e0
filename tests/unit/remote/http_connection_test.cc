// Every wait for a server ends, and says what was waited for; whom TLS believes.
#include "api/remote/http_connection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

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
  int calls = 0;
  testing::ScriptedServer server([&calls](const std::string&) {
    ++calls;
    return testing::ScriptedAnswer{.body = "{}", .headers = "X-Own: 1\r\n", .is_lost = calls == 2};
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

}  // namespace
}  // namespace dynolith::client
