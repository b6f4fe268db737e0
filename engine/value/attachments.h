// The parts of a failed status beside its kind and message, as in the service's error bodies.
//
// Each attachment is a payload of the status. Its text is the JSON of the error's body, so that it
// is readable in a printed status (absl::Status prints quotes in payloads as \"):
//
//   FAILED_PRECONDITION: The conditional request failed
//       [dynolith/kind='ConditionalCheckFailedException']
//       [dynolith/item='{\"pk\":{\"S\":\"a\"},\"n\":{\"N\":\"1\"}}']
//
// A program gets it as a value:
//
//   if (const std::optional<Item> old = AttachedItem(put.status())) Merge(*old);
#ifndef DYNOLITH_ENGINE_VALUE_ATTACHMENTS_H_
#define DYNOLITH_ENGINE_VALUE_ATTACHMENTS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/value/item.h"

namespace dynolith {

// The old item that a failed condition returns (ReturnValuesOnConditionCheckFailure); nullopt if
// there is none. O(size).
std::optional<Item> AttachedItem(const absl::Status& status);
// Requires: an item that may be stored.
void AttachItem(ItemView item, absl::Status* status);

// One action's outcome in a cancelled transaction.
struct CancellationReason {
  std::string code;  // "None", "ConditionalCheckFailed", ...
  std::string message;
  std::optional<Item> item;
};
// In the order of the transaction's actions; empty if there are none.
std::vector<CancellationReason> AttachedReasons(const absl::Status& status);
// One reason for each action: its code, and the message and the attached item of its status.
// Requires: as many codes as actions.
void AttachReasons(absl::Span<const std::string_view> codes, absl::Span<const absl::Status> actions,
                   absl::Status* status);

// One reason of a throttled request (api/facts/capacity.md §6).
struct ThrottlingReason {
  std::string reason;    // "TableWriteKeyRangeThroughputExceeded"
  std::string resource;  // an ARN
};
std::vector<ThrottlingReason> AttachedThrottling(const absl::Status& status);
void AttachThrottling(const std::vector<ThrottlingReason>& reasons, absl::Status* status);

// The attachments as in an error's body; empty if there is none.
enum class Attachment { kItem, kReasons, kThrottling };
std::string AttachedJson(const absl::Status& status, Attachment attachment);
// `json`: as AttachedJson returns it, from the body of an error.
void AttachJson(Attachment attachment, std::string json, absl::Status* status);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_ATTACHMENTS_H_
