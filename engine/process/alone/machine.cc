// What a process without an operating system has of the machine: one processor, no threads, no
// limits that it could read, and no forks.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "engine/base/errors.h"
#include "engine/process/forked_process.h"
#include "engine/process/memory_reserve.h"
#include "engine/process/messages.h"
#include "engine/process/processors.h"
#include "engine/process/resource_limits.h"
#include "engine/process/thread_start.h"

namespace dynolith {

namespace internal {
std::atomic<uint32_t> fork_generation = 0;

void CheckRoomForThread() {}
}  // namespace internal

absl::Status MakingProcess::Refused() const {
  return MakeError(ErrorKind::kAccessDenied, messages::DatabaseOfParent(id_, id_));
}

absl::Status StartThread(std::function<void()> /*run*/, std::thread* /*thread*/) {
  return MakeError(ErrorKind::kServiceUnavailable, messages::NoThreads());
}

absl::Status ThreadNotStarted(const std::system_error& error) {
  return MakeError(ErrorKind::kServiceUnavailable,
                   messages::ThreadNotStarted(error.code().message()));
}

int UsableProcessors(const std::string& /*root*/) { return 1; }

std::optional<uint64_t> GroupMemoryLimit(const std::string& /*root*/) { return std::nullopt; }
uint64_t MemoryLimit(const std::string& /*root*/) { return 0; }
std::optional<uint64_t> ThreadsLeft(const std::string& /*root*/) { return 0; }
uint64_t OwnMemoryBytes() { return 0; }

void MemoryReserve::Keep() {}
bool MemoryReserve::IsThere() { return true; }

}  // namespace dynolith

// WASI has no numbers of processes.
extern "C" pid_t getpid() { return 1; }
