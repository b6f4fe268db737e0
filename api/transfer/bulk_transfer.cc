#include "dynolith/bulk_transfer.h"

#include "absl/strings/cord.h"
#include "api/transfer/messages.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr std::string_view kCodePayload = "dynolith/transfer-failure";

}  // namespace

absl::Status TransferFailure(std::string_view code, std::string_view message) {
  absl::Status status = absl::FailedPreconditionError(ToAbsl(message));
  status.SetPayload(ToAbsl(kCodePayload), absl::Cord(ToAbsl(code)));
  return status;
}

std::string TransferFailureCode(const absl::Status& status) {
  const auto code = status.GetPayload(ToAbsl(kCodePayload));
  return code ? std::string(*code) : std::string();
}

absl::Status BulkTransfer::ReadBulkPut(const InputS3Configuration& /*input*/,
                                       BulkPutReceiver* /*receiver*/) {
  return TransferFailure(messages::kNoSuchBucket, messages::NoSuchBucket());
}

absl::StatusOr<std::unique_ptr<BulkPutReport>> BulkTransfer::BeginBulkPutReport(
    const BulkOperationDescription& /*description*/) {
  return TransferFailure(messages::kNoSuchBucket, messages::NoSuchBucket());
}

}  // namespace dynolith
