// Starts a thread where there may be no room for one: limits of processes count threads.
#ifndef DYNOLITH_ENGINE_PROCESS_THREAD_START_H_
#define DYNOLITH_ENGINE_PROCESS_THREAD_START_H_

#include <functional>
#include <future>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"

namespace dynolith {

namespace internal {
// Throws std::system_error as long as there is a NoRoomForThreads.
void CheckRoomForThread();
}  // namespace internal

// The only place where a thread begins (tests/edges): instead of an exception in the middle of a
// change there is an error, or std::bad_alloc, before it. Requires: `thread` is none yet, and stays
// none if there is an error: ServiceUnavailable.
absl::Status StartThread(std::function<void()> run, std::thread* thread);

// The same error, for an exception of a library.
absl::Status ThreadNotStarted(const std::system_error& error);

// Whether so many threads can be started, for libraries that end the process when one cannot:
// starts them all, and ends them. The same error.
absl::Status FindRoomForThreads(int count);

// The result of `run`, as by std::async: from a thread of its own, or from this one, before this
// returns, if no other can be started.
template <typename Run>
std::future<std::invoke_result_t<Run>> RunBeside(Run run) {
  try {
    internal::CheckRoomForThread();
    return std::async(std::launch::async, run);
  } catch (const std::system_error&) {
    std::packaged_task<std::invoke_result_t<Run>()> task(std::move(run));
    std::future<std::invoke_result_t<Run>> result = task.get_future();
    task();
    return result;
  }
}

// While one lives StartThread finds no room for threads: for tests, since an operating system sets
// its superuser no limit.
class NoRoomForThreads {
 public:
  NoRoomForThreads();
  ~NoRoomForThreads();
  NoRoomForThreads(const NoRoomForThreads&) = delete;
  NoRoomForThreads& operator=(const NoRoomForThreads&) = delete;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_THREAD_START_H_
