#include "api/remote/credentials.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "api/remote/messages.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"

namespace dynolith::client {
namespace {

constexpr int kDepthMax = 8;
// Endpoints have new ones at least so long before the old ones expire.
constexpr absl::Duration kFetchAhead = absl::Minutes(5);
constexpr absl::Duration kFetchPause = absl::Seconds(10);

std::string CredentialText(const JsonTree& tree, std::string_view name) {
  const JsonTree* const member = tree.Find(name);
  return member == nullptr || member->kind != JsonTree::Kind::kString ? "" : member->text;
}

}  // namespace

absl::StatusOr<Credentials> ParseCredentials(std::string_view json) {
  const std::optional<JsonTree> tree = ParseJson(json, kDepthMax);
  if (!tree || tree->kind != JsonTree::Kind::kMap) {
    return absl::InvalidArgumentError(messages::CredentialsNoJson());
  }
  if (const std::string code = CredentialText(*tree, "Code"); !code.empty() && code != "Success") {
    return absl::InvalidArgumentError(
        messages::CredentialsRefused(code, CredentialText(*tree, "Message")));
  }
  Credentials credentials{.access_key = CredentialText(*tree, "AccessKeyId"),
                          .secret_key = CredentialText(*tree, "SecretAccessKey"),
                          .session_token = CredentialText(*tree, "Token")};
  if (credentials.access_key.empty() || credentials.secret_key.empty()) {
    return absl::InvalidArgumentError(messages::CredentialsWithoutKeys());
  }
  if (credentials.session_token.empty()) {
    credentials.session_token = CredentialText(*tree, "SessionToken");
  }
  const std::string expires = CredentialText(*tree, "Expiration");
  std::string ignored;
  if (!expires.empty() &&
      !absl::ParseTime(absl::RFC3339_full, expires, &credentials.expires, &ignored)) {
    return absl::InvalidArgumentError(messages::CredentialsOddTime(expires));
  }
  return credentials;
}

absl::StatusOr<std::shared_ptr<const Credentials>> KeptCredentials::Get() {
  {
    absl::MutexLock lock(&mutex_);
    while (is_fetching_ && !IsValid(clock_->Now())) is_done_.Wait(&mutex_);
    const absl::Time now = clock_->Now();
    if (IsValid(now) && (is_fetching_ || now < next_fetch_)) return credentials_;
    if (now < next_fetch_) return failure_;
    is_fetching_ = true;
  }
  absl::StatusOr<Credentials> fetched = absl::UnavailableError("");
  // Also if it throws.
  const absl::Cleanup done = [&] {
    absl::MutexLock lock(&mutex_);
    is_fetching_ = false;
    is_done_.SignalAll();
  };
  fetched = fetch_();
  absl::MutexLock lock(&mutex_);
  Take(std::move(fetched));
  if (IsValid(clock_->Now())) return credentials_;
  return failure_;
}

bool KeptCredentials::IsFetchDue() {
  const absl::Time now = clock_->Now();
  absl::MutexLock lock(&mutex_);
  return is_fetching_ ? !IsValid(now) : now >= next_fetch_;
}

std::shared_ptr<const Credentials> KeptCredentials::GetKept() {
  const absl::Time now = clock_->Now();
  absl::MutexLock lock(&mutex_);
  return IsValid(now) ? credentials_ : nullptr;
}

void KeptCredentials::Take(absl::StatusOr<Credentials> fetched) {
  const absl::Time now = clock_->Now();
  next_fetch_ = now + kFetchPause;
  failure_ = fetched.status();
  if (!fetched.ok()) return;
  if (fetched->expires <= now) {
    failure_ = absl::UnavailableError(messages::CredentialsExpired(fetched->access_key));
    return;
  }
  next_fetch_ = std::max(next_fetch_, fetched->expires - kFetchAhead);
  credentials_ = std::make_shared<const Credentials>(*std::move(fetched));
}

}  // namespace dynolith::client
