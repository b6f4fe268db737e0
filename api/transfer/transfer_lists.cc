#include "api/transfer/transfer_lists.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "api/request/arn.h"
#include "api/request/messages.h"
#include "api/transfer/messages.h"
#include "api/transfer/transfer_records.h"
#include "api/transfer/transfer_runner.h"
#include "api/write/idempotency.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/catalog.h"

namespace dynolith {
namespace {

// Older ones wait only for the next transfer, which forgets them.
bool IsForgotten(absl::Time start, absl::Time now) {
  return now - start > absl::Hours(24 * kTransferDays);
}

const std::string& GetTableArn(const ExportState& description) {
  return description.request.table_arn;
}
const std::string& GetTableArn(const ImportState& description) { return description.table_arn; }
// Is asked for in no list.
const std::string& GetTableArn(const BulkPutState& description) {
  return description.request.table_name;
}

const std::string& GetArn(const ExportState& description) { return description.export_arn; }
const std::string& GetArn(const ImportState& description) { return description.import_arn; }
const std::string& GetArn(const BulkPutState& description) {
  return description.bulk_operation_arn;
}

// NextToken: digest:32 id '\0' in lower-case hexadecimal digits; the digest is that of the
// question.
std::string Question(std::string_view kind, const std::optional<std::string>& table_arn) {
  return Fingerprint(Concat(kind, "/", table_arn.value_or("")));
}

std::string EncodeToken(std::string_view question, std::string_view id) {
  return absl::BytesToHexString(ToAbsl(Concat(question, id, '\0')));
}

// The id behind which the next page begins. Errors: ValidationException for a token that is none of
// this question.
absl::StatusOr<std::string> DecodeToken(std::string_view question, const std::string& token) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (token.size() % 2 != 0 || !std::all_of(token.begin(), token.end(), is_digit)) {
    return ValidationError(messages::PageTokenInvalid());
  }
  const std::string bytes = absl::HexStringToBytes(token);
  if (bytes.size() <= question.size() + 1 || !bytes.starts_with(question)) {
    return ValidationError(messages::PageTokenInvalid());
  }
  return bytes.substr(question.size(), bytes.size() - question.size() - 1);
}

template <typename Description>
struct Page {
  std::vector<Description> elements;
  std::optional<std::string> next_token;
};

template <typename Description>
absl::StatusOr<Page<Description>> ReadPage(const OperationContext& context, std::string_view kind,
                                           const std::optional<std::string>& table_arn,
                                           const std::optional<int64_t>& limit,
                                           const std::optional<std::string>& token) {
  const std::string question = Question(kind, table_arn);
  std::string before;
  if (token) {
    DYNOLITH_ASSIGN_OR_RETURN(before, DecodeToken(question, *token));
  }
  const auto most = static_cast<size_t>(limit.value_or(kTransfersPageMax));
  const absl::Time now = context.clock->Now();
  Page<Description> page;
  std::string last_id;
  const TransferRecords<Description> records(context.store);
  const auto visit = [&](const TransferRecord<Description>& record) {
    if (IsForgotten(record.description.start_time, now)) return false;
    if (table_arn && GetTableArn(record.description) != *table_arn) return true;
    if (page.elements.size() == most) {
      page.next_token = EncodeToken(question, last_id);
      return false;
    }
    last_id = record.id;
    page.elements.push_back(record.description);
    return true;
  };
  DYNOLITH_RETURN_IF_ERROR(records.ForEach(before, visit));
  return page;
}

template <typename Description>
absl::StatusOr<std::optional<Description>> FindByArn(const OperationContext& context,
                                                     const std::string& arn, std::string_view id) {
  const TransferRecords<Description> records(context.store);
  DYNOLITH_ASSIGN_OR_RETURN(auto record, records.Find(id));
  if (!record || IsForgotten(record->description.start_time, context.clock->Now())) {
    return std::optional<Description>();
  }
  if (GetArn(record->description) != arn) return std::optional<Description>();
  return std::optional<Description>(std::move(record->description));
}

// Whether it has ended, and there is no room on the disk to record that: then `description` says
// how.
template <typename Record, typename Description>
bool HasUnrecordedEnd(const TransferRunner& runner, const std::string& arn,
                      Description* description) {
  const std::optional<Record> end = runner.UnrecordedEnd<Record>();
  if (!end || GetArn(end->description) != arn) return false;
  *description = end->description;
  return true;
}

ExportState ShownExport(const OperationContext& context, const ExportState& description) {
  ExportState shown = description;
  HasUnrecordedEnd<ExportRecord>(*context.transfer_runner, description.export_arn, &shown);
  return shown;
}

BulkPutState ShownBulkPut(const OperationContext& context, const BulkPutState& description) {
  BulkPutState shown = description;
  HasUnrecordedEnd<BulkPutEntry>(*context.bulk_put_runner, description.bulk_operation_arn, &shown);
  return shown;
}

// Whether nobody can use the table yet. The record of an import's end is on the disk a moment
// before others see the table that the same commit has made whole.
bool IsTableBeingMade(const OperationContext& context, const ImportState& description) {
  const std::shared_ptr<Table> table = context.catalog->Find(description.table.schema.name);
  if (table == nullptr) return false;
  const std::shared_ptr<const TableMeta> meta = table->meta();
  return meta->uuid == description.table.uuid && meta->status == TableStatus::kCreating &&
         !meta->status_until;
}

}  // namespace

ImportState ShownImport(const OperationContext& context, const ImportState& description) {
  ImportState shown = description;
  const bool has_failed =
      HasUnrecordedEnd<ImportRecord>(*context.transfer_runner, description.import_arn, &shown);
  if (shown.status == TransferStatus::kInProgress) return shown;
  const bool is_due = context.clock->Now() >= shown.start_time + context.delays.create;
  if (is_due && (has_failed || !IsTableBeingMade(context, shown))) return shown;
  shown.status = TransferStatus::kInProgress;
  shown.error_count = 0;
  shown.end_time.reset();
  shown.processed_size_bytes.reset();
  shown.processed_item_count.reset();
  shown.imported_item_count.reset();
  shown.failure_code.reset();
  shown.failure_message.reset();
  return shown;
}

absl::StatusOr<ExportDescription> DescribeExport(const OperationContext& context,
                                                 const DescribeExportRequest& request) {
  const std::string& arn = request.export_arn;
  const std::string_view id = TransferIdFromArn(arn, "export");
  if (id.empty()) return ValidationError(messages::InvalidExportArn());
  DYNOLITH_ASSIGN_OR_RETURN(auto found, FindByArn<ExportState>(context, arn, id));
  if (!found) return MakeError(ErrorKind::kExportNotFound, messages::ExportNotFound(arn));
  return ToDescription(ShownExport(context, *found));
}

absl::StatusOr<ImportTableDescription> DescribeImport(const OperationContext& context,
                                                      const DescribeImportRequest& request) {
  const std::string& arn = request.import_arn;
  const std::string_view id = TransferIdFromArn(arn, "import");
  if (id.empty()) return ValidationError(messages::InvalidImportArn());
  DYNOLITH_ASSIGN_OR_RETURN(const auto found, FindByArn<ImportState>(context, arn, id));
  if (!found) return MakeError(ErrorKind::kImportNotFound, messages::ImportNotFound(arn));
  return ToDescription(ShownImport(context, *found));
}

absl::StatusOr<TransferRecord<BulkPutState>> FindBulkOperation(const OperationContext& context,
                                                               const std::string& arn) {
  const std::string_view id = TransferIdFromArn(arn, "bulk-operation");
  if (id.empty()) return ValidationError(messages::InvalidBulkOperationArn());
  DYNOLITH_ASSIGN_OR_RETURN(auto record, BulkPutRecords(context.store).Find(id));
  if (!record || record->description.bulk_operation_arn != arn ||
      IsForgotten(record->description.start_time, context.clock->Now())) {
    return MakeError(ErrorKind::kResourceNotFound, messages::BulkOperationNotFound(arn));
  }
  record->description = ShownBulkPut(context, record->description);
  return *std::move(record);
}

absl::StatusOr<BulkOperationDescription> DescribeBulkOperation(
    const OperationContext& context, const DescribeBulkOperationRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const auto record,
                            FindBulkOperation(context, request.bulk_operation_arn));
  return ToDescription(record.description);
}

absl::StatusOr<ListExportsOutput> ListExports(const OperationContext& context,
                                              const ListExportsRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(
      auto page, ReadPage<ExportState>(context, "export", request.table_arn, request.max_results,
                                       request.next_token));
  ListExportsOutput output;
  for (const ExportState& element : page.elements) {
    output.export_summaries.push_back(ToSummary(ShownExport(context, element)));
  }
  output.next_token = std::move(page.next_token);
  return output;
}

absl::StatusOr<ListImportsOutput> ListImports(const OperationContext& context,
                                              const ListImportsRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(
      auto page, ReadPage<ImportState>(context, "import", request.table_arn, request.page_size,
                                       request.next_token));
  ListImportsOutput output;
  for (const ImportState& element : page.elements) {
    output.import_summary_list.push_back(ToSummary(ShownImport(context, element)));
  }
  output.next_token = std::move(page.next_token);
  return output;
}

absl::StatusOr<ListBulkOperationsOutput> ListBulkOperations(
    const OperationContext& context, const ListBulkOperationsRequest& request) {
  const int64_t most = request.max_results.value_or(kBulkOperationsPageDefault);
  DYNOLITH_ASSIGN_OR_RETURN(
      auto page,
      ReadPage<BulkPutState>(context, "bulk-operation", std::nullopt, most, request.next_token));
  ListBulkOperationsOutput output;
  for (const BulkPutState& element : page.elements) {
    output.bulk_operations_summary_list.push_back(ToSummary(ShownBulkPut(context, element)));
  }
  output.next_token = std::move(page.next_token);
  return output;
}

}  // namespace dynolith
