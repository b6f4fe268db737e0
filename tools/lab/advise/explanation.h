// Why a run does not serve, in words: which access, from when on, which key or partition, which
// limit; or which item collections are full.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_

#include <string>

#include "tools/lab/report/bottleneck.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// The part of its attempts that was throttled, from 0 to 1.
double ThrottledPart(const AccessResult& access);
// That was throttled or refused.
double DeniedPart(const AccessResult& access);
// Of the access of which the largest part was; nullptr if all was served.
const AccessResult* MostDenied(const RunResult& run);
double WorstDeniedPart(const RunResult& run);

// Whether it is as its experiment expects of what is served and how soon.
bool ServesAsExpected(const RunResult& run);

// One sentence without a full stop: what is not as expected, and what was denied; empty if nothing.
std::string WhyNotServed(const RunResult& run);

// The table whose item collections were full, if that denied the access more than limits did; else
// nullptr.
const ResourceResult* FullTable(const RunResult& run, const AccessResult& access);
// What throttled it the most. Requires: it was throttled.
Bottleneck FindBottleneck(const RunResult& run, const AccessResult& access);
// Whether these shards are of the keys of a table or an index.
bool SpreadsKeys(const Experiment& experiment, const ResourceResult& resource,
                 const OpenMember& shards);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_
