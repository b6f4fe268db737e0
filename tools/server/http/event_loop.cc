#include "tools/server/http/event_loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <exception>
#include <thread>
#include <utility>

#include "tools/server/http/response.h"

namespace dynolith::http {
namespace {

// More than most pages of a megabyte take in JSON.
constexpr size_t kSpareBytesMax = 4 << 20;
// One in this many idle connections is closed when there is no room for another.
constexpr size_t kClosedTogether = 32;
constexpr std::chrono::seconds kWarningPause(10);
constexpr std::chrono::milliseconds kPauseWithoutMemory(10);

std::chrono::milliseconds TickInterval(const ServerOptions& options) {
  const absl::Duration shortest = std::min(
      {options.idle_timeout, options.request_timeout, options.write_timeout, options.stop_timeout});
  return std::clamp(absl::ToChronoMilliseconds(shortest / 4), std::chrono::milliseconds(10),
                    std::chrono::milliseconds(1000));
}

}  // namespace

EventLoop::EventLoop(SharedState* shared)
    : shared_(shared),
      work_(boost::asio::make_work_guard(context_)),
      timer_(context_),
      tick_(TickInterval(shared->options)),
      now_(std::chrono::steady_clock::now()) {}

void SharedState::Warn(Event event, absl::FunctionRef<std::string()> what) {
  if (!options.warn) return;
  const auto now = std::chrono::steady_clock::now();
  {
    absl::MutexLock lock(&mutex_);
    SteadyTime& warned = warned_[static_cast<size_t>(event)];
    if (warned != SteadyTime() && now - warned < kWarningPause) return;
    warned = now;
  }
  options.warn(what());
}

// Connections handle the exceptions of their callbacks; the remaining ones are the loop's own.
void EventLoop::Run() {
  while (true) {
    try {
      if (!is_tick_due_) ScheduleTick();
      context_.run();
      return;
    } catch (const std::exception&) {
      // Memory is missing; other requests may free some.
      std::this_thread::sleep_for(kPauseWithoutMemory);
    }
  }
}

void EventLoop::MakeRoom(std::function<void(size_t)> closed) {
  boost::asio::post(context_, [this, closed = std::move(closed)] {
    size_t count = 0;
    try {
      CloseIdle(&count);
    } catch (const std::exception&) {
      // Memory is missing. The caller must be notified even so, or it would never ask again.
    }
    closed(count);
  });
}

void EventLoop::CloseIdle(size_t* closed) {
  std::vector<std::pair<uint64_t, std::shared_ptr<LoopMember>>> idle;
  for (const auto& member : members_) {
    if (const auto since = member->IdleSince()) idle.emplace_back(*since, member);
  }
  const size_t count = std::min(idle.size(), members_.size() / kClosedTogether + 1);
  std::sort(idle.begin(), idle.end());
  for (auto it = idle.begin(); it != idle.end() && *closed < count; ++it) {
    if (it->second->CloseIfIdle()) ++*closed;
  }
}

void EventLoop::Finish() {
  boost::asio::post(context_, [this] {
    if (finishing_) return;
    finishing_ = true;
    stop_deadline_ = std::chrono::steady_clock::now() +
                     absl::ToChronoMilliseconds(shared_->options.stop_timeout);
    // Closing removes members, so the list is walked in a copy.
    for (const auto& member : std::vector(members_)) member->FinishAndClose();
    // The next tick may be far behind the deadline.
    ScheduleTick();
    StopWhenEmpty();
  });
}

void EventLoop::Add(std::shared_ptr<LoopMember> member) {
  member->place_ = members_.size();
  members_.push_back(std::move(member));
  shared_->connections.fetch_add(1, std::memory_order_relaxed);
}

void EventLoop::Remove(LoopMember* member) {
  const size_t place = member->place_;
  // The caller may hold the last other reference; keep the member until the list is in order.
  const std::shared_ptr<LoopMember> kept = std::move(members_[place]);
  if (place + 1 != members_.size()) {
    members_[place] = std::move(members_.back());
    members_[place]->place_ = place;
  }
  members_.pop_back();
  shared_->connections.fetch_sub(1, std::memory_order_relaxed);
  StopWhenEmpty();
}

std::string_view EventLoop::date() {
  const absl::Time time = shared_->options.clock->Now();
  const int64_t second = absl::ToUnixSeconds(time);
  if (second != date_second_ || date_.empty()) {
    date_second_ = second;
    date_ = FormatDate(time);
  }
  return date_;
}

void EventLoop::TakeBody(std::string body) {
  if (body.capacity() > kSpareBytesMax || body.capacity() <= spare_body_.capacity()) return;
  spare_body_ = std::move(body);
  spare_body_.clear();
  is_spare_used_ = true;
}

void EventLoop::LendBody(std::string* body) {
  if (spare_body_.capacity() <= body->capacity()) return;
  *body = std::exchange(spare_body_, {});
}

void EventLoop::ScheduleTick() {
  const SteadyTime next = std::chrono::steady_clock::now() + tick_;
  timer_.expires_at(finishing_ ? std::min(next, stop_deadline_) : next);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    is_tick_due_ = false;
    Tick();
  });
  is_tick_due_ = true;
}

void EventLoop::Tick() {
  now_ = std::chrono::steady_clock::now();
  if (!std::exchange(is_spare_used_, false)) spare_body_ = std::string();
  const bool too_late = finishing_ && now_ >= stop_deadline_;
  // From the end: a closed member is replaced by the last one, which has been seen already.
  for (size_t i = members_.size(); i-- > 0;) {
    if (i >= members_.size()) continue;
    const std::shared_ptr<LoopMember> member = members_[i];
    if (too_late) {
      member->CloseNow();
    } else {
      member->OnTick(now_);
    }
  }
  if (!finishing_ || !members_.empty()) ScheduleTick();
}

void EventLoop::StopWhenEmpty() {
  if (!finishing_ || !members_.empty()) return;
  if (companion_ != nullptr) companion_->Close();
  timer_.cancel();
  work_.reset();
}

}  // namespace dynolith::http
