// Every wait for a server ends, and says what was waited for; whom TLS believes.
#include "api/remote/http_connection.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace dynolith::client {
namespace {

// The kernel accepts connections for it, and nobody answers.
class SilentServer {
 public:
  SilentServer() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(socket_, 8), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  ~SilentServer() { close(socket_); }

  http::ServerAddress address(bool is_tls) const {
    const std::string port = std::to_string(port_);
    return {.is_tls = is_tls, .host = "127.0.0.1", .port = port, .authority = "127.0.0.1:" + port};
  }

 private:
  const int socket_;
  uint16_t port_ = 0;
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
