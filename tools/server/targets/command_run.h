// A command of the shell as a target: the event is its standard input.
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_COMMAND_RUN_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_COMMAND_RUN_H_

#include <atomic>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "tools/server/targets/invocation.h"

namespace dynolith::targets {

// Runs `sh -c command` in a process group of its own, and waits for it. Exit code 0 is success, and
// what it printed the answer. After the timeout, and when interrupted, the group is killed.
Invocation RunCommand(const std::string& command, std::string_view event, absl::Duration timeout,
                      const std::atomic<bool>* interrupted);

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_COMMAND_RUN_H_
