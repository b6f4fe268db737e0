// Why a run throttles, in words: which access, from when on, which key or partition, which limit.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_

#include <string>

#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// The part of its attempts that was throttled, from 0 to 1.
double ThrottledPart(const AccessResult& access);
// Of the access of which the largest part was; nullptr of a run without accesses.
const AccessResult* MostThrottled(const RunResult& run);
double WorstThrottledPart(const RunResult& run);

// One sentence without a full stop; empty if nothing was throttled.
std::string WhyThrottled(const RunResult& run);

// The table or index, and the limit, that throttled an access the most.
struct Bottleneck {
  const ResourceResult* resource = nullptr;
  AccessKind kind = AccessKind::kRead;
  ThroughputLimit limit = ThroughputLimit::kProvisionedThroughput;
};
// Requires: it was throttled.
Bottleneck FindBottleneck(const RunResult& run, const AccessResult& access);
// Of a table or index on demand: whether it was all that it was warm for that was used up, and no
// single partition.
bool IsWarmLimit(const RunResult& run, const ResourceResult& resource, AccessKind kind);
// Whether these shards are of the keys of the table or index that throttled.
bool SpreadsWhatIsHot(const Experiment& experiment, const Bottleneck& bottleneck,
                      const OpenMember& shards);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_EXPLANATION_H_
