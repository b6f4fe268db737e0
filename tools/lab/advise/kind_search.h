// Searches one kind of design for the smallest of it that serves a load: the fewest shards by
// doubling and halving, then the fewest units by halving. Each step is a simulation.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_KIND_SEARCH_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_KIND_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/lab/advise/explanation.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// What is tried: shards at their least, units at any number.
struct DesignKind {
  Experiment start;
  // Tables of which the units are searched, with those of their indexes.
  std::vector<size_t> sized;
  // Open shards that can be.
  std::vector<OpenMember> levers;
  // So many times what is asked for at most is given while shards are searched: partitions are as
  // many as units need, and keys in shards need some to spread over.
  double room = 1.1;
};

struct KindResult {
  RunResult run;  // of the smallest that serves, or of the best that there is
  bool serves = false;
  // With the least shards, if that does not serve.
  std::optional<RunResult> first;
  // The nearest ones below that do not serve: one lever fewer, and fewer units.
  std::vector<RunResult> less;
};

// `asked` is a run of the same load, for what it asks of each table and index. `simulate` returns
// nullopt when it is to end.
class KindSearch {
 public:
  using SimulateOne = std::function<std::optional<RunResult>(const Experiment&)>;

  KindSearch(DesignKind kind, double throttled, const RunResult& asked, SimulateOne simulate);

  // nullopt if it was ended before there was anything to tell.
  std::optional<KindResult> Search();

 private:
  // Units of one kind of a table or an index.
  struct UnitsOf {
    size_t table = 0;
    std::optional<size_t> index;
    AccessKind kind = AccessKind::kRead;
    int64_t ample = 1;  // with so many nothing is throttled for want of them
    int64_t units = 1;
    int64_t mean = 0;  // that are asked for
  };
  // Whether to go on.
  enum class Step : uint8_t { kGoOn, kEnded };

  bool Serves(const RunResult& run) const { return WorstThrottledPart(run) <= throttled_; }
  Experiment Design() const;
  void Learn(const RunResult& run);
  std::optional<RunResult> TryAmple();
  bool RaiseUnits(const RunResult& run);
  std::optional<size_t> LeverFor(const RunResult& run) const;
  bool Raise(size_t lever);
  Step RaiseShards(RunResult* run);
  Step LowerShards(size_t lever, RunResult* run);
  Step LowerUnits(size_t phase);
  bool IsShort(const RunResult& run, const UnitsOf& dimension) const;
  Step Settle(RunResult* run);

  const DesignKind kind_;
  const double throttled_;
  const SimulateOne simulate_;
  std::vector<int64_t> shards_;                // of each lever
  std::vector<std::optional<int64_t>> tried_;  // of each lever: the most that did not serve
  std::vector<UnitsOf> dimensions_;
  std::vector<RunResult> less_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_KIND_SEARCH_H_
