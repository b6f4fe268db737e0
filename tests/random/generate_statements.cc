// Statements of PartiQL, transactions, and searches of vectors.
#include <set>
#include <utility>

#include "tests/model/key_rules.h"
#include "tests/random/generator.h"

namespace dynolith::random {

using model::Condition;
using model::Index;
using model::Item;
using model::Operand;
using model::Path;
using model::Sentence;
using model::Table;

namespace {

// What makes two sentences about one item.
std::string MakeItem(const Table& table, const Sentence& sentence) {
  if (const auto* put = std::get_if<model::PutOp>(&sentence)) {
    return table.name + model::Text(model::ItemKey(table, put->item));
  }
  if (const auto* del = std::get_if<model::DeleteOp>(&sentence)) {
    return table.name + model::Text(del->key);
  }
  if (const auto* update = std::get_if<model::UpdateOp>(&sentence)) {
    return table.name + model::Text(update->key);
  }
  if (const auto* check = std::get_if<model::CheckOp>(&sentence)) {
    return table.name + model::Text(check->key);
  }
  return table.name + model::Text(std::get<model::GetOp>(sentence).key);
}

}  // namespace

model::PutOp Generator::Insert(const Table& table) {
  return {.table = table.name, .item = NewItem(table), .condition = std::nullopt};
}

// An update that changes something; a statement has neither ADD nor DELETE.
model::UpdateOp Generator::Change(const model::Model& model, const Table& table,
                                  bool as_statement) {
  auto op = std::get<model::UpdateOp>(Update(model, table));
  if (as_statement) {
    op.update.add.clear();
    op.update.del.clear();
  }
  if (op.update.Touched().empty()) op.update.set.emplace_back(Path{"a"}, AnySetValue("a"));
  return op;
}

std::vector<Path> Generator::Columns() {
  std::vector<Path> columns;
  for (const auto* names : {&kScalars, &kFree}) {
    for (const std::string& name : *names) {
      if (Chance(20)) columns.push_back({name});
    }
  }
  return columns;
}

Sentence Generator::Write(const model::Model& model, const Table& table) {
  const size_t choice = Below(10);
  if (choice < 3) return Insert(table);
  if (choice < 8) return Change(model, table, true);
  return std::get<model::DeleteOp>(Delete(model, table));
}

Sentence Generator::Select(const model::Model& model, const Table& table) {
  model::Operation read = Chance(60) ? Query(model, table) : Scan(model, table);
  auto op = std::get<model::ReadOp>(std::move(read));
  op.total_segments = 1;
  op.all_attributes = false;
  op.count_only = false;
  op.projection = Chance(40) ? Columns() : std::vector<Path>();
  // ORDER BY names the sort key.
  op.forward |= op.range.empty();
  return op;
}

model::Operation Generator::Statement(const model::Model& model, const Table& table) {
  const size_t choice = Below(10);
  if (choice < 5) return model::StatementOp{Write(model, table)};
  if (choice < 9) return model::StatementOp{Select(model, table)};
  return model::StatementOp{
      model::GetOp{.table = table.name, .key = Key(table), .projection = Columns()}};
}

model::Operation Generator::BatchStatement(const model::Model& model, const Table&) {
  model::BatchStatementOp op;
  const bool reads = Chance(40);
  std::set<std::string> items;
  for (size_t i = 1 + Below(5); i > 0; --i) {
    const Table table = AnyTable(model);
    Sentence sentence = Write(model, table);
    if (reads) {
      sentence = model::GetOp{.table = table.name, .key = Key(table), .projection = Columns()};
    }
    if (items.insert(MakeItem(table, sentence)).second) op.sentences.push_back(sentence);
  }
  return op;
}

// Returns nothing, as transactions do, and seldom fails, as there are several.
Sentence Generator::Action(const model::Model& model, const Table& table, bool as_statement) {
  const size_t choice = Below(20);
  const std::optional<Condition> condition =
      Chance(20) ? std::optional(AnyCondition(1)) : std::nullopt;
  const bool old_on_failure = Chance(50);
  if (choice < 7) {
    model::PutOp op = Insert(table);
    if (as_statement) return op;
    op.condition = condition;
    op.old_on_failure = old_on_failure;
    return op;
  }
  if (choice < 14) {
    model::UpdateOp op = Change(model, table, as_statement);
    op.condition = condition;
    op.returned = model::Returned::kNone;
    op.old_on_failure = old_on_failure;
    return op;
  }
  if (choice < 18) {
    return model::DeleteOp{.table = table.name,
                           .key = Key(table),
                           .condition = condition,
                           .old_on_failure = old_on_failure};
  }
  return model::CheckOp{.table = table.name,
                        .key = Key(table),
                        .condition = AnyCondition(1),
                        .old_on_failure = old_on_failure};
}

model::Operation Generator::TransactWrites(const model::Model& model, const Table&) {
  model::TransactOp op{.actions = {}, .as_statements = Chance(35)};
  std::set<std::string> items;
  for (size_t i = 1 + Below(4); i > 0; --i) {
    const Table table = AnyTable(model);
    const Sentence action = Action(model, table, op.as_statements);
    if (items.insert(MakeItem(table, action)).second) op.actions.push_back(action);
  }
  return op;
}

model::Operation Generator::TransactGets(const model::Model& model, const Table&) {
  model::TransactOp op{.actions = {}, .as_statements = Chance(40)};
  std::set<std::string> items;
  for (size_t i = 1 + Below(5); i > 0; --i) {
    const Table table = AnyTable(model);
    model::GetOp get{.table = table.name, .key = Key(table)};
    if (Chance(50)) get.projection = op.as_statements ? Columns() : AnyProjection();
    if (items.insert(MakeItem(table, get)).second) op.actions.push_back(get);
  }
  return op;
}

model::Operation Generator::Search(const model::Model& model, const Table& table) {
  const Table* searched = &table;
  for (const char* name : {"vectors", "vectors_back"}) {
    const Table* known = model.FindTable(name);
    if (known && HasVectors(*known) && (!HasVectors(*searched) || Chance(20))) searched = known;
  }
  std::vector<const Index*> indexes;
  for (const Index& index : searched->indexes) {
    if (index.vector) indexes.push_back(&index);
  }
  if (indexes.empty()) return Query(model, table);
  const Index& index = *PickOne(indexes);
  model::SearchOp op{.table = searched->name, .index = index.name};
  for (size_t i = 0; i < index.vector->dimensions; ++i) {
    op.vector.push_back(static_cast<int>(Below(6)) - 2);
  }
  op.top_k = Chance(20) ? 100 : static_cast<int>(1 + Below(6));
  if (!index.hash.empty()) op.hash = {index.hash[0].name, KeyValue(index.hash[0])};
  for (const model::KeyAttribute& filter : index.vector->filters) {
    if (!Chance(30)) continue;
    const Operand path{.kind = Operand::Kind::kPath, .path = {filter.name}, .literal = {}};
    op.filters.push_back(
        {.kind = Condition::Kind::kEqual, .operands = {path, Literal(KeyValue(filter))}});
  }
  return op;
}

}  // namespace dynolith::random
