// Signature Version 4 on the client's side (api/facts/wire.md §10).
#ifndef DYNOLITH_API_REMOTE_REQUEST_SIGNER_H_
#define DYNOLITH_API_REMOTE_REQUEST_SIGNER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/remote/credentials.h"
#include "api/remote/http_connection.h"
#include "api/remote/signature.h"

namespace dynolith::client {

struct HeaderView {
  std::string_view name;
  std::string_view value;
};

// How a service of AWS is signed for, and what it takes.
struct SignedService {
  std::string_view name;
  std::string_view content_type;
};
inline constexpr SignedService kDynamoDb = {"dynamodb", "application/x-amz-json-1.0"};
inline constexpr SignedService kKinesis = {"kinesis", "application/x-amz-json-1.1"};

// For one server. Thread-safe.
class RequestSigner {
 public:
  RequestSigner(std::string region, std::string authority, const SignedService& service = kDynamoDb)
      : region_(std::move(region)), authority_(std::move(authority)), service_(service) {}

  // All headers of a POST to "/" except those of its length. `target`: of X-Amz-Target.
  HttpHeaders Headers(const Credentials& credentials, std::string_view target,
                      std::string_view body, absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  // For calls of others, with whatever headers of theirs: appends Host, X-Amz-Date,
  // X-Amz-Security-Token and Authorization to `headers`, all of which are signed.
  void SignAll(const Credentials& credentials, std::string_view body, absl::Time now,
               HttpHeaders* headers) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same as lines "name: value\r\n" behind `lines`. Reorders `headers` and adds to them.
  void AppendSigned(const Credentials& credentials, std::string_view body, absl::Time now,
                    std::vector<HeaderView>* headers, std::string* lines)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // What the signatures of a day have in common.
  struct Day {
    std::string day;  // "20261001"
    std::string secret_key;
    std::string scope;  // "20261001/us-east-1/dynamodb/aws4_request"
    http::Digest key{};
  };

  // Appends the value of Authorization. Requires: headers in the order of their lower-case names,
  // with values in canonical form; of equal names the order counts. `date`: of X-Amz-Date.
  void AppendAuthorization(const Credentials& credentials, std::string_view body,
                           std::string_view date, std::span<const HeaderView> headers,
                           std::string* value) ABSL_LOCKS_EXCLUDED(mutex_);
  void AddAuthorization(const Credentials& credentials, std::string_view body,
                        std::string_view date, HttpHeaders* headers) ABSL_LOCKS_EXCLUDED(mutex_);

  std::shared_ptr<const Day> DayOf(const std::string& secret_key, std::string_view day)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string region_;
  const std::string authority_;
  const SignedService service_;
  absl::Mutex mutex_;
  std::shared_ptr<const Day> day_ ABSL_GUARDED_BY(mutex_);  // the last one
};

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_REQUEST_SIGNER_H_
