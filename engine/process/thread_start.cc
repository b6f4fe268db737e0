#include "engine/process/thread_start.h"

#include <atomic>

#include "engine/base/errors.h"
#include "engine/process/messages.h"

namespace dynolith {
namespace {

std::atomic<int> without_room = 0;

}  // namespace

void internal::CheckRoomForThread() {
  if (without_room == 0) return;
  throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
}

absl::Status StartThread(std::function<void()> run, std::thread* thread) {
  try {
    internal::CheckRoomForThread();
    *thread = std::thread(std::move(run));
  } catch (const std::system_error& error) {
    return ThreadNotStarted(error);
  }
  return absl::OkStatus();
}

absl::Status ThreadNotStarted(const std::system_error& error) {
  return MakeError(ErrorKind::kServiceUnavailable,
                   messages::ThreadNotStarted(error.code().message()));
}

NoRoomForThreads::NoRoomForThreads() { ++without_room; }
NoRoomForThreads::~NoRoomForThreads() { --without_room; }

}  // namespace dynolith
