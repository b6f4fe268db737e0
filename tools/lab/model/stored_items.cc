#include "tools/lab/model/stored_items.h"

#include <algorithm>
#include <cmath>

namespace dynolith::lab {
namespace {

constexpr int kBitsLog2 = 26;
constexpr double kBits = uint64_t{1} << kBitsLog2;

uint64_t BitOf(uint64_t hash) { return hash >> (64 - kBitsLog2); }

}  // namespace

bool StoredItems::Has(uint64_t hash, bool was_there) const {
  if (differs_.empty()) return was_there;
  const uint64_t bit = BitOf(hash);
  const bool differs = (differs_[bit / 64] & (uint64_t{1} << (bit % 64))) != 0;
  return was_there != differs;
}

double StoredItems::Change(uint64_t hash, bool was_there, bool is_there) {
  if (differs_.empty()) differs_.resize((uint64_t{1} << kBitsLog2) / 64);
  const uint64_t bit = BitOf(hash);
  uint64_t& word = differs_[bit / 64];
  const uint64_t mask = uint64_t{1} << (bit % 64);
  const bool differs = (word & mask) != 0;
  if ((was_there != differs) == is_there) return 0;
  word ^= mask;
  set_ += differs ? -1 : 1;
  // The fewer bits are free, the more items share a bit with another one.
  const double likely = weight_ * kBits / std::max(1.0, kBits - set_ + (differs ? 0 : 1));
  const double before = counted_;
  counted_ = std::clamp(counted_ + (differs ? -likely : likely), 0.0, most_);
  const double changed = std::abs(counted_ - before);
  return is_there ? changed : -changed;
}

}  // namespace dynolith::lab
