#include "api/write/cancellation.h"

#include <string>
#include <vector>

#include "engine/base/errors.h"
#include "engine/base/messages/transactions.h"

namespace dynolith {
namespace {

std::string_view ReasonCode(const absl::Status& status) {
  if (status.ok()) return "None";
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
  std::vector<CancellationReason> reasons;
  std::string codes;
  for (const absl::Status& action : actions) {
    CancellationReason& reason = reasons.emplace_back();
    reason.code = std::string(ReasonCode(action));
    if (!codes.empty()) codes += ", ";
    codes += reason.code;
    if (action.ok()) continue;
    reason.message = std::string(MessageOf(action));
    reason.item_bytes = AttachedItem(action);
  }
  absl::Status status =
      MakeError(ErrorKind::kTransactionCanceled, messages::TransactionCancelled(codes));
  AttachReasons(reasons, &status);
  return status;
}

absl::Status CancelledBy(size_t position, size_t count, const absl::Status& failure) {
  std::vector<absl::Status> actions(count);
  actions[position] = failure;
  return Cancelled(actions);
}

}  // namespace dynolith
