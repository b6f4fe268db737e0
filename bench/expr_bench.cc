// Expressions: parsing once per request, then evaluation per row. The cost of a row is to be read
// against BM_FindAttribute, the look-up that any condition needs at least.
#include <string>

#include "benchmark/benchmark.h"
#include "engine/expr/expression.h"
#include "engine/expr/placeholders.h"
#include "engine/value/item.h"

namespace dynolith {
namespace {

constexpr std::string_view kCondition =
    "attribute_exists(pk) AND (#state = :open OR #state = :new) AND amount BETWEEN :low AND :high";
constexpr std::string_view kUpdate =
    "SET #state = :open, amount = amount + :low, address.city = :new REMOVE note ADD visits :low";

struct Request {
  AttributeNames names = {{"#state", "state"}};
  Item values = {{":open", Value::S("open")},
                 {":new", Value::S("new")},
                 {":low", Value::N(10)},
                 {":high", Value::N(1000)}};
  Item item = {{"pk", Value::S("customer#4711")},
               {"sk", Value::S("order#2026-08-01#0001")},
               {"state", Value::S("new")},
               {"amount", Value::N(250)},
               {"note", Value::S("leave it at the neighbour's")},
               {"address", Value::M({{"city", Value::S("Bremen")}, {"zip", Value::S("28195")}})},
               {"pieces", Value::L({Value::N(1), Value::N(2), Value::N(3)})},
               {"visits", Value::N(3)}};
};

void BM_FindAttribute(benchmark::State& state) {
  const Request request;
  for (auto _ : state) benchmark::DoNotOptimize(request.item.Find("amount"));
}
BENCHMARK(BM_FindAttribute);

void BM_ParseCondition(benchmark::State& state) {
  const Request request;
  for (auto _ : state) {
    Placeholders placeholders(&request.names, &request.values);
    benchmark::DoNotOptimize(
        Condition::Parse(kCondition, ExpressionKind::kCondition, &placeholders));
  }
}
BENCHMARK(BM_ParseCondition);

void BM_EvaluateCondition(benchmark::State& state) {
  const Request request;
  Placeholders placeholders(&request.names, &request.values);
  const auto condition = Condition::Parse(kCondition, ExpressionKind::kCondition, &placeholders);
  for (auto _ : state) benchmark::DoNotOptimize(condition->Matches(request.item.view()));
}
BENCHMARK(BM_EvaluateCondition);

void BM_ParseUpdate(benchmark::State& state) {
  const Request request;
  for (auto _ : state) {
    Placeholders placeholders(&request.names, &request.values);
    benchmark::DoNotOptimize(Update::Parse(kUpdate, &placeholders));
  }
}
BENCHMARK(BM_ParseUpdate);

void BM_ApplyUpdate(benchmark::State& state) {
  const Request request;
  Placeholders placeholders(&request.names, &request.values);
  const auto update = Update::Parse(kUpdate, &placeholders);
  for (auto _ : state) benchmark::DoNotOptimize(update->Apply(request.item.view(), true));
}
BENCHMARK(BM_ApplyUpdate);

void BM_CopyItem(benchmark::State& state) {
  const Request request;
  for (auto _ : state) benchmark::DoNotOptimize(Item::Copy(request.item.view()));
}
BENCHMARK(BM_CopyItem);

void BM_ProjectTopLevel(benchmark::State& state) {
  const Request request;
  Placeholders placeholders(&request.names, &request.values);
  const auto projection = Projection::Parse("pk, #state, amount", &placeholders);
  ItemBuilder builder;
  for (auto _ : state) {
    projection->Apply(request.item.view(), &builder);
    benchmark::DoNotOptimize(builder.FinishItem());
  }
}
BENCHMARK(BM_ProjectTopLevel);

void BM_ProjectNested(benchmark::State& state) {
  const Request request;
  Placeholders placeholders(&request.names, &request.values);
  const auto projection =
      Projection::Parse("pk, address.city, pieces[1], pieces[2]", &placeholders);
  ItemBuilder builder;
  for (auto _ : state) {
    projection->Apply(request.item.view(), &builder);
    benchmark::DoNotOptimize(builder.FinishItem());
  }
}
BENCHMARK(BM_ProjectNested);

}  // namespace
}  // namespace dynolith
