#include "tools/ship/target/s3_client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/ship/target/messages.h"

namespace dynolith::ship {
namespace {

// An answer takes at most this, and a body of the call or of the answer at this rate at least.
constexpr std::chrono::seconds kAnswerTimeout(30);
constexpr size_t kBytesPerSecondMin = 256 << 10;
constexpr size_t kPieceBytesMax = 16 << 20;
constexpr std::chrono::seconds kLastTimeout(5);
constexpr absl::Duration kSleepPiece = absl::Milliseconds(20);

std::chrono::seconds TimeoutOf(const S3Call& call) {
  if (call.is_last) return kLastTimeout;
  const bool gets_piece = call.method == "GET" && !call.name.empty();
  const size_t bytes = gets_piece ? kPieceBytesMax : call.body.size();
  return kAnswerTimeout + std::chrono::seconds(bytes / kBytesPerSecondMin);
}

// Ends soon after an interruption.
client::RetryOptions RetriesOf(const std::atomic<bool>* interrupted) {
  client::RetryOptions options;
  if (interrupted == nullptr) return options;
  options.sleep = [interrupted](absl::Duration delay) {
    const auto start = std::chrono::steady_clock::now();
    absl::Duration left = delay;
    while (left > absl::ZeroDuration() && !interrupted->load()) {
      absl::SleepFor(std::min(kSleepPiece, left));
      left = delay - absl::FromChrono(std::chrono::steady_clock::now() - start);
    }
  };
  return options;
}

// "us-west-2" of the bucket that a redirect is for.
std::string RightRegion(const S3Answer& answer) {
  const std::string_view region = answer.Header("x-amz-bucket-region");
  return region.empty() ? answer.error.region : std::string(region);
}

}  // namespace

std::string_view S3Answer::Header(std::string_view name) const {
  for (const auto& [header, value] : headers) {
    if (absl::EqualsIgnoreCase(ToAbsl(header), ToAbsl(name))) return value;
  }
  return "";
}

absl::StatusOr<std::unique_ptr<S3Client>> S3Client::Open(const S3Url& url, const S3Place& place,
                                                         const TargetOptions& options) {
  std::unique_ptr<client::TlsTrust> trust;
  if (place.address.is_tls) {
    DYNOLITH_ASSIGN_OR_RETURN(trust, client::TlsTrust::Load(place.certificates_file));
  }
  return std::unique_ptr<S3Client>(new S3Client(url, place, std::move(trust), options));
}

S3Client::S3Client(S3Url url, const S3Place& place, std::unique_ptr<client::TlsTrust> trust,
                   const TargetOptions& options)
    : url_(std::move(url)),
      is_path_style_(place.is_path_style),
      host_(place.address.authority),
      identity_(place.identity),
      trust_(std::move(trust)),
      interrupted_(options.interrupted),
      retries_(RetriesOf(options.interrupted)),
      pool_(place.address, trust_.get(), {}) {}

absl::StatusOr<S3Answer> S3Client::Send(const S3Call& call) {
  client::Retries::Call retry(&retries_);
  for (bool may_be_second = false;;) {
    absl::StatusOr<S3Answer> answer = Attempt(call);
    if (answer.ok()) {
      answer->may_be_second = may_be_second;
      if (answer->ok()) {
        retry.Succeed();
        return answer;
      }
    }
    const int status = answer.ok() ? answer->status : 0;
    const bool has_no_answer = answer.status().code() == absl::StatusCode::kUnavailable;
    const client::FailureKind kind =
        answer.ok() || has_no_answer
            ? KindOfS3Failure(status, answer.ok() ? answer->error.code : "")
            : client::FailureKind::kFinal;
    // An error of the server may follow a change; one of the call, or a throttled one, does not.
    constexpr int kServerError = 500;
    const bool may_be_done = status == 0 || status >= kServerError;
    may_be_second = may_be_second || (may_be_done && kind == client::FailureKind::kTransient);
    if (call.is_last || IsInterrupted() || !retry.WaitForNext(kind)) return answer;
  }
}

absl::StatusOr<S3Answer> S3Client::Attempt(const S3Call& call) {
  if (IsInterrupted() && !call.is_last) {
    return absl::UnavailableError(messages::ShipInterrupted());
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const client::Credentials> credentials,
                            identity_->Get());
  const std::string key = call.name.empty() ? "" : url_.prefix + call.name;
  const S3Request request = {.method = call.method,
                             .path = is_path_style_
                                         ? Concat("/", url_.bucket, key.empty() ? "" : "/", key)
                                         : Concat("/", key),
                             .query = call.query,
                             .headers = call.headers,
                             .body = call.body};
  const client::HttpHeaders headers =
      SignS3(request, *credentials, identity_->region(), host_, absl::Now());
  const std::string target = S3RequestTarget(request);
  // Whether an answer was lost must be known, so the connection repeats nothing by itself.
  absl::StatusOr<client::HttpAnswer> sent =
      pool_.Send({.method = call.method,
                  .target = target,
                  .headers = headers,
                  .body = call.body,
                  .may_repeat = false,
                  .keeps_headers = true,
                  .answer_timeout = TimeoutOf(call),
                  .interrupted = call.is_last ? nullptr : interrupted_});
  if (!sent.ok()) {
    if (!IsInterrupted() || call.is_last) return sent.status();
    return absl::UnavailableError(messages::ShipInterrupted());
  }
  S3Answer answer{
      .status = sent->status, .body = std::move(sent->body), .headers = std::move(sent->headers)};
  const bool is_success = answer.status >= 200 && answer.status < 300;
  if (!is_success || call.may_fail_late) answer.error = ReadS3Error(answer.body);
  return answer;
}

std::string S3Client::Describe() const {
  return Concat(
      kS3Scheme, url_.bucket, url_.prefix.empty() ? "" : "/",
      std::string_view(url_.prefix).substr(0, url_.prefix.empty() ? 0 : url_.prefix.size() - 1));
}

absl::Status S3Client::Failure(std::string_view what, std::string_view name,
                               const absl::StatusOr<S3Answer>& answer) const {
  if (!answer.ok()) {
    return Failure(what, name, answer.status().code(), MessageOf(answer.status()));
  }
  const S3Error& error = answer->error;
  const std::string region = RightRegion(*answer);
  const bool is_elsewhere = !region.empty() && region != identity_->region() &&
                            (answer->status / 100 == 3 || answer->status == 400);
  if (is_elsewhere) {
    return Failure(what, name, absl::StatusCode::kInvalidArgument,
                   messages::ShipOtherRegion(region, identity_->region()));
  }
  // An error with status 200 is one of the server, unless its name says more.
  constexpr int kServerError = 500;
  const int status = answer->status / 100 == 2 ? kServerError : answer->status;
  return Failure(what, name, S3StatusCode(status, error.code),
                 messages::ShipS3Error(answer->status, error.code, error.message));
}

absl::Status S3Client::Failure(std::string_view what, std::string_view name, absl::StatusCode code,
                               std::string_view reason) const {
  return {code, messages::ShipFailed(what, name, Describe(), reason)};
}

}  // namespace dynolith::ship
