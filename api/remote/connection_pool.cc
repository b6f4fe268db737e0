#include "api/remote/connection_pool.h"

#include <utility>

#include "absl/cleanup/cleanup.h"
#include "api/remote/messages.h"

namespace dynolith::client {

absl::StatusOr<HttpAnswer> ConnectionPool::Send(const HttpCall& call) {
  std::unique_ptr<HttpConnection> connection = Take();
  if (connection == nullptr) {
    return absl::UnavailableError(messages::NoFreeConnection(options_.connections_max));
  }
  // Also if it throws.
  const absl::Cleanup give_back = [&] {
    absl::MutexLock lock(&mutex_);
    --taken_;
    idle_.push_back(std::move(connection));
  };
  return connection->Send(call);
}

std::unique_ptr<HttpConnection> ConnectionPool::Take() {
  {
    absl::MutexLock lock(&mutex_);
    const auto is_free = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return taken_ < options_.connections_max;
    };
    if (!mutex_.AwaitWithTimeout(absl::Condition(&is_free), options_.wait_max)) return nullptr;
    ++taken_;
    idle_.reserve(idle_.size() + taken_);  // giving back must not need memory
    if (!idle_.empty()) {
      std::unique_ptr<HttpConnection> connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return HttpConnection::Make(address_, trust_, options_.timeouts);
}

}  // namespace dynolith::client
