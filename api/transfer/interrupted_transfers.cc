#include "api/transfer/interrupted_transfers.h"

#include <memory>
#include <string>
#include <vector>

#include "api/control/create_table.h"
#include "api/transfer/import_job.h"
#include "api/transfer/messages.h"
#include "api/transfer/transfer_records.h"
#include "api/transfer/transfer_runner.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"

namespace dynolith {
namespace {

constexpr int64_t kInterruptionsMax = 3;

template <typename Description>
absl::StatusOr<std::vector<TransferRecord<Description>>> InProgress(
    const TransferRecords<Description>& records) {
  std::vector<TransferRecord<Description>> found;
  const auto visit = [&found](const TransferRecord<Description>& record) {
    if (IsUnderWay(record.description.status)) found.push_back(record);
    return true;
  };
  DYNOLITH_RETURN_IF_ERROR(records.ForEach("", visit));
  return found;
}

template <typename Description>
absl::Status MarkEnded(const OperationContext& context, const TransferRecords<Description>& records,
                       TransferRecord<Description> record) {
  Description& description = record.description;
  const bool was_cancelled = description.status == TransferStatus::kCancelling;
  description.status = was_cancelled ? TransferStatus::kCancelled : TransferStatus::kFailed;
  description.end_time = context.clock->Now();
  description.failure_code =
      std::string(was_cancelled ? messages::kBulkCancelled : messages::kInternalTransferError);
  description.failure_message =
      was_cancelled ? messages::BulkCancelled() : messages::TransferInterrupted();
  return records.Put(record);
}

absl::Status DropHalfTable(const OperationContext& context, const TableMeta& planned) {
  const std::shared_ptr<Table> table = context.catalog->Find(planned.schema.name);
  // The table does not exist if the process ended before it was created again, or while an import
  // failed.
  if (table == nullptr || table->meta()->uuid != planned.uuid) return absl::OkStatus();
  return context.catalog->Drop(planned.schema.name);
}

// Returns whether the import may begin again. The record is written first, so that another end of
// the process during the attempt is counted, too.
absl::StatusOr<bool> MayBeginAnew(const OperationContext& context, const ImportRecords& imports,
                                  ImportRecord record) {
  ImportState& description = record.description;
  const int64_t interruptions = description.interruptions.value_or(0) + 1;
  if (context.transfers == nullptr || interruptions > kInterruptionsMax) return false;
  if (context.catalog->Find(description.table.schema.name) != nullptr) return false;
  description.interruptions = interruptions;
  DYNOLITH_RETURN_IF_ERROR(imports.Put(record));
  return true;
}

}  // namespace

absl::Status FinishInterruptedTransfers(const OperationContext& context) {
  const ImportRecords imports(context.store);
  DYNOLITH_ASSIGN_OR_RETURN(const auto half_imports, InProgress(imports));
  for (const ImportRecord& record : half_imports) {
    DYNOLITH_RETURN_IF_ERROR(DropHalfTable(context, record.description.table));
    DYNOLITH_ASSIGN_OR_RETURN(const bool goes_on, MayBeginAnew(context, imports, record));
    if (!goes_on) DYNOLITH_RETURN_IF_ERROR(MarkEnded(context, imports, record));
  }
  const ExportRecords exports(context.store);
  DYNOLITH_ASSIGN_OR_RETURN(const auto half_exports, InProgress(exports));
  for (const ExportRecord& record : half_exports) {
    DYNOLITH_RETURN_IF_ERROR(MarkEnded(context, exports, record));
  }
  const BulkPutRecords bulk_puts(context.store);
  DYNOLITH_ASSIGN_OR_RETURN(const auto half_puts, InProgress(bulk_puts));
  for (const BulkPutEntry& record : half_puts) {
    DYNOLITH_RETURN_IF_ERROR(MarkEnded(context, bulk_puts, record));
  }
  return absl::OkStatus();
}

absl::Status ResumeImports(const OperationContext& context) {
  DYNOLITH_ASSIGN_OR_RETURN(const auto imports, InProgress(ImportRecords(context.store)));
  if (!imports.empty()) DYNOLITH_RETURN_IF_ERROR(context.transfer_runner->Start());
  for (const ImportRecord& record : imports) {
    DYNOLITH_RETURN_IF_ERROR(AddTable(context, record.description.table).status());
    context.transfer_runner->Add(TransferRunner::Prepare(
        [&context, id = record.id](const TransferRunner::Stopping& stopping) {
          return RunImport(context, id, stopping);
        }));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
