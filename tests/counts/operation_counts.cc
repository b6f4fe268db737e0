// Runs operations so that callgrind counts their instructions: one dump for each operation and
// block of calls (counts_test.py). Without valgrind it runs and counts nothing.
#include <valgrind/callgrind.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/json/dispatch.h"
#include "dynolith/database.h"

namespace dynolith {
namespace {

constexpr int kItems = 2'000;
constexpr int kHotItems = 8;
constexpr int kBlocks = 5;
constexpr int kCalls = 200;  // of a block
// More than is asked for.
constexpr CapacityOptions kEnough = {.mode = CapacityMode::kGlobal, .scale = 1'000};

void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << what << " failed" << std::endl;
  std::exit(1);
}

std::string Pk(int i) { return "user#" + std::to_string(100'000 + i); }

std::string Caption(int turn) {
  std::string caption = std::to_string(turn);
  caption.resize(150, 'x');
  return caption;
}

PutItemRequest PutOf(int i, int turn) {
  return {.table_name = "counts",
          .item = {{"pk", Value::S(Pk(i))}, {"caption", Value::S(Caption(turn))}}};
}

std::string PutText(int i, int turn) {
  return R"({"TableName": "counts", "Item": {"pk": {"S": ")" + Pk(i) + R"("}, "caption": {"S": ")" +
         Caption(turn) + R"("}}})";
}

std::unique_ptr<Database> Filled(const CapacityOptions& capacity) {
  auto database = Database::Open({.in_memory = true, .capacity = capacity});
  Require(database.ok(), "Open");
  Require((*database)
              ->CreateTable({.table_name = "counts",
                             .attribute_definitions = {{{"pk"}}},
                             .key_schema = {{{"pk"}}},
                             .billing_mode = BillingMode::kPayPerRequest})
              .ok(),
          "CreateTable");
  for (int i = 0; i < kItems; ++i) Require((*database)->PutItem(PutOf(i, 0)).ok(), "PutItem");
  return *std::move(database);
}

// `call` gets the number of an item and of the turn. The first block warms up.
void Count(const std::string& name, const std::function<bool(int item, int turn)>& call) {
  int turn = 0;
  for (int block = 0; block <= kBlocks; ++block) {
    CALLGRIND_ZERO_STATS;
    for (int i = 0; i < kCalls; ++i, ++turn) Require(call(turn * 7919 % kItems, turn), name);
    if (block > 0) CALLGRIND_DUMP_STATS_AT(name.c_str());
  }
}

void CountAll(const std::string& mode, const CapacityOptions& capacity) {
  const std::unique_ptr<Database> database = Filled(capacity);
  const Dispatcher dispatcher(database.get(), {});
  Count("GetItem " + mode, [&](int i, int) {
    return database
        ->GetItem({.table_name = "counts", .key = {{"pk", Value::S(Pk(i))}}}, [](ItemView) {})
        .ok();
  });
  Count("GetItem hot " + mode, [&](int i, int) {
    return database
        ->GetItem({.table_name = "counts", .key = {{"pk", Value::S(Pk(i % kHotItems))}}},
                  [](ItemView) {})
        .ok();
  });
  Count("PutItem " + mode, [&](int i, int turn) { return database->PutItem(PutOf(i, turn)).ok(); });
  Count("PutItem that reports " + mode, [&](int i, int turn) {
    PutItemRequest put = PutOf(i, -turn);
    put.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
    return database->PutItem(put).ok();
  });
  Count("GetItem in JSON " + mode, [&](int i, int) {
    const std::string body = R"({"TableName": "counts", "Key": {"pk": {"S": ")" + Pk(i) + R"("}}})";
    return dispatcher.Handle("GetItem", body).http_status == 200;
  });
  Count("PutItem in JSON " + mode, [&](int i, int turn) {
    return dispatcher.Handle("PutItem", PutText(i, turn)).http_status == 200;
  });
}

}  // namespace
}  // namespace dynolith

int main() {
  dynolith::CountAll("counted", {});
  dynolith::CountAll("enforced", dynolith::kEnough);
}
