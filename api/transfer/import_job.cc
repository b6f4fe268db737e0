#include "api/transfer/import_job.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/transfer/messages.h"
#include "api/transfer/sorted_items.h"
#include "api/transfer/transfer_records.h"
#include "api/transfer/transfer_runner.h"
#include "dynolith/bulk_transfer.h"
#include "engine/base/errors.h"
#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_states.h"

namespace dynolith {
namespace {

// How many wrong records are logged; the rest is only counted.
constexpr int64_t kNotedErrorsMax = 100;

// Writes items into the table, which nobody else can reach, and counts.
class TableFiller final : public ImportReceiver {
 public:
  TableFiller(const OperationContext& context, Table* table,
              const TransferRunner::Stopping& stopping)
      : context_(context),
        table_(table),
        planned_(table->meta()),
        stopping_(stopping),
        items_(context.store, planned_->schema) {}

  void BeginRecord(std::string_view object, int64_t line) override {
    if (object_ != object) object_ = object;
    line_ = line;
  }

  absl::Status Take(absl::StatusOr<Item> record) override {
    // This status is not recorded: the import continues with the next open.
    if (stopping_) return absl::CancelledError();
    ++processed_items_;
    if (!record.ok()) ++unread_;
    const absl::Status fits = record.ok() ? items_.Check(record->view()) : record.status();
    if (fits.ok()) return items_.Put(record->view());
    if (++errors_ <= kNotedErrorsMax) Note(object_, line_, MessageOf(fits));
    return absl::OkStatus();
  }

  // Logs an error of the import as a whole.
  void Note(std::string_view reason) const { Note("", 0, reason); }

  void CountBytes(int64_t bytes) override { processed_bytes_ += bytes; }

  // To be called once, behind the last record: then the items and their index entries are there.
  absl::Status Finish() {
    const auto may_go_on = [this] { return stopping_ ? absl::CancelledError() : absl::OkStatus(); };
    DYNOLITH_RETURN_IF_ERROR(items_.Finish(may_go_on));
    table_->counts.AddWrites(items_.items());
    imported_items_ = items_.items();
    return absl::OkStatus();
  }

  int64_t errors() const { return errors_; }
  std::string LeftOut() const {
    return messages::RecordsLeftOut(errors_, processed_items_, unread_);
  }

  void Describe(ImportState* description) const {
    description->error_count = errors_;
    description->processed_item_count = processed_items_;
    description->imported_item_count = imported_items_;
    description->processed_size_bytes = processed_bytes_;
  }

 private:
  void Note(std::string_view object, int64_t line, std::string_view reason) const {
    if (context_.transfers == nullptr) return;
    context_.transfers->NoteFault(
        {.table = planned_->schema.name, .object = object, .line = line, .reason = reason});
  }

  const OperationContext& context_;
  Table* const table_;
  const std::shared_ptr<const TableMeta> planned_;  // nobody changes it meanwhile
  const TransferRunner::Stopping& stopping_;
  SortedItems items_;
  int64_t errors_ = 0;
  int64_t unread_ = 0;  // objects that ended with one of them
  int64_t processed_items_ = 0;
  int64_t imported_items_ = 0;
  int64_t processed_bytes_ = 0;
  // Where the record at hand begins.
  std::string object_;
  int64_t line_ = 0;
};

absl::Status Fill(const OperationContext& context, const ImportState& description,
                  TableFiller* filler) {
  if (context.transfers == nullptr) {
    return TransferFailure(messages::kNoSuchBucket, messages::NoSuchBucket());
  }
  DYNOLITH_RETURN_IF_ERROR(context.transfers->Import(ToDescription(description), filler));
  return filler->Finish();
}

void MarkFailed(std::string_view code, std::string_view message, ImportState* description) {
  description->status = TransferStatus::kFailed;
  description->failure_code = std::string(code);
  description->failure_message = std::string(message);
}

// The whole table can be used from the commit on that says so in the record.
absl::Status Complete(const OperationContext& context, Table* table, const ImportRecord& record) {
  const absl::Time usable = record.description.start_time + context.delays.create;
  const bool is_due = usable <= context.clock->Now();
  const auto change = [&](TableMeta* meta) {
    meta->status = is_due ? TableStatus::kActive : TableStatus::kCreating;
    if (!is_due) meta->status_until = usable;
    for (IndexState& state : meta->index_states) {
      state.status = is_due ? IndexStatus::kActive : IndexStatus::kCreating;
      state.filled = !is_due;
      if (!is_due) state.status_until = usable;
    }
    FindNextTransition(meta);
    return absl::OkStatus();
  };
  WriteBatch batch;
  ImportRecords(context.store).Put(record, &batch);
  return context.catalog->Modify(table, change, &batch).status();
}

// Nothing stays of a table that is not whole. The record comes last: an import whose record says
// that it is in progress is cleared up by the next open. May be called again.
absl::Status Abandon(const OperationContext& context, const std::shared_ptr<Table>& table,
                     const ImportRecord& record) {
  const std::string& name = record.description.table.schema.name;
  if (context.catalog->Find(name) == table) {
    DYNOLITH_RETURN_IF_ERROR(context.catalog->Drop(name));
  }
  return ImportRecords(context.store).Put(record);
}

// The next open begins anew.
absl::Status EndInOrder(const OperationContext& context, ImportRecord record) {
  if (!record.description.interruptions) return absl::OkStatus();
  record.description.interruptions.reset();
  return ImportRecords(context.store).Put(record);
}

}  // namespace

absl::Status RunImport(const OperationContext& context, const std::string& id,
                       const TransferRunner::Stopping& stopping) {
  DYNOLITH_ASSIGN_OR_RETURN(std::optional<ImportRecord> record,
                            ImportRecords(context.store).Find(id));
  if (!record || !IsUnderWay(record->description.status)) return absl::OkStatus();
  ImportState& description = record->description;
  // The table cannot be dropped meanwhile, as it is CREATING.
  const std::shared_ptr<Table> table = context.catalog->Find(description.table.schema.name);
  if (table == nullptr) return absl::OkStatus();
  TableFiller filler(context, table.get(), stopping);
  const absl::Status filled = CatchThrown([&] { return Fill(context, description, &filler); });
  if (absl::IsCancelled(filled)) return EndInOrder(context, *std::move(record));

  filler.Describe(&description);
  description.end_time = context.clock->Now();
  TransferRunner* const runner = context.transfer_runner;
  if (filled.ok()) {
    description.status = TransferStatus::kCompleted;
    bool is_noted = filler.errors() == 0;
    // Until this is recorded, no call can use the table.
    return runner->Record([&] {
      if (filler.errors() > 0) {
        MarkFailed(messages::kItemValidationError, messages::SomeItemsInvalid(), &description);
      }
      if (!is_noted) filler.Note(filler.LeftOut());
      is_noted = true;
      return Complete(context, table.get(), *record);
    });
  }
  const auto abandon = [&] {
    const std::string code = TransferFailureCode(filled);
    MarkFailed(code.empty() ? messages::kInternalTransferError : code, MessageOf(filled),
               &description);
    return Abandon(context, table, *record);
  };
  DYNOLITH_RETURN_IF_ERROR(runner->Record(abandon, [&] { return *record; }));
  filler.Note(messages::ImportFailed(*description.failure_code, MessageOf(filled)));
  return TransferFailureCode(filled).empty() ? filled : absl::OkStatus();
}

}  // namespace dynolith
