// Credentials to sign with, and how they are kept from expiring.
#ifndef DYNOLITH_API_REMOTE_CREDENTIALS_H_
#define DYNOLITH_API_REMOTE_CREDENTIALS_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/base/clock.h"

namespace dynolith::client {

struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty: none
  absl::Time expires = absl::InfiniteFuture();
};

// From the JSON of an endpoint or a process: AccessKeyId, SecretAccessKey, Token or SessionToken,
// Expiration; Code, if there, is "Success". Errors: kInvalidArgument, whose text is the reason.
absl::StatusOr<Credentials> ParseCredentials(std::string_view json);

// Asks the place that has them; waits a bounded time. Errors: kUnavailable, which names the place.
using CredentialsFetch = std::function<absl::StatusOr<Credentials>()>;

// Fetches credentials when they are first needed, and again before they expire. Thread-safe.
class KeptCredentials {
 public:
  // Borrows the clock.
  KeptCredentials(CredentialsFetch fetch, const Clock* clock)
      : fetch_(std::move(fetch)), clock_(clock) {}

  // Waits for a fetch only where there is nothing valid. Of many callers one fetches; after a
  // failure nobody does for some seconds. Errors: those of the fetch.
  absl::StatusOr<std::shared_ptr<const Credentials>> Get() ABSL_LOCKS_EXCLUDED(mutex_);
  // For those who cannot wait. Whether Get would fetch, or wait for a fetch.
  bool IsFetchDue() ABSL_LOCKS_EXCLUDED(mutex_);
  // The last ones; nullptr: they have expired.
  std::shared_ptr<const Credentials> GetKept() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool IsValid(absl::Time now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return credentials_ != nullptr && now < credentials_->expires;
  }
  void Take(absl::StatusOr<Credentials> fetched) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const CredentialsFetch fetch_;
  const Clock* const clock_;
  absl::Mutex mutex_;
  absl::CondVar is_done_;
  bool is_fetching_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<const Credentials> credentials_ ABSL_GUARDED_BY(mutex_);
  absl::Time next_fetch_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);  // of the last fetch
};

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_CREDENTIALS_H_
