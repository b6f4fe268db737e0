#include "engine/process/thread_start.h"

#include <atomic>
#include <vector>

#include "absl/synchronization/notification.h"
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

absl::Status FindRoomForThreads(int count) {
  absl::Notification all_are_there;
  std::vector<std::thread> threads;
  absl::Status started;
  for (int i = 0; i < count && started.ok(); ++i) {
    std::thread thread;
    started = StartThread([&] { all_are_there.WaitForNotification(); }, &thread);
    if (started.ok()) threads.push_back(std::move(thread));
  }
  all_are_there.Notify();
  for (std::thread& thread : threads) thread.join();
  return started;
}

NoRoomForThreads::NoRoomForThreads() { ++without_room; }
NoRoomForThreads::~NoRoomForThreads() { --without_room; }

}  // namespace dynolith
