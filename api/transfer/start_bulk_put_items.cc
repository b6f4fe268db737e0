#include "api/transfer/start_bulk_put_items.h"

#include <memory>
#include <optional>
#include <string>

#include "api/request/arn.h"
#include "api/table/table_description.h"
#include "api/table/table_status.h"
#include "api/transfer/bulk_put_job.h"
#include "api/transfer/messages.h"
#include "api/transfer/transfer_records.h"
#include "api/transfer/transfer_runner.h"
#include "api/write/idempotency.h"
#include "api/write/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

absl::Status CheckOutput(const OutputS3Configuration& output) {
  if (!output.s3_bucket) return ValidationError(messages::BulkOutputBucketMissing());
  if (output.output_type.empty()) return ValidationError(messages::BulkOutputTypeMissing());
  if (output.s3_sse_kms_key_id && output.s3_sse_algorithm != "KMS") {
    return ValidationError(messages::KmsKeyWithoutKms());
  }
  return absl::OkStatus();
}

absl::Status CheckReady(const TableMeta& meta) {
  DYNOLITH_RETURN_IF_ERROR(CheckNotBusy(meta));
  if (!meta.replicas.empty()) {
    return ValidationError(messages::BulkIntoReplicas(meta.schema.name));
  }
  if (IndexesThatAre(IndexStatus::kCreating, meta).empty()) return absl::OkStatus();
  return MakeError(ErrorKind::kResourceInUse, messages::BulkWhileIndexIsCreated(meta.schema.name));
}

absl::Status CheckOneMoreMayRun(const BulkPutRecords& records) {
  DYNOLITH_ASSIGN_OR_RETURN(const int under_way, records.CountInProgress());
  if (under_way < kBulkOperationsMax) return absl::OkStatus();
  return MakeError(ErrorKind::kLimitExceeded, messages::TooManyBulkOperations(kBulkOperationsMax));
}

BulkPutState NewState(const OperationContext& context, const StartBulkPutItemsRequest& request,
                      const TableMeta& meta) {
  BulkPutState state;
  state.request = request;
  if (!state.request.input.input_compression_type) {
    state.request.input.input_compression_type = InputCompressionType::kNone;
  }
  state.table_name = meta.schema.name;
  state.table_id = meta.uuid;
  state.start_time = context.clock->Now();
  state.usage.table_name = request.table_name;
  return state;
}

}  // namespace

absl::StatusOr<BulkOperationDescription> StartBulkPutItems(
    const OperationContext& context, const StartBulkPutItemsRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckOutput(request.output));
  const std::string fingerprint = Fingerprint(CanonicalBulkPut(request));

  absl::MutexLock admission(&context.bulk_put_runner->admission);
  const BulkPutRecords records(context.store);
  const absl::Time now = context.clock->Now();
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<BulkPutEntry> earlier,
                            records.FindByToken(request.client_token, now));
  if (earlier) {
    if (earlier->fingerprint == fingerprint) return ToDescription(earlier->description);
    return MakeError(ErrorKind::kIdempotentParameterMismatch,
                     messages::IdempotentParameterMismatch());
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  DYNOLITH_RETURN_IF_ERROR(CheckReady(*meta));
  DYNOLITH_RETURN_IF_ERROR(CheckOneMoreMayRun(records));
  DYNOLITH_RETURN_IF_ERROR(context.bulk_put_runner->Start());
  DYNOLITH_RETURN_IF_ERROR(records.Purge(now));
  BulkPutEntry record;
  record.fingerprint = fingerprint;
  record.description = NewState(context, request, *meta);
  DYNOLITH_ASSIGN_OR_RETURN(record.id, records.NewId(now));
  record.description.bulk_operation_arn =
      TransferArn(TableArn(context, meta->schema.name), "bulk-operation", record.id);
  TransferRunner::Prepared job =
      TransferRunner::Prepare([&context, id = record.id](const TransferRunner::Stopping& stopping) {
        return RunBulkPut(context, id, stopping);
      });
  DYNOLITH_RETURN_IF_ERROR(records.Put(record));
  context.bulk_put_runner->Add(std::move(job));
  return ToDescription(record.description);
}

}  // namespace dynolith
