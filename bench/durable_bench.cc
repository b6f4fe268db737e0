// PutItem that has survived a loss of power when it is answered, by as many callers as a
// benchmark's first argument says: in process, and by connections of a server as `dynolith serve
// --sync` starts it. In turns with it, in one folder of temporary files, which has to be on a disk:
//   * raw RocksDB with as many threads, which sync as well: `beside_raw` is our rate over its rate;
//   * a loop that appends one record for each caller and calls fdatasync: `of_group` is our rate
//     over the rate that one such sync for a whole group of callers allows.
// Medians of the turns. The second argument is how many microseconds each sync takes beyond what
// the disk needs, for all three: disks that answer at once hide how well callers share a sync,
// which `puts_per_sync` says.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <rocksdb/db.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/service/database_service.h"
#include "api/service/named_databases.h"
#include "bench/bench_table.h"
#include "bench/loopback_client.h"
#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "engine/store/rocks_types.h"
#include "tests/unit/store/scratch_folder.h"
#include "tools/server/http/server.h"
#include "tools/server/wire/wire.h"

namespace dynolith {
namespace {

std::atomic<int> sync_microseconds_more = 0;
std::atomic<int> syncs = 0;

}  // namespace
}  // namespace dynolith

// In the place of the system library's, also for RocksDB.
extern "C" int fdatasync(int file) {
  ++dynolith::syncs;
  const std::chrono::microseconds more(dynolith::sync_microseconds_more);
  if (more.count() > 0) std::this_thread::sleep_for(more);
  return static_cast<int>(syscall(SYS_fdatasync, file));
}

namespace dynolith {
namespace {

using Clock = std::chrono::steady_clock;

const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kTurns = kAsTest ? 1 : 5;
const std::chrono::milliseconds kTurn(kAsTest ? 1 : 200);
constexpr size_t kCaptionBytes = 170;
// What RocksDB's log has of such an item: its bytes, its row key, and the record's and the batch's
// heads.
constexpr size_t kRecordBytes = 250;
// As tools/server/serve.cc starts them.
constexpr int kWaitingWorkers = 256;
constexpr int kLoops = 2;

std::string MakeKey(int caller, int call) {
  return "user#" + std::to_string(caller) + "#" + std::to_string(call);
}

// Calls in a second, of so many threads that each make one after the other. `prepare` is called on
// each thread and gives what it calls, with the call's number.
using Call = std::function<void(int call)>;
double MeasureRate(int callers, const std::function<Call(int caller)>& prepare) {
  std::atomic<bool> is_over = false;
  std::atomic<int> calls = 0;
  std::barrier ready(callers + 1);
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      const Call call = prepare(caller);
      ready.arrive_and_wait();
      int done = 0;
      do {
        call(done);
        ++done;
      } while (!is_over);
      calls += done;
    });
  }
  ready.arrive_and_wait();
  const auto start = Clock::now();
  std::this_thread::sleep_for(kTurn);
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  return calls / std::chrono::duration<double>(Clock::now() - start).count();
}

// The same for the callers of one group, if each sync served them all.
class GroupLimit {
 public:
  explicit GroupLimit(const std::string& path)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600)) {
    Require(file_ >= 0, "a file for syncs");
  }
  GroupLimit(const GroupLimit&) = delete;
  GroupLimit& operator=(const GroupLimit&) = delete;
  ~GroupLimit() { close(file_); }

  double RateOfGroup(int callers) {
    const std::string group(kRecordBytes * static_cast<size_t>(callers), 'a');
    return callers * MeasureRate(1, [&](int) {
             return [&](int) {
               Require(
                   write(file_, group.data(), group.size()) == static_cast<ssize_t>(group.size()),
                   "write");
               Require(fdatasync(file_) == 0, "fdatasync");
             };
           });
  }

 private:
  const int file_;
};

class Raw {
 public:
  explicit Raw(const std::string& path) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
    OpenedDatabase db{};
    Require(rocksdb::DB::Open(options, path, &db).ok(), "raw RocksDB");
    db_ = std::unique_ptr<rocksdb::DB>(std::move(db));
  }

  double RateOfPuts(int callers) {
    return MeasureRate(callers, [&](int caller) {
      return [this, caller, value = std::string(kRecordBytes - 50, 'a')](int call) {
        rocksdb::WriteOptions writing;
        writing.sync = true;
        Require(db_->Put(writing, MakeKey(caller, call), value).ok(), "raw put");
      };
    });
  }

 private:
  std::unique_ptr<rocksdb::DB> db_;
};

std::unique_ptr<NamedDatabases> OpenDurable(const std::string& path) {
  auto databases =
      NamedDatabases::Open({.each = {.database = {.path = path, .sync_commits = true}}});
  Require(databases.ok(), "database");
  CreateBenchTable((*databases)->first().Begin().database());
  return *std::move(databases);
}

double RateInProcess(NamedDatabases* databases, int callers) {
  const DatabaseInstance::Use use = databases->first().Begin();
  return MeasureRate(callers, [&](int caller) {
    return [database = use.database(), caller](int call) {
      const Item item = {{"pk", Value::S(MakeKey(caller, call))},
                         {"caption", Value::S(std::string(kCaptionBytes, 'a'))}};
      Require(database->PutItem({.table_name = "bench", .item = item}).ok(), "put");
    };
  });
}

// As `dynolith serve --sync` starts it.
class DurableServer {
 public:
  explicit DurableServer(NamedDatabases* databases)
      : service_(databases), wire_(&service_, Options()) {
    auto started = http::Server::Start({.port = 0,
                                        .threads = kLoops,
                                        .brief_workers = 2,
                                        .waiting_workers = kWaitingWorkers,
                                        .long_workers = 4},
                                       &wire_);
    Require(started.ok(), "server");
    server_ = *std::move(started);
  }

  double RateServed(int connections) {
    return MeasureRate(connections, [&](int caller) {
      return [caller, client = std::make_shared<Client>(server_->port())](int call) {
        client->Call(Post("PutItem", R"({"TableName":"bench","Item":{"pk":{"S":")" +
                                         MakeKey(caller, call) + R"("},"caption":{"S":")" +
                                         std::string(kCaptionBytes, 'a') + R"("}}})"));
      };
    });
  }

 private:
  static http::WireOptions Options() {
    http::WireOptions options;
    options.auth.mode = http::AuthMode::kOff;
    options.writes_wait = true;
    return options;
  }

  const DatabaseService service_;
  http::Wire wire_;
  std::unique_ptr<http::Server> server_;
};

// What a turn of each is measured with; the folder goes with it.
struct Sides {
  testing::ScratchFolder folder;
  Raw raw{folder / "raw"};
  GroupLimit limit{folder / "group"};
  std::unique_ptr<NamedDatabases> databases = OpenDurable(folder / "dynolith");
  DurableServer server{databases.get()};
};

void InTurns(benchmark::State& state, const std::function<double(Sides&, int callers)>& rate) {
  const int callers = static_cast<int>(state.range(0));
  sync_microseconds_more = static_cast<int>(state.range(1));
  Sides sides;
  std::vector<double> ours;
  std::vector<double> beside_raw;
  std::vector<double> of_group;
  std::vector<double> per_sync;
  for (auto _ : state) {
    for (int turn = 0; turn < kTurns; ++turn) {
      const double group = sides.limit.RateOfGroup(callers);
      syncs = 0;
      const auto start = Clock::now();
      ours.push_back(rate(sides, callers));
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      per_sync.push_back(ours.back() * seconds / syncs);
      beside_raw.push_back(ours.back() / sides.raw.RateOfPuts(callers));
      of_group.push_back(ours.back() / group);
    }
  }
  state.counters["puts_per_second"] = Median(ours);
  state.counters["puts_per_sync"] = Median(per_sync);
  state.counters["beside_raw"] = Median(beside_raw);
  state.counters["of_group"] = Median(of_group);
  sync_microseconds_more = 0;
}

void PutInProcess(benchmark::State& state) {
  InTurns(state,
          [](Sides& sides, int callers) { return RateInProcess(sides.databases.get(), callers); });
}

void PutServed(benchmark::State& state) {
  InTurns(state, [](Sides& sides, int callers) { return sides.server.RateServed(callers); });
}

void OfCallers(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->Iterations(1)->ArgNames({"callers", "sync_us"});
  for (const int more : {0, 2000}) {
    for (const int callers : {1, 16, 64, 256}) benchmark->Args({callers, more});
  }
}

BENCHMARK(PutInProcess)->Apply(OfCallers);
BENCHMARK(PutServed)->Apply(OfCallers);

}  // namespace
}  // namespace dynolith
