// A target of a mapping: invoked with one event, and what it answers.
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_TARGET_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_TARGET_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/server/targets/invocation.h"

namespace dynolith::targets {

// One invocation at a time.
class Target {
 public:
  // "http://…" or "exec:command", as ParseOnStream accepts it. `interrupted`: borrowed; once true,
  // running invocations end soon with kAway. Errors: kInvalidArgument, no certificates for https.
  static absl::StatusOr<std::unique_ptr<Target>> Make(std::string_view target,
                                                      absl::Duration timeout,
                                                      const std::atomic<bool>* interrupted);
  virtual ~Target() = default;

  virtual Invocation Invoke(std::string_view event) = 0;
};

// Appends the line to a file, or posts it to an address; for records that are given up. Errors:
// kUnavailable: the reason.
absl::Status DeliverLine(const std::string& destination, std::string_view line,
                         const std::atomic<bool>* interrupted);

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_TARGET_H_
