// Connections that are used one after the other, no more than a bound, and none longer waited for
// than a bound.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_CONNECTION_POOL_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_CONNECTION_POOL_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/store/postgres/connection.h"

namespace dynolith::postgres {

// Thread-safe. Must outlive its leases.
class ConnectionPool {
 public:
  // A connection as long as it is used; then it goes back, unless it is lost.
  class Lease {
   public:
    Lease() = default;
    Lease(ConnectionPool* pool, std::unique_ptr<Connection> connection)
        : pool_(pool), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(connection_, other.connection_);
      return *this;
    }
    ~Lease() {
      if (connection_ != nullptr) pool_->Return(std::move(connection_));
    }
    explicit operator bool() const { return connection_ != nullptr; }
    Connection* operator->() const { return connection_.get(); }

   private:
    ConnectionPool* pool_ = nullptr;
    std::unique_ptr<Connection> connection_;
  };

  ConnectionPool(SharedState* shared, bool reads_only, int connections_max)
      : shared_(shared),
        patience_(shared->waits.connection),
        reads_only_(reads_only),
        connections_max_(connections_max) {}

  // Errors: kUnavailable: all are in use, or the store cannot be reached; kFailedPrecondition, as
  // OpenStoreConnection.
  absl::StatusOr<Lease> Take() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Return(std::unique_ptr<Connection> connection) ABSL_LOCKS_EXCLUDED(mutex_);
  // An idle connection; or none, and the caller may make one.
  absl::StatusOr<Lease> TakeIdleOrReserve(absl::Time deadline) ABSL_LOCKS_EXCLUDED(mutex_);
  // An idle connection that seems usable, or nullptr. Moves the others to `dead`.
  std::unique_ptr<Connection> TakeIdle(std::vector<std::unique_ptr<Connection>>* dead)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether there may be one more, now or, if nobody gets one at present, after a pause.
  bool MayConnect(absl::Time now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Lease> Connect() ABSL_LOCKS_EXCLUDED(mutex_);

  SharedState* const shared_;
  const absl::Duration patience_;
  const bool reads_only_;
  const int connections_max_;
  absl::Mutex mutex_;
  absl::CondVar changed_;
  std::vector<std::unique_ptr<Connection>> idle_ ABSL_GUARDED_BY(mutex_);
  int made_ ABSL_GUARDED_BY(mutex_) = 0;
  // Since the last connection that was made: the first failure, what it was, and when the next try
  // is due.
  absl::Time failed_since_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  absl::Time next_try_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace dynolith::postgres

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_CONNECTION_POOL_H_
