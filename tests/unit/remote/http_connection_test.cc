// Every wait for a server ends, and says what was waited for; whom TLS believes.
#include "api/remote/http_connection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "tests/unit/remote/listening_socket.h"

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

}  // namespace
}  // namespace dynolith::client
