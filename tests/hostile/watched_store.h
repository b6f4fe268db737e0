// A store of several processes that tells a test what is done to it, so that others can do
// something just then.
#ifndef DYNOLITH_TESTS_HOSTILE_WATCHED_STORE_H_
#define DYNOLITH_TESTS_HOSTILE_WATCHED_STORE_H_

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/store/transaction/shared_store.h"

namespace dynolith::hostile {

// Does what `store` does. Reads of its attempts and snapshots are not watched.
class WatchedStore final : public SharedStore {
 public:
  // Called by the thread that uses the store; may be empty.
  struct Watch {
    std::function<void(std::string_view key)> after_get;
    std::function<void()> before_serial_snapshot;
  };

  WatchedStore(std::unique_ptr<SharedStore> store, Watch watch)
      : store_(std::move(store)), watch_(std::move(watch)) {}

  bool read_only() const override { return store_->read_only(); }
  absl::Status CheckWritable() const override { return store_->CheckWritable(); }
  const StoreLimits& limits() const override { return store_->limits(); }
  std::unique_ptr<Attempt> Begin() override { return store_->Begin(); }
  absl::StatusOr<Stamp> StableStamp() const override { return store_->StableStamp(); }
  std::shared_ptr<const Snapshot> TakeSnapshot() const override { return store_->TakeSnapshot(); }
  std::shared_ptr<const Snapshot> TakeSerialSnapshot() const override {
    if (watch_.before_serial_snapshot) watch_.before_serial_snapshot();
    return store_->TakeSerialSnapshot();
  }
  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const override {
    absl::StatusOr<bool> found = store_->Get(family, key, row);
    if (watch_.after_get) watch_.after_get(key);
    return found;
  }
  absl::Status MultiGet(absl::Span<RowRead> reads) const override {
    return store_->MultiGet(reads);
  }
  Cursor Scan(Family family, std::string_view begin, std::string_view end,
              Direction direction) const override {
    return store_->Scan(family, begin, end, direction);
  }
  Cursor ScanPage(Family family, std::string_view begin, std::string_view end, Direction direction,
                  const ScanHints& hints, RowRead* with = nullptr) const override {
    return store_->ScanPage(family, begin, end, direction, hints, with);
  }

 private:
  const std::unique_ptr<SharedStore> store_;
  const Watch watch_;
};

}  // namespace dynolith::hostile

#endif  // DYNOLITH_TESTS_HOSTILE_WATCHED_STORE_H_
