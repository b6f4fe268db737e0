#include "engine/store/postgres/connection_pool.h"

#include <algorithm>
#include <memory>

#include "absl/time/clock.h"
#include "engine/base/status_macros.h"
#include "engine/store/postgres/messages.h"
#include "engine/store/postgres/schema.h"
#include "engine/store/transaction/patience.h"

namespace dynolith::postgres {
namespace {

// Between two tries to connect, at first and once the store has been away for long. Both leave time
// for a connection and a call within a second after the store is back.
constexpr absl::Duration kPauseAtFirst = absl::Milliseconds(100);
constexpr absl::Duration kPauseLater = absl::Milliseconds(250);
// A server that starts takes up to this long to say so.
constexpr absl::Duration kSlowTry = absl::Seconds(1);

}  // namespace

absl::StatusOr<ConnectionPool::Lease> ConnectionPool::Take() {
  const absl::Time deadline = std::min(absl::Now() + patience_, Patience::End());
  for (;;) {
    DYNOLITH_ASSIGN_OR_RETURN(Lease idle, TakeIdleOrReserve(deadline));
    if (idle) return idle;
    absl::StatusOr<Lease> lease = Connect();
    // A replaced primary or a store that does not exist is an answer.
    if (lease.ok() || !absl::IsUnavailable(lease.status()) || absl::Now() >= deadline) return lease;
  }
}

absl::StatusOr<ConnectionPool::Lease> ConnectionPool::TakeIdleOrReserve(absl::Time deadline) {
  std::vector<std::unique_ptr<Connection>> dead;  // closed without the lock
  absl::MutexLock lock(&mutex_);
  for (;;) {
    if (std::unique_ptr<Connection> idle = TakeIdle(&dead)) return Lease(this, std::move(idle));
    const absl::Time now = absl::Now();
    const bool is_long_away = now - failed_since_ > patience_;
    if (MayConnect(now)) {
      // It would end too late.
      if (now + Connection::kConnectTime > Patience::End()) {
        changed_.Signal();  // another caller may have the time
        return failure_.ok() ? absl::UnavailableError(messages::StoreTooSlow()) : failure_;
      }
      ++made_;
      // While the store is away one caller tries, and the others wait for what it finds.
      if (!failure_.ok()) next_try_ = absl::InfiniteFuture();
      return Lease();
    }
    // Who comes later need not find out anew that the store is away.
    if (is_long_away || (now >= deadline && !failure_.ok())) return failure_;
    if (now >= deadline) {
      return absl::UnavailableError(messages::StoreConnectionsTaken(
          connections_max_, static_cast<int>(absl::ToInt64Seconds(patience_))));
    }
    changed_.WaitWithDeadline(&mutex_, failure_.ok() ? deadline : std::min(deadline, next_try_));
  }
}

bool ConnectionPool::MayConnect(absl::Time now) const {
  return made_ < connections_max_ && (failure_.ok() || now >= next_try_);
}

absl::StatusOr<ConnectionPool::Lease> ConnectionPool::Connect() {
  const absl::Time began = absl::Now();
  absl::StatusOr<std::unique_ptr<Connection>> opened = OpenStoreConnection(shared_, reads_only_);
  // What was lost on the way may be had by another try.
  if (absl::IsAborted(opened.status())) {
    opened = absl::UnavailableError(opened.status().message());
  }
  absl::MutexLock lock(&mutex_);
  changed_.SignalAll();
  failure_ = opened.status();
  if (opened.ok()) {
    failed_since_ = absl::InfiniteFuture();
    return Lease(this, *std::move(opened));
  }
  --made_;
  const absl::Time now = absl::Now();
  failed_since_ = std::min(failed_since_, began);
  // A try that takes long is made seldom: who asks again and again shall not wait each time.
  const absl::Duration later = now - began > kSlowTry ? now - began : kPauseLater;
  next_try_ = now + (now - failed_since_ > patience_ ? later : kPauseAtFirst);
  return failure_;
}

std::unique_ptr<Connection> ConnectionPool::TakeIdle(
    std::vector<std::unique_ptr<Connection>>* dead) {
  while (!idle_.empty()) {
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    if (connection->IsAlive()) return connection;
    dead->push_back(std::move(connection));
    --made_;
  }
  return nullptr;
}

void ConnectionPool::Return(std::unique_ptr<Connection> connection) {
  absl::MutexLock lock(&mutex_);
  if (connection->is_lost()) {
    --made_;
  } else {
    idle_.push_back(std::move(connection));
  }
  changed_.Signal();
}

}  // namespace dynolith::postgres
