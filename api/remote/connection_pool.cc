#include "api/remote/connection_pool.h"

#include <utility>

#include "absl/cleanup/cleanup.h"
#include "api/remote/messages.h"

namespace dynolith::client {

absl::StatusOr<HttpAnswer> ConnectionPool::Send(const HttpCall& call) {
  std::unique_ptr<HttpConnection> connection;
  if (!Take(&connection)) {
    return absl::UnavailableError(messages::NoFreeConnection(options_.connections_max));
  }
  // Also if something throws.
  const absl::Cleanup give_back = [&] {
    absl::MutexLock lock(&mutex_);
    --taken_;
    if (connection != nullptr) idle_.push_back(std::move(connection));
  };
  if (connection == nullptr) connection = HttpConnection::Make(address_, trust_, options_.timeouts);
  return connection->Send(call);
}

bool ConnectionPool::Take(std::unique_ptr<HttpConnection>* connection) {
  absl::MutexLock lock(&mutex_);
  const auto is_free = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return taken_ < options_.connections_max;
  };
  if (!mutex_.AwaitWithTimeout(absl::Condition(&is_free), options_.wait_max)) return false;
  idle_.reserve(idle_.size() + taken_ + 1);  // giving back must not need memory
  ++taken_;
  if (idle_.empty()) return true;
  *connection = std::move(idle_.back());
  idle_.pop_back();
  return true;
}

}  // namespace dynolith::client
