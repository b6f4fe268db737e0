// GetItem beside one request that takes long, on a server with two event loops: the slowest of a
// hundred calls (p99) while another client sends such requests without a pause, over the same
// without that client, in turns in one run. `ratio` is what the long request costs everybody else;
// `done` is how many of those there were, so that a ratio of nothing is seen.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
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

const bool kSmall = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
// More than that, and somebody waits for the long request.
constexpr double kRatioMax = 3;
// Of one measurement; as long as several of the long requests take.
const std::chrono::milliseconds kDuration(kSmall ? 1 : 2000);
const size_t kLarge = kSmall ? 1000 : 404'000;
const int kMany = kSmall ? 10 : 100'000;
// More than a table may have, in any case.
const int kIndexes = kSmall ? 100 : kMany;

std::string Repeated(std::string_view text, int count, std::string_view between) {
  std::string repeated(text);
  for (int i = 1; i < count; ++i) repeated.append(between).append(text);
  return repeated;
}

// As `dynolith serve` starts it, with a table of small items, of large ones, and of many.
class BenchServer {
 public:
  BenchServer() : databases_(*NamedDatabases::Open({.each = {.database = {.in_memory = true}}})) {
    http::WireOptions wire_options;
    wire_options.auth.mode = http::AuthMode::kOff;
    wire_ = std::make_unique<http::Wire>(&service_, std::move(wire_options));
    auto started = http::Server::Start(
        {.port = 0, .threads = 2, .brief_workers = 2, .long_workers = 4}, wire_.get());
    Require(started.ok(), "server");
    server_ = *std::move(started);
    for (const char* name : {"bench", "heavy", "indexed"}) {
      Good("CreateTable", std::string(R"({"BillingMode":"PAY_PER_REQUEST","TableName":")") + name +
                              R"(","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
                 "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})");
    }
    for (int i = 0; i < 100; ++i) Put("bench", i, 100);
    for (int i = 0; i < (kSmall ? 10 : 300); ++i) Put("heavy", i, kLarge);
    for (int i = 0; i < kMany; ++i) Put("indexed", i, 100);
  }

  uint16_t port() const { return server_->port(); }

 private:
  void Good(std::string_view operation, std::string_view body) {
    const DatabaseInstance::Use use = databases_->first().Begin();
    Require(use.dispatcher().Handle(operation, body).http_status == 200, "preparation");
  }
  void Put(const std::string& table, int i, size_t bytes) {
    Good("PutItem", R"({"TableName":")" + table + R"(","Item":{"pk":{"S":")" + std::to_string(i) +
                        R"("},"text":{"S":")" + std::string(bytes, 'a') + R"("}}})");
  }

  const std::unique_ptr<NamedDatabases> databases_;
  const DatabaseService service_{databases_.get()};
  std::unique_ptr<http::Wire> wire_;
  std::unique_ptr<http::Server> server_;
};

// The p99 in microseconds of calls one after the other. The server hands connections to its loops
// in turns, so of four there are two on each.
double SlowCall(uint16_t port) {
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(std::make_unique<Client>(port));
  const std::string request = Post("GetItem", R"({"TableName":"bench","Key":{"pk":{"S":"7"}}})");
  std::vector<double> times;
  const auto end = std::chrono::steady_clock::now() + kDuration;
  for (size_t i = 0; i == 0 || std::chrono::steady_clock::now() < end; ++i) {
    const auto start = std::chrono::steady_clock::now();
    clients[i % clients.size()]->Call(request);
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
            .count());
  }
  const auto slow = times.begin() + static_cast<std::ptrdiff_t>(times.size() * 99 / 100);
  std::nth_element(times.begin(), slow, times.end());
  return *slow;
}

// What another client does meanwhile.
using Load = std::function<void(Client&)>;

Load Request(std::string request, std::string_view status) {
  return [request = std::move(request), status](Client& client) { client.Call(request, status); };
}

// Does it again and again until it is told to stop.
class BackgroundLoad {
 public:
  BackgroundLoad(uint16_t port, const Load& load)
      : thread_([this, port, load] {
          Client client(port);
          while (!stop_) {
            load(client);
            ++done_;
          }
        }) {}
  int Stop() {
    stop_ = true;
    thread_.join();
    return done_;
  }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int> done_{0};
  std::thread thread_;
};

void Measure(benchmark::State& state, const Load& load, double ratio_max = kRatioMax) {
  static BenchServer served;
  double quiet = 0;
  double busy = 0;
  int done = 0;
  for (auto _ : state) {
    const double quiet_now = SlowCall(served.port());
    BackgroundLoad beside(served.port(), load);
    const double busy_now = SlowCall(served.port());
    done += beside.Stop();
    quiet += quiet_now;
    busy += busy_now;
    state.SetIterationTime(busy_now / 1e6);
  }
  const auto iterations = static_cast<double>(state.iterations());
  state.counters["quiet_p99_us"] = quiet / iterations;
  state.counters["beside_p99_us"] = busy / iterations;
  state.counters["ratio"] = busy / quiet;
  state.counters["done"] = done;
  if (!kSmall && busy > ratio_max * quiet) {
    state.SkipWithError("GetItem waits for the request beside it");
  }
}

void SearchingScan(benchmark::State& state) {
  const std::string filter = Repeated("contains(#t, :b)", 200, " OR ");
  Measure(state, Request(Post("Scan", R"({"TableName":"heavy","FilterExpression":")" + filter +
                                          R"(","ExpressionAttributeNames":{"#t":"text"},)" +
                                          R"("ExpressionAttributeValues":{":b":{"S":")" +
                                          std::string(kSmall ? 10 : 2000, 'a') + "b\"}}}"),
                         "200"));
}
BENCHMARK(SearchingScan)->UseManualTime()->Iterations(kSmall ? 1 : 5);

void FullPages(benchmark::State& state) {
  // A gigabyte of answers a second goes through the sockets of the same loops.
  Measure(state, Request(Post("Scan", R"({"TableName":"heavy"})"), "200"), 2 * kRatioMax);
}
BENCHMARK(FullPages)->UseManualTime()->Iterations(kSmall ? 1 : 5);

void ManyDefinitions(benchmark::State& state) {
  Measure(
      state,
      Request(
          Post("CreateTable",
               R"({"TableName":"many","BillingMode":"PAY_PER_REQUEST",
                   "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
                   "AttributeDefinitions":[)" +
                   Repeated(R"({"AttributeName":"a","AttributeType":"S"})", 2 * kMany, ",") + "]}"),
          "400"));
}
BENCHMARK(ManyDefinitions)->UseManualTime()->Iterations(kSmall ? 1 : 5);

void ManyIndexes(benchmark::State& state) {
  std::string indexes;
  for (int i = 0; i < kIndexes; ++i) {
    if (i > 0) indexes += ',';
    indexes += R"({"IndexName":"index)" + std::to_string(i) +
               R"(","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
                  "Projection":{"ProjectionType":"KEYS_ONLY"}})";
  }
  Measure(state, Request(Post("CreateTable",
                              R"({"TableName":"many","BillingMode":"PAY_PER_REQUEST",
                    "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
                    "AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],
                    "GlobalSecondaryIndexes":[)" +
                                  indexes + "]}"),
                         "400"));
}
BENCHMARK(ManyIndexes)->UseManualTime()->Iterations(kSmall ? 1 : 5);

// An index that is filled with the items of a table, and deleted when it has all of them.
void IndexComesAndGoes(benchmark::State& state) {
  const auto update = [](std::string_view change) {
    return Post("UpdateTable", R"({"TableName":"indexed","GlobalSecondaryIndexUpdates":[{)" +
                                   std::string(change) +
                                   R"(}],"AttributeDefinitions":[
                                      {"AttributeName":"pk","AttributeType":"S"},
                                      {"AttributeName":"text","AttributeType":"S"}]})");
  };
  const std::string create = update(R"("Create":{"IndexName":"by-text",
      "KeySchema":[{"AttributeName":"text","KeyType":"HASH"}],
      "Projection":{"ProjectionType":"ALL"}})");
  const std::string remove = update(R"("Delete":{"IndexName":"by-text"})");
  const std::string describe = Post("DescribeTable", R"({"TableName":"indexed"})");
  Measure(state, [&](Client& client) {
    client.Call(create);
    while (client.Call(describe).find(R"("IndexStatus":"ACTIVE")") == std::string_view::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    client.Call(remove);
    while (client.Call(describe).find("IndexStatus") != std::string_view::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}
BENCHMARK(IndexComesAndGoes)->UseManualTime()->Iterations(kSmall ? 1 : 5);

void EmptyValues(benchmark::State& state) {
  Measure(state,
          Request(Post("PutItem", R"({"TableName":"bench","Item":{"pk":{"S":"x"},"l":{"L":[)" +
                                      Repeated("{}", 55 * kMany, ",") + "]}}}"),
                  "400"));
}
BENCHMARK(EmptyValues)->UseManualTime()->Iterations(kSmall ? 1 : 5);

void Backup(benchmark::State& state) {
  Measure(state,
          Request(Post("CreateBackup", R"({"TableName":"heavy","BackupName":"backup"})"), "200"));
}
BENCHMARK(Backup)->UseManualTime()->Iterations(kSmall ? 1 : 2);

}  // namespace
}  // namespace dynolith
