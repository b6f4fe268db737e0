// Whether a design serves a load wherever its keys fall: one run says what one hash of each key
// does, and with a little luck no two shards of a hot key share a partition.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_PLACEMENTS_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_PLACEMENTS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tools/lab/experiment/experiment.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// nullopt when it is to end.
using SimulateOne = std::function<std::optional<RunResult>(const Experiment&)>;

// The design as it is tried, with what is asked for in reserve, its keys in one of the placements.
// The first is the experiment's own, of keys and of chance.
Experiment InPlacement(const Experiment& design, const AdviceRequest& request, uint64_t placement);

// What came of a design in some placements: in so many that what is asked for is certain.
struct Judgement {
  bool serves = false;
  int64_t tried = 0;
  int64_t served = 0;
  // The first that serves; of a design that does not, the worst.
  RunResult run;
};

// Tries designs of one search, in those placements first in which the last ones did not serve.
class Placements {
 public:
  Placements(const AdviceRequest& request, SimulateOne simulate);

  std::optional<Judgement> Judge(const Experiment& design);
  // The same for one of many designs, of which what is found is judged again: in a few of the
  // placements, the worst first.
  std::optional<Judgement> Probe(const Experiment& design);
  // In one placement.
  std::optional<RunResult> Try(const Experiment& design, uint64_t placement) const;
  bool Serves(const RunResult& run) const;

 private:
  std::optional<Judgement> JudgeIn(const Experiment& design, size_t placements);

  const AdviceRequest& request_;
  const SimulateOne simulate_;
  const int64_t may_fail_;  // of all placements
  std::vector<uint64_t> order_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_PLACEMENTS_H_
