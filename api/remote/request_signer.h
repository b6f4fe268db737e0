// Signature Version 4 on the client's side (api/facts/wire.md §10).
#ifndef DYNOLITH_API_REMOTE_REQUEST_SIGNER_H_
#define DYNOLITH_API_REMOTE_REQUEST_SIGNER_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/remote/credentials.h"
#include "api/remote/http_connection.h"
#include "api/remote/signature.h"

namespace dynolith::client {

// For one server. Thread-safe.
class RequestSigner {
 public:
  RequestSigner(std::string region, std::string authority)
      : region_(std::move(region)), authority_(std::move(authority)) {}

  // All headers of a POST to "/" except those of its length. `target`: of X-Amz-Target.
  HttpHeaders Headers(const Credentials& credentials, std::string_view target,
                      std::string_view body, absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  // For calls of others, with whatever headers of theirs: appends Host, X-Amz-Date,
  // X-Amz-Security-Token and Authorization to `headers`, all of which are signed.
  void SignAll(const Credentials& credentials, std::string_view body, absl::Time now,
               HttpHeaders* headers) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Adds the header Authorization. Requires: headers in the order of their lower-case names, with
  // values in canonical form; of equal names the order counts. `date`: of X-Amz-Date.
  void AddAuthorization(const Credentials& credentials, std::string_view body,
                        std::string_view date, HttpHeaders* headers) ABSL_LOCKS_EXCLUDED(mutex_);

  http::Digest DayKey(const std::string& secret_key, std::string_view day)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string region_;
  const std::string authority_;
  absl::Mutex mutex_;
  http::Digest key_ ABSL_GUARDED_BY(mutex_){};
  // Those of the key.
  std::string day_ ABSL_GUARDED_BY(mutex_);
  std::string secret_key_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_REQUEST_SIGNER_H_
