// Searches one kind of design for the smallest of it that serves a load: the fewest shards by
// doubling and halving, then the least that is given by halving. Each step is a simulation, or one
// for each placement of the keys.
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

// Something that a table, with its indexes, is given as much of as it needs.
enum class Given : uint8_t { kUnits, kWarm, kMaximum };

// What is tried: shards at their least, what is given at any number.
struct DesignKind {
  struct Sized {
    size_t table = 0;
    Given given = Given::kUnits;
  };

  Experiment start;
  std::vector<Sized> sized;
  // Open shards that can be.
  std::vector<OpenMember> levers;
  // So many times what is asked for at most is given while shards are searched: partitions are as
  // many as units need, and keys in shards need some to spread over.
  double room = 1.1;
};

struct KindResult {
  Judgement judgement;  // of the smallest that serves, or of the best that there is
  // With the least shards, if that does not serve.
  std::optional<Judgement> first;
  // The nearest ones below that do not serve: one lever fewer, and less that is given.
  std::vector<RunResult> less;
};

// `asked` is a run of the same load, for what it asks of each table and index.
class KindSearch {
 public:
  KindSearch(DesignKind kind, const AdviceRequest& request, const RunResult& asked,
             const SimulateOne& simulate);

  // With the fewest shards first; if partitions need more of what is given than all of the load,
  // with more shards, too. None if it was ended before there was anything to tell.
  std::vector<KindResult> Search();

 private:
  // What is given of one kind to a table or an index.
  struct Dimension {
    size_t table = 0;
    std::optional<size_t> index;
    AccessKind kind = AccessKind::kRead;
    Given given = Given::kUnits;
    int64_t least = 1;  // that can be given
    int64_t ample = 1;  // with so much nothing is throttled for want of it
    int64_t units = 1;
    int64_t mean = 0;  // that is asked for, with what is kept in reserve
  };
  // What is lowered at a time: whether it is what owners set, and of which index, from 1; or 0.
  using Phase = std::pair<bool, size_t>;
  static Phase ToPhase(const Dimension& dimension) {
    return {dimension.given == Given::kMaximum, dimension.index ? *dimension.index + 1 : 0};
  }
  // Whether to go on.
  enum class Step : uint8_t { kGoOn, kEnded };

  void AddDimensions(const DesignKind::Sized& sized);
  Experiment Design() const;
  void Learn(const RunResult& run);
  std::optional<Judgement> ProbeAmple(FailedRun failed);
  bool RaiseGiven(const RunResult& run);
  std::optional<size_t> LeverFor(const RunResult& run) const;
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
  // So much given in all is no better than what was found with fewer shards.
  double useless_ = std::numeric_limits<double>::infinity();
  // A run in which less than is given did not do since a partition was at its limit.
  std::optional<RunResult> met_partition_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_KIND_SEARCH_H_
