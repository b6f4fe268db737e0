#include <utility>

#include "engine/store/rocks_types.h"
#include "engine/store/work_counters.h"

namespace dynolith {

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
  if (rep_->direction == Direction::kBackward) {
    rep_->iterator->SeekToLast();
  } else {
    rep_->iterator->Seek(rep_->begin);
  }
  Arrive();
}

void Cursor::SeekAfter(std::string_view key) {
  const rocksdb::Slice at = ToSlice(key);
  if (rep_->direction == Direction::kBackward) {
    if (rep_->has_end && at.compare(rep_->end) >= 0) return SeekToStart();
    rep_->iterator->SeekForPrev(at);
    if (rep_->iterator->Valid() && rep_->iterator->key() == at) rep_->iterator->Prev();
  } else {
    if (at.compare(rep_->begin) < 0) return SeekToStart();
    rep_->iterator->Seek(at);
    if (rep_->iterator->Valid() && rep_->iterator->key() == at) rep_->iterator->Next();
  }
  ++ThreadWork().seeks;
  Arrive();
}

void Cursor::Next() {
  if (rep_->direction == Direction::kBackward) {
    rep_->iterator->Prev();
  } else {
    rep_->iterator->Next();
  }
  Arrive();
}

void Cursor::Arrive() {
  valid_ = rep_->iterator->Valid();
  if (!valid_) {
    rep_->key_copy.Break();
    rep_->value_copy.Break();
    key_ = value_ = {};
    return;
  }
  ++ThreadWork().rows_read;
  key_ = FromSlice(rep_->iterator->key());
  value_ = FromSlice(rep_->iterator->value());
  if constexpr (kBreaksStaleViews) {
    key_ = rep_->key_copy.Hold(key_);
    value_ = rep_->value_copy.Hold(value_);
  }
}

absl::Status Cursor::status() const { return FromRocks(rep_->folder, rep_->iterator->status()); }

}  // namespace dynolith
