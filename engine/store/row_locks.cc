#include "engine/store/row_locks.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <utility>

namespace dynolith {

RowLocks::RowLocks(size_t stripes)
    : blocks_((std::bit_ceil(std::max<size_t>(1, stripes)) + kStripesOfBlock - 1) /
              kStripesOfBlock),
      mask_(static_cast<uint32_t>(std::bit_ceil(std::max<size_t>(1, stripes)) - 1)) {}

RowLocks::~RowLocks() {
  for (const std::atomic<Block*>& block : blocks_) delete block.load();
}

RowLocks::Block* RowLocks::Make(std::atomic<Block*>* block) {
  auto fresh = std::make_unique<Block>();
  Block* made = nullptr;
  return block->compare_exchange_strong(made, fresh.get(), std::memory_order_acq_rel)
             ? fresh.release()
             : made;
}

RowLocks::Guard::Guard(Guard&& other) noexcept
    : locks_(std::exchange(other.locks_, nullptr)), stripes_(std::move(other.stripes_)) {}

RowLocks::Guard& RowLocks::Guard::operator=(Guard&& other) noexcept {
  if (this == &other) return *this;
  Release();
  locks_ = std::exchange(other.locks_, nullptr);
  stripes_ = std::move(other.stripes_);
  return *this;
}

RowLocks::Guard::~Guard() { Release(); }

void RowLocks::Guard::Release() {
  if (locks_ == nullptr) return;
  for (const uint32_t stripe : stripes_) locks_->StripeMutex(stripe).Unlock();
  locks_ = nullptr;
  stripes_.clear();
}

uint32_t RowLocks::FindStripe(std::string_view row_key) const {
  return static_cast<uint32_t>(std::hash<std::string_view>{}(row_key)) & mask_;
}

void RowLocks::FindStripes(absl::Span<const std::string_view> row_keys, StripeList* stripes) const {
  stripes->clear();
  for (const std::string_view row_key : row_keys) stripes->push_back(FindStripe(row_key));
  if (stripes->size() < 2) return;
  std::sort(stripes->begin(), stripes->end());
  stripes->erase(std::unique(stripes->begin(), stripes->end()), stripes->end());
}

RowLocks::Guard RowLocks::Lock(absl::Span<const std::string_view> row_keys) {
  Guard guard;
  FindStripes(row_keys, &guard.stripes_);
  // What takes memory comes before the first is locked.
  for (const uint32_t stripe : guard.stripes_) StripeMutex(stripe);
  for (const uint32_t stripe : guard.stripes_) StripeMutex(stripe).Lock();
  guard.locks_ = this;
  return guard;
}

bool RowLocks::TryLock(absl::Span<const std::string_view> row_keys, Guard* guard) {
  guard->Release();
  FindStripes(row_keys, &guard->stripes_);
  // What takes memory comes before the first is locked.
  for (const uint32_t stripe : guard->stripes_) StripeMutex(stripe);
  for (size_t i = 0; i < guard->stripes_.size(); ++i) {
    if (StripeMutex(guard->stripes_[i]).TryLock()) continue;
    while (i > 0) StripeMutex(guard->stripes_[--i]).Unlock();
    guard->stripes_.clear();
    return false;
  }
  guard->locks_ = this;
  return true;
}

}  // namespace dynolith
