// Connections to one server, which many threads share.
#ifndef DYNOLITH_API_REMOTE_CONNECTION_POOL_H_
#define DYNOLITH_API_REMOTE_CONNECTION_POOL_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/remote/http_connection.h"
#include "api/remote/server_address.h"

namespace dynolith::client {

struct PoolOptions {
  size_t connections_max = 64;
  // For a connection, while as many calls run.
  absl::Duration wait_max = absl::Seconds(30);
  HttpTimeouts timeouts;
};

// Thread-safe.
class ConnectionPool {
 public:
  // Connects when it is first needed. `trust`: as HttpConnection::Make.
  ConnectionPool(http::ServerAddress address, const TlsTrust* trust, const PoolOptions& options)
      : address_(std::move(address)), trust_(trust), options_(options) {}

  // On the connection that was used last, since the others may then be closed for being idle.
  // Errors: those of HttpConnection::Send; kUnavailable, if none becomes free.
  absl::StatusOr<HttpAnswer> Send(const HttpCall& call) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Takes an idle connection, or the right to make one. False: none has become free.
  bool Take(std::unique_ptr<HttpConnection>* connection) ABSL_LOCKS_EXCLUDED(mutex_);

  const http::ServerAddress address_;
  const TlsTrust* const trust_;
  const PoolOptions options_;
  absl::Mutex mutex_;
  size_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<HttpConnection>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_CONNECTION_POOL_H_
