#include "api/transfer/export_job.h"

#include <memory>
#include <optional>
#include <utility>

#include "api/backup/past_walk.h"
#include "api/backup/row_copy.h"
#include "api/request/arn.h"
#include "api/table/table_lifecycle.h"
#include "api/transfer/export_filter.h"
#include "api/transfer/messages.h"
#include "api/transfer/transfer_records.h"
#include "api/transfer/transfer_runner.h"
#include "dynolith/bulk_transfer.h"
#include "engine/base/errors.h"
#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"
#include "engine/history/history.h"
#include "engine/history/past_items.h"
#include "engine/key/key_codec.h"
#include "engine/model/request_violations.h"
#include "engine/value/item.h"

namespace dynolith {
namespace {

absl::Status TableGone() {
  return TransferFailure(messages::kInternalTransferError, messages::ExportedTableGone());
}

// The table that was to be exported, if it still is that one, with its past from `from` to `to`:
// the times that are looked at.
absl::StatusOr<FrozenTable> FreezePast(const OperationContext& context,
                                       const ExportState& description, absl::Time from,
                                       absl::Time to, FrozenPart part) {
  DYNOLITH_RETURN_IF_ERROR(context.history->Await(to));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string_view name,
                            ResolveTableName(context, description.request.table_arn));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, FindSettled(context, name));
  if (table == nullptr) return TableGone();
  FrozenTable frozen = FreezeForPast(context, table.get(), part);
  const TableMeta& meta = *frozen.meta;
  if (meta.uuid != description.table_id || meta.status == TableStatus::kDeleting ||
      !meta.point_in_time_recovery ||
      from < absl::FromUnixMillis(absl::ToUnixMillis(meta.point_in_time_recovery->enabled))) {
    return TableGone();
  }
  return frozen;
}

// What has been read and written so far.
struct Totals {
  int64_t items_written = 0;
  int64_t bytes_read = 0;
};

// The request was accepted before, so its values have no violations.
absl::Status Prepare(const FrozenTable& past, ExportFilter* filter) {
  DYNOLITH_RETURN_IF_ERROR(filter->Parse(ValueViolations()));
  return filter->Bind(past.meta->schema);
}

absl::Status ExportItems(const OperationContext& context, const ExportState& description,
                         const TransferRunner::Stopping& stopping, ExportWriter* writer,
                         Totals* totals) {
  const absl::Time time = *description.request.export_time;
  const auto freeze = [&](FrozenPart part) {
    return FreezePast(context, description, time, time, part);
  };
  DYNOLITH_ASSIGN_OR_RETURN(FrozenTable past, freeze(FrozenPart::kRowsToo));
  ExportFilter filter(description.request.filter_specification);
  DYNOLITH_RETURN_IF_ERROR(Prepare(past, &filter));
  ItemBuilder builder;
  const auto visit = [&](ItemView item) {
    if (stopping) return absl::CancelledError();
    totals->bytes_read += static_cast<int64_t>(BilledBytes(item));
    if (!filter.Takes(item)) return absl::OkStatus();
    ++totals->items_written;
    return writer->AddItem(filter.Project(item, &builder));
  };
  const auto walk = [&](const Snapshot& snapshot, const KeyRange& rows, std::string* last) {
    return VisitItemsAt(snapshot, rows, time, [&](std::string_view row_key, ItemView item) {
      DYNOLITH_RETURN_IF_ERROR(visit(item));
      *last = row_key;
      return absl::OkStatus();
    });
  };
  return WalkPast(context, std::move(past), filter.rows(), freeze, walk);
}

// An item as it is after the change, or as it was before its deletion. Of one that came and went
// only the key is known.
ItemView SeenByFilter(const PastChange& change, ItemView key) {
  if (change.after) return *change.after;
  return change.before.value_or(key);
}

absl::Status ExportChanges(const OperationContext& context, const ExportState& description,
                           const TransferRunner::Stopping& stopping, ExportWriter* writer,
                           Totals* totals) {
  const IncrementalExportSpecification& increment =
      *description.request.incremental_export_specification;
  const absl::Time from = *increment.export_from_time;
  const absl::Time to = *increment.export_to_time;
  const auto freeze = [&](FrozenPart part) {
    return FreezePast(context, description, from, to, part);
  };
  DYNOLITH_ASSIGN_OR_RETURN(FrozenTable past, freeze(FrozenPart::kRowsToo));
  const KeySchema key_schema = past.meta->schema.key;
  const bool with_old = increment.export_view_type == ExportViewType::kNewAndOldImages;
  ExportFilter filter(description.request.filter_specification);
  DYNOLITH_RETURN_IF_ERROR(Prepare(past, &filter));
  ItemBuilder old_builder;
  ItemBuilder new_builder;
  const auto visit = [&](const PastChange& change) -> absl::Status {
    if (stopping) return absl::CancelledError();
    DYNOLITH_ASSIGN_OR_RETURN(const Item key, DecodeRowKey(key_schema, change.row_key));
    ExportedChange exported = {.written = change.last_change,
                               .key = key.view(),
                               .old_image = with_old ? change.before : std::nullopt,
                               .new_image = change.after};
    for (const auto& image : {exported.old_image, exported.new_image}) {
      if (image) totals->bytes_read += static_cast<int64_t>(BilledBytes(*image));
    }
    if (!filter.Takes(SeenByFilter(change, key.view()))) return absl::OkStatus();
    ++totals->items_written;
    if (auto& image = exported.old_image) image = filter.Project(*image, &old_builder);
    if (auto& image = exported.new_image) image = filter.Project(*image, &new_builder);
    return writer->AddChange(exported);
  };
  // From the first moment on, up to but without the last one; the history counts milliseconds.
  constexpr absl::Duration kMoment = absl::Milliseconds(1);
  const auto walk = [&](const Snapshot& snapshot, const KeyRange& rows, std::string* last) {
    return VisitChanges(snapshot, rows, from - kMoment, to - kMoment,
                        [&](const PastChange& change) {
                          DYNOLITH_RETURN_IF_ERROR(visit(change));
                          *last = change.row_key;
                          return absl::OkStatus();
                        });
  };
  return WalkPast(context, std::move(past), filter.rows(), freeze, walk);
}

// Writes everything, and puts what came of it into `description`.
absl::Status Write(const OperationContext& context, const TransferRunner::Stopping& stopping,
                   ExportState* description) {
  if (context.transfers == nullptr) {
    return TransferFailure(messages::kNoSuchBucket, messages::NoSuchBucket());
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<ExportWriter> writer,
                            context.transfers->BeginExport(ToDescription(*description)));
  const bool is_incremental = description->request.export_type == ExportType::kIncremental;
  Totals totals;
  DYNOLITH_RETURN_IF_ERROR((is_incremental ? ExportChanges : ExportItems)(
      context, *description, stopping, writer.get(), &totals));
  description->end_time = context.clock->Now();
  description->item_count = totals.items_written;
  description->billed_size_bytes = totals.bytes_read;
  DYNOLITH_ASSIGN_OR_RETURN(description->export_manifest,
                            writer->Finish(ToDescription(*description)));
  description->status = TransferStatus::kCompleted;
  return absl::OkStatus();
}

void MarkFailed(const absl::Status& why, absl::Time now, ExportState* description) {
  const std::string code = TransferFailureCode(why);
  description->status = TransferStatus::kFailed;
  description->end_time = now;
  description->failure_code = code.empty() ? std::string(messages::kInternalTransferError) : code;
  description->failure_message = std::string(MessageOf(why));
}

bool IsFaultOfOurs(const absl::Status& status) {
  return !status.ok() && TransferFailureCode(status).empty();
}

}  // namespace

absl::Status RunExport(const OperationContext& context, const std::string& id,
                       const TransferRunner::Stopping& stopping) {
  const ExportRecords records(context.store);
  DYNOLITH_ASSIGN_OR_RETURN(std::optional<ExportRecord> record, records.Find(id));
  if (!record || !IsUnderWay(record->description.status)) return absl::OkStatus();
  ExportState& description = record->description;
  const absl::Status written = CatchThrown([&] { return Write(context, stopping, &description); });
  // The next open says that it was interrupted.
  if (absl::IsCancelled(written)) return absl::OkStatus();
  const auto put = [&] {
    if (!written.ok()) MarkFailed(written, context.clock->Now(), &description);
    return records.Put(*record);
  };
  DYNOLITH_RETURN_IF_ERROR(context.transfer_runner->Record(put, [&] { return *record; }));
  return IsFaultOfOurs(written) ? written : absl::OkStatus();
}

}  // namespace dynolith
