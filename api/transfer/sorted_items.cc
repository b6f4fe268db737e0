#include "api/transfer/sorted_items.h"

#include "api/request/key_checks.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/value/messages.h"
#include "index/fill.h"

namespace dynolith {

absl::Status SortedItems::Check(ItemView item) const {
  if (BilledBytes(item) > kItemBytesMax) return ValidationError(messages::ItemTooLarge());
  return CheckItemKeys(schema_, item);
}

absl::Status SortedItems::Put(ItemView item) {
  row_key_.clear();
  AppendRowKey(schema_.id, schema_.key, item, &row_key_);
  ++items_;
  return rows_->Put(Family::kTables, row_key_, item.bytes());
}

absl::Status SortedItems::Finish(absl::FunctionRef<absl::Status()> may_go_on) {
  DYNOLITH_RETURN_IF_ERROR(rows_->Commit(may_go_on));
  return FillIndexes(store_, schema_, may_go_on);
}

}  // namespace dynolith
