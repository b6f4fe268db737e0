#include "tests/random/searches.h"

#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "tests/model/model.h"
#include "tests/random/generator.h"

namespace dynolith::random {

using model::Condition;
using model::Index;
using model::Item;
using model::Operand;
using model::Operation;
using model::Table;
using model::Value;

namespace {

// The one with vectors.
const char* const kTable = "vectors";
// More than a graph's search keeps as candidates, so that it could miss some.
constexpr size_t kKeys = 400;
constexpr size_t kBatchWrites = 25;
// Coordinates are quarters up to this one, which no float rounds.
constexpr int kFarthest = 20;

class Searcher {
 public:
  explicit Searcher(uint64_t seed) : random_(seed) {}

  // In place of three steps of four one about vectors, if there are any.
  Operation Next(const model::Model& model, Operation other) {
    const auto* const create = std::get_if<model::CreateTableOp>(&other);
    if (create != nullptr && create->table.name == kTable) {
      return model::CreateTableOp{.table = Generator::WithAllIndexes(kTable)};
    }
    const Table* const table = model.FindTable(kTable);
    if (table == nullptr || Chance(25)) return other;
    std::vector<const Index*> indexes;
    for (const Index& index : table->indexes) {
      if (index.vector) indexes.push_back(&index);
    }
    if (indexes.empty()) return other;
    return Chance(60) ? Search(*table, *indexes[Below(indexes.size())]) : Write(*table);
  }

 private:
  size_t Below(size_t bound) { return static_cast<size_t>(random_()) % bound; }
  bool Chance(int percent) { return Below(100) < static_cast<size_t>(percent); }

  // Few, so that a HASH value has many entries, and a filter leaves some of them.
  Value Text() { return model::S(Chance(50) ? "a" : "b"); }
  Value Number() { return model::N(Chance(50) ? "1" : "9"); }

  Value Coordinate() {
    const auto quarters = static_cast<int>(Below(8 * kFarthest + 1)) - 4 * kFarthest;
    char text[16];
    std::snprintf(text, sizeof text, "%.2f", quarters / 4.0);
    return model::N(text);
  }

  Operation Write(const Table& table) {
    const bool deletes = Chance(25);
    std::set<size_t> keys;
    while (keys.size() < kBatchWrites) keys.insert(Below(kKeys));
    model::BatchWriteOp op;
    for (const size_t key : keys) {
      const Item item = {{table.hash.name, model::S("v" + std::to_string(key))}};
      op.writes.push_back({.table = table.name, .put = std::nullopt, .delete_key = item});
      if (!deletes) op.writes.back().put = WithVector(item);
    }
    return op;
  }

  Item WithVector(Item item) {
    if (Chance(95)) item["v"] = Value{model::List{Coordinate(), Coordinate()}};
    if (Chance(90)) item["g"] = Text();
    if (Chance(80)) item["q"] = Text();
    if (Chance(80)) item["r"] = Number();
    if (Chance(50)) item["a"] = Number();
    return item;
  }

  Operation Search(const Table& table, const Index& index) {
    model::SearchOp op{.table = table.name, .index = index.name};
    for (size_t i = 0; i < index.vector->dimensions; ++i) {
      op.vector.push_back(static_cast<int>(Below(2 * kFarthest + 1)) - kFarthest);
    }
    op.top_k = static_cast<int>(Chance(10) ? 100 : 1 + Below(20));
    if (!index.hash.empty()) op.hash = {index.hash[0].name, Text()};
    for (const model::KeyAttribute& filter : index.vector->filters) {
      if (!Chance(30)) continue;
      const Operand path{.kind = Operand::Kind::kPath, .path = {filter.name}, .literal = {}};
      const Operand value{.kind = Operand::Kind::kLiteral,
                          .path = {},
                          .literal = filter.type == "N" ? Number() : Text()};
      op.filters.push_back({.kind = Condition::Kind::kEqual, .operands = {path, value}});
    }
    return op;
  }

  std::mt19937_64 random_;
};

}  // namespace

std::vector<Operation> MakeSearchingProgram(uint64_t seed, int steps) {
  Generator generator(seed);
  Searcher searcher(seed + 1);
  model::Model model;
  std::vector<Operation> program;
  for (int step = 0; step < steps; ++step) {
    program.push_back(searcher.Next(model, generator.Next(model)));
    model.Run(program.back());
  }
  program.emplace_back(model::VerifyOp());
  return program;
}

}  // namespace dynolith::random
