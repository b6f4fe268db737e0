// Judges whether a design serves a load in many placements of its keys. One run tests one hash of
// each key, with which two shards of a hot key may avoid sharing a partition by chance.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_PLACEMENTS_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_PLACEMENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// The part of all placements in which a design serves that served in `served` of `tried` ones, from
// 0 to 1: the limits of its 95 % confidence interval (Wilson, 1927). Requires: tried > 0.
struct LikelyPart {
  double least = 0;
  double most = 1;
};
LikelyPart FindLikelyPart(int64_t served, int64_t tried);

// `go_on` can end the run early, as in Simulate. Returns nullopt if the search has to end.
using SimulateOne = std::function<std::optional<RunResult>(
    const Experiment&, absl::FunctionRef<bool(const RunProgress&)> go_on)>;

// How long a run continues when its design does not serve.
enum class FailedRun : uint8_t {
  kWhole,
  kUntilCertain  // until that is certain; the result covers only the time until then
};

// The design with the requested reserve and its keys in one of the placements. Placement 0 is that
// of the experiment itself, with its own keys and random numbers.
Experiment InPlacement(const Experiment& design, const AdviceRequest& request, uint64_t placement);

// The result of a design in as many placements as it takes to be certain whether it serves.
struct Judgement {
  bool serves = false;
  int64_t tried = 0;
  int64_t served = 0;
  // A run that serves; if the design does not, one that does not serve.
  RunResult run;
};

// Tries the designs of one search. It begins with placements in which earlier designs failed.
class Placements {
 public:
  // `start`: the experiment that all designs change.
  Placements(const Experiment& start, const AdviceRequest& request, SimulateOne simulate);

  std::optional<Judgement> Judge(const Experiment& design, FailedRun failed);
  // The same in only a few placements, the worst first, for a search whose result is judged again
  // in all of them.
  std::optional<Judgement> Probe(const Experiment& design, FailedRun failed);
  // Runs the design in one placement.
  std::optional<RunResult> Try(const Experiment& design, uint64_t placement,
                               FailedRun failed) const;
  bool Serves(const RunResult& run) const;
  // Repeats the run if it ended early. Returns false if the search has to end.
  bool Complete(RunResult* run) const;

 private:
  // Whether a design serves, by placement.
  using Verdicts = std::map<uint64_t, bool>;
  // A run of a design that fails, and one that serves.
  using Examples = std::array<std::optional<RunResult>, 2>;

  std::optional<Judgement> JudgeIn(const Experiment& design, size_t placements, FailedRun failed);
  static int64_t CountFailed(const Verdicts& verdicts);
  bool TryAll(const Experiment& design, std::vector<uint64_t> order, Verdicts* verdicts,
              Examples* examples) const;
  std::optional<RunResult> RunUntil(const Experiment& design, uint64_t placement, Micros until,
                                    bool* fails) const;

  const Experiment& start_;
  const AdviceRequest& request_;
  const SimulateOne simulate_;
  const int64_t may_fail_;  // how many of all placements
  std::vector<uint64_t> order_;
  std::map<std::string, Verdicts> judged_;  // by design
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_PLACEMENTS_H_
