// Starts a thread where there may be no room for one: limits of processes count threads.
#ifndef DYNOLITH_ENGINE_BASE_THREAD_START_H_
#define DYNOLITH_ENGINE_BASE_THREAD_START_H_

#include <functional>
#include <thread>

#include "absl/status/status.h"

namespace dynolith {

// Requires: `thread` is none yet, and stays none if there is an error: kResourceExhausted.
absl::Status StartThread(std::function<void()> run, std::thread* thread);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_THREAD_START_H_
