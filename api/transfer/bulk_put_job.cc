#include "api/transfer/bulk_put_job.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "api/request/key_checks.h"
#include "api/request/request_checks.h"
#include "api/table/messages.h"
#include "api/table/table_gate.h"
#include "api/transfer/messages.h"
#include "api/transfer/transfer_records.h"
#include "api/transfer/write_rate.h"
#include "api/write/row_write.h"
#include "api/write/write_expressions.h"
#include "dynolith/bulk_transfer.h"
#include "engine/base/errors.h"
#include "engine/base/exceptions.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

// So many records, or so many bytes of items, are one commit.
constexpr size_t kPutsPerCommit = 256;
constexpr size_t kPutBytesPerCommit = 1 << 20;
// How soon a job that waits sees that the clock was moved, or that it is to end.
constexpr absl::Duration kLookAgain = absl::Milliseconds(10);

// One record that waits to be written. Stays where it is: expressions borrow from the record.
struct PendingPut {
  explicit PendingPut(BulkPutRecord from) : record(std::move(from)), expressions(record) {}

  BulkPutRecord record;
  WriteExpressions expressions;
  std::string object;
  int64_t line = 0;
  std::string text;

  RecordPlace place() const { return {.object = object, .line = line}; }
};

absl::Status ParseCondition(PendingPut* put) {
  const BulkPutRecord& record = put->record;
  const Parameter condition = {"ConditionExpression", record.condition_expression.has_value()};
  DYNOLITH_RETURN_IF_ERROR(
      CheckParameters({}, {condition}, {condition},
                      {.names = record.expression_attribute_names.has_value(),
                       .values = record.expression_attribute_values.has_value()},
                      Wording::kCurrent));
  return put->expressions.Parse(std::nullopt, record.condition_expression, ValueViolations());
}

absl::Status TableGone(std::string_view table) {
  return TransferFailure(messages::kBulkTableGone, messages::TableNotFound(table));
}

int64_t* FindIndexBytes(std::string_view index,
                        std::vector<std::pair<std::string, BulkOperationBytes>>* indexes) {
  for (auto& [name, bytes] : *indexes) {
    if (name == index) return &bytes.bulk_put_bytes;
  }
  return &indexes->emplace_back(index, BulkOperationBytes()).second.bulk_put_bytes;
}

int64_t* FindIndexBytes(std::string_view index,
                        std::vector<std::pair<std::string, BulkOperationVectorBytes>>* indexes) {
  for (auto& [name, bytes] : *indexes) {
    if (name == index) return &bytes.bulk_put_vector_bytes;
  }
  return &indexes->emplace_back(index, BulkOperationVectorBytes()).second.bulk_put_vector_bytes;
}

void AddUsage(const TableSchema& schema, const RowOutcome& outcome, BulkOperationUsage* usage) {
  const auto table_bytes = static_cast<int64_t>(outcome.bytes_after);
  usage->table.bulk_put_bytes += table_bytes;
  usage->bulk_put_bytes += table_bytes;
  for (const IndexWork& work : outcome.index_work) {
    const IndexSchema& index = schema.indexes[work.index];
    if (index.kind == IndexKind::kVector) {
      *FindIndexBytes(index.name, &usage->vector_indexes) +=
          static_cast<int64_t>(work.vector_write_bytes);
      continue;
    }
    const auto bytes = static_cast<int64_t>(work.bytes_after);
    *FindIndexBytes(index.name, index.kind == IndexKind::kGlobal
                                    ? &usage->global_secondary_indexes
                                    : &usage->local_secondary_indexes) += bytes;
    usage->bulk_put_bytes += bytes;
  }
}

class BulkPut final : public BulkPutReceiver {
 public:
  BulkPut(const OperationContext& context, BulkPutEntry entry,
          const TransferRunner::Stopping& stopping)
      : context_(Waiting(context)),
        entry_(std::move(entry)),
        stopping_(stopping),
        rate_(entry_.description.request.max_write_request_units) {}

  // Writes all records; returns early with the reason why no more can be written.
  absl::Status Run() {
    if (context_.transfers == nullptr) {
      return TransferFailure(messages::kNoSuchBucket, messages::NoSuchBucket());
    }
    DYNOLITH_ASSIGN_OR_RETURN(report_,
                              context_.transfers->BeginBulkPutReport(ToDescription(state())));
    DYNOLITH_RETURN_IF_ERROR(context_.transfers->ReadBulkPut(state().request.input, this));
    return Flush();
  }

  // Says in the report and in the record how it ended. `result`: of Run. Errors: the store's.
  absl::Status End(const absl::Status& result) {
    // Record retries this while there is no room; between two attempts `admission` is free.
    return context_.bulk_put_runner->Record([&] { return TryToEnd(result); });
  }

  absl::Status Begin(int64_t total_bytes) override {
    absl::MutexLock admission(&context_.bulk_put_runner->admission);
    DYNOLITH_RETURN_IF_ERROR(CheckNotCancelled());
    state().total_input_bytes = total_bytes;
    return BulkPutRecords(context_.store).Put(entry_);
  }

  absl::Status Take(const RecordPlace& place, std::string_view text,
                    absl::StatusOr<BulkPutRecord> record) override {
    // This status is not recorded: the next open decides what became of the bulk put.
    if (stopping_) return absl::CancelledError();
    ++taken_;
    if (!record.ok()) {
      DYNOLITH_RETURN_IF_ERROR(Fail(place, text, record.status()));
    } else {
      auto put = std::make_unique<PendingPut>(*std::move(record));
      if (const absl::Status parsed = Check(put.get()); !parsed.ok()) {
        DYNOLITH_RETURN_IF_ERROR(Fail(place, text, parsed));
      } else {
        put->object = place.object;
        put->line = place.line;
        if (Reports(BulkOutputType::kError)) put->text = text;
        bytes_ += put->record.item.bytes().size() + put->text.size();
        pending_.push_back(std::move(put));
      }
    }
    return taken_ < kPutsPerCommit && bytes_ < kPutBytesPerCommit ? absl::OkStatus() : Flush();
  }

  void CountBytes(int64_t bytes) override { unflushed_input_bytes_ += bytes; }

 private:
  using Batch = std::vector<const PendingPut*>;

  BulkPutState& state() { return entry_.description; }

  // Rows that others are writing are waited for.
  static OperationContext Waiting(OperationContext context) {
    context.conflicts = nullptr;
    return context;
  }

  bool Reports(BulkOutputType type) {
    const std::vector<BulkOutputType>& types = state().request.output.output_type;
    return std::find(types.begin(), types.end(), type) != types.end();
  }

  static absl::Status Check(PendingPut* put) {
    if (BilledBytes(put->record.item.view()) > kItemBytesMax) {
      return ValidationError(messages::ItemTooLarge());
    }
    return ParseCondition(put);
  }

  absl::Status Fail(const RecordPlace& place, std::string_view text, const absl::Status& error) {
    ++state().processed_item_count;
    ++state().failed_item_count;
    if (!Reports(BulkOutputType::kError)) return absl::OkStatus();
    return report_->AddError(place, text, error);
  }

  absl::Status FailCondition(const PendingPut& put, const RowOutcome& outcome) {
    ++state().processed_item_count;
    if (!Reports(BulkOutputType::kConditionCheckFailure)) return absl::OkStatus();
    return report_->AddConditionFailure(put.place(), put.record.item.view(), outcome.old_item);
  }

  // Requires: admission is held.
  absl::Status LookForCancelling() {
    DYNOLITH_ASSIGN_OR_RETURN(const auto entry, BulkPutRecords(context_.store).Find(entry_.id));
    is_cancelled_ = entry && entry->description.status == TransferStatus::kCancelling;
    return absl::OkStatus();
  }
  absl::Status CheckNotCancelled() {
    DYNOLITH_RETURN_IF_ERROR(LookForCancelling());
    return is_cancelled_ ? absl::AbortedError("") : absl::OkStatus();
  }

  absl::Status WaitUntilDue() {
    context_.bulk_put_runner->JobWaitsUntil(rate_.due());
    while (!rate_.IsDue(context_.clock->Now())) {
      if (stopping_) return absl::CancelledError();
      {
        absl::MutexLock admission(&context_.bulk_put_runner->admission);
        DYNOLITH_RETURN_IF_ERROR(CheckNotCancelled());
      }
      absl::SleepFor(kLookAgain);
    }
    context_.bulk_put_runner->JobWaitsUntil(absl::InfinitePast());
    rate_.Begin(context_.clock->Now());
    return absl::OkStatus();
  }

  absl::Status TryToEnd(const absl::Status& result) {
    absl::MutexLock admission(&context_.bulk_put_runner->admission);
    if (!state().end_time) {
      DYNOLITH_RETURN_IF_ERROR(LookForCancelling());
      Finish(result);
    }
    absl::Status put = BulkPutRecords(context_.store).Put(entry_);
    // It comes too late to cancel what the report says the end of.
    if (!put.ok()) context_.bulk_put_runner->ShowEnd(entry_);
    return put;
  }

  void Finish(const absl::Status& result) {
    BulkPutState& ended = state();
    if (is_cancelled_) {
      SetOutcome(TransferStatus::kCancelled, messages::kBulkCancelled, messages::BulkCancelled());
    } else if (!result.ok()) {
      SetFailed(result);
    } else {
      ended.status = ended.failed_item_count > 0 ? TransferStatus::kCompletedWithErrors
                                                 : TransferStatus::kCompleted;
    }
    const absl::Time now = context_.clock->Now();
    if (report_ != nullptr && !is_reported_) {
      BulkPutState told = ended;
      told.end_time = now;
      reported_ = CatchThrown([&] { return report_->Finish(ToDescription(told)); });
      is_reported_ = true;
    }
    if (!reported_.ok() && result.ok()) SetFailed(reported_);
    // Last: after an exception the next try does all of the above again.
    ended.end_time = now;
  }

  // Writes what waits. An answer to CancelBulkOperation comes before or behind it.
  absl::Status Flush() {
    DYNOLITH_RETURN_IF_ERROR(WaitUntilDue());
    absl::MutexLock admission(&context_.bulk_put_runner->admission);
    DYNOLITH_RETURN_IF_ERROR(CheckNotCancelled());
    state().processed_input_bytes += std::exchange(unflushed_input_bytes_, 0);
    TableGates gates;
    const absl::StatusOr<size_t> position = gates.Add(context_, state().table_name);
    if (!position.ok()) return TableGone(state().table_name);
    if (const absl::Status locked = gates.Lock(); !locked.ok()) {
      const bool is_gone = KindOf(locked) == ErrorKind::kResourceNotFound;
      return is_gone ? TableGone(state().table_name) : locked;
    }
    const TableMeta& meta = gates.meta(*position);
    if (meta.uuid != state().table_id) return TableGone(state().table_name);
    DYNOLITH_RETURN_IF_ERROR(WritePending(gates.table(*position), meta));
    DYNOLITH_RETURN_IF_ERROR(gates.Finish());
    pending_.clear();
    taken_ = 0;
    bytes_ = 0;
    return BulkPutRecords(context_.store).Put(entry_);
  }

  absl::Status WritePending(Table* table, const TableMeta& meta) {
    Batch batch;
    std::unordered_set<std::string> row_keys;
    for (const std::unique_ptr<PendingPut>& put : pending_) {
      const ItemView item = put->record.item.view();
      if (const absl::Status fits = CheckItemKeys(meta.schema, item); !fits.ok()) {
        DYNOLITH_RETURN_IF_ERROR(Fail(put->place(), put->text, fits));
        continue;
      }
      std::string row_key;
      AppendRowKey(meta.schema.id, meta.schema.key, item, &row_key);
      // A batch has one write per key: a second record of a key goes into the next batch.
      if (row_keys.contains(row_key)) {
        DYNOLITH_RETURN_IF_ERROR(Write(table, meta, std::exchange(batch, {})));
        row_keys.clear();
      }
      row_keys.insert(std::move(row_key));
      batch.push_back(put.get());
    }
    return Write(table, meta, std::move(batch));
  }

  // Leaves out, again and again, those that cannot be written.
  absl::Status Write(Table* table, const TableMeta& meta, Batch batch) {
    while (!batch.empty()) {
      std::vector<RowWrite> writes;
      writes.reserve(batch.size());
      for (const PendingPut* put : batch) writes.push_back(PlanWrite(table, meta, *put));
      std::vector<RowOutcome> outcomes(writes.size());
      BulkPutEntry written;
      Batch rest;
      rest.reserve(batch.size());
      const auto add_counts = [&](const Transaction& /*transaction*/, WriteBatch* commit) {
        written = entry_;
        written.description.processed_item_count += static_cast<int64_t>(batch.size());
        for (const RowOutcome& outcome : outcomes) {
          AddUsage(meta.schema, outcome, &written.description.usage);
        }
        BulkPutRecords(context_.store).Put(written, commit);
        return absl::OkStatus();
      };
      DYNOLITH_RETURN_IF_ERROR(Execute(context_, writes, absl::MakeSpan(outcomes), add_counts));
      // No allocation between the commit and its counts: `rest` has its memory.
      DYNOLITH_RETURN_IF_ERROR(LeaveOutFailed(batch, outcomes, &rest));
      if (rest.size() == batch.size()) {
        entry_ = std::move(written);
        Spend(outcomes);
        return absl::OkStatus();
      }
      batch = std::move(rest);
    }
    return absl::OkStatus();
  }

  RowWrite PlanWrite(Table* table, const TableMeta& meta, const PendingPut& put) {
    return RowWrite::Of(RowWrite::Kind::kPut, table, meta, put.record.item.view(),
                        {.condition = put.expressions.condition(),
                         // What a write takes of the rate depends on the old item.
                         .wants_old = state().request.max_write_request_units.has_value(),
                         .returns_old_on_failure = Reports(BulkOutputType::kConditionCheckFailure),
                         .takes_no_capacity = true});
  }

  absl::Status LeaveOutFailed(const Batch& batch, const std::vector<RowOutcome>& outcomes,
                              Batch* rest) {
    for (size_t i = 0; i < batch.size(); ++i) {
      const absl::Status& status = outcomes[i].status;
      if (status.ok()) {
        rest->push_back(batch[i]);
      } else if (KindOf(status) == ErrorKind::kConditionalCheckFailed) {
        DYNOLITH_RETURN_IF_ERROR(FailCondition(*batch[i], outcomes[i]));
      } else {
        DYNOLITH_RETURN_IF_ERROR(Fail(batch[i]->place(), batch[i]->text, status));
      }
    }
    return absl::OkStatus();
  }

  void Spend(const std::vector<RowOutcome>& outcomes) {
    double units = 0;
    for (const RowOutcome& outcome : outcomes) units += outcome.table_units;
    rate_.Spend(units);
  }

  void SetFailed(const absl::Status& why) {
    const std::string code = TransferFailureCode(why);
    SetOutcome(TransferStatus::kFailed, code.empty() ? messages::kInternalTransferError : code,
               MessageOf(why));
  }
  void SetOutcome(TransferStatus status, std::string_view code, std::string_view message) {
    state().status = status;
    state().failure_code = std::string(code);
    state().failure_message = std::string(message);
  }

  const OperationContext context_;
  BulkPutEntry entry_;
  const TransferRunner::Stopping& stopping_;
  WriteRate rate_;
  std::unique_ptr<BulkPutReport> report_;
  bool is_reported_ = false;
  absl::Status reported_;
  bool is_cancelled_ = false;
  // Since the last commit.
  std::vector<std::unique_ptr<PendingPut>> pending_;
  size_t taken_ = 0;
  size_t bytes_ = 0;
  int64_t unflushed_input_bytes_ = 0;
};

}  // namespace

absl::Status RunBulkPut(const OperationContext& context, const std::string& id,
                        const TransferRunner::Stopping& stopping) {
  DYNOLITH_ASSIGN_OR_RETURN(std::optional<BulkPutEntry> entry,
                            BulkPutRecords(context.store).Find(id));
  if (!entry || !IsUnderWay(entry->description.status)) return absl::OkStatus();
  BulkPut put(context, *std::move(entry), stopping);
  const absl::Status result = CatchThrown([&] { return put.Run(); });
  if (absl::IsCancelled(result)) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(put.End(result));
  const bool is_fault_of_ours =
      !result.ok() && !absl::IsAborted(result) && TransferFailureCode(result).empty();
  return is_fault_of_ours ? result : absl::OkStatus();
}

}  // namespace dynolith
