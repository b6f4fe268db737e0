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

}  // namespace dynolith
