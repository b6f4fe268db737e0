#include "api/transfer/import_table.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/control/create_table.h"
#include "api/request/arn.h"
#include "api/transfer/import_job.h"
#include "api/transfer/messages.h"
#include "api/transfer/transfer_lists.h"
#include "api/transfer/transfer_records.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/table_states.h"
#include "engine/model/messages.h"
#include "engine/value/set_members.h"

namespace dynolith {
namespace {

// The model has it as optional, and SDKs fill it in.
absl::Status CheckToken(const ImportTableRequest& request) {
  if (request.client_token) return absl::OkStatus();
  return ValidationError(messages::ValidationErrors(
      1, messages::ConstraintFailure("null", "clientToken", messages::MustNotBeNull())));
}

absl::Status CheckCsv(const ImportTableRequest& request) {
  if (!request.csv_options) return absl::OkStatus();
  if (request.input_format != InputFormat::kCsv) {
    return ValidationError(messages::CsvOptionsUnexpected());
  }
  if (!request.csv_options->header_list) return absl::OkStatus();
  const std::vector<std::string>& headers = *request.csv_options->header_list;
  const std::vector<std::string_view> names(headers.begin(), headers.end());
  if (const std::optional<size_t> repeat = FirstRepeat(names)) {
    return ValidationError(messages::CsvHeaderRepeated(names[*repeat]));
  }
  return absl::OkStatus();
}

// TableCreationParameters has no such members; the structure that stands for it has.
absl::Status CheckParametersOnly(const CreateTableRequest& table) {
  const std::pair<bool, std::string_view> others[] = {
      {table.local_secondary_indexes.has_value(), "LocalSecondaryIndexes"},
      {table.stream_specification.has_value(), "StreamSpecification"},
      {table.tags.has_value(), "Tags"},
      {table.table_class.has_value(), "TableClass"},
      {table.deletion_protection_enabled.has_value(), "DeletionProtectionEnabled"},
      {table.warm_throughput.has_value(), "WarmThroughput"},
      {table.resource_policy.has_value(), "ResourcePolicy"}};
  for (const auto& [is_given, member] : others) {
    if (is_given) return ValidationError(messages::ImportParameterUnexpected(member));
  }
  return absl::OkStatus();
}

ImportState Describe(const OperationContext& context, const ImportTableRequest& request,
                     TableMeta table) {
  ImportState description;
  description.client_token = request.client_token;
  description.s3_bucket_source = request.s3_bucket_source;
  description.input_format = request.input_format;
  description.csv_options = request.csv_options;
  description.input_compression_type =
      request.input_compression_type.value_or(InputCompressionType::kNone);
  description.table_arn = TableArn(context, table.schema.name);
  description.cloud_watch_log_group_arn =
      Concat("arn:aws:logs:", context.region, ":", context.account_id,
             ":log-group:/aws-dynamodb/imports:*");
  description.start_time = table.created;
  description.table = std::move(table);
  return description;
}

// Neither shown as usable nor settled by anybody who looks: the import says when it is whole.
void HoldInCreation(TableMeta* table) {
  table->status = TableStatus::kCreating;
  table->status_until.reset();
  for (IndexState& state : table->index_states) {
    state.status = IndexStatus::kCreating;
    state.status_until.reset();
    state.filled = true;  // every write of an item maintains it
  }
  FindNextTransition(table);
}

absl::Status CheckNotTooMany(const ImportRecords& records) {
  DYNOLITH_ASSIGN_OR_RETURN(const int in_progress, records.CountInProgress());
  if (in_progress < kImportsMax) return absl::OkStatus();
  return MakeError(ErrorKind::kLimitExceeded, messages::TooManyImports(kImportsMax));
}

// Whatever else it asks for: only another table is another import.
absl::StatusOr<ImportTableDescription> Repeated(const ImportState& running,
                                                const ImportState& asked) {
  if (running.table_arn == asked.table_arn) return ToDescription(running);
  return MakeError(ErrorKind::kImportConflict, messages::ImportTokenReused());
}

}  // namespace

absl::StatusOr<ImportTableDescription> ImportTable(const OperationContext& context,
                                                   const ImportTableRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckToken(request));
  DYNOLITH_RETURN_IF_ERROR(CheckCsv(request));
  DYNOLITH_RETURN_IF_ERROR(CheckParametersOnly(request.table));
  DYNOLITH_ASSIGN_OR_RETURN(TableMeta table, PlanTable(context, request.table));
  ImportRecord record;
  record.description = Describe(context, request, std::move(table));
  HoldInCreation(&record.description.table);

  absl::MutexLock admission(&context.transfer_runner->admission);
  const ImportRecords records(context.store);
  const absl::Time now = record.description.start_time;
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<ImportRecord> earlier,
                            records.FindByToken(request.client_token, now));
  if (earlier) {
    // Once it has ended the token stands for nothing: its table is in the way, or is not.
    const ImportState shown = ShownImport(context, earlier->description);
    if (shown.status == TransferStatus::kInProgress) return Repeated(shown, record.description);
  }
  DYNOLITH_RETURN_IF_ERROR(
      CheckRoomForTable(context, request.table, record.description.table.schema.name));
  DYNOLITH_RETURN_IF_ERROR(CheckNotTooMany(records));
  DYNOLITH_RETURN_IF_ERROR(context.transfer_runner->Start());
  DYNOLITH_RETURN_IF_ERROR(records.Purge(now));
  DYNOLITH_ASSIGN_OR_RETURN(record.id, records.NewId(now));
  record.description.import_arn = TransferArn(record.description.table_arn, "import", record.id);
  TransferRunner::Prepared job =
      TransferRunner::Prepare([&context, id = record.id](const TransferRunner::Stopping& stopping) {
        return RunImport(context, id, stopping);
      });
  // In one commit: a record without a table would be taken for an import that goes on.
  WriteBatch batch;
  records.Put(record, &batch);
  DYNOLITH_RETURN_IF_ERROR(AddTable(context, record.description.table, &batch).status());
  context.transfer_runner->Add(std::move(job));
  return ToDescription(record.description);
}

}  // namespace dynolith
