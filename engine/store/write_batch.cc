#include <cassert>

#include "engine/store/store.h"

namespace dynolith {

void WriteBatch::Begin(Operation operation, Family family, std::string_view key,
                       size_t value_bytes) {
  Header header;
  std::memset(&header, 0, sizeof header);  // also the padding, since these bytes are copied
  header.operation = operation;
  header.family = family;
  header.key_bytes = static_cast<uint32_t>(key.size());
  header.value_bytes = static_cast<uint32_t>(value_bytes);
  changes_.append(reinterpret_cast<const char*>(&header), sizeof header);
  changes_.append(key);
  ++count_;
}

void WriteBatch::Put(Family family, std::string_view key, std::string_view value) {
  Begin(Operation::kPut, family, key, value.size());
  changes_.append(value);
}

void WriteBatch::Put(Family family, std::string_view key,
                     absl::Span<const std::string_view> value_parts) {
  size_t value_bytes = 0;
  for (const std::string_view part : value_parts) value_bytes += part.size();
  Begin(Operation::kPut, family, key, value_bytes);
  for (const std::string_view part : value_parts) changes_.append(part);
}

void WriteBatch::Delete(Family family, std::string_view key) {
  Begin(Operation::kDelete, family, key, 0);
}

void WriteBatch::DeleteRange(Family family, std::string_view begin, std::string_view end) {
  assert(HasRangeDeletions(family));
  Begin(Operation::kDeleteRange, family, begin, end.size());
  changes_.append(end);
}

void WriteBatch::Clear() {
  changes_.clear();
  if (changes_.capacity() > kKeptBytesMax) changes_.shrink_to_fit();
  count_ = 0;
}

}  // namespace dynolith
