// The cheapest design, within what an experiment leaves open, that serves its load; and why the
// others do not.
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

// One that was looked at, the smallest of its kind.
struct AdvisedDesign {
  // As the service would treat it. Its experiment is the design, which is named by what is open.
  RunResult run;
  double cost = 0;  // a month
  double once = 0;  // for what it is warmed for
  // As it was judged: in how many placements it was tried, and in how many it served.
  bool serves = false;
  int64_t tried = 0;
  int64_t served = 0;
  double denied = 0;               // of the access with the largest part, from 0 to 1
  std::string why;                 // of what was throttled or refused; may be empty
  std::vector<std::string> helps;  // what would, if it does not serve
  // Smaller ones that do not serve: their names, and why.
  std::vector<std::pair<std::string, std::string>> less;
};

struct Advice {
  Experiment base;
  AdviceRequest request;
  // Those that serve, the cheapest first; then the others, by what they throttle.
  std::vector<AdvisedDesign> designs;
  std::vector<std::string> notes;  // what was left out
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

// `go_on` is asked now and then, by one thread at a time; false ends the search, and what was found
// until then is told. The same experiment gives the same advice with any number of threads.
Advice FindAdvice(const Experiment& base, const AdviceRequest& request, const PriceList& prices,
                  size_t threads, absl::FunctionRef<bool(const AdviceProgress&)> go_on);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_ADVICE_H_
