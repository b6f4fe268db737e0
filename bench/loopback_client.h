// A client for benchmarks of the server: blocking, on loopback, one request at a time, and fatal
// when an answer is not what it should be.
#ifndef DYNOLITH_BENCH_LOOPBACK_CLIENT_H_
#define DYNOLITH_BENCH_LOOPBACK_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/require.h"

namespace dynolith {

// A blocking keep-alive connection.
class Client {
 public:
  explicit Client(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Require(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0,
            "connect");
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Sends and reads one whole answer, which is valid until the next call; it must have the status.
  std::string_view Call(std::string_view request, std::string_view status = "200") {
    for (std::string_view rest = request; !rest.empty();) {
      const ssize_t sent = send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
      Require(sent > 0, "send");
      rest.remove_prefix(static_cast<size_t>(sent));
    }
    buffer_.clear();
    size_t body_end = std::string::npos;
    while (buffer_.size() < body_end || body_end == std::string::npos) {
      char chunk[16384];
      const ssize_t received = recv(socket_, chunk, sizeof chunk, 0);
      Require(received > 0, "receive");
      buffer_.append(chunk, static_cast<size_t>(received));
      if (body_end == std::string::npos) body_end = BodyEnd();
    }
    Require(buffer_.compare(9, 3, status) == 0, buffer_.c_str());
    return buffer_;
  }

 private:
  size_t BodyEnd() const {
    const size_t head_end = buffer_.find("\r\n\r\n");
    if (head_end == std::string::npos) return std::string::npos;
    static constexpr std::string_view kLength = "Content-Length: ";
    const size_t length = buffer_.find(kLength);
    Require(length < head_end, "length of the answer");
    return head_end + 4 + std::stoul(buffer_.substr(length + kLength.size()));
  }

  const int socket_;
  std::string buffer_;
};

inline std::string Post(std::string_view operation, std::string_view body) {
  std::string request = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.";
  request.append(operation);
  request.append("\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: ");
  request.append(std::to_string(body.size()));
  request.append("\r\n\r\n").append(body);
  return request;
}

}  // namespace dynolith

#endif  // DYNOLITH_BENCH_LOOPBACK_CLIENT_H_
