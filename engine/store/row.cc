#include <new>
#include <utility>

#include "engine/store/rocks_types.h"

namespace dynolith {

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

void Row::Show() {
  value_ = pin().shared ? pin().shared.value() : FromSlice(pin().slice);
  if constexpr (kBreaksStaleViews) {
    if (pin().copy.holds()) value_ = pin().copy.view();
  }
}

}  // namespace dynolith
