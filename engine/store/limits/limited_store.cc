#include "engine/store/limits/limited_store.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/store/limits/long_changes.h"
#include "engine/store/limits/long_reads.h"
#include "engine/store/limits/long_rows.h"
#include "engine/store/limits/messages.h"
#include "engine/store/transaction/stamp.h"

namespace dynolith {
namespace {

// A view that its owner keeps alive.
std::shared_ptr<const ReadView> Borrow(const ReadView* view) {
  return {std::shared_ptr<const ReadView>(), view};
}

// ReadView's functions over LongReads.
template <typename Base>
class LongView : public Base {
 public:
  explicit LongView(LongReads reads) : reads_(std::move(reads)) {}

  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const override {
    return reads_.Get(family, key, row);
  }
  absl::Status MultiGet(absl::Span<RowRead> reads) const override { return reads_.MultiGet(reads); }
  Cursor Scan(Family family, std::string_view begin, std::string_view end,
              Direction direction) const override {
    return reads_.Scan(family, begin, end, direction, {}, nullptr);
  }
  Cursor ScanPage(Family family, std::string_view begin, std::string_view end, Direction direction,
                  const ScanHints& hints, RowRead* with = nullptr) const override {
    return reads_.Scan(family, begin, end, direction, hints, with);
  }

 protected:
  const LongReads& reads() const { return reads_; }

 private:
  const LongReads reads_;
};

class LongSnapshot final : public LongView<Snapshot> {
 public:
  using LongView::LongView;
};

class LongAttempt final : public LongView<Attempt> {
 public:
  LongAttempt(std::unique_ptr<Attempt> attempt, const LongRows* shape, size_t batch_bytes)
      : LongView(LongReads(Borrow(attempt.get()), shape)),
        attempt_(std::move(attempt)),
        batch_bytes_(batch_bytes) {}

  void Expect(Family family, std::string_view key, std::optional<std::string_view> value) override {
    const KeptKey kept = reads().shape().Keep(family, key);
    if (!value) return attempt_->Expect(kept.family, kept.key, std::nullopt);
    if (const auto whole = reads().shape().WholeValue(kept.family, *value)) {
      return attempt_->Expect(kept.family, kept.key, *whole);
    }
    // Each write of a value in parts makes other bytes of it.
    expected_.push_back({family, std::string(key), std::string(*value)});
  }
  bool ExpectPresent(Family family, std::string_view key) override {
    const KeptKey kept = reads().shape().Keep(family, key);
    return attempt_->ExpectPresent(kept.family, kept.key);
  }
  absl::Status PutStamped(Family family, std::string_view key, uint16_t place,
                          std::string_view value) override {
    // Nobody knows the whole key before the commit, so there are no parts to name after it.
    const auto whole = reads().shape().WholeValue(family, value);
    if (!whole || key.size() + kStampBytes >= reads().shape().plain()) {
      return absl::InvalidArgumentError(messages::StampedRowTooLong());
    }
    return attempt_->PutStamped(family, key, place, *whole);
  }
  absl::Status MultiGetAndCommit(absl::Span<RowRead> reads) override {
    // Parts are read after the rows that name them, and what is expected of them before the commit.
    const bool have_parts = std::any_of(reads.begin(), reads.end(), [this](const RowRead& read) {
      return this->reads().shape().HasParts(read.family);
    });
    if (have_parts || !expected_.empty()) return Attempt::MultiGetAndCommit(reads);
    return this->reads().MultiGetBy(
        reads, [this](absl::Span<RowRead> kept) { return attempt_->MultiGetAndCommit(kept); });
  }
  absl::Status Commit(const WriteBatch& batch) override {
    DYNOLITH_RETURN_IF_ERROR(CheckExpected());
    if (batch.empty()) return attempt_->Commit(batch);
    LongChanges changes(&reads());
    DYNOLITH_RETURN_IF_ERROR(changes.Translate(batch));
    DYNOLITH_RETURN_IF_ERROR(CheckBatchBytes(changes.kept(), batch_bytes_));
    return attempt_->Commit(changes.kept());
  }

 private:
  struct Expected {
    Family family;
    std::string key;
    std::string value;
  };

  absl::Status CheckExpected() const {
    for (const Expected& expected : expected_) {
      Row row;
      DYNOLITH_ASSIGN_OR_RETURN(const bool found, Get(expected.family, expected.key, &row));
      if (!found || row.value() != expected.value) return absl::AbortedError("");
    }
    return absl::OkStatus();
  }

  const std::unique_ptr<Attempt> attempt_;
  const size_t batch_bytes_;
  std::vector<Expected> expected_;
};

// What the store is opened with, before the part of it that reads.
struct LongStoreParts {
  explicit LongStoreParts(std::unique_ptr<SharedStore> kept)
      : store(std::move(kept)), shape(store->limits()) {}

  const std::unique_ptr<SharedStore> store;
  const LongRows shape;
};

class LongStore final : private LongStoreParts, public LongView<SharedStore> {
 public:
  explicit LongStore(std::unique_ptr<SharedStore> kept)
      : LongStoreParts(std::move(kept)), LongView(LongReads(Borrow(store.get()), &shape)) {
    limits_ = store->limits();
    limits_.key_bytes = limits_.value_bytes = SIZE_MAX;
  }

  bool read_only() const override { return store->read_only(); }
  absl::Status CheckWritable() const override { return store->CheckWritable(); }
  const StoreLimits& limits() const override { return limits_; }
  absl::StatusOr<Stamp> StableStamp() const override { return store->StableStamp(); }
  std::unique_ptr<Attempt> Begin() override {
    return std::make_unique<LongAttempt>(store->Begin(), &shape, limits_.batch_bytes);
  }
  std::shared_ptr<const Snapshot> TakeSnapshot() const override {
    return std::make_shared<LongSnapshot>(LongReads(store->TakeSnapshot(), &shape));
  }
  std::shared_ptr<const Snapshot> TakeSerialSnapshot() const override {
    return std::make_shared<LongSnapshot>(LongReads(store->TakeSerialSnapshot(), &shape));
  }

 private:
  StoreLimits limits_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SharedStore>> WithLongRows(std::unique_ptr<SharedStore> store) {
  const StoreLimits& limits = store->limits();
  if (limits.key_bytes < LongRows::kKeyBytesMin) {
    return absl::InvalidArgumentError(
        messages::StoreKeysTooShort(limits.key_bytes, LongRows::kKeyBytesMin));
  }
  if (limits.value_bytes < LongRows::kValueBytesMin) {
    return absl::InvalidArgumentError(
        messages::StoreValuesTooShort(limits.value_bytes, LongRows::kValueBytesMin));
  }
  return std::make_unique<LongStore>(std::move(store));
}

}  // namespace dynolith
