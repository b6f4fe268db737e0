// What reads return: rows and cursors.
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/store/cursor_rep.h"
#include "engine/store/local_store.h"
#include "engine/store/messages.h"
#include "engine/store/work_counters.h"

namespace dynolith {
namespace {

// A cursor that reads another row after its first seek.
class CursorWithRow final : public Cursor::Rep {
 public:
  CursorWithRow(const ReadView& rows, Cursor cursor, RowRead* with)
      : rows_(rows), cursor_(std::move(cursor)), with_(with) {}

  bool SeekToStart() override {
    cursor_.SeekToStart();
    ReadRow();
    return Arrive();
  }
  bool SeekAfter(std::string_view after) override {
    // It may be the view of this cursor's row.
    cursor_.SeekAfter(std::string(after));
    ReadRow();
    return Arrive();
  }
  bool Next() override {
    cursor_.Next();
    return Arrive();
  }
  absl::Status status() const override { return status_.ok() ? cursor_.status() : status_; }

 private:
  void ReadRow() {
    if (with_ == nullptr) return;
    const absl::StatusOr<bool> found = rows_.Get(with_->family, with_->key, with_->row);
    status_ = found.status();
    with_->found = found.value_or(false);
    with_ = nullptr;
  }
  bool Arrive() {
    if (!status_.ok() || !cursor_.Valid()) return false;
    key = cursor_.key();
    value = cursor_.value();
    return true;
  }

  const ReadView& rows_;
  Cursor cursor_;
  RowRead* with_;  // nullptr: it is read
  absl::Status status_;
};

}  // namespace

BreakableCopy::BreakableCopy(BreakableCopy&& other) noexcept
    : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}

BreakableCopy& BreakableCopy::operator=(BreakableCopy&& other) noexcept {
  Break();
  bytes_ = std::move(other.bytes_);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

std::string_view BreakableCopy::Hold(std::string_view bytes) {
  Break();
  bytes_ = std::make_unique<char[]>(bytes.size() + 1);
  size_ = bytes.size();
  if (!bytes.empty()) std::memcpy(bytes_.get(), bytes.data(), bytes.size());
  return view();
}

void BreakableCopy::Break() {
  if (bytes_ == nullptr) return;
  // Volatile, because the compiler would drop stores to memory that is about to be freed.
  volatile char* out = bytes_.get();
  for (size_t i = 0; i < size_; ++i) out[i] = static_cast<char>(0xDB);
  bytes_.reset();
  size_ = 0;
}

Row::Row() {
  static_assert(sizeof(Pin) <= kPinBytes && alignof(Pin) <= alignof(std::max_align_t));
  new (pin_) Pin;
}

Row::Row(Row&& other) noexcept {
  new (pin_) Pin(std::move(other.pin()));
  Show();
  other.value_ = {};
}

Row& Row::operator=(Row&& other) noexcept {
  if (this == &other) return *this;
  Release();
  pin() = std::move(other.pin());
  Show();
  other.value_ = {};
  return *this;
}

Row::~Row() { pin().~Pin(); }

void Row::Release() {
  pin().slice.Reset();
  pin().shared.Release();
  pin().copy.Break();
  value_ = {};
}

void Row::Hold(std::string_view value) {
  SharedRow copy = SharedRow::Of("", value.empty() ? std::string_view("") : value);
  Release();
  pin().shared = std::move(copy);
  if constexpr (kBreaksStaleViews) pin().copy.Hold(pin().shared.value());
  Show();
}

void Row::Show() {
  value_ = pin().shared ? pin().shared.value()
                        : std::string_view(pin().slice.data(), pin().slice.size());
  if constexpr (kBreaksStaleViews) {
    if (pin().copy.holds()) value_ = pin().copy.view();
  }
}

Cursor::Cursor(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}

Cursor::Cursor(Cursor&& other) noexcept
    : valid_(std::exchange(other.valid_, false)),
      key_(other.key_),
      value_(other.value_),
      rep_(std::move(other.rep_)) {}

Cursor& Cursor::operator=(Cursor&& other) noexcept {
  if (this == &other) return *this;
  valid_ = std::exchange(other.valid_, false);
  key_ = other.key_;
  value_ = other.value_;
  rep_ = std::move(other.rep_);
  return *this;
}

Cursor::~Cursor() = default;

void Cursor::SeekToStart() {
  ++ThreadWork().seeks;
  Arrive(rep_->SeekToStart());
}

void Cursor::SeekAfter(std::string_view key) {
  ++ThreadWork().seeks;
  Arrive(rep_->SeekAfter(key));
}

void Cursor::Next() { Arrive(rep_->Next()); }

void Cursor::Arrive(bool is_there) {
  valid_ = is_there;
  if (!valid_) {
    rep_->key_copy.Break();
    rep_->value_copy.Break();
    key_ = value_ = {};
    return;
  }
  ++ThreadWork().rows_read;
  key_ = rep_->key;
  value_ = rep_->value;
  if constexpr (kBreaksStaleViews) {
    key_ = rep_->key_copy.Hold(key_);
    value_ = rep_->value_copy.Hold(value_);
  }
}

absl::Status Cursor::status() const { return rep_->status(); }

absl::Status ReadView::MultiGet(absl::Span<RowRead> reads) const {
  for (RowRead& read : reads) {
    DYNOLITH_ASSIGN_OR_RETURN(read.found, Get(read.family, read.key, read.row));
  }
  return absl::OkStatus();
}

Cursor ReadView::ScanPage(Family family, std::string_view begin, std::string_view end,
                          Direction direction, const ScanHints& /*hints*/, RowRead* with) const {
  Cursor cursor = Scan(family, begin, end, direction);
  if (with == nullptr) return cursor;
  return Cursor(std::make_unique<CursorWithRow>(*this, std::move(cursor), with));
}

absl::StatusOr<TakenOver> LocalStore::CatchUp() {
  return absl::FailedPreconditionError(messages::StoreFollowsNobody());
}

absl::StatusOr<bool> LocalStore::HasFallenBehind() {
  return absl::FailedPreconditionError(messages::StoreFollowsNobody());
}

}  // namespace dynolith
