// A blocking client for tests that says exactly what it is told and reads whole answers.
#ifndef DYNOLITH_TESTS_UNIT_HTTP_RAW_CLIENT_H_
#define DYNOLITH_TESTS_UNIT_HTTP_RAW_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace dynolith::http {

struct Answer {
  int status = 0;  // 0: the connection ended before a whole answer
  std::string head;
  std::string body;

  // The value of a header, "" if absent; names as the server writes them.
  std::string Header(std::string_view name) const {
    const std::string line = "\r\n" + std::string(name) + ": ";
    const size_t at = head.find(line);
    if (at == std::string::npos) return "";
    const size_t begin = at + line.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class RawClient {
 public:
  explicit RawClient(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        connected_(other.connected_),
        input_(std::move(other.input_)) {}
  ~RawClient() {
    if (socket_ >= 0) ::close(socket_);
  }

  bool connected() const { return connected_; }
  int socket() const { return socket_; }

  // False if the server has closed.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

  // The next answer. `to_head`: the answer to a HEAD request, which has no body.
  Answer Receive(bool to_head = false) {
    Answer answer;
    size_t end;
    while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
      if (!ReadMore()) return answer;
    }
    answer.head = input_.substr(0, end + 2);
    input_.erase(0, end + 4);
    const int status = std::atoi(answer.head.c_str() + std::string_view("HTTP/1.1 ").size());
    if (answer.Header("Transfer-Encoding") == "chunked") {
      while (!input_.starts_with("0\r\n\r\n")) {
        if (!ReadMore()) return answer;
      }
      input_.erase(0, 5);
    } else if (!to_head && status != 100) {
      const size_t length = std::strtoul(answer.Header("Content-Length").c_str(), nullptr, 10);
      while (input_.size() < length) {
        if (!ReadMore()) return answer;
      }
      answer.body = input_.substr(0, length);
      input_.erase(0, length);
    }
    answer.status = status;
    return answer;
  }

  Answer Call(std::string_view bytes) {
    Send(bytes);
    return Receive();
  }

  // Whether the server closes within the time. Anything it still says is swallowed.
  bool ClosedWithin(std::chrono::milliseconds time) {
    const auto deadline = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < deadline) {
      pollfd poll{.fd = socket_, .events = POLLIN, .revents = 0};
      if (::poll(&poll, 1, 20) == 0) continue;
      char bytes[4096];
      if (::recv(socket_, bytes, sizeof bytes, 0) <= 0) return true;
    }
    return false;
  }

 private:
  bool ReadMore() {
    pollfd poll{.fd = socket_, .events = POLLIN, .revents = 0};
    constexpr int kHangsMilliseconds = 120'000;
    if (::poll(&poll, 1, kHangsMilliseconds) <= 0) return false;
    char bytes[65536];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    input_.append(bytes, static_cast<size_t>(count));
    return true;
  }

  int socket_;
  bool connected_ = false;
  std::string input_;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TESTS_UNIT_HTTP_RAW_CLIENT_H_
