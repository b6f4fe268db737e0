#include "api/transfer/export_table_to_point_in_time.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/backup/messages.h"
#include "api/control/messages.h"
#include "api/request/arn.h"
#include "api/table/messages.h"
#include "api/table/table_lifecycle.h"
#include "api/transfer/export_filter.h"
#include "api/transfer/export_job.h"
#include "api/transfer/messages.h"
#include "api/transfer/transfer_records.h"
#include "api/write/idempotency.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/history/history.h"

namespace dynolith {
namespace {

// Which members go together.
absl::Status CheckRules(const ExportTableToPointInTimeRequest& request) {
  if (request.s3_sse_kms_key_id && request.s3_sse_algorithm != "KMS") {
    return ValidationError(messages::KmsKeyWithoutKms());
  }
  const auto& increment = request.incremental_export_specification;
  if (request.export_type != ExportType::kIncremental) {
    return increment ? ValidationError(messages::IncrementalSpecificationUnexpected())
                     : absl::OkStatus();
  }
  if (!increment) return ValidationError(messages::IncrementalSpecificationMissing());
  if (request.export_time) return ValidationError(messages::ExportTimeUnexpected());
  if (!increment->export_from_time) return ValidationError(messages::ExportFromTimeMissing());
  return absl::OkStatus();
}

// The name in a table's ARN. Errors: ValidationException for what is none of this region.
absl::StatusOr<std::string> TableNameFromArn(const OperationContext& context,
                                             const std::string& arn) {
  if (!arn.starts_with("arn:")) return ValidationError(messages::InvalidTableArn(arn));
  const absl::StatusOr<std::string_view> name = ResolveTableName(context, arn);
  if (name.ok()) return std::string(*name);
  if (KindOf(name.status()) != ErrorKind::kResourceNotFound) return name.status();
  return MakeError(ErrorKind::kTableNotFound, messages::BackupTableNotFound(arn));
}

// The metadata of a table that keeps its history.
absl::StatusOr<std::shared_ptr<const TableMeta>> FindExportable(const OperationContext& context,
                                                                const std::string& arn) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string name, TableNameFromArn(context, arn));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, FindSettled(context, name));
  if (table == nullptr || table->meta()->status == TableStatus::kDeleting) {
    return MakeError(ErrorKind::kTableNotFound, messages::BackupTableNotFound(name));
  }
  std::shared_ptr<const TableMeta> meta = table->meta();
  if (!meta->point_in_time_recovery || context.history == nullptr) {
    return MakeError(ErrorKind::kPointInTimeRecoveryUnavailable,
                     messages::RecoveryNotEnabled(name));
  }
  return meta;
}

// Fills in what was not asked for.
void AddDefaults(absl::Time now, ExportTableToPointInTimeRequest* request) {
  if (!request->s3_sse_algorithm) request->s3_sse_algorithm = "AES256";
  if (!request->export_format) request->export_format = ExportFormat::kDynamoDbJson;
  if (!request->export_type) request->export_type = ExportType::kFull;
  if (request->export_type != ExportType::kIncremental) {
    if (!request->export_time) request->export_time = now;
    return;
  }
  IncrementalExportSpecification& increment = *request->incremental_export_specification;
  if (!increment.export_to_time) increment.export_to_time = now;
  if (!increment.export_view_type) increment.export_view_type = ExportViewType::kNewAndOldImages;
}

absl::Status InvalidTime(std::string_view message) {
  return MakeError(ErrorKind::kInvalidExportTime, message);
}

absl::Status CheckPeriod(const IncrementalExportSpecification& increment) {
  const absl::Duration period = *increment.export_to_time - *increment.export_from_time;
  if (period <= absl::ZeroDuration()) return InvalidTime(messages::ExportPeriodReversed());
  if (period < absl::Minutes(kIncrementalExportMinutesMin)) {
    return InvalidTime(messages::ExportPeriodTooShort());
  }
  if (period > absl::Hours(kIncrementalExportHoursMax)) {
    return InvalidTime(messages::ExportPeriodTooLong());
  }
  return absl::OkStatus();
}

// Requires: the defaults have been filled in.
absl::Status CheckTimes(const ExportTableToPointInTimeRequest& request,
                        const PointInTimeRecovery& recovery, absl::Time now) {
  // Rounded down to what a request can say.
  const absl::Time earliest =
      absl::FromUnixMillis(absl::ToUnixMillis(FindRestorableTimes(recovery, now).earliest));
  const auto is_outside = [&](absl::Time time) { return time < earliest || time > now; };
  if (request.export_type != ExportType::kIncremental) {
    return is_outside(*request.export_time) ? InvalidTime(messages::ExportTimeOutsideWindow())
                                            : absl::OkStatus();
  }
  const IncrementalExportSpecification& increment = *request.incremental_export_specification;
  DYNOLITH_RETURN_IF_ERROR(CheckPeriod(increment));
  if (is_outside(*increment.export_from_time) || is_outside(*increment.export_to_time)) {
    return InvalidTime(messages::ExportTimeOutsideWindow());
  }
  return absl::OkStatus();
}

absl::Status CheckNotTooMany(const ExportRecords& records) {
  DYNOLITH_ASSIGN_OR_RETURN(const int in_progress, records.CountInProgress());
  if (in_progress < kExportsMax) return absl::OkStatus();
  return MakeError(ErrorKind::kLimitExceeded, messages::TooManyExports(kExportsMax));
}

}  // namespace

absl::StatusOr<ExportDescription> ExportTableToPointInTime(
    const OperationContext& context, const ExportTableToPointInTimeRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckRules(request));
  ExportFilter filter(request.filter_specification);
  DYNOLITH_RETURN_IF_ERROR(filter.Parse(context.violations->Of(&request)));
  const std::string fingerprint = Fingerprint(CanonicalExport(request));

  absl::MutexLock admission(&context.transfer_runner->admission);
  const ExportRecords records(context.store);
  const absl::Time started = context.clock->Now();
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<ExportRecord> earlier,
                            records.FindByToken(request.client_token, started));
  if (earlier) {
    if (earlier->fingerprint == fingerprint) return ToDescription(earlier->description);
    return MakeError(ErrorKind::kExportConflict, messages::ExportTokenReused());
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> meta,
                            FindExportable(context, request.table_arn));
  DYNOLITH_RETURN_IF_ERROR(filter.Bind(meta->schema));
  const absl::Time now = context.history->Now();
  ExportRecord record;
  record.fingerprint = fingerprint;
  ExportState& description = record.description;
  description.request = request;
  AddDefaults(now, &description.request);
  DYNOLITH_RETURN_IF_ERROR(CheckTimes(description.request, *meta->point_in_time_recovery, now));
  DYNOLITH_RETURN_IF_ERROR(CheckNotTooMany(records));
  DYNOLITH_RETURN_IF_ERROR(context.transfer_runner->Start());
  DYNOLITH_RETURN_IF_ERROR(records.Purge(started));
  DYNOLITH_ASSIGN_OR_RETURN(record.id, records.NewId(started));
  description.export_arn = TransferArn(request.table_arn, "export", record.id);
  description.table_id = meta->uuid;
  description.start_time = started;
  TransferRunner::Prepared job =
      TransferRunner::Prepare([&context, id = record.id](const TransferRunner::Stopping& stopping) {
        return RunExport(context, id, stopping);
      });
  DYNOLITH_RETURN_IF_ERROR(records.Put(record));
  context.transfer_runner->Add(std::move(job));
  return ToDescription(description);
}

}  // namespace dynolith
