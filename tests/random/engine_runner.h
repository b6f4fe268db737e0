// Runs the model's operations on a real Database, in one configuration, and brings its answers into
// the model's form.
#ifndef DYNOLITH_TESTS_RANDOM_ENGINE_RUNNER_H_
#define DYNOLITH_TESTS_RANDOM_ENGINE_RUNNER_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynolith/database.h"
#include "tests/model/model.h"

namespace dynolith::random {

struct Configuration {
  std::string name;
  bool in_memory = false;
  size_t write_buffer_bytes = 16 << 20;
  int reopen_every = 0;  // steps; 0: never
  // Whether tables have all that follows their writes: streams, time to live, point-in-time
  // recovery. It changes no answer.
  bool followed = false;
};

class EngineRunner {
 public:
  // Uses a new folder below `scratch`, which it removes in the end. Any failure to open or create
  // ends the process with a message.
  EngineRunner(Configuration configuration, const std::string& scratch,
               const std::vector<model::Table>& tables);
  ~EngineRunner();

  // Each group of the outcome holds one item: the engine's order is complete.
  model::Outcome Run(const model::Operation& operation);

  // Makes every check of a store, and compares the past with what it was; the disagreements, or
  // nothing.
  std::vector<std::string> Check();
  const std::string& name() const { return configuration_.name; }

 private:
  void Open();
  void CreateTable(const model::Table& table);
  void FollowWrites(const model::Table& table);
  // Remembers all items of now.
  void Remember();
  // Row key -> item.
  using Rows = std::map<std::string, std::string>;
  // All items of the table, or those that it had at `time`.
  Rows RowsOf(const std::string& table, std::optional<absl::Time> time);
  void CompareWithPast(std::vector<std::string>* disagreements);
  model::Outcome Put(const model::PutOp& op);
  model::Outcome Delete(const model::DeleteOp& op);
  model::Outcome Update(const model::UpdateOp& op);
  model::Outcome Get(const model::GetOp& op);
  model::Outcome BatchWrite(const model::BatchWriteOp& op);
  model::Outcome BatchGet(const model::BatchGetOp& op);
  model::Outcome Read(const model::ReadOp& op);
  model::Outcome ReadPages(const model::ReadOp& op, int segment);
  model::Outcome CreateIndex(const model::CreateIndexOp& op);
  model::Outcome DeleteIndex(const model::DeleteIndexOp& op);

  const Configuration configuration_;
  std::string folder_;
  std::vector<model::Table> tables_;
  std::unique_ptr<Database> database_;
  int steps_ = 0;
  struct Past {
    absl::Time time;
    std::map<std::string, Rows> tables;
  };
  std::vector<Past> remembered_;
};

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_ENGINE_RUNNER_H_
