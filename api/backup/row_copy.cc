#include "api/backup/row_copy.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "api/request/call_bounds.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/store/batched_rows.h"
#include "engine/store/row_id.h"
#include "engine/store/transaction/shared_store.h"
#include "engine/value/item.h"

namespace dynolith {
namespace {

// How many bytes are written between two checks for an interruption.
constexpr size_t kBytesBetweenLooks = 1 << 20;

using TakeMoment = absl::FunctionRef<std::shared_ptr<const Snapshot>()>;

FrozenTable FreezeAt(const OperationContext& context, Table* table, TakeMoment take) {
  // Without the gate the schema could change between reading it and taking the snapshot.
  const SpreadMutex::ReadScope gate(&table->gate);
  FrozenTable frozen;
  frozen.meta = table->meta();
  frozen.snapshot = take();
  if (frozen.meta->status != TableStatus::kDeleting) {
    frozen.lease = context.catalog->LeaseRows(*table);
  }
  return frozen;
}

}  // namespace

FrozenTable Freeze(const OperationContext& context, Table* table) {
  return FreezeAt(context, table, [&] { return context.store->TakeSnapshot(); });
}

FrozenTable FreezeForPast(const OperationContext& context, Table* table, FrozenPart part) {
  FrozenTable frozen;
  if (part == FrozenPart::kMetaOnly) {
    frozen.meta = table->meta();
    return frozen;
  }
  SharedStore* const shared = context.store->shared();
  if (shared == nullptr) return Freeze(context, table);
  // Whoever waits for the gate would wait for the transactions, too. Other processes change the
  // table beside it anyway.
  std::shared_ptr<const Snapshot> snapshot = shared->TakeSerialSnapshot();
  return FreezeAt(context, table, [&] { return std::move(snapshot); });
}

RowLoader::RowLoader(const OperationContext& context, StorageId id)
    : context_(context), row_key_(RowIdPrefix(id)), sorted_(NewBulkRows(context.store)) {}

absl::Status RowLoader::Put(std::string_view row_key, std::string_view item_bytes) {
  row_key_.resize(kRowIdBytes);
  row_key_.append(row_key.substr(kRowIdBytes));
  ++rows_;
  bytes_ += row_key_.size() + item_bytes.size();
  if (bytes_ >= kBytesBetweenLooks) {
    bytes_ = 0;
    DYNOLITH_RETURN_IF_ERROR(CheckNotInterrupted(context_));
  }
  billed_bytes_ += static_cast<int64_t>(BilledBytes(ItemView::Unchecked(item_bytes)));
  return sorted_->Put(Family::kTables, row_key_, item_bytes);
}

absl::Status RowLoader::Finish() {
  return sorted_->Commit([this] { return CheckNotInterrupted(context_); });
}

const ReadView& RowsToCopy(Store* store, const Snapshot& snapshot) {
  return store->At(store->local() != nullptr ? &snapshot : nullptr);
}

absl::Status CopyRows(const ReadView& rows, StorageId from, RowLoader* loader) {
  const KeyRange range = RangeOfId(from);
  Cursor cursor = rows.ScanOnce(Family::kTables, range.begin, range.end);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_RETURN_IF_ERROR(loader->Put(cursor.key(), cursor.value()));
  }
  return cursor.status();
}

}  // namespace dynolith
