// The C face beside the C++ face, as bytes and as JSON: the same operations on two databases in
// memory, in turns. `ratio` is the C face's time over the C++ face's; items and keys are built anew
// for each operation on both sides.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "bench/bench_table.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "dynolith/dynolith.h"

namespace dynolith {
namespace {

// DYNOLITH_BENCH_SIZE shrinks everything for the run as a test.
const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 200 : 20'000;
const int kBatch = kAsTest ? 1 : 100;  // operations between two changes of side
constexpr int kItemsOfKey = 10;

std::string Pk(int i) { return "user#" + std::to_string(100'000 + i / kItemsOfKey); }
int Sk(int i) { return i % kItemsOfKey; }
const std::string kCaption(150, 'x');

Item MakeKey(int i) { return {{"pk", Value::S(Pk(i))}, {"sk", Value::N(Sk(i))}}; }
std::string KeyText(int i) {
  return R"("pk":{"S":")" + Pk(i) + R"("},"sk":{"N":")" + std::to_string(Sk(i)) + R"("})";
}

class CppSide {
 public:
  CppSide() : database_(Database::Open({.in_memory = true}).value()) {
    CreateBenchTable(database_.get(), /*has_sort_key=*/true);
    for (int i = 0; i < kItems; ++i) Put(i);
  }
  void Get(int i) {
    Require(database_->GetItem({.table_name = "bench", .key = MakeKey(i)}, [](ItemView) {}).ok(),
            "get");
  }
  void Put(int i) {
    Require(database_
                ->PutItem({.table_name = "bench",
                           .item = {{"pk", Value::S(Pk(i))},
                                    {"sk", Value::N(Sk(i))},
                                    {"caption", Value::S(kCaption)}}})
                .ok(),
            "put");
  }
  void Query(int i) {
    QueryRequest query{.table_name = "bench"};
    query.key_condition_expression = "pk = :p";
    query.expression_attribute_values = Item{{":p", Value::S(Pk(i))}};
    int rows = 0;
    Require(database_->Query(query, [&rows](ItemView) { ++rows; }).ok() && rows == kItemsOfKey,
            "query");
  }

 private:
  const std::unique_ptr<Database> database_;
};

class CSide {
 public:
  CSide() {
    Require(dynolith_open(nullptr, 0, &database_) == nullptr, "open");
    Call("CreateTable",
         R"({"TableName":"bench","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":)"
         R"([{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk",)"
         R"("AttributeType":"N"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
         R"({"AttributeName":"sk","KeyType":"RANGE"}]})");
    for (int i = 0; i < kItems; ++i) Put(i);
  }
  CSide(const CSide&) = delete;
  CSide& operator=(const CSide&) = delete;
  ~CSide() {
    dynolith_builder_free(builder_);
    dynolith_buffer_free(&buffer_);
    dynolith_response_free(&response_);
    dynolith_close(database_);
  }

  void Get(int i) {
    AddKey(i);
    const dynolith_item key = Built();
    Require(dynolith_get(database_, "bench", 5, &key, 0, &buffer_) == nullptr, "get");
  }
  void Put(int i) {
    AddKey(i);
    AddText("caption", kCaption);
    const dynolith_item item = Built();
    Require(dynolith_put(database_, "bench", 5, &item, nullptr, nullptr) == nullptr, "put");
  }
  void Query(int i) {
    AddText(":p", Pk(i));
    const dynolith_item values = Built();
    dynolith_query_options options{};
    options.struct_size = sizeof options;
    options.table = "bench";
    options.table_size = 5;
    options.key_condition = "pk = :p";
    options.key_condition_size = 7;
    options.values = &values;
    int rows = 0;
    const auto count = [](void* context, const dynolith_item*) {
      ++*static_cast<int*>(context);
      return 0;
    };
    Require(dynolith_query(database_, &options, count, &rows, nullptr) == nullptr &&
                rows == kItemsOfKey,
            "query");
  }

  void GetJson(int i) { Call("GetItem", R"({"TableName":"bench","Key":{)" + KeyText(i) + "}}"); }
  void PutJson(int i) {
    Call("PutItem", R"({"TableName":"bench","Item":{)" + KeyText(i) + R"(,"caption":{"S":")" +
                        kCaption + R"("}}})");
  }
  void QueryJson(int i) {
    Call("Query", R"({"TableName":"bench","KeyConditionExpression":"pk = :p",)"
                  R"("ExpressionAttributeValues":{":p":{"S":")" +
                      Pk(i) + R"("}}})");
  }

 private:
  void Call(std::string_view operation, std::string_view body) {
    dynolith_call(database_, operation.data(), operation.size(), body.data(), body.size(),
                  &response_);
    Require(response_.status == 200, "call");
  }
  void AddText(std::string_view name, std::string_view text) {
    dynolith_builder_key(builder_, name.data(), name.size());
    dynolith_builder_string(builder_, text.data(), text.size());
  }
  void AddKey(int i) {
    AddText("pk", Pk(i));
    dynolith_builder_key(builder_, "sk", 2);
    dynolith_builder_int64(builder_, Sk(i));
  }
  dynolith_item Built() {
    dynolith_item item;
    Require(dynolith_builder_finish(builder_, &item) == nullptr, "item");
    return item;
  }

  dynolith_database* database_ = nullptr;
  dynolith_builder* const builder_ = dynolith_builder_new();
  dynolith_buffer buffer_{};
  dynolith_response response_ = DYNOLITH_RESPONSE_INIT;
};

using Clock = std::chrono::steady_clock;

// One batch's seconds.
template <typename Side>
double Run(Side* side, void (Side::*operation)(int), int* next) {
  const auto start = Clock::now();
  for (int n = 0; n < kBatch; ++n) (side->*operation)(*next = (*next + 7'919) % kItems);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void Compare(benchmark::State& state, void (CSide::*in_c)(int), void (CppSide::*in_cpp)(int)) {
  // Anew: what was overwritten by one benchmark would be passed over by the next.
  CSide c;
  CppSide cpp;
  double c_seconds = 0;
  double cpp_seconds = 0;
  int c_next = 0;
  int cpp_next = 0;
  int64_t operations = 0;
  for (auto _ : state) {
    cpp_seconds += Run(&cpp, in_cpp, &cpp_next);
    const double seconds = Run(&c, in_c, &c_next);
    c_seconds += seconds;
    operations += kBatch;
    state.SetIterationTime(seconds);
  }
  const auto each = static_cast<double>(operations);
  state.counters["us"] = c_seconds / each * 1e6;
  state.counters["cpp_us"] = cpp_seconds / each * 1e6;
  state.counters["ratio"] = c_seconds / cpp_seconds;
}

void Get(benchmark::State& state) { Compare(state, &CSide::Get, &CppSide::Get); }
void GetJson(benchmark::State& state) { Compare(state, &CSide::GetJson, &CppSide::Get); }
void Put(benchmark::State& state) { Compare(state, &CSide::Put, &CppSide::Put); }
void PutJson(benchmark::State& state) { Compare(state, &CSide::PutJson, &CppSide::Put); }
void Query(benchmark::State& state) { Compare(state, &CSide::Query, &CppSide::Query); }
void QueryJson(benchmark::State& state) { Compare(state, &CSide::QueryJson, &CppSide::Query); }
BENCHMARK(Get)->UseManualTime();
BENCHMARK(GetJson)->UseManualTime();
BENCHMARK(Put)->UseManualTime();
BENCHMARK(PutJson)->UseManualTime();
BENCHMARK(Query)->UseManualTime();
BENCHMARK(QueryJson)->UseManualTime();

}  // namespace
}  // namespace dynolith
