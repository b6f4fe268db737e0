// Which limit of a table or an index throttled, when, and where: in words.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_BOTTLENECK_H_
#define DYNOLITH_TOOLS_LAB_REPORT_BOTTLENECK_H_

#include <cstddef>
#include <string>

#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// A limit of a table or an index that throttled its reads or its writes. Borrows from a run.
struct Bottleneck {
  const ResourceResult* resource = nullptr;
  AccessKind kind = AccessKind::kRead;
  ThroughputLimit limit = ThroughputLimit::kProvisionedThroughput;

  uint64_t throttled() const { return resource->throttled[kind][static_cast<size_t>(limit)]; }
};

// Moments of a run: the first and the last of something.
struct Episode {
  size_t first = 0;
  size_t last = 0;
};

// Requires of all of them: it did throttle.
Episode WhenThrottled(const Bottleneck& bottleneck);
// What met the limit, and how much that is.
std::string WhatWasMet(const RunResult& run, const Bottleneck& bottleneck);
// The listed key with the most throttles; nullptr if those that are listed have none.
const HotKey* MostThrottledKey(const Bottleneck& bottleneck);
// Whether that key has at least half of the throttles.
bool IsOneKey(const Bottleneck& bottleneck);
// Which item collections of a table were full. Requires: some were.
std::string WhichAreFull(const ResourceResult& table);

// "from 00:01:00 on", "from 00:01:00 to 00:02:00"
std::string WhenText(const RunResult& run, const Episode& episode);
// "700 of 1,000 write units a second", if only so much of them may be taken.
std::string UnitsText(const RunResult& run, double units, AccessKind kind);
// Of a table or index on demand: whether it was all that it was warm for that was used up, and no
// single partition.
bool IsWarmLimit(const RunResult& run, const ResourceResult& resource, AccessKind kind);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_BOTTLENECK_H_
