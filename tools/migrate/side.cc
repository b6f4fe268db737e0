#include "tools/migrate/side.h"

#include <optional>
#include <string_view>
#include <utility>

#include "api/remote/aws_settings.h"
#include "api/remote/retries.h"
#include "api/remote/server_address.h"
#include "engine/base/status_macros.h"
#include "tools/migrate/messages.h"

namespace dynolith::migrate {
namespace {

using client::FailureKind;

constexpr int kAttemptsMax = 100;  // two minutes
constexpr int kAttemptsBeforeAnyAnswer = 9;
constexpr absl::Duration kLongestPause = absl::Seconds(2);

client::Retries MakeRetries(int attempts_max) {
  return client::Retries(
      {.attempts_max = attempts_max, .delay_max = kLongestPause, .has_quota = false});
}

FailureKind KindOfAnswer(const client::ServiceAnswer& answer) {
  if (answer.error == client::kNoAnswer) return FailureKind::kTransient;
  return client::KindOfFailure(answer.status, answer.error);
}

}  // namespace

Side::Side(const SideOptions& options, std::function<bool()> is_over)
    : place_(options.place),
      is_folder_(!http::IsServerUrl(options.place)),
      is_over_(std::move(is_over)) {}

absl::StatusOr<std::unique_ptr<Side>> Side::Open(const SideOptions& options,
                                                 std::function<bool()> is_over) {
  std::unique_ptr<Side> side(new Side(options, std::move(is_over)));
  if (side->is_folder_) {
    if (!options.region.empty() || !options.profile.empty() || !options.certificates.empty()) {
      return absl::InvalidArgumentError(messages::MigrateOptionsOfEndpoint(options.place));
    }
    side->target_ = client::MakeFolderTarget({.path = options.place,
                                              .encryption_key = options.encryption_key,
                                              .memory_budget_bytes = options.memory_budget_bytes,
                                              .read_only = options.read_only});
  } else {
    if (!options.encryption_key.empty()) {
      return absl::InvalidArgumentError(messages::MigrateKeyOfFolder(options.place));
    }
    client::IdentityOptions identity{.region = options.region};
    if (!options.profile.empty()) {
      identity.environment = client::EnvironmentOfProfile(options.profile);
    }
    DYNOLITH_ASSIGN_OR_RETURN(
        side->target_, client::MakeServerTarget(options.place, options.certificates, identity));
  }
  DYNOLITH_RETURN_IF_ERROR(side->target_->Open());
  return side;
}

client::ServiceAnswer Side::Caller::Call(std::string_view operation, std::string_view body,
                                         RateLimiter* limiter) {
  client::Retries retries =
      MakeRetries(side_->has_answered_ ? kAttemptsMax : kAttemptsBeforeAnyAnswer);
  std::optional<client::Retries::Call> attempts(&retries);
  while (!side_->is_over_()) {
    client::ServiceAnswer answer = connection_->Call(operation, body);
    if (answer.error != client::kNoAnswer) side_->has_answered_ = true;
    if (answer.error.empty()) return answer;
    const FailureKind kind = KindOfAnswer(answer);
    const bool is_throttled = kind == FailureKind::kThrottled;
    if (is_throttled && limiter != nullptr) limiter->SlowDown();
    if (attempts->WaitForNext(kind)) continue;
    if (!is_throttled) return answer;
    attempts.emplace(&retries);
  }
  return {.error = std::string(kGivenUp), .message = messages::MigrateStopped()};
}

absl::StatusOr<JsonTree> Side::Caller::Ask(std::string_view operation, const JsonTree& input,
                                           RateLimiter* limiter) {
  client::ServiceAnswer answer = Call(operation, input, limiter);
  if (answer.error.empty()) return std::move(answer.output);
  return side_->ToStatus(operation, answer);
}

absl::Status Side::ToStatus(std::string_view operation, const client::ServiceAnswer& answer) const {
  if (answer.error == kGivenUp) return absl::CancelledError(messages::MigrateStopped());
  return absl::FailedPreconditionError(
      messages::MigrateCallFailed(place_, operation, answer.error, answer.message));
}

}  // namespace dynolith::migrate
