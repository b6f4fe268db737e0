// Random programs: seeded operations on up to eight tables with every kind of index, over so few
// keys and values that things collide.
#ifndef DYNOLITH_TESTS_RANDOM_GENERATOR_H_
#define DYNOLITH_TESTS_RANDOM_GENERATOR_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/model/model.h"

namespace dynolith::random {

// So many steps, and a VerifyOp. The same seed gives the same program.
std::vector<model::Operation> MakeProgram(uint64_t seed, int steps);

// Draws operations. The same seed and the same model states give the same operations.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}
  // What `model` would run next. The first ones create tables.
  model::Operation Next(const model::Model& model);
  // The table of that name with every index that it may be created with.
  static model::Table WithAllIndexes(const std::string& name);

 private:
  // Attributes by what usually stands in them: keys of indexes, and anything.
  static const std::vector<std::string> kScalars;
  static const std::vector<std::string> kFree;

  size_t Below(size_t bound) { return static_cast<size_t>(random_()) % bound; }
  bool Chance(int percent) { return Below(100) < static_cast<size_t>(percent); }
  template <typename T>
  const T& PickOne(const std::vector<T>& choices) {
    return choices[Below(choices.size())];
  }

  // generator.cc
  static model::KeyAttribute Typed(const std::string& name);
  static bool IsKey(const model::Table& table, const model::Index* index, const std::string& name);
  static bool HasVectors(const model::Table& table);
  model::Value KeyValue(const model::KeyAttribute& attribute);
  model::Item Key(const model::Table& table);
  model::Value AnyValue(int depth);
  model::Value MakeValue(const std::string& attribute);
  model::Value Vector();
  model::Item NewItem(const model::Table& table);

  // generate_expressions.cc
  model::Path AnyPath();
  model::Operand AnyOperand();
  model::Operand Literal(const model::Value& value);
  model::Condition Predicate();
  model::Condition Comparison();
  model::Condition AnyCondition(int depth);
  model::Condition FilterFor(const std::vector<std::string>& attributes, int depth);
  std::vector<model::Path> AnyProjection();

  // generate_items.cc
  model::Operation Put(const model::Model& model, const model::Table& table);
  model::Operation Update(const model::Model& model, const model::Table& table);
  void AddClause(const std::string& attribute, model::Update* update);
  model::SetValue AnySetValue(const std::string& attribute);
  model::Operation Delete(const model::Model& model, const model::Table& table);
  model::Operation Get(const model::Model& model, const model::Table& table);
  model::Operation BatchWrite(const model::Model& model, const model::Table& table);
  model::Operation BatchGet(const model::Model& model, const model::Table& table);
  const model::Index* ReadableIndex(const model::Table& table);
  model::Operation Query(const model::Model& model, const model::Table& table);
  void QueryRange(const std::vector<model::KeyAttribute>& range, model::ReadOp* op);
  model::Operation Scan(const model::Model& model, const model::Table& table);
  void Shape(const model::Table& table, const model::Index* index, model::ReadOp* op);

  // generate_statements.cc
  model::PutOp Insert(const model::Table& table);
  model::UpdateOp Change(const model::Model& model, const model::Table& table, bool as_statement);
  std::vector<model::Path> Columns();
  model::Sentence Write(const model::Model& model, const model::Table& table);
  model::Sentence Select(const model::Model& model, const model::Table& table);
  model::Sentence Action(const model::Model& model, const model::Table& table, bool as_statement);
  model::Operation Statement(const model::Model& model, const model::Table& table);
  model::Operation BatchStatement(const model::Model& model, const model::Table& table);
  model::Operation TransactWrites(const model::Model& model, const model::Table& table);
  model::Operation TransactGets(const model::Model& model, const model::Table& table);
  model::Operation Search(const model::Model& model, const model::Table& table);

  // generate_tables.cc
  static model::Table WithoutIndexes(const std::string& name);
  static std::vector<model::Index> ShapeIndexes(const std::string& shape);
  model::Operation CreateTable(const std::string& name);
  model::Table AnyTable(const model::Model& model);
  model::Operation ChangeTable(const model::Model& model, const model::Table& table);
  model::Operation ChangeIndex(const model::Model& model, const model::Table& table);
  model::Operation ShardIndex(const model::Model& model, const model::Table& table);
  model::Operation ChangeBackup(const model::Model& model, const model::Table& table);
  model::Operation Reopen(const model::Model& model, const model::Table& table);
  model::Operation Verify(const model::Model& model, const model::Table& table);

  std::mt19937_64 random_;
  size_t steps_ = 0;
  int indexes_created_ = 0;
  int backups_created_ = 0;
  std::map<std::string, std::vector<model::ReadOp>> asked_;  // by table: the last queries of it
};

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_GENERATOR_H_
