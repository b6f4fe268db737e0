// A database behind an endpoint beside an echo: the processor's time of the client's thread for a
// call of the twin, and for sending the same bytes, signed beforehand, and reading the same bytes
// of an answer on a connection of the same HTTP client. Both servers are threads of this process,
// whose time does not count. `ratio` is the twin's time over the echo's, in turns; the bound
// is 1.3.
#include <benchmark/benchmark.h>
#include <time.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/endpoint/endpoint_database.h"
#include "api/endpoint/json_service.h"
#include "api/remote/http_connection.h"
#include "api/remote/remote_service.h"
#include "api/remote/request_signer.h"
#include "api/remote/server_address.h"
#include "api/service/database_service.h"
#include "api/service/named_databases.h"
#include "bench/bench_table.h"
#include "bench/median.h"
#include "bench/require.h"
#include "engine/base/strings.h"
#include "tools/server/http/server.h"
#include "tools/server/wire/wire.h"

namespace dynolith {
namespace {

// DYNOLITH_BENCH_SIZE shrinks everything for the run as a test.
const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kBatch = kAsTest ? 1 : 200;  // calls between two changes of side
constexpr int kItemsOfPage = 10;
const std::string kCaption(150, 'x');

Item MakeItem(int i) {
  return {{"pk", Value::S("user")}, {"sk", Value::N(i)}, {"caption", Value::S(kCaption)}};
}
Item MakeKey(int i) { return {{"pk", Value::S("user")}, {"sk", Value::N(i)}}; }

double ThreadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Answers with one body.
class EchoHandler final : public http::Handler {
 public:
  void Handle(const http::Request& /*request*/, http::Response* response) override {
    response->AddHeader("Content-Type", "application/x-amz-json-1.0");
    response->AddHeader("x-amzn-RequestId", "0123456789012345678901234567890123456789012345678901");
    response->AddHeader("x-amz-crc32", "1234567890");
    response->body = body;
  }
  std::string body;
};

// Hears what the twin sends and gets.
class HeardService final : public JsonService {
 public:
  explicit HeardService(const std::string& url)
      : remote_(client::RemoteService::Open({.endpoint = url}).value()) {}

  absl::StatusOr<Answer> Call(std::string_view target, std::string_view body) override {
    auto called = remote_->Call(target, body);
    Require(called.ok(), "call");
    heard_target = target;
    heard_request = body;
    heard_answer = called->body;
    return Answer{.status = called->status, .body = std::move(called->body)};
  }
  client::Retries* retries() { return remote_->retries(); }

  std::string heard_target;
  std::string heard_request;
  std::string heard_answer;

 private:
  const std::unique_ptr<client::RemoteService> remote_;
};

class TwinBench {
 public:
  TwinBench()
      : databases_(NamedDatabases::Open({.each = {.database = {.in_memory = true}}}).value()),
        service_(databases_.get()),
        wire_(&service_, {}),
        server_(http::Server::Start({.port = 0, .threads = 1}, &wire_).value()),
        echo_server_(http::Server::Start({.port = 0, .threads = 1}, &echo_).value()),
        database_(Database::Open({.endpoint = Url(*server_)}).value()),
        echo_connection_(
            client::HttpConnection::Make(*http::ParseServerUrl(Url(*echo_server_)), nullptr)) {
    CreateBenchTable(database_.get(), /*has_sort_key=*/true);
    for (int i = 0; i < kItemsOfPage; ++i) {
      Require(database_->PutItem({.table_name = "bench", .item = MakeItem(i)}).ok(), "put");
    }
  }

  // Each of these four is a function of its own, which bench/endpoint_instructions.py finds.
  [[gnu::noinline]] static void Get(Database* database) {
    const auto got = database->GetItem({.table_name = "bench", .key = MakeKey(1)});
    Require(got.ok() && got->item, "get");
  }
  [[gnu::noinline]] static void Put(Database* database) {
    Require(database->PutItem({.table_name = "bench", .item = MakeItem(1)}).ok(), "put");
  }
  [[gnu::noinline]] static void Query(Database* database) {
    const auto page =
        database->Query({.table_name = "bench",
                         .key_condition_expression = "pk = :p",
                         .expression_attribute_values = Item{{":p", Value::S("user")}}});
    Require(page.ok() && page->items.size() == kItemsOfPage, "query");
  }

  // From now on the echo has the bytes of this call.
  void Hear(void (*operation)(Database*)) {
    auto heard = std::make_unique<HeardService>(Url(*server_));
    HeardService* const service = heard.get();
    client::Retries* const retries = heard->retries();
    EndpointDatabase database(std::move(heard), Url(*server_), retries);
    operation(&database);
    client::RequestSigner signer("us-east-1", "127.0.0.1:12345");
    headers_ = signer.Headers({.access_key = "local", .secret_key = "local"}, service->heard_target,
                              service->heard_request, absl::Now());
    request_ = service->heard_request;
    echo_.body = service->heard_answer;
  }
  [[gnu::noinline]] void Echo() {
    const auto answer = echo_connection_->Send({.headers = headers_, .body = request_});
    Require(answer.ok() && answer->body.size() == echo_.body.size(), "echo");
  }
  Database* database() { return database_.get(); }

 private:
  static std::string Url(const http::Server& server) {
    return Concat("http://127.0.0.1:", server.port());
  }

  const std::unique_ptr<NamedDatabases> databases_;
  DatabaseService service_;
  http::Wire wire_;
  EchoHandler echo_;
  const std::unique_ptr<http::Server> server_;
  const std::unique_ptr<http::Server> echo_server_;
  const std::unique_ptr<Database> database_;
  const std::unique_ptr<client::HttpConnection> echo_connection_;
  client::HttpHeaders headers_;
  std::string request_;
};

void CompareWithEcho(benchmark::State& state, void (*operation)(Database*)) {
  TwinBench bench;
  bench.Hear(operation);
  std::vector<double> twin;
  std::vector<double> echo;
  for (auto _ : state) {
    double start = ThreadSeconds();
    for (int i = 0; i < kBatch; ++i) bench.Echo();
    echo.push_back(ThreadSeconds() - start);
    start = ThreadSeconds();
    for (int i = 0; i < kBatch; ++i) operation(bench.database());
    twin.push_back(ThreadSeconds() - start);
    state.SetIterationTime(twin.back());
  }
  state.counters["us"] = Median(twin) / kBatch * 1e6;
  state.counters["echo_us"] = Median(echo) / kBatch * 1e6;
  state.counters["ratio"] = Median(twin) / Median(echo);
}

void TwinGetItem(benchmark::State& state) { CompareWithEcho(state, &TwinBench::Get); }
void TwinPutItem(benchmark::State& state) { CompareWithEcho(state, &TwinBench::Put); }
void TwinQuery(benchmark::State& state) { CompareWithEcho(state, &TwinBench::Query); }
BENCHMARK(TwinGetItem)->UseManualTime();
BENCHMARK(TwinPutItem)->UseManualTime();
BENCHMARK(TwinQuery)->UseManualTime();

}  // namespace
}  // namespace dynolith
