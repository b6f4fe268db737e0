// Describes the limit of a table or an index that throttled: which limit, when, and where.
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

// The first and the last moment of an event in a run.
struct Episode {
  size_t first = 0;
  size_t last = 0;
};

// All of these functions require that the limit throttled.
Episode WhenThrottled(const Bottleneck& bottleneck);
// Whether most of the throttles came while auto scaling could not give more units.
bool IsScaledToMaximum(const RunResult& run, const Bottleneck& bottleneck);
// The key, partition, table or index that met the limit, and the limit's size.
std::string WhatWasMet(const RunResult& run, const Bottleneck& bottleneck);
// The listed key with the most throttles; nullptr if no listed key has any.
const HotKey* MostThrottledKey(const Bottleneck& bottleneck);
// Whether that key has at least half of the throttles.
bool IsOneKey(const Bottleneck& bottleneck);
// The full item collections of a table. Requires: there are some.
std::string WhichAreFull(const ResourceResult& table);

// "from 00:01:00 on", "from 00:01:00 to 00:02:00"
std::string WhenText(const RunResult& run, const Episode& episode);
// "1,000 write units a second"; "700 of 1,000 …" if only that part is usable.
std::string UnitsText(const RunResult& run, double units, AccessKind kind);
// Whether a table or index on demand used up its whole warm throughput, not only that of a single
// partition.
bool IsWarmLimit(const RunResult& run, const ResourceResult& resource, AccessKind kind);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_BOTTLENECK_H_
