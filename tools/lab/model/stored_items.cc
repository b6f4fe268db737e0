#include "tools/lab/model/stored_items.h"

#include <algorithm>
#include <cmath>

namespace dynolith::lab {
namespace {

constexpr int kBitsLog2 = 26;
constexpr double kBits = uint64_t{1} << kBitsLog2;

// The position of an item's bit.
struct Bit {
  Bit(uint64_t hash, size_t words)
      : page((hash >> (64 - kBitsLog2)) / 64 / words),
        word((hash >> (64 - kBitsLog2)) / 64 % words),
        mask(uint64_t{1} << ((hash >> (64 - kBitsLog2)) % 64)) {}

  size_t page;
  size_t word;
  uint64_t mask;
};

}  // namespace

bool StoredItems::Has(uint64_t hash, bool was_there) const {
  const Bit bit(hash, Page().size());
  if (pages_.empty() || pages_[bit.page] == nullptr) return was_there;
  const bool differs = ((*pages_[bit.page])[bit.word] & bit.mask) != 0;
  return was_there != differs;
}

double StoredItems::Change(uint64_t hash, bool was_there, bool is_there) {
  if (pages_.empty()) pages_.resize((uint64_t{1} << kBitsLog2) / 64 / Page().size());
  const Bit bit(hash, Page().size());
  std::unique_ptr<Page>& page = pages_[bit.page];
  const bool differs = page != nullptr && ((*page)[bit.word] & bit.mask) != 0;
  if ((was_there != differs) == is_there) return 0;
  if (page == nullptr) page = std::make_unique<Page>();
  (*page)[bit.word] ^= bit.mask;
  set_ += differs ? -1 : 1;
  // The fewer bits are free, the more items share a bit.
  const double likely = weight_ * kBits / std::max(1.0, kBits - set_ + (differs ? 0 : 1));
  const double before = counted_;
  counted_ = std::clamp(counted_ + (differs ? -likely : likely), 0.0, most_);
  const double changed = std::abs(counted_ - before);
  return is_there ? changed : -changed;
}

}  // namespace dynolith::lab
