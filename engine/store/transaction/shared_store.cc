#include "engine/store/transaction/shared_store.h"

#include "engine/base/errors.h"
#include "engine/store/transaction/messages.h"
#include "engine/store/transaction/patience.h"
#include "engine/store/transaction/run_transaction.h"

namespace dynolith {
namespace {

absl::Status BatchTooLarge() {
  return MakeError(ErrorKind::kValidation, messages::BatchTooLarge());
}

}  // namespace

absl::Status CheckBatchBytes(const WriteBatch& batch, size_t batch_bytes) {
  return batch.bytes() > batch_bytes ? BatchTooLarge() : absl::OkStatus();
}

bool IsBatchTooLarge(const absl::Status& status) { return status == BatchTooLarge(); }

absl::Status SharedStore::CommitAttempt(Attempt* attempt, const WriteBatch& batch) {
  const Patience patience;
  return slots_.Commit([this] { return Begin(); }, attempt, batch);
}

absl::Status SharedStore::Commit(const WriteBatch& batch) {
  if (batch.empty()) return absl::OkStatus();
  const Patience patience;
  return RunTransaction([&] { return CommitAttempt(Begin().get(), batch); });
}

absl::StatusOr<std::string> SharedStore::ProcessName() {
  return slots_.ProcessName([this] { return Begin(); });
}

}  // namespace dynolith
