// Runs the model's operations on a real Database, in one configuration, and brings its answers into
// the model's form.
#ifndef DYNOLITH_TESTS_RANDOM_ENGINE_RUNNER_H_
#define DYNOLITH_TESTS_RANDOM_ENGINE_RUNNER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "dynolith/database.h"
#include "engine/key/schema.h"
#include "tests/hostile/hostile_store.h"
#include "tests/model/model.h"
#include "tests/random/consumed_units.h"
#include "tests/random/spoken.h"
#include "tests/random/wire_call.h"

namespace dynolith {
class VectorGraphs;
}

namespace dynolith::random {

struct Configuration {
  std::string name;
  bool in_memory = false;
  // Instead of the next two; 0: none.
  size_t memory_budget_bytes = 0;
  size_t write_buffer_bytes = 8 << 20;
  size_t item_cache_bytes = 32 << 20;
  // Whether a ReopenOp is followed; a store in memory cannot.
  bool reopens = false;
  // Whether tables have all that follows their writes: streams, time to live, point-in-time
  // recovery. It changes no answer.
  bool followed = false;
  // Whether two databases over one hostile store (tests/hostile) take turns at the steps.
  bool hostile = false;
  // The store on PostgreSQL that they are over instead, which is emptied first; empty: none.
  std::string store_url;
  // Whether calls go through the wire's texts instead of to the methods.
  bool over_wire = false;
  // Whether what statements of PartiQL can say is said by them (tests/random/spoken.h).
  bool speaks = false;
  // From how many entries on searches of vectors go through graphs; 0: they are exact. What they
  // find may then be less than what the model finds (tests/random/comparison.h).
  size_t graph_entries = 0;
  // Whether a search waits until the graphs have followed all writes.
  bool awaits_graphs = false;
  // What answers are asked to tell of consumed capacity, which then stands in the outcomes.
  ReturnConsumedCapacity told = ReturnConsumedCapacity::kNone;
};

// One call as a text test has it; `operation` may also be one of its commands, without a body.
struct RecordedCall {
  std::string operation;
  std::string body;
};

class EngineRunner {
 public:
  // Uses a new folder below `scratch`, which it removes in the end. Any failure to open ends the
  // process with a message. `record`, if there is one, gets every call; it must outlive the runner.
  EngineRunner(Configuration configuration, const std::string& scratch,
               std::vector<RecordedCall>* record = nullptr);
  ~EngineRunner();

  // Each group of the outcome holds one item: the engine's order is complete. Of a VerifyOp the
  // disagreements are the error.
  model::Outcome Run(const model::Operation& operation);

  const Configuration& configuration() const { return configuration_; }
  // Rows of streams, expiry and history that the last VerifyOp has checked.
  uint64_t followers_checked() const { return followers_checked_; }
  // Steps that were said as statements.
  int spoken() const { return spoken_; }
  // Searches that went through a graph.
  int64_t graph_searches() const;

 private:
  template <typename Request>
  void Record(const char* operation, const Request& request) {
    RecordRequest(operation, &request);
  }
  // Calls and records an operation of items, in the way that the configuration says.
  template <typename Request, typename Output>
  absl::StatusOr<Output> Call(const char* operation,
                              absl::StatusOr<Output> (Database::*method)(const Request&),
                              Request request) {
    request.return_consumed_capacity = configuration_.told;
    Record(operation, request);
    const auto call = [&] {
      return configuration_.over_wire ? CallOverWire<Output>(database_.get(), operation, request)
                                      : (database_.get()->*method)(request);
    };
    absl::StatusOr<Output> output = call();
    if (output.ok()) AddUnits(output->consumed_capacity, &units_);
    return output;
  }
  void RecordRequest(const char* operation, const void* request);
  void RecordCommand(const char* command);

  bool TellsUnits() const { return configuration_.told != ReturnConsumedCapacity::kNone; }
  void Open();
  std::unique_ptr<SharedStore> OpenSharedStore();
  // Of a hostile configuration: the other database is the next one, which cannot wait for indexes
  // that this one fills.
  void ChangeDatabases();
  void AwaitTables(const model::Operation& operation);
  model::Outcome Perform(const model::Operation& operation);
  // nullopt if there is no such table.
  std::optional<KeyNames> FindKeyNames(const std::string& table) const;
  // nullptr: searches are exact.
  VectorGraphs* graphs() const;
  // Waits for indexes that are being filled beside the program.
  void Settle();

  // run_items.cc
  model::Outcome Put(const model::PutOp& op);
  model::Outcome Delete(const model::DeleteOp& op);
  model::Outcome Update(const model::UpdateOp& op);
  model::Outcome Get(const model::GetOp& op);
  model::Outcome BatchWrite(const model::BatchWriteOp& op);
  model::Outcome BatchGet(const model::BatchGetOp& op);
  model::Outcome Read(const model::ReadOp& op);
  model::Outcome ReadPages(const model::ReadOp& op, int segment);

  // run_statements.cc
  model::Outcome Say(const model::StatementOp& op);
  model::Outcome SayAll(const model::BatchStatementOp& op);
  model::Outcome Transact(const model::TransactOp& op);
  model::Outcome TransactGets(const model::TransactOp& op);
  model::Outcome Search(const model::SearchOp& op);

  // run_tables.cc
  model::Outcome CreateTable(const model::CreateTableOp& op);
  model::Outcome DeleteTable(const model::DeleteTableOp& op);
  model::Outcome CreateIndex(const model::CreateIndexOp& op);
  model::Outcome DeleteIndex(const model::DeleteIndexOp& op);
  model::Outcome ShardIndex(const model::ShardIndexOp& op);
  model::Outcome CreateBackup(const model::CreateBackupOp& op);
  model::Outcome Restore(const model::RestoreOp& op);
  model::Outcome DeleteBackup(const model::DeleteBackupOp& op);
  void FollowWrites(const std::string& table);
  std::vector<std::string> TableNames();

  // verify.cc
  model::Outcome Verify();
  // Every check of a store, and the past; the disagreements, or nothing.
  std::string Check(size_t tables);
  // Remembers all items of now.
  void Remember();
  // Row key -> item.
  using Rows = std::map<std::string, std::string>;
  // All items of the table, or those that it had at `time`.
  Rows ReadRows(StorageId table, std::optional<absl::Time> time);
  void CompareWithPast(std::string* disagreements);

  const Configuration configuration_;
  std::string folder_;
  std::vector<RecordedCall>* const record_;
  std::shared_ptr<hostile::HostileRows> hostile_rows_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Database> other_;  // of a hostile configuration
  int steps_ = 0;
  int spoken_ = 0;
  int64_t earlier_graph_searches_ = 0;  // before the database was last opened
  // Of the step that runs.
  Units units_;
  bool filling_ = false;                            // whether an index may be
  std::map<std::string, std::string> backup_arns_;  // by label
  uint64_t followers_checked_ = 0;
  struct Past {
    absl::Time time;
    std::map<std::string, std::pair<StorageId, Rows>> tables;
  };
  std::vector<Past> remembered_;
};

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_ENGINE_RUNNER_H_
