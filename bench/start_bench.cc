// How long a start takes: from the exec of the program to its first answer (or its end), in turns
// with /bin/true and with a program that only opens RocksDB, dynamically linked as Debian has it.
// Medians of 15 turns (DYNOLITH_BENCH_TURNS=N: of N), in milliseconds; `ratio` is over that
// program. Stores of 100,000 items (DYNOLITH_BENCH_ITEMS=N: of N) are made through the server.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/loopback_client.h"
#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "tests/unit/store/scratch_folder.h"

extern char** environ;

namespace dynolith {
namespace {

using Clock = std::chrono::steady_clock;

const bool kSmall = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const char* const kTurnsAsked = std::getenv("DYNOLITH_BENCH_TURNS");
const char* const kItemsAsked = std::getenv("DYNOLITH_BENCH_ITEMS");
// In a store that is there already.
const int kItems = kItemsAsked != nullptr ? std::atoi(kItemsAsked) : kSmall ? 100 : 100'000;
const int kTurns = kSmall ? 1 : kTurnsAsked != nullptr ? std::atoi(kTurnsAsked) : 15;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

pid_t Spawn(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  Require(posix_spawn(&child, arguments[0], &quiet, nullptr, arguments.data(), environ) == 0,
          "a program cannot be started");
  posix_spawn_file_actions_destroy(&quiet);
  return child;
}

void Await(pid_t child) { Require(waitpid(child, nullptr, 0) == child, "wait"); }

double RunToEnd(const std::vector<std::string>& command) {
  const auto start = Clock::now();
  Await(Spawn(command));
  return MillisecondsSince(start);
}

uint16_t FreePort() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  Require(bind(listener, reinterpret_cast<sockaddr*>(&address), bytes) == 0, "bind");
  Require(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes) == 0, "port");
  close(listener);
  return ntohs(address.sin_port);
}

bool IsListening(uint16_t port) {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connects = connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return connects;
}

// `dynolith serve` as a process of its own.
class Server {
 public:
  explicit Server(const std::vector<std::string>& where) : port_(FreePort()) {
    std::vector<std::string> command = {DYNOLITH_PROGRAM,      "serve",  "--port",
                                        std::to_string(port_), "--auth", "off"};
    command.insert(command.end(), where.begin(), where.end());
    const auto start = Clock::now();
    child_ = Spawn(command);
    while (!IsListening(port_)) std::this_thread::sleep_for(std::chrono::microseconds(100));
    Client(port_).Call(Post("ListTables", "{}"));
    milliseconds_ = MillisecondsSince(start);
  }
  ~Server() { Stop(SIGTERM); }

  double milliseconds() const { return milliseconds_; }
  uint16_t port() const { return port_; }
  void Stop(int signal) {
    if (child_ == 0) return;
    kill(child_, signal);
    Await(child_);
    child_ = 0;
  }

 private:
  const uint16_t port_;
  pid_t child_ = 0;
  double milliseconds_ = 0;
};

// Items of 200 bytes, in batches.
void Fill(uint16_t port, int64_t items) {
  Client client(port);
  client.Call(Post("CreateTable", R"({"BillingMode":"PAY_PER_REQUEST","TableName":"bench",
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})"));
  constexpr int kBatch = 25;
  for (int64_t i = 0; i < items; i += kBatch) {
    std::string body = R"({"RequestItems":{"bench":[)";
    for (int64_t j = i; j < i + kBatch; ++j) {
      if (j > i) body += ',';
      body += R"({"PutRequest":{"Item":{"pk":{"S":"user#)" + std::to_string(1'000'000 + j) +
              R"("},"caption":{"S":")" + std::string(180, 'x') + R"("}}}})";
    }
    client.Call(Post("BatchWriteItem", body + "]}}"));
  }
}

// `measure` does one start and says how long it took.
void InTurns(benchmark::State& state, const std::function<double()>& measure) {
  std::vector<double> dynolith;
  std::vector<double> nothing;
  std::vector<double> rocksdb;
  for (auto _ : state) {
    for (int turn = 0; turn < kTurns; ++turn) {
      nothing.push_back(RunToEnd({"/bin/true"}));
      rocksdb.push_back(RunToEnd({DYNOLITH_ROCKSDB_START}));
      dynolith.push_back(measure());
    }
    state.SetIterationTime(Median(dynolith) / 1e3);
  }
  state.counters["ms"] = Median(dynolith);
  state.counters["true_ms"] = Median(nothing);
  state.counters["rocksdb_ms"] = Median(rocksdb);
  state.counters["ratio"] = Median(dynolith) / Median(rocksdb);
}

void Version(benchmark::State& state) {
  InTurns(state, [] { return RunToEnd({DYNOLITH_PROGRAM, "--version"}); });
}
BENCHMARK(Version)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

void ServeInMemory(benchmark::State& state) {
  InTurns(state, [] { return Server({"--memory"}).milliseconds(); });
}
BENCHMARK(ServeInMemory)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

void ServeNewFolder(benchmark::State& state) {
  InTurns(state, [] {
    return Server({"--data", testing::ScratchFolder() / "data"}).milliseconds();
  });
}
BENCHMARK(ServeNewFolder)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

// A store of so many items that was closed in order.
void ServeClosed(benchmark::State& state) {
  const testing::ScratchFolder folder;
  Fill(Server({"--data", folder / "data"}).port(), state.range(0));
  InTurns(state, [&] { return Server({"--data", folder / "data"}).milliseconds(); });
}
BENCHMARK(ServeClosed)->Arg(kItems)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

// One whose process was killed when it had just taken them.
void ServeKilled(benchmark::State& state) {
  InTurns(state, [&] {
    const testing::ScratchFolder folder;
    {
      Server server({"--data", folder / "data"});
      Fill(server.port(), state.range(0));
      server.Stop(SIGKILL);
    }
    return Server({"--data", folder / "data"}).milliseconds();
  });
}
BENCHMARK(ServeKilled)->Arg(kItems)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

double OpenInProcess(const DatabaseOptions& options) {
  const auto start = Clock::now();
  const auto database = Database::Open(options);
  const double milliseconds = MillisecondsSince(start);
  Require(database.ok(), "open");
  return milliseconds;
}

void OpenMemory(benchmark::State& state) {
  InTurns(state, [] { return OpenInProcess({.in_memory = true}); });
}
BENCHMARK(OpenMemory)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

void OpenNewFolder(benchmark::State& state) {
  InTurns(state, [] {
    const testing::ScratchFolder folder;
    return OpenInProcess({.path = folder / "data"});
  });
}
BENCHMARK(OpenNewFolder)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

#ifdef DYNOLITH_FIRST_CALL
// A process that has a table and an answered put through libdynolith.so, from exec to end.
void FirstCallInC(benchmark::State& state) {
  InTurns(state, [] { return RunToEnd({DYNOLITH_FIRST_CALL}); });
}
BENCHMARK(FirstCallInC)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
#endif

}  // namespace
}  // namespace dynolith
