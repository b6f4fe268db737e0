// The server beside an echo server on the same HTTP library, in one run: one client asks both in
// turns over loopback, one request at a time. `ratio` is the server's time per request over the
// echo server's; what is left above 1 is JSON, the operation and RocksDB. Then 64 connections at
// once, of which each sends its next request when it has its answer: `p99_ratio` is the 99th
// percentile of an answer's time over the echo server's.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/service/database_service.h"
#include "api/service/named_databases.h"
#include "bench/loopback_client.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "tools/server/http/server.h"
#include "tools/server/wire/wire.h"

namespace dynolith {
namespace {

const int kBatch = std::getenv("DYNOLITH_BENCH_SIZE") ? 1 : 100;

// Answers with the request's body.
class Echo final : public http::Handler {
 public:
  void Handle(const http::Request& request, http::Response* response) override {
    response->AddHeader("Content-Type", "application/x-amz-json-1.0");
    response->body = request.body;
  }
};

// Both servers, and a table with 100 items.
class Servers {
 public:
  Servers() {
    http::WireOptions wire_options;
    wire_options.auth.mode = http::AuthMode::kOff;
    wire_ = std::make_unique<http::Wire>(&service_, std::move(wire_options));
    dynolith_ = Start(wire_.get());
    echo_ = Start(&echo_handler_);
    const DatabaseInstance::Use use = databases_->first().Begin();
    Require(use.dispatcher()
                    .Handle("CreateTable",
                            R"({"TableName":"bench","BillingMode":"PAY_PER_REQUEST",
                   "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
                                {"AttributeName":"sk","KeyType":"RANGE"}],
                   "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
                                           {"AttributeName":"sk","AttributeType":"N"}]})")
                    .http_status == 200,
            "table");
    for (int i = 0; i < 100; ++i) {
      Require(use.dispatcher().Handle("PutItem", PutBody(i)).http_status == 200, "put");
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
    auto started = http::Server::Start(
        {.port = 0, .threads = 1, .brief_workers = 2, .long_workers = 4}, handler);
    Require(started.ok(), "server");
    return *std::move(started);
  }

  const std::unique_ptr<NamedDatabases> databases_ =
      *NamedDatabases::Open({.each = {.database = {.in_memory = true}}});
  const DatabaseService service_{databases_.get()};
  std::unique_ptr<http::Wire> wire_;
  Echo echo_handler_;
  std::unique_ptr<http::Server> dynolith_;
  std::unique_ptr<http::Server> echo_;
};

using Clock = std::chrono::steady_clock;

Servers& BothServers() {
  static Servers servers;
  return servers;
}

void RunInTurns(benchmark::State& state, const std::string& request) {
  Servers& servers = BothServers();
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

// Adds what each of `calls` requests of each connection took to `seconds`.
void CallOnAll(uint16_t port, const std::string& request, int connections, int calls,
               std::vector<double>* seconds) {
  std::vector<std::vector<double>> of_each(connections);
  std::vector<std::thread> threads;
  threads.reserve(connections);
  for (std::vector<double>& own : of_each) {
    threads.emplace_back([&own, &request, port, calls] {
      Client client(port);
      for (int i = 0; i < calls; ++i) {
        const auto start = Clock::now();
        client.Call(request);
        own.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& own : of_each) {
    seconds->insert(seconds->end(), own.begin(), own.end());
  }
}

double Percentile(std::vector<double> values, int percent) {
  const size_t at = values.size() * percent / 100;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

void RunOnConnections(benchmark::State& state, const std::string& request) {
  Servers& servers = BothServers();
  const auto connections = static_cast<int>(state.range(0));
  std::vector<double> dynolith;
  std::vector<double> echo;
  for (auto _ : state) {
    const auto start = Clock::now();
    CallOnAll(servers.dynolith_port(), request, connections, kBatch, &dynolith);
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
    CallOnAll(servers.echo_port(), request, connections, kBatch, &echo);
  }
  for (const int percent : {50, 99}) {
    const std::string name = "p" + std::to_string(percent);
    const double of_dynolith = Percentile(dynolith, percent);
    const double of_echo = Percentile(echo, percent);
    state.counters[name + "_us"] = of_dynolith * 1e6;
    state.counters[name + "_echo_us"] = of_echo * 1e6;
    state.counters[name + "_ratio"] = of_dynolith / of_echo;
  }
}

std::string GetRequest() {
  return Post("GetItem", R"({"TableName":"bench","Key":{"pk":{"S":"user#1"},"sk":{"N":"7"}}})");
}

void GetItem(benchmark::State& state) { RunInTurns(state, GetRequest()); }
BENCHMARK(GetItem)->UseManualTime();

void PutItem(benchmark::State& state) { RunInTurns(state, Post("PutItem", Servers::PutBody(7))); }
BENCHMARK(PutItem)->UseManualTime();

void GetItemOnConnections(benchmark::State& state) { RunOnConnections(state, GetRequest()); }
BENCHMARK(GetItemOnConnections)->Arg(64)->UseManualTime();

void PutItemOnConnections(benchmark::State& state) {
  RunOnConnections(state, Post("PutItem", Servers::PutBody(7)));
}
BENCHMARK(PutItemOnConnections)->Arg(64)->UseManualTime();

void Query(benchmark::State& state) {
  RunInTurns(state, Post("Query", R"({"TableName":"bench","Limit":10,
      "KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"user#1"}}})"));
}
BENCHMARK(Query)->UseManualTime();

}  // namespace
}  // namespace dynolith
