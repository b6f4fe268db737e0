// The server beside an echo server on the same HTTP library, in one run: one client asks both in
// turns over loopback, one request at a time. `ratio` is the server's time per request over the
// echo server's; what is left above 1 is JSON, the operation and RocksDB.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "api/json/dispatch.h"
#include "dynolith/database.h"
#include "tools/dynolith/dispatcher_backend.h"
#include "tools/http/server.h"
#include "tools/wire/wire.h"

namespace dynolith {
namespace {

const int kBatch = std::getenv("DYNOLITH_BENCH_SIZE") ? 1 : 100;

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "benchmark failed: %s\n", what);
  std::abort();
}

// Answers with the request's body.
class Echo final : public http::Handler {
 public:
  void Handle(const http::Request& request, http::Response* response) override {
    response->AddHeader("Content-Type", "application/x-amz-json-1.0");
    response->body = request.body;
  }
};

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

  // Sends and reads one whole answer; it must be a 200.
  void Call(std::string_view request) {
    Require(
        send(socket_, request.data(), request.size(), 0) == static_cast<ssize_t>(request.size()),
        "send");
    buffer_.clear();
    size_t body_end = std::string::npos;
    while (buffer_.size() < body_end || body_end == std::string::npos) {
      char chunk[16384];
      const ssize_t received = recv(socket_, chunk, sizeof chunk, 0);
      Require(received > 0, "receive");
      buffer_.append(chunk, static_cast<size_t>(received));
      if (body_end == std::string::npos) body_end = BodyEnd();
    }
    Require(buffer_.compare(0, 12, "HTTP/1.1 200") == 0, buffer_.c_str());
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

std::string Post(std::string_view operation, std::string_view body) {
  std::string request = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.";
  request.append(operation);
  request.append("\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: ");
  request.append(std::to_string(body.size()));
  request.append("\r\n\r\n").append(body);
  return request;
}

// Both servers, and a table with 100 items.
class Servers {
 public:
  Servers() {
    auto opened = Database::Open({.in_memory = true});
    Require(opened.ok(), "database");
    database_ = *std::move(opened);
    dispatcher_ = std::make_unique<Dispatcher>(database_.get(), DispatcherOptions());
    backend_ = std::make_unique<DispatcherBackend>(dispatcher_.get());
    http::WireOptions wire_options;
    wire_options.auth.mode = http::AuthMode::kOff;
    wire_ = std::make_unique<http::Wire>(backend_.get(), std::move(wire_options));
    dynolith_ = Start(wire_.get());
    echo_ = Start(&echo_handler_);
    Require(dispatcher_
                    ->Handle("CreateTable",
                             R"({"TableName":"bench","BillingMode":"PAY_PER_REQUEST",
                   "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
                                {"AttributeName":"sk","KeyType":"RANGE"}],
                   "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
                                           {"AttributeName":"sk","AttributeType":"N"}]})")
                    .http_status == 200,
            "table");
    for (int i = 0; i < 100; ++i) {
      Require(dispatcher_->Handle("PutItem", PutBody(i)).http_status == 200, "put");
    }
  }

  uint16_t dynolith_port() const { return dynolith_->port(); }
  uint16_t echo_port() const { return echo_->port(); }

  static std::string PutBody(int i) {
    return R"({"TableName":"bench","Item":{"pk":{"S":"user#1"},"sk":{"N":")" + std::to_string(i) +
           R"("},"likes":{"N":"12"},"caption":{"S":")" + std::string(90, 'x') + "\"}}}";
  }

 private:
  static std::unique_ptr<http::Server> Start(http::Handler* handler) {
    auto started = http::Server::Start({.port = 0, .threads = 1}, handler);
    Require(started.ok(), "server");
    return *std::move(started);
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<DispatcherBackend> backend_;
  std::unique_ptr<http::Wire> wire_;
  Echo echo_handler_;
  std::unique_ptr<http::Server> dynolith_;
  std::unique_ptr<http::Server> echo_;
};

void RunInTurns(benchmark::State& state, const std::string& request) {
  using Clock = std::chrono::steady_clock;
  static Servers servers;
  Client dynolith(servers.dynolith_port());
  Client echo(servers.echo_port());
  double dynolith_seconds = 0;
  double echo_seconds = 0;
  for (auto _ : state) {
    const auto start = Clock::now();
    for (int i = 0; i < kBatch; ++i) dynolith.Call(request);
    const auto middle = Clock::now();
    for (int i = 0; i < kBatch; ++i) echo.Call(request);
    const auto end = Clock::now();
    const double seconds = std::chrono::duration<double>(middle - start).count();
    state.SetIterationTime(seconds);
    dynolith_seconds += seconds;
    echo_seconds += std::chrono::duration<double>(end - middle).count();
  }
  const double requests = static_cast<double>(state.iterations()) * kBatch;
  state.counters["dynolith_us"] = dynolith_seconds / requests * 1e6;
  state.counters["echo_us"] = echo_seconds / requests * 1e6;
  state.counters["ratio"] = dynolith_seconds / echo_seconds;
}

void GetItem(benchmark::State& state) {
  RunInTurns(state, Post("GetItem",
                         R"({"TableName":"bench","Key":{"pk":{"S":"user#1"},"sk":{"N":"7"}}})"));
}
BENCHMARK(GetItem)->UseManualTime();

void PutItem(benchmark::State& state) { RunInTurns(state, Post("PutItem", Servers::PutBody(7))); }
BENCHMARK(PutItem)->UseManualTime();

void Query(benchmark::State& state) {
  RunInTurns(state, Post("Query", R"({"TableName":"bench","Limit":10,
      "KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"user#1"}}})"));
}
BENCHMARK(Query)->UseManualTime();

}  // namespace
}  // namespace dynolith
