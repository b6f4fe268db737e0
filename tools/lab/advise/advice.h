// Finds the cheapest design that serves an experiment's load, within what the experiment leaves
// open, and says why the other designs do not serve it.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_ADVICE_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_ADVICE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// The smallest design of one kind that the search found.
struct AdvisedDesign {
  // A run of the design under the service's own limits. The design is its experiment, whose name
  // lists the open members.
  RunResult run;
  double cost = 0;  // a month
  double once = 0;  // the one-time price of its warm throughput
  // The judgement: in how many placements it was tried, and in how many it served.
  bool serves = false;
  int64_t tried = 0;
  int64_t served = 0;
  double denied = 0;               // the largest denied part of any access, from 0 to 1
  std::string why;                 // why attempts were throttled or refused; may be empty
  std::vector<std::string> helps;  // if it does not serve: changes that would help
  // Smaller designs that do not serve: their names, and why.
  std::vector<std::pair<std::string, std::string>> less;
};

struct Advice {
  Experiment base;
  AdviceRequest request;
  // Designs that serve, the cheapest first; then the others, by the part that they throttle.
  std::vector<AdvisedDesign> designs;
  // What the search left out, and what gives reason to doubt a design, with its name.
  std::vector<std::string> notes;
  size_t simulations = 0;
  bool is_complete = true;

  // The cheapest that serves without being warmed; nullptr if there is none.
  const AdvisedDesign* CheapestUnwarmed() const;
};

struct AdviceProgress {
  size_t kinds_done = 0;
  size_t kinds = 0;
  size_t simulations = 0;
};

// Calls `go_on` now and then, from one thread at a time; if it returns false the search ends and
// the advice has what was found so far. The number of threads does not change the advice.
Advice FindAdvice(const Experiment& base, const AdviceRequest& request, const PriceList& prices,
                  size_t threads, absl::FunctionRef<bool(const AdviceProgress&)> go_on);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_ADVICE_H_
