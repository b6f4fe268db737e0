#include "tools/proxy/upstream.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <exception>
#include <utility>

#include "api/remote/messages.h"
#include "tools/proxy/upstream_line.h"

namespace dynolith::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How late the end of a wait may be noticed.
milliseconds WatchPeriod(const Endpoint& endpoint) {
  return std::clamp(milliseconds(endpoint.answer_timeout()) / 16, milliseconds(10),
                    milliseconds(250));
}

}  // namespace

// A host of the endpoint.
class UpstreamHost final : public LineOwner {
 public:
  UpstreamHost(boost::asio::io_context* context, Endpoint* endpoint, size_t host, size_t calls_max,
               UpstreamOwner* owner)
      : context_(context),
        endpoint_(endpoint),
        host_(host),
        calls_max_(calls_max),
        owner_(owner),
        timer_(*context),
        period_(WatchPeriod(*endpoint)) {}

  void Send(UpstreamCall call) {
    if (idle_.empty() && lines_.size() >= calls_max_) {
      waiting_.push_back(std::move(call));
      return Watch();
    }
    std::shared_ptr<UpstreamLine> line;
    if (idle_.empty()) {
      line = AddLine();
    } else {
      // The one that was used last: the others may soon be closed for being idle.
      line = std::move(idle_.back());
      idle_.pop_back();
    }
    Watch();
    line->Take(std::move(call));
  }

  void Close() {
    timer_.cancel();
    waiting_.clear();
    idle_.clear();
    for (const auto& line : std::exchange(lines_, {})) line->Close();
  }

  void OnFree(std::shared_ptr<UpstreamLine> line) override {
    if (waiting_.empty()) return idle_.push_back(std::move(line));
    line->Take(TakeWaiting());
  }

  void OnGone(const UpstreamLine* line) override {
    const auto is_it = [line](const auto& each) { return each.get() == line; };
    std::erase_if(idle_, is_it);
    std::erase_if(lines_, is_it);
    if (!waiting_.empty()) AddLine()->Take(TakeWaiting());
  }

  void OnEnded(UpstreamCall call, const absl::Status& answered) override {
    owner_->OnAnswered(call, answered);
  }

  void OnUnsent(UpstreamCall call) override { Send(std::move(call)); }

 private:
  std::shared_ptr<UpstreamLine> AddLine() {
    idle_.reserve(lines_.size() + 1);  // to become idle must not need memory
    lines_.push_back(UpstreamLine::Make(context_, endpoint_, host_, this));
    return lines_.back();
  }

  UpstreamCall TakeWaiting() {
    UpstreamCall call = std::move(waiting_.front());
    waiting_.pop_front();
    return call;
  }

  // Looks at the time while there are calls.
  void Watch() {
    if (is_watching_) return;
    timer_.expires_after(period_);
    timer_.async_wait([this](const boost::system::error_code& error) {
      // Closed, and perhaps destroyed.
      if (error) return;
      is_watching_ = false;
      LookAtTime(steady_clock::now());
      if (lines_.size() > idle_.size() || !waiting_.empty()) Watch();
    });
    is_watching_ = true;
  }

  void LookAtTime(steady_clock::time_point now) {
    // Whose turn has not come goes first: the ends of others would make it come.
    while (!waiting_.empty() && now - waiting_.front().start >= endpoint_->answer_timeout()) {
      owner_->OnAnswered(
          TakeWaiting(),
          absl::UnavailableError(endpoint_->WhyUnreached(messages::NoFreeConnection(calls_max_))));
    }
    for (const auto& line : std::vector(lines_)) line->OnTick(now);
  }

  boost::asio::io_context* const context_;
  Endpoint* const endpoint_;
  const size_t host_;
  const size_t calls_max_;
  UpstreamOwner* const owner_;
  boost::asio::steady_timer timer_;
  const milliseconds period_;
  bool is_watching_ = false;
  std::vector<std::shared_ptr<UpstreamLine>> lines_;
  std::vector<std::shared_ptr<UpstreamLine>> idle_;
  std::deque<UpstreamCall> waiting_;
};

Upstream::Upstream(boost::asio::io_context* context, Endpoint* endpoint, size_t calls_max,
                   UpstreamOwner* owner)
    : endpoint_(endpoint) {
  for (size_t host = 0; host < endpoint->hosts(); ++host) {
    hosts_.push_back(std::make_unique<UpstreamHost>(context, endpoint, host, calls_max, owner));
  }
}

Upstream::~Upstream() { Close(); }

void Upstream::Send(UpstreamCall call) {
  const size_t host = endpoint_->HostFor(call.pending->request());
  hosts_[host]->Send(std::move(call));
}

void Upstream::Close() {
  for (const auto& host : hosts_) host->Close();
}

}  // namespace dynolith::proxy
