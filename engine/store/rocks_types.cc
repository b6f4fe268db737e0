#include "engine/store/rocks_types.h"

#include <cstring>
#include <utility>

#include "engine/base/messages/store.h"
#include "engine/base/strings.h"

namespace dynolith {

absl::Status FromRocksFailure(std::string_view folder, const rocksdb::Status& status) {
  const std::string detail = status.ToString();
  if (status.IsCorruption()) {
    return absl::DataLossError(ToAbsl(messages::StoreDamaged(folder, detail)));
  }
  // Busy: what LogFileSystem says, and nobody else, as nothing here is asked not to wait.
  if (status.IsNoSpace() || status.IsBusy()) {
    return absl::ResourceExhaustedError(ToAbsl(messages::StoreFull(folder, detail)));
  }
  if (status.IsNotSupported() || status.IsInvalidArgument()) {
    return absl::FailedPreconditionError(ToAbsl(messages::StoreRefused(folder, detail)));
  }
  return absl::InternalError(ToAbsl(messages::StoreFailed(folder, detail)));
}

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
  // Through volatile, or the compiler drops stores to memory that is about to be freed.
  volatile char* out = bytes_.get();
  for (size_t i = 0; i < size_; ++i) out[i] = static_cast<char>(0xDB);
  bytes_.reset();
  size_ = 0;
}

}  // namespace dynolith
