// Searches one kind of design for the smallest that serves a load: first the fewest shards, by
// doubling and halving, then the least capacity, by halving. Each step is a simulation, or one for
// each placement of the keys.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_KIND_SEARCH_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_KIND_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tools/lab/advise/explanation.h"
#include "tools/lab/advise/placements.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// A capacity of which a table and its indexes get as much as they need.
enum class Given : uint8_t { kUnits, kWarm, kMaximum };

// A kind of design. Shards begin at their minimum; capacity may be any number.
struct DesignKind {
  struct Sized {
    size_t table = 0;
    Given given = Given::kUnits;
  };

  Experiment start;
  std::vector<Sized> sized;
  // The open shards that can be raised.
  std::vector<OpenMember> levers;
  // While shards are searched, capacity is this multiple of the peak demand: units decide the
  // number of partitions, and shards need partitions over which they spread.
  double room = 1.1;
};

struct KindResult {
  Judgement judgement;  // of the smallest design that serves; if none does, of the best one
  // Of the design with the fewest shards, if that does not serve.
  std::optional<Judgement> first;
  // The nearest smaller designs, which do not serve: with one step of a lever less, or less
  // capacity.
  std::vector<RunResult> less;
};

// `asked`: a run of the same load, which gives the demand on each table and index.
class KindSearch {
 public:
  KindSearch(DesignKind kind, const AdviceRequest& request, const RunResult& asked,
             const SimulateOne& simulate);

  // The first result has the fewest shards. If partitions need more capacity than the whole load
  // does, there are results with more shards, too. Empty if it ended before the first result.
  std::vector<KindResult> Search();

 private:
  // One kind of capacity of one table or index.
  struct Dimension {
    size_t table = 0;
    std::optional<size_t> index;
    AccessKind kind = AccessKind::kRead;
    Given given = Given::kUnits;
    int64_t least = 1;  // the minimum that can be set
    int64_t ample = 1;  // enough that its lack throttles nothing
    int64_t units = 1;
    int64_t mean = 0;  // the mean demand, increased by the reserve
  };
  // What is lowered together: whether these are owners' maxima; and the index from 1, or 0: the
  // table.
  using Phase = std::pair<bool, size_t>;
  static Phase ToPhase(const Dimension& dimension) {
    return {dimension.given == Given::kMaximum, dimension.index ? *dimension.index + 1 : 0};
  }
  // Whether the search continues.
  enum class Step : uint8_t { kGoOn, kEnded };

  void AddDimensions(const DesignKind::Sized& sized);
  Experiment Design() const;
  void Learn(const RunResult& run);
  std::optional<Judgement> ProbeAmple(FailedRun failed);
  bool RaiseGiven(const RunResult& run);
  std::vector<size_t> LeversFor(const RunResult& run) const;
  std::optional<size_t> LeverFor(const RunResult& run) const;
  std::optional<size_t> RaiseOneFor(const RunResult& run, const std::vector<bool>& given_up);
  bool Raise(size_t lever);
  Step RaiseShards(Judgement* judgement);
  Step LowerShards(size_t lever, Judgement* judgement);
  Step Confirm(Judgement* judgement);
  bool RaiseALittle(size_t lever);
  static FailedRun FailedIfOpen(std::ptrdiff_t dimensions);
  bool TellWhatIsShort(RunResult* run) const;
  std::set<Phase> Phases() const;
  int64_t FindLeastGiven(const Dimension& dimension) const;
  Step LowerGiven(const Phase& phase, uint64_t placement);
  bool IsShort(const RunResult& run, const Dimension& dimension) const;
  Step Settle(const std::vector<int64_t>& ample, Judgement* judgement);
  Step LowerAll(Judgement* judgement);
  int64_t GivenInAll() const;
  void SearchBeyond(KindResult fewest, std::vector<KindResult>* results);
  void Complete(std::vector<KindResult>* results) const;

  const DesignKind kind_;
  const AdviceRequest& request_;
  Placements placements_;
  std::vector<int64_t> shards_;                // of each lever
  std::vector<std::optional<int64_t>> tried_;  // of each lever: the most that did not serve
  std::vector<Dimension> dimensions_;
  std::vector<RunResult> less_;
  // A total capacity from which on a result is no better than one with fewer shards.
  double useless_ = std::numeric_limits<double>::infinity();
  // A run in which less capacity did not suffice because a partition was at its limit.
  std::optional<RunResult> met_partition_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_KIND_SEARCH_H_
