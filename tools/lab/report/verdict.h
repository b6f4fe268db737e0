// The verdict on a run in sentences: throttling and its remedies, load that only burst capacity
// carried, or the reserve that is left.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_VERDICT_H_
#define DYNOLITH_TOOLS_LAB_REPORT_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

struct Finding {
  enum class Kind : uint8_t {
    kThrottled,  // by one limit of one table or index
    kBurst,      // load above the provisioned units, which burst capacity carried
    kErrors,     // errors of a measured run, or a full item collection
    kStream,     // whether the readers of a stream keep up
    kServed      // nothing was throttled
  };

  Kind kind = Kind::kServed;
  std::string sentence;  // everything below, for people
  std::string resource;  // a table or an index; empty if it concerns no particular one
  std::optional<AccessKind> access;
  std::optional<ThroughputLimit> limit;
  std::optional<Micros> from;  // of kThrottled, kBurst and full collections
  std::optional<Micros> to;
  uint64_t throttled = 0;  // attempts
  uint64_t attempts = 0;   // on that table or index; kServed: all operations
  double share = 0;        // the part that was throttled, ended in errors, or was served
  std::string key;         // with at least half of the throttles; of the first full collection
  std::string helps;       // the remedy in a few words
  double units = 0;        // kBurst: consumed a second
  double provisioned = 0;
  std::optional<Micros> empty_after;  // kBurst: when burst capacity would be used up
  std::optional<double> reserve;      // kServed: the smallest unused part of a limit
};

// At least one finding; the one with the most throttles comes first.
std::vector<Finding> MakeVerdict(const RunResult& run);

// "throttled", "burst", "errors", "stream", "served"
std::string_view KindName(Finding::Kind kind);
// The readable name of a limit: "partition limit".
std::string_view LimitName(ThroughputLimit limit);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_VERDICT_H_
