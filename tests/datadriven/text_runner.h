// Runs the blocks of a text file through the dispatcher, on a fresh database whose clock stands
// still.
#ifndef DYNOLITH_TESTS_DATADRIVEN_TEXT_RUNNER_H_
#define DYNOLITH_TESTS_DATADRIVEN_TEXT_RUNNER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dynolith/database.h"
#include "dynolith/regions.h"
#include "engine/base/clock.h"
#include "tests/datadriven/block_file.h"
#include "tests/datadriven/twin_answers.h"

namespace dynolith::datadriven {

// Runs "!capacity" with its three words. What went wrong; empty if nothing did.
std::string SetCapacity(Database* database, const std::string& command);

class TextRunner {
 public:
  // With `vector_search` approximate the smallest vector index is searched through a graph, which
  // has followed all writes. With `twin` calls go through AnswerOfTwin, and are counted there.
  explicit TextRunner(VectorSearch vector_search = VectorSearch::kExact,
                      TwinCounts* twin = nullptr);
  // On the store on PostgreSQL at `store_url`, which is emptied. If it takes turns, two databases
  // do so at the calls.
  TextRunner(std::string store_url, bool takes_turns);
  ~TextRunner();

  // Opens the database that these blocks ask for: in memory, or in a folder of its own if it is to
  // be opened again.
  absl::Status Open(const std::vector<Block>& blocks);

  // What went wrong with a command; empty if nothing did.
  std::string Run(const Block& command);
  // The answer to a call, as an expectation would be written.
  std::string Answer(const Block& call);
  // Searches that went through a graph since the database was last opened.
  int64_t graph_searches() const;
  // Whether an answer is what is expected. A "${name}" of the expectation that stands for nothing
  // yet captures what is there.
  bool Matches(const std::string& expected, const std::string& answer);
  // From now on "${name}" stands for `value`.
  void Capture(const std::string& name, const std::string& value);

 private:
  absl::Status OpenDatabase();
  absl::Status OpenRegions(const std::vector<std::string>& names);
  // Runs "!in", "!cut", "!lag", "!overlap", "!release" or "!settle" with its words.
  std::string RunOfRegions(const std::string& command);
  absl::StatusOr<std::unique_ptr<Database>> MakeDatabase() const;
  // Of a store on PostgreSQL: the call goes to the other database than the last one.
  absl::Status TakeTurns();
  // What a command does to each database there is, until one has succeeded if `any` is enough.
  std::string RunOnEach(bool any, absl::FunctionRef<absl::Status(Database*)> command) const;
  std::string Check();
  // Has the graph built that the call could search, by making it once.
  void AwaitGraph(const Block& call) const;

  TwinCounts* const twin_;
  const std::string store_url_;
  const bool takes_turns_ = false;
  ManualClock clock_;
  DatabaseOptions options_;
  // Of a file with "!regions": calls go to the one that "!in" has named last, the others are kept.
  std::unique_ptr<Regions> regions_;
  std::string region_;
  std::map<std::string, std::unique_ptr<Database>> others_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Database> other_;  // nullptr: none, or not opened yet
  std::map<std::string, std::string> captures_;
};

}  // namespace dynolith::datadriven

#endif  // DYNOLITH_TESTS_DATADRIVEN_TEXT_RUNNER_H_
