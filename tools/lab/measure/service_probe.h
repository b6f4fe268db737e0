// Finds out what a service does not publish, or has shown more of than it promises: how much unused
// capacity a table saves, how many eventually consistent reads a partition serves, and when a hot
// one is split (README.md, "Probes").
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_SERVICE_PROBE_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_SERVICE_PROBE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/lab/experiment/service_profile.h"
#include "tools/lab/measure/service_call.h"

namespace dynolith::lab {

// The time of a probe: the machine's, or a test's.
class ProbeTime {
 public:
  virtual ~ProbeTime() = default;
  virtual Micros Now() = 0;
  // Returns whether the probe goes on.
  virtual bool WaitUntil(Micros at) = 0;
};

struct ProbeOptions {
  Micros idle = 10 * kMinute;  // of a table, before what it has saved is taken
  Micros hot = 20 * kMinute;   // of a partition at most, until it is split
  std::string prefix = "lab-";
};

struct ProbeReport {
  ServiceProfile found;
  std::vector<std::string> missing;  // a sentence on each thing that was not found
};

// Makes two tables, and deletes them. Errors: those of the service.
absl::StatusOr<ProbeReport> ProbeService(const ProbeOptions& options, MeasuredTarget* target,
                                         ProbeTime* time);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_SERVICE_PROBE_H_
