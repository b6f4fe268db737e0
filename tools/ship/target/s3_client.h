// Calls of a bucket: signed, sent, repeated, and their errors read.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_S3_CLIENT_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_S3_CLIENT_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/remote/connection_pool.h"
#include "api/remote/http_connection.h"
#include "api/remote/retries.h"
#include "tools/ship/target/s3_answers.h"
#include "tools/ship/target/s3_place.h"
#include "tools/ship/target/s3_signer.h"

namespace dynolith::ship {

// A call of the bucket or one of its objects.
struct S3Call {
  std::string method = "GET";
  std::string name;  // without the prefix; empty: of the bucket itself
  S3Query query;
  client::HttpHeaders headers;
  std::string_view body;  // borrowed
  // Whether the answer may have an error with status 200, as that of CompleteMultipartUpload.
  bool may_fail_late = false;
  // Whether it is made although the caller is interrupted: then once, and for some seconds at most.
  bool is_last = false;
};

struct S3Answer {
  int status = 0;
  std::string body;
  client::HttpHeaders headers;
  S3Error error;
  // An attempt before this one may have succeeded, since its answer was lost.
  bool may_be_second = false;

  bool ok() const { return status >= 200 && status < 300 && error.code.empty(); }
  // Empty: it has none. `name`: in whatever case.
  std::string_view Header(std::string_view name) const;
};

// Thread-safe.
class S3Client {
 public:
  // Nothing is asked. Errors: kInvalidArgument.
  static absl::StatusOr<std::unique_ptr<S3Client>> Open(const S3Url& url, const S3Place& place,
                                                        const TargetOptions& options);

  // Returns the last attempt's answer, whatever its status. Errors: of the last attempt, if it has
  // no answer (kUnavailable); those of credentials. Their texts are only the reason.
  absl::StatusOr<S3Answer> Send(const S3Call& call);

  // "s3://bucket/prefix".
  std::string Describe() const;
  const std::string& prefix() const { return url_.prefix; }
  bool IsInterrupted() const { return interrupted_ != nullptr && interrupted_->load(); }

  // What a call that was not OK is for the user. `what`: "read"; `name`: empty for the bucket.
  absl::Status Failure(std::string_view what, std::string_view name,
                       const absl::StatusOr<S3Answer>& answer) const;
  // The same for a reason of ours.
  absl::Status Failure(std::string_view what, std::string_view name, absl::StatusCode code,
                       std::string_view reason) const;

 private:
  S3Client(S3Url url, const S3Place& place, std::unique_ptr<client::TlsTrust> trust,
           const TargetOptions& options);
  absl::StatusOr<S3Answer> Attempt(const S3Call& call);

  const S3Url url_;
  const bool is_path_style_;
  const std::string host_;
  const std::shared_ptr<client::CallerIdentity> identity_;
  const std::unique_ptr<client::TlsTrust> trust_;  // nullptr without TLS
  const std::atomic<bool>* const interrupted_;
  client::Retries retries_;
  client::ConnectionPool pool_;
};

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_S3_CLIENT_H_
