#include "api/stream/change_watch.h"

#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/status_macros.h"
#include "engine/process/thread_start.h"

namespace dynolith {
namespace {

constexpr size_t kHandedOverAtOnce = 100;
// How long the end of a watch may wait for a reader that waits.
constexpr absl::Duration kWatchWait = absl::Milliseconds(50);

}  // namespace

ThreadChangeWatch::ThreadChangeWatch(std::unique_ptr<ChangeReader> reader,
                                     std::function<void(const PlacedChange&)> function)
    : reader_(std::move(reader)), function_(std::move(function)), place_(reader_->place()) {}

absl::StatusOr<std::unique_ptr<ChangeWatch>> ThreadChangeWatch::Start(
    std::unique_ptr<ChangeReader> reader, std::function<void(const PlacedChange&)> function) {
  std::unique_ptr<ThreadChangeWatch> watch(
      new ThreadChangeWatch(std::move(reader), std::move(function)));
  DYNOLITH_RETURN_IF_ERROR(
      StartThread([started = watch.get()] { started->Run(); }, &watch->thread_));
  return watch;
}

ThreadChangeWatch::~ThreadChangeWatch() {
  stops_ = true;
  if (thread_.joinable()) thread_.join();
}

absl::Status ThreadChangeWatch::status() const {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  absl::MutexLock lock(&mutex_);
  return status_;
}

std::string ThreadChangeWatch::place() const {
  if (process_.IsForked()) return "";
  absl::MutexLock lock(&mutex_);
  return place_;
}

absl::StatusOr<std::vector<PlacedChange>> ThreadChangeWatch::Next() {
  try {
    return reader_->Next(kHandedOverAtOnce, kWatchWait);
  } catch (const std::bad_alloc&) {
    absl::SleepFor(kWatchWait);
    return std::vector<PlacedChange>();
  }
}

void ThreadChangeWatch::Run() {
  while (!stops_) {
    absl::StatusOr<std::vector<PlacedChange>> changes = Next();
    if (!changes.ok()) {
      absl::MutexLock lock(&mutex_);
      status_ = std::move(changes).status();
      return;
    }
    for (PlacedChange& change : *changes) {
      if (stops_) return;
      function_(change);
      absl::MutexLock lock(&mutex_);
      place_ = std::move(change.place);
    }
  }
}

}  // namespace dynolith
