// An HTTP server whose answers a test writes: a thread that serves one connection at a time.
#ifndef DYNOLITH_TESTS_UNIT_REMOTE_SCRIPTED_SERVER_H_
#define DYNOLITH_TESTS_UNIT_REMOTE_SCRIPTED_SERVER_H_

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "api/remote/server_address.h"
#include "engine/base/strings.h"
#include "tests/unit/remote/listening_socket.h"

namespace dynolith::testing {

struct ScriptedAnswer {
  int status = 200;
  std::string body;
  std::string headers;        // whole lines
  bool is_lost = false;       // the connection is closed instead
  size_t lost_bytes = 0;      // of the body's end; the connection is closed in their place
  bool closes_after = false;  // without having said so
};

// Closes each connection when its client does, or after an answer that says so. The clients' last
// connection must be closed before the server is destroyed.
class ScriptedServer {
 public:
  // Gets a request: "GET /path HTTP/1.1\r\nHost: …\r\n\r\nbody".
  using Script = std::function<ScriptedAnswer(const std::string& request)>;

  explicit ScriptedServer(Script script) : script_(std::move(script)) {
    thread_ = std::thread([this] { Run(); });
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  ~ScriptedServer() {
    shutdown(socket_.number(), SHUT_RDWR);
    thread_.join();
  }

  std::string url() const { return Concat("http://127.0.0.1:", socket_.port()); }
  http::ServerAddress address() const { return *http::ParseServerUrl(url()); }
  // So far.
  int connections() const { return connections_; }
  // Returns when so many have been closed.
  void AwaitClosed(int connections) const {
    while (closed_ < connections) std::this_thread::yield();
  }

 private:
  void Run() {
    for (;;) {
      const int connection = accept(socket_.number(), nullptr, nullptr);
      if (connection < 0) return;
      ++connections_;
      Serve(connection);
      close(connection);
      ++closed_;
    }
  }
  void Serve(int connection) {
    std::string received;
    std::string request;
    while (Receive(connection, &received, &request)) {
      const ScriptedAnswer answer = script_(request);
      if (answer.is_lost) return;
      const std::string text =
          Concat("HTTP/1.1 ", answer.status, " Scripted\r\nContent-Length: ", answer.body.size(),
                 "\r\n", answer.headers, "\r\n", answer.body);
      send(connection, text.data(), text.size() - answer.lost_bytes, MSG_NOSIGNAL);
      if (answer.closes_after || answer.lost_bytes > 0) return;
    }
  }
  static bool Receive(int connection, std::string* received, std::string* request) {
    for (;;) {
      const size_t head = received->find("\r\n\r\n");
      if (head != std::string::npos) {
        constexpr std::string_view kLength = "Content-Length: ";
        const size_t length = received->find(kLength);
        const size_t body =
            length < head ? std::strtoul(received->c_str() + length + kLength.size(), nullptr, 10)
                          : 0;
        if (const size_t size = head + 4 + body; received->size() >= size) {
          *request = received->substr(0, size);
          received->erase(0, size);
          return true;
        }
      }
      char part[4096];
      const ssize_t size = recv(connection, part, sizeof part, 0);
      if (size <= 0) return false;
      received->append(part, static_cast<size_t>(size));
    }
  }

  const Script script_;
  const ListeningSocket socket_;
  std::atomic<int> connections_ = 0;
  std::atomic<int> closed_ = 0;
  std::thread thread_;
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_REMOTE_SCRIPTED_SERVER_H_
