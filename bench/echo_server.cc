// The yardstick of the server's benchmarks: the same HTTP library with nothing behind it. Prints
// its port and answers every POST with its body until it is terminated; then prints what CPU time a
// request took.
//
//   echo_server [--library own|beast] [--port N] [--threads N]
//
// `beast` is Boost.Beast as its examples use it, for the choice of library in
// tools/server/http/README.md. Needs dynolith_http; it has no benchmark of its own in it and is no
// *_bench.cc.
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "tools/server/http/server.h"

namespace {

using boost::asio::ip::tcp;
namespace beast = boost::beast;

struct Arguments {
  std::string_view library = "own";
  uint16_t port = 0;
  int threads = 1;
};

std::atomic<uint64_t> requests{0};

class Echo final : public dynolith::http::Handler {
 public:
  void Handle(const dynolith::http::Request& request, dynolith::http::Response* response) override {
    requests.fetch_add(1, std::memory_order_relaxed);
    response->AddHeader("Content-Type", "application/x-amz-json-1.0");
    response->body = request.body;
  }
};

// A connection as in Beast's http_server_async example: message objects and a timer per operation.
class BeastSession : public std::enable_shared_from_this<BeastSession> {
 public:
  explicit BeastSession(tcp::socket socket) : stream_(std::move(socket)) {}

  void Read() {
    request_ = {};
    stream_.expires_after(std::chrono::seconds(30));
    beast::http::async_read(stream_, buffer_, request_,
                            [self = shared_from_this()](beast::error_code error, size_t) {
                              if (!error) self->Write();
                            });
  }

 private:
  void Write() {
    requests.fetch_add(1, std::memory_order_relaxed);
    response_ = {beast::http::status::ok, request_.version()};
    response_.set(beast::http::field::server, "Server");
    response_.set(beast::http::field::content_type, "application/x-amz-json-1.0");
    response_.keep_alive(request_.keep_alive());
    response_.body() = std::move(request_.body());
    response_.prepare_payload();
    beast::http::async_write(stream_, response_,
                             [self = shared_from_this()](beast::error_code error, size_t) {
                               if (!error) self->Read();
                             });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  beast::http::request<beast::http::string_body> request_;
  beast::http::response<beast::http::string_body> response_;
};

void AcceptBeast(tcp::acceptor* acceptor) {
  acceptor->async_accept([acceptor](beast::error_code error, tcp::socket socket) {
    if (error) return;
    socket.set_option(tcp::no_delay(true));
    std::make_shared<BeastSession>(std::move(socket))->Read();
    AcceptBeast(acceptor);
  });
}

void WaitForSignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  int number = 0;
  sigwait(&signals, &number);
}

void PrintPort(uint16_t port) {
  std::printf("%d\n", port);
  std::fflush(stdout);
}

int ServeOwn(const Arguments& arguments) {
  Echo echo;
  auto server =
      dynolith::http::Server::Start({.port = arguments.port, .threads = arguments.threads}, &echo);
  if (!server.ok()) {
    std::fprintf(stderr, "%s\n", server.status().ToString().c_str());
    return 1;
  }
  PrintPort((*server)->port());
  WaitForSignal();
  (*server)->Stop();
  return 0;
}

int ServeBeast(const Arguments& arguments) {
  boost::asio::io_context context(1);
  tcp::acceptor acceptor(context, {boost::asio::ip::make_address("127.0.0.1"), arguments.port});
  AcceptBeast(&acceptor);
  std::thread thread([&] { context.run(); });
  PrintPort(acceptor.local_endpoint().port());
  WaitForSignal();
  context.stop();
  thread.join();
  return 0;
}

double CpuMicroseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto micros = [](const timeval& time) { return 1e6 * time.tv_sec + time.tv_usec; };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--library") arguments.library = argv[i + 1];
    if (name == "--port") arguments.port = static_cast<uint16_t>(std::atoi(argv[i + 1]));
    if (name == "--threads") arguments.threads = std::atoi(argv[i + 1]);
  }
  // Blocked in every thread, so that only sigwait sees them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int result = arguments.library == "beast" ? ServeBeast(arguments) : ServeOwn(arguments);
  const uint64_t count = requests.load();
  if (count > 0) {
    std::printf("%llu requests, %.2f us of CPU each\n", static_cast<unsigned long long>(count),
                CpuMicroseconds() / static_cast<double>(count));
  }
  return result;
}
