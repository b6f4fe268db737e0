// What one number, item and row key cost. Each figure in engine/value/README.md and
// engine/key/README.md is the ratio to the baseline of the same run that stands beside it here:
// Boost's decimal for numbers, copying the finished bytes for items.
#include <benchmark/benchmark.h>

#include <boost/multiprecision/cpp_dec_float.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "engine/key/key_codec.h"
#include "engine/value/item.h"
#include "engine/value/value.h"

namespace dynolith {
namespace {

using Boost38 = boost::multiprecision::number<boost::multiprecision::cpp_dec_float<38>>;

const std::vector<std::string>& NumberTexts() {
  static const std::vector<std::string> texts = {"42", "-17.25", "1699999999", "0.000123",
                                                 "12345678901234567890.123456789"};
  return texts;
}

void BM_NumberEncodeFromText(benchmark::State& state) {
  size_t i = 0;
  for (auto unused : state) {
    benchmark::DoNotOptimize(EncodeNumber(NumberTexts()[i++ % NumberTexts().size()]));
  }
}
BENCHMARK(BM_NumberEncodeFromText);

void BM_NumberParseAndEncode(benchmark::State& state) {
  size_t i = 0;
  for (auto unused : state) {
    benchmark::DoNotOptimize(Number::Parse(NumberTexts()[i++ % NumberTexts().size()])->Encode());
  }
}
BENCHMARK(BM_NumberParseAndEncode);

void BM_NumberParseWithBoost(benchmark::State& state) {
  size_t i = 0;
  for (auto unused : state) {
    benchmark::DoNotOptimize(Boost38(NumberTexts()[i++ % NumberTexts().size()]));
  }
}
BENCHMARK(BM_NumberParseWithBoost);

void BM_NumberPrint(benchmark::State& state) {
  std::vector<NumberBytes> encoded;
  for (const std::string& text : NumberTexts()) encoded.push_back(*EncodeNumber(text));
  std::string text;
  size_t i = 0;
  for (auto unused : state) {
    text.clear();
    AppendNumberText(encoded[i++ % encoded.size()].view(), &text);
    benchmark::DoNotOptimize(text.data());
  }
}
BENCHMARK(BM_NumberPrint);

void BM_NumberAdd(benchmark::State& state) {
  const Number left = *Number::Parse("1699999999.25");
  const Number right = *Number::Parse("-0.5");
  for (auto unused : state) benchmark::DoNotOptimize(Add(left, right));
}
BENCHMARK(BM_NumberAdd);

// Ten attributes, 200 bytes, names not sorted, one nested map: what a put of an order looks like.
void FeedOrder(ItemBuilder* builder) {
  builder->BeginMap();
  builder->Key("pk");
  builder->String("customer#1048576");
  builder->Key("sk");
  builder->String("order#2026-11-21T07:00:00Z");
  builder->Key("status");
  builder->String("SHIPPED");
  builder->Key("total");
  benchmark::DoNotOptimize(builder->NumberText("129.95"));
  builder->Key("lines");
  benchmark::DoNotOptimize(builder->NumberText("3"));
  builder->Key("paid");
  builder->Bool(true);
  builder->Key("created");
  benchmark::DoNotOptimize(builder->NumberText("1795244400"));
  builder->Key("email");
  builder->String("somebody.with.a.name@example.org");
  builder->Key("address");
  builder->BeginMap();
  builder->Key("street");
  builder->String("Unter den Linden 1");
  builder->Key("city");
  builder->String("Berlin");
  builder->EndMap();
  builder->Key("note");
  builder->Null();
  builder->EndMap();
}

Item Order() {
  ItemBuilder builder;
  FeedOrder(&builder);
  return builder.FinishItem();
}

void BM_ItemBuild(benchmark::State& state) {
  ItemBuilder builder;
  for (auto unused : state) {
    FeedOrder(&builder);
    benchmark::DoNotOptimize(builder.FinishItemView());
  }
}
BENCHMARK(BM_ItemBuild);

void BM_ItemBuildOwned(benchmark::State& state) {
  ItemBuilder builder;
  for (auto unused : state) {
    FeedOrder(&builder);
    benchmark::DoNotOptimize(builder.FinishItem());
  }
}
BENCHMARK(BM_ItemBuildOwned);

void BM_ItemCopyBytes(benchmark::State& state) {
  const Item item = Order();
  for (auto unused : state) {
    std::string copy = item.bytes();
    benchmark::DoNotOptimize(copy.data());
  }
}
BENCHMARK(BM_ItemCopyBytes);

void BM_ItemParse(benchmark::State& state) {
  const Item item = Order();
  for (auto unused : state) benchmark::DoNotOptimize(ItemView::Parse(item.bytes()).ok());
}
BENCHMARK(BM_ItemParse);

void BM_ItemBilledBytes(benchmark::State& state) {
  const Item item = Order();
  for (auto unused : state) benchmark::DoNotOptimize(BilledBytes(item.view()));
}
BENCHMARK(BM_ItemBilledBytes);

void BM_ItemFind(benchmark::State& state) {
  const Item item = Order();
  constexpr std::string_view kNames[] = {"pk", "status", "created", "absent"};
  size_t i = 0;
  for (auto unused : state) benchmark::DoNotOptimize(item.Find(kNames[i++ % 4]));
}
BENCHMARK(BM_ItemFind);

void BM_ItemSet(benchmark::State& state) {
  Item item = Order();
  const Value value = Value::S("DELIVERED");
  for (auto unused : state) {
    item.Set("status", value);
    benchmark::DoNotOptimize(item.bytes().data());
  }
}
BENCHMARK(BM_ItemSet);

const KeySchema& OrderKey() {
  static const KeySchema key{{{"pk", Type::kString}}, {{"sk", Type::kString}}};
  return key;
}

// Of as many keys in turn: one is remembered, of 100,000 hardly any.
void BM_PartitionHash(benchmark::State& state) {
  std::vector<std::string> keys;
  for (int64_t i = 0; i < state.range(0); ++i) keys.push_back(absl::StrFormat("customer#%07d", i));
  size_t next = 0;
  for (auto unused : state) {
    const std::string_view payload = keys[next];
    benchmark::DoNotOptimize(HashPartitionKey({&payload, 1}));
    if (++next == keys.size()) next = 0;
  }
}
BENCHMARK(BM_PartitionHash)->Arg(1)->Arg(100)->Arg(100'000);

// Of several keys at once; the time of all.
void BM_PartitionHashes(benchmark::State& state) {
  KeyPayloads keys[kKeysAtOnce];
  for (KeyPayloads& key : keys) key.push_back("user#000123");
  PartitionHash hashes[kKeysAtOnce];
  for (auto unused : state) {
    HashPartitionKeys(keys, hashes);
    benchmark::DoNotOptimize(hashes);
  }
}
BENCHMARK(BM_PartitionHashes);

void BM_RowKey(benchmark::State& state) {
  const Item item = Order();
  std::string row_key;
  for (auto unused : state) {
    row_key.clear();
    AppendRowKey(1, OrderKey(), item.view(), &row_key);
    benchmark::DoNotOptimize(row_key.data());
  }
}
BENCHMARK(BM_RowKey);

void BM_IndexRowKey(benchmark::State& state) {
  const Item item = Order();
  const KeySchema index{{{"status", Type::kString}}, {{"created", Type::kNumber}}};
  std::string row_key;
  for (auto unused : state) {
    row_key.clear();
    AppendIndexRowKey({.id = 2}, index, OrderKey(), item.view(), &row_key);
    benchmark::DoNotOptimize(row_key.data());
  }
}
BENCHMARK(BM_IndexRowKey);

void BM_RangeOfBeginsWith(benchmark::State& state) {
  const Value hash = Value::S("customer#1048576");
  const Value prefix = Value::S("order#2026");
  KeyCondition condition;
  condition.hash_equals = {hash.view()};
  condition.range_operator = RangeOperator::kBeginsWith;
  condition.low = prefix.view();
  for (auto unused : state)
    benchmark::DoNotOptimize(EncodeKeyRange(1, OrderKey(), nullptr, condition));
}
BENCHMARK(BM_RangeOfBeginsWith);

}  // namespace
}  // namespace dynolith
