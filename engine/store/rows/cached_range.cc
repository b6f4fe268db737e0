#include "engine/store/rows/cached_range.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

namespace dynolith {

RangeKey::RangeKey(uint8_t family, bool is_backward, std::string_view begin, std::string_view end)
    : begin_bytes_(static_cast<uint32_t>(begin.size())) {
  bytes_.resize(kHeadBytes + begin.size() + end.size());
  char* const out = bytes_.data();
  out[0] = is_backward ? 1 : 0;
  out[1] = static_cast<char>(family);
  std::memcpy(out + 2, &begin_bytes_, sizeof begin_bytes_);
  std::memcpy(out + kHeadBytes, begin.data(), begin.size());
  std::memcpy(out + kHeadBytes + begin.size(), end.data(), end.size());
}

RangeKey RangeKey::WholeCollection() const {
  std::string end(collection());
  // An id is never the last one.
  while (end.back() == '\xff') end.pop_back();
  ++end.back();
  return {family(), /*is_backward=*/false, collection(), end};
}

RowsWithin::RowsWithin(CachedRange whole, const RangeKey& range, size_t most) {
  assert(whole.is_whole());
  while (whole.Next() && whole.key() < range.end()) {
    if (whole.key() < range.begin()) continue;
    if (!range.is_backward() && most != 0 && rows.size() == most) return;
    rows.push_back({whole.key(), whole.value()});
  }
  is_whole = most == 0 || rows.size() <= most;
  if (!range.is_backward()) return;
  std::reverse(rows.begin(), rows.end());
  if (!is_whole) rows.resize(most);
}

CachedRange::CachedRange(std::string_view value) : rest_(value.substr(sizeof head_)) {
  std::memcpy(&head_, value.data(), sizeof head_);
}

bool CachedRange::Next() {
  if (rest_.empty()) return false;
  RowHead row;
  std::memcpy(&row, rest_.data(), sizeof row);
  const char* const bytes = rest_.data() + sizeof row;
  key_ = {bytes, row.key_bytes};
  value_ = {bytes + row.key_bytes, row.value_bytes};
  rest_.remove_prefix(sizeof row + row.key_bytes + row.value_bytes);
  return true;
}

bool RangeRecorder::Add(std::string_view key, std::string_view value) {
  const CachedRange::RowHead row = {static_cast<uint32_t>(key.size()),
                                    static_cast<uint32_t>(value.size())};
  if (bytes_.size() + sizeof row + key.size() + value.size() > kBytesMax) return false;
  try {
    bytes_.append(reinterpret_cast<const char*>(&row), sizeof row).append(key).append(value);
  } catch (const std::bad_alloc&) {
    return false;
  }
  ++head_.rows;
  return true;
}

std::string_view RangeRecorder::Finish(const RangeState& state, bool is_whole) {
  head_.state = state;
  head_.is_whole = is_whole ? 1 : 0;
  std::memcpy(bytes_.data(), &head_, sizeof head_);
  return bytes_;
}

}  // namespace dynolith
