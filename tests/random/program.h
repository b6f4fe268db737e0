// Random programs: seeded operations on two tables with every kind of index, over so few keys and
// values that things collide.
#ifndef DYNOLITH_TESTS_RANDOM_PROGRAM_H_
#define DYNOLITH_TESTS_RANDOM_PROGRAM_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/model/model.h"

namespace dynolith::random {

// The tables that every program starts with.
std::vector<model::Table> ProgramTables();

// Draws operations. The same seed and the same model states give the same operations.
class Program {
 public:
  explicit Program(uint64_t seed) : random_(seed) {}
  model::Operation Next(const model::Model& model);

 private:
  size_t Below(size_t bound) { return static_cast<size_t>(random_()) % bound; }
  bool Chance(int percent) { return Below(100) < static_cast<size_t>(percent); }
  template <typename T>
  const T& OneOf(const std::vector<T>& choices) {
    return choices[Below(choices.size())];
  }

  std::string TableName();
  model::Value KeyValue(const model::KeyAttribute& attribute);
  model::Item Key(const model::Table& table);
  model::Value AnyValue(int depth);
  model::Value ValueOf(const std::string& attribute);
  model::Item NewItem(const model::Table& table);

  model::Path AnyPath();
  model::Operand AnyOperand();
  model::Operand Literal(const model::Value& value);
  model::Condition Predicate();
  model::Condition Comparison();
  model::Condition AnyCondition(int depth);
  model::Condition FilterFor(const std::vector<std::string>& attributes, int depth);
  std::vector<model::Path> AnyProjection();

  model::Operation Put(const model::Table& table);
  model::Operation Update(const model::Table& table);
  void AddClause(const std::string& attribute, model::Update* update);
  model::SetValue AnySetValue(const std::string& attribute);
  model::Operation Delete(const model::Table& table);
  model::Operation Get(const model::Table& table);
  model::Operation BatchWrite(const model::Model& model);
  model::Operation BatchGet(const model::Model& model);
  model::Operation Query(const model::Table& table);
  void QueryRange(const std::vector<model::KeyAttribute>& range, model::ReadOp* op);
  model::Operation Scan(const model::Table& table);
  void Shape(const model::Table& table, const model::Index* index, model::ReadOp* op);
  model::Operation ChangeIndex(const model::Table& table);

  std::mt19937_64 random_;
  int indexes_created_ = 0;
};

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_PROGRAM_H_
