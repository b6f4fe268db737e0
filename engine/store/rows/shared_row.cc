#include "engine/store/rows/shared_row.h"

#include <cstring>
#include <new>

#include "engine/store/rows/wait.h"

namespace dynolith {

SharedRow::Bytes* SharedRow::Bytes::Make(std::string_view key, std::string_view value) {
  void* const memory = ::operator new(sizeof(Bytes) + key.size() + value.size());
  const auto value_bytes = static_cast<uint32_t>(value.size());
  auto* const bytes =
      ::new (memory) Bytes{1, static_cast<uint32_t>(key.size()), value_bytes, value_bytes};
  char* const data = static_cast<char*>(memory) + sizeof(Bytes);
  std::memcpy(data, key.data(), key.size());
  std::memcpy(data + key.size(), value.data(), value.size());
  return bytes;
}

bool SharedRow::Bytes::Take(std::string_view value) {
  // Whoever held it has read it before this one writes.
  if (holders.load(std::memory_order_acquire) != 1) return false;
  if (!Suits(value.size())) return false;
  Set(value);
  return true;
}

void SharedRow::Bytes::Set(std::string_view value) {
  value_bytes = static_cast<uint32_t>(value.size());
  std::memcpy(reinterpret_cast<char*>(this + 1) + key_bytes, value.data(), value.size());
}

std::string_view SharedRow::Bytes::AwaitValue() const {
  SpinWait wait;
  while ((holders.load() & kIsWritten) != 0) wait.More();
  return value();
}

void SharedRow::Bytes::Free(Bytes* bytes) {
  bytes->~Bytes();
  ::operator delete(bytes);
}

}  // namespace dynolith
