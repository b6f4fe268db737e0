// Bulk rows in batches: for stores without files, and for too few rows for a file.
#ifndef DYNOLITH_ENGINE_STORE_BATCHED_ROWS_H_
#define DYNOLITH_ENGINE_STORE_BATCHED_ROWS_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "engine/base/status_macros.h"
#include "engine/store/local_store.h"

namespace dynolith {

// In commits of about a megabyte.
class BatchedRows final : public SortedRows {
 public:
  explicit BatchedRows(Store* store) : store_(store) {}

  absl::Status Put(Family family, std::string_view key, std::string_view value) override {
    batch_.Put(family, key, value);
    bytes_ += key.size() + value.size();
    return bytes_ < kBytesPerCommit ? absl::OkStatus() : Commit();
  }
  absl::Status Join(std::unique_ptr<SortedRows> other) override {
    return static_cast<BatchedRows&>(*other).Commit();
  }
  using SortedRows::Commit;
  absl::Status Commit(MayGoOn may_go_on) override {
    if (batch_.empty()) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(may_go_on());
    bytes_ = 0;
    DYNOLITH_RETURN_IF_ERROR(store_->Commit(batch_));
    batch_.Clear();
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kBytesPerCommit = 1 << 20;

  Store* const store_;
  WriteBatch batch_;
  size_t bytes_ = 0;
};

// As LocalStore::NewSortedRows, for any store.
inline std::unique_ptr<SortedRows> NewBulkRows(Store* store, int beside = 1) {
  if (LocalStore* const local = store->local()) return local->NewSortedRows(beside);
  return std::make_unique<BatchedRows>(store);
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_BATCHED_ROWS_H_
