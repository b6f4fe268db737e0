// Why a run throttles, in words: which access, from when on, which key or partition, which limit.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_

#include <string>

#include "tools/lab/report/bottleneck.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// The part of its attempts that was throttled, from 0 to 1.
double ThrottledPart(const AccessResult& access);
// Of the access of which the largest part was; nullptr of a run without accesses.
const AccessResult* MostThrottled(const RunResult& run);
double WorstThrottledPart(const RunResult& run);

// One sentence without a full stop; empty if nothing was throttled.
std::string WhyThrottled(const RunResult& run);

// What throttled it the most. Requires: it was throttled.
Bottleneck FindBottleneck(const RunResult& run, const AccessResult& access);
// Whether these shards are of the keys of the table or index that throttled.
bool SpreadsWhatIsHot(const Experiment& experiment, const Bottleneck& bottleneck,
                      const OpenMember& shards);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_
