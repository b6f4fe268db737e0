// What a run comes to, in sentences: what was throttled and what helps, what only burst capacity
// carried, or what is left in reserve.
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
    kBurst,      // more than is provisioned, which saved capacity carried
    kErrors,     // of a measured run, or an item collection had no room
    kStream,     // whether the readers of a stream keep up
    kServed      // nothing was throttled
  };

  Kind kind = Kind::kServed;
  std::string sentence;  // all of what follows, for people
  std::string resource;  // a table or an index; empty if there is none in particular
  std::optional<AccessKind> access;
  std::optional<ThroughputLimit> limit;
  std::optional<Micros> from;  // of kThrottled, kBurst and full collections
  std::optional<Micros> to;
  uint64_t throttled = 0;  // attempts
  uint64_t attempts = 0;   // on that table or index; of kServed all operations
  double share = 0;        // throttled, ended in errors, or served
  std::string key;         // that has at least half of the throttles; the first without room
  std::string helps;       // in a few words
  double units = 0;        // of kBurst: consumed a second
  double provisioned = 0;
  std::optional<Micros> empty_after;  // of kBurst: when nothing saved would be left
  std::optional<double> reserve;      // of kServed: the least that was left, from 0 to 1
};

// At least one; what throttled the most comes first.
std::vector<Finding> MakeVerdict(const RunResult& run);

// "throttled", "burst", "errors", "stream", "served"
std::string_view KindName(Finding::Kind kind);
// The readable name of a limit: "partition limit".
std::string_view LimitName(ThroughputLimit limit);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_VERDICT_H_
