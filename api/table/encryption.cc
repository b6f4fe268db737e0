#include "api/table/encryption.h"

#include <algorithm>
#include <string>
#include <vector>

#include "api/request/time_text.h"
#include "api/table/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// The key that the service manages for an account: the alias in requests and the id in
// descriptions. The service shows a key of the account; here all accounts have the same id.
constexpr std::string_view kManagedAlias = "alias/aws/dynamodb";
constexpr std::string_view kManagedKey = "key/5d1f7a60-3c0b-4f0e-9a57-2b8e64d0c1aa";

std::string KeyArn(const OperationContext& context, const SseSpecification& specification) {
  const std::string keys = Concat("arn:aws:kms:", context.region, ":", context.account_id, ":");
  std::string key = specification.kms_master_key_id.value_or(std::string(kManagedAlias));
  if (key == kManagedAlias || key == Concat(keys, kManagedAlias)) return Concat(keys, kManagedKey);
  if (key.starts_with("arn:")) return key;
  return Concat(keys, key.starts_with("alias/") ? "" : "key/", key);
}

// Windows of 24 hours follow each other from the table's creation, as in the developer guide.
absl::Status CountChange(absl::Time now, TableMeta* meta) {
  const absl::Duration window = absl::Hours(kEncryptionChangesHours);
  const int64_t windows_before = (now - meta->created) / window;
  const absl::Time begin = meta->created + windows_before * window;
  const absl::Time end = begin + window;
  std::vector<absl::Time>& changes = meta->encryption_changes;
  std::erase_if(changes, [&](absl::Time change) { return change < begin; });
  if (changes.size() >= static_cast<size_t>(kFreeEncryptionChanges)) {
    const absl::Time last = changes.back();
    const absl::Time next = std::min(last + absl::Seconds(kEncryptionChangeSeconds), end);
    if (now < next) {
      return MakeError(ErrorKind::kLimitExceeded,
                       messages::TooManyEncryptionChanges(LongUtcTime(end), changes.size(),
                                                          LongUtcTime(last), LongUtcTime(next)));
    }
  }
  changes.push_back(now);
  return absl::OkStatus();
}

// A type or a key alone also requests encryption.
bool IsWanted(const SseSpecification& specification) {
  return specification.enabled.value_or(specification.sse_type || specification.kms_master_key_id);
}

}  // namespace

absl::Status CheckEncryption(const std::optional<SseSpecification>& specification) {
  if (!specification) return absl::OkStatus();
  if (!IsWanted(*specification)) {
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
  if (!specification || !IsWanted(*specification)) return std::nullopt;
  return ServerSideEncryption{.enabled = true, .kms_key_arn = KeyArn(context, *specification)};
}

absl::Status ChangeEncryption(const OperationContext& context,
                              const SseSpecification& specification, absl::Time now,
                              TableMeta* meta) {
  if (meta->encryption_until && now < *meta->encryption_until) {
    return MakeError(ErrorKind::kResourceInUse, messages::EncryptionBeingUpdated());
  }
  const std::optional<ServerSideEncryption>& current = meta->encryption;
  const auto wanted = BuildEncryption(context, specification);
  const bool encrypted = current && current->enabled;
  if (!wanted && !encrypted) return ValidationError(messages::AlreadyEncryptedByDefault());
  // Only the ARN of the key itself is refused; its alias, its id or no key at all count as
  // unchanged.
  if (wanted && encrypted && specification.kms_master_key_id == current->kms_key_arn) {
    return ValidationError(messages::AlreadyEncryptedWithKey());
  }
  if (!wanted || !encrypted || wanted->kms_key_arn != current->kms_key_arn) {
    DYNOLITH_RETURN_IF_ERROR(CountChange(now, meta));
  }
  meta->encryption = wanted;
  return absl::OkStatus();
}

}  // namespace dynolith
