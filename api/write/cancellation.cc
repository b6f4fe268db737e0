#include "api/write/cancellation.h"

#include <string>
#include <string_view>
#include <vector>

#include "api/write/messages.h"
#include "engine/base/errors.h"
#include "engine/value/attachments.h"

namespace dynolith {
namespace {

constexpr std::string_view kNoReason = "None";

std::string_view ReasonCode(const absl::Status& status) {
  if (status.ok()) return kNoReason;
  switch (KindOf(status)) {
    case ErrorKind::kConditionalCheckFailed:
      return "ConditionalCheckFailed";
    case ErrorKind::kTransactionConflict:
      return "TransactionConflict";
    case ErrorKind::kItemCollectionSizeLimitExceeded:
      return "ItemCollectionSizeLimitExceeded";
    case ErrorKind::kProvisionedThroughputExceeded:
      return "ProvisionedThroughputExceeded";
    case ErrorKind::kThrottling:
      return "ThrottlingError";
    case ErrorKind::kDuplicateItem:
      return "DuplicateItem";
    default:
      return "ValidationError";
  }
}

}  // namespace

absl::Status Cancelled(absl::Span<const absl::Status> actions) {
  std::vector<std::string_view> codes;
  codes.reserve(actions.size());
  std::string listed;
  for (const absl::Status& action : actions) {
    codes.push_back(ReasonCode(action));
    if (!listed.empty()) listed += ", ";
    listed += codes.back();
  }
  absl::Status status =
      MakeError(ErrorKind::kTransactionCanceled, messages::TransactionCancelled(listed));
  AttachReasons(codes, actions, &status);
  return status;
}

absl::Status CancelledBy(size_t position, size_t count, const absl::Status& failure) {
  std::vector<absl::Status> actions(count);
  actions[position] = failure;
  return Cancelled(actions);
}

}  // namespace dynolith
