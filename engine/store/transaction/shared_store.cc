#include "engine/store/transaction/shared_store.h"

#include "engine/base/errors.h"
#include "engine/store/transaction/messages.h"
#include "engine/store/transaction/run_transaction.h"

namespace dynolith {
namespace {

absl::Status BatchTooLarge() {
  return MakeError(ErrorKind::kValidation, messages::BatchTooLarge());
}

}  // namespace

absl::Status CheckBatchBytes(const WriteBatch& batch, size_t batch_bytes) {
  size_t bytes = 0;
  batch.ForEach(
      [&](const WriteBatch::Change& change) { bytes += change.key.size() + change.value.size(); });
  return bytes > batch_bytes ? BatchTooLarge() : absl::OkStatus();
}

bool IsBatchTooLarge(const absl::Status& status) { return status == BatchTooLarge(); }

absl::Status SharedStore::CommitAttempt(Attempt* attempt, const WriteBatch& batch) {
  return slots_.Commit([this] { return Begin(); }, attempt, batch);
}

absl::Status SharedStore::Commit(const WriteBatch& batch) {
  if (batch.empty()) return absl::OkStatus();
  return RunTransaction([&] { return CommitAttempt(Begin().get(), batch); });
}

absl::StatusOr<std::string> SharedStore::ProcessName() {
  return slots_.ProcessName([this] { return Begin(); });
}

}  // namespace dynolith
