// Explains why a run does not serve its load: which access was denied, since when, by which key or
// partition and which limit; or which item collections are full.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_

#include <string>

#include "tools/lab/report/bottleneck.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// The throttled part of the attempts, from 0 to 1.
double ThrottledPart(const AccessResult& access);
// The part that was throttled or refused.
double DeniedPart(const AccessResult& access);
// The access with the largest denied part; nullptr if everything was served.
const AccessResult* MostDenied(const RunResult& run);
double WorstDeniedPart(const RunResult& run);

// Whether the run meets its experiment's expectations for the served part and for latency.
bool ServesAsExpected(const RunResult& run);

// One sentence without a full stop: which expectation is missed and what was denied; may be empty.
std::string WhyNotServed(const RunResult& run);

// The table whose full item collections denied the access more often than limits did; nullptr if
// there is none.
const ResourceResult* FullTable(const RunResult& run, const AccessResult& access);
// The limit that throttled the access most often. Requires: it was throttled.
Bottleneck FindBottleneck(const RunResult& run, const AccessResult& access);
// Whether these shards spread the partition keys of the table or index by which `access` asks it.
bool SpreadsKeysOf(const Access& access, const Experiment& experiment,
                   const ResourceResult& resource, const OpenMember& shards);
// Whether these shards spread some partition keys of the table or index.
bool SpreadsKeys(const Experiment& experiment, const ResourceResult& resource,
                 const OpenMember& shards);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_
