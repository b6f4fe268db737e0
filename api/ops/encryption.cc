#include "api/ops/encryption.h"

#include <string>

#include "engine/base/errors.h"
#include "engine/base/messages/tables.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// The key that the service manages for an account: what it is asked for by, and what it is shown
// as. The service shows a key of the account; there is none here, so everybody's has one id.
constexpr std::string_view kManagedAlias = "alias/aws/dynamodb";
constexpr std::string_view kManagedKey = "key/5d1f7a60-3c0b-4f0e-9a57-2b8e64d0c1aa";

std::string KeyArn(const OperationContext& context, const SseSpecification& specification) {
  const std::string keys = Concat("arn:aws:kms:", context.region, ":", context.account_id, ":");
  std::string key = specification.kms_master_key_id.value_or(std::string(kManagedAlias));
  if (key == kManagedAlias || key == Concat(keys, kManagedAlias)) return Concat(keys, kManagedKey);
  if (key.starts_with("arn:")) return key;
  return Concat(keys, key.starts_with("alias/") ? "" : "key/", key);
}

}  // namespace

absl::Status CheckEncryption(const std::optional<SseSpecification>& specification) {
  if (!specification) return absl::OkStatus();
  if (!specification->enabled.value_or(false)) {
    if (specification->sse_type) {
      return ValidationError(messages::EncryptionMemberWhenDisabled("SSEType"));
    }
    if (specification->kms_master_key_id) {
      return ValidationError(messages::EncryptionMemberWhenDisabled("KMSMasterKeyId"));
    }
    return absl::OkStatus();
  }
  if (specification->kms_master_key_id && !specification->sse_type) {
    return ValidationError(messages::MasterKeyNeedsKms());
  }
  if (specification->sse_type && *specification->sse_type != "KMS") {
    return ValidationError(messages::Aes256Unsupported());
  }
  return absl::OkStatus();
}

std::optional<ServerSideEncryption> BuildEncryption(
    const OperationContext& context, const std::optional<SseSpecification>& specification) {
  if (!specification || !specification->enabled.value_or(false)) return std::nullopt;
  return ServerSideEncryption{.enabled = true, .kms_key_arn = KeyArn(context, *specification)};
}

absl::Status ChangeEncryption(const OperationContext& context,
                              const SseSpecification& specification,
                              std::optional<ServerSideEncryption>* current) {
  const auto wanted = BuildEncryption(context, specification);
  const bool encrypted = *current && (*current)->enabled;
  if (!wanted && !encrypted) return ValidationError(messages::AlreadyEncryptedByDefault());
  if (wanted && encrypted && wanted->kms_key_arn == (*current)->kms_key_arn) {
    return ValidationError(messages::AlreadyEncryptedWithKey());
  }
  *current = wanted;
  return absl::OkStatus();
}

}  // namespace dynolith
