// Whether a design serves a load wherever its keys fall: one run says what one hash of each key
// does, and with a little luck no two shards of a hot key share a partition.
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

// `go_on` may end the run early, as in Simulate; nullopt when the search is to end.
using SimulateOne = std::function<std::optional<RunResult>(
    const Experiment&, absl::FunctionRef<bool(const RunProgress&)> go_on)>;

// How far a run of a design goes that does not serve.
enum class FailedRun : uint8_t {
  kWhole,
  kUntilCertain  // it is no whole run then: what came later is not in it
};

// The design as it is tried, with what is asked for in reserve, its keys in one of the placements.
// The first is the experiment's own, of keys and of chance.
Experiment InPlacement(const Experiment& design, const AdviceRequest& request, uint64_t placement);

// What came of a design in some placements: in so many that what is asked for is certain.
struct Judgement {
  bool serves = false;
  int64_t tried = 0;
  int64_t served = 0;
  // One that serves; of a design that does not, one of those that do not.
  RunResult run;
};

// Tries designs of one search, in those placements first in which the last ones did not serve.
class Placements {
 public:
  // `start`: of which all designs are changes.
  Placements(const Experiment& start, const AdviceRequest& request, SimulateOne simulate);

  std::optional<Judgement> Judge(const Experiment& design, FailedRun failed);
  // The same for one of many designs, of which what is found is judged again: in a few of the
  // placements, the worst first.
  std::optional<Judgement> Probe(const Experiment& design, FailedRun failed);
  // In one placement.
  std::optional<RunResult> Try(const Experiment& design, uint64_t placement,
                               FailedRun failed) const;
  bool Serves(const RunResult& run) const;
  // Runs it again if it is no whole one. False when the search is to end.
  bool Complete(RunResult* run) const;

 private:
  // By placement, whether a design serves in it.
  using Verdicts = std::map<uint64_t, bool>;
  // By whether it serves, a run of a design.
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
  const int64_t may_fail_;  // of all placements
  std::vector<uint64_t> order_;
  std::map<std::string, Verdicts> judged_;  // by design
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_PLACEMENTS_H_
