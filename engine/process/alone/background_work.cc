// Background work where there is one thread: what is due is done by whoever calls next, by whoever
// waits for it, and by Drain.
#include "engine/process/background_work.h"

#include <algorithm>
#include <utility>

#include "engine/process/due_work.h"
#include "engine/process/messages.h"

namespace dynolith {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Works that are scheduled, of all BackgroundThreads. Never destroyed, as a database may outlive
// the program's static objects.
using Due = std::set<std::pair<SteadyClock::time_point, BackgroundWork*>>;
Due& AllDue() {
  static Due& due = *new Due;
  return due;
}

// Does a work's next piece. Set by the first work, which may call what is private.
void (*do_piece)(BackgroundWork* work) = nullptr;

SteadyClock::time_point DueAfter(absl::Duration pause) {
  return SteadyClock::now() + absl::ToChronoNanoseconds(std::min(pause, absl::Hours(24 * 365)));
}

// Of EndModule.
const char* end_reason = "";

}  // namespace

void EndModule(const char* reason) {
  end_reason = reason;
  __builtin_trap();
}

void EndWait() { EndModule(messages::WaitWithoutEnd()); }

const char* EndReason() { return end_reason; }

BackgroundThreads* BackgroundThreads::Shared(Kind /*kind*/) {
  static BackgroundThreads& shared = *new BackgroundThreads(1);
  return &shared;
}

bool DoDueWork() {
  Due& due = AllDue();
  if (due.empty() || due.begin()->first > SteadyClock::now()) return false;
  do_piece(due.begin()->second);
  return true;
}

void BackgroundThreads::DoPiece(BackgroundWork* work) {
  Unschedule(work);
  work->is_woken_ = false;
  work->is_under_way_ = true;
  const absl::Duration pause = work->piece_();
  work->is_under_way_ = false;
  if (work->is_stopped_) return;
  if (work->due_) Schedule(work, *std::exchange(work->due_, std::nullopt));
  if (pause < absl::InfiniteDuration()) Schedule(work, DueAfter(pause));
}

void BackgroundThreads::Schedule(BackgroundWork* work, TimePoint due) {
  if (work->due_ && *work->due_ <= due) return;
  Unschedule(work);
  work->due_ = due;
  if (!work->is_under_way_) AllDue().insert({due, work});
}

void BackgroundThreads::Unschedule(BackgroundWork* work) {
  if (work->due_) AllDue().erase({*work->due_, work});
  work->due_.reset();
}

BackgroundWork::BackgroundWork(BackgroundThreads* threads, Piece piece)
    : threads_(*threads), piece_(std::move(piece)) {
  do_piece = [](BackgroundWork* work) { work->threads_.DoPiece(work); };
}

absl::Status BackgroundWork::Begin(absl::Duration pause) {
  if (is_stopped_) return absl::OkStatus();
  has_begun_ = true;
  if (pause < absl::InfiniteDuration()) threads_.Schedule(this, DueAfter(pause));
  return absl::OkStatus();
}

void BackgroundWork::Wake() noexcept {
  if (!is_woken_.exchange(true)) Begin(absl::ZeroDuration()).IgnoreError();
}

void BackgroundWork::Drain() {
  // A piece that waits for its own work would wait for ever.
  while (!is_under_way_ && !is_stopped_ && due_ && *due_ <= SteadyClock::now()) {
    threads_.DoPiece(this);
  }
}

void BackgroundWork::Stop() {
  is_stopped_ = true;
  threads_.Unschedule(this);
}

absl::Status BackgroundWork::TakeFailure() { return absl::OkStatus(); }

void BackgroundQueue::Do(std::function<void()> what) {
  waiting_.push_back(std::move(what));
  work_.Wake();
}

absl::Duration BackgroundQueue::DoNext() {
  if (waiting_.empty()) return absl::InfiniteDuration();
  const std::function<void()> next = std::move(waiting_.front());
  waiting_.pop_front();
  next();
  return absl::ZeroDuration();
}

}  // namespace dynolith
