#include "engine/store/sorted/gathered_rows.h"

#include <algorithm>

#include "engine/store/sorted/key_head.h"

namespace dynolith {
namespace {

// By which the last row may go beyond what was expected.
constexpr size_t kLastRowBytes = 512 << 10;
constexpr size_t kRowBytesExpected = 64;

}  // namespace

void GatheredRows::Put(std::string_view key, std::string_view value) {
  if (rows_.empty()) {
    // What is not written to takes no memory, and nothing is copied as the rows become more.
    bytes_.reserve(bytes_expected_ + kLastRowBytes);
    rows_.reserve(bytes_expected_ / kRowBytesExpected);
    common_bytes_ = key.size();
  } else {
    const std::string_view before = RowKey(rows_.back());
    if (is_in_order_) is_in_order_ = before < key;
    const size_t compared = std::min(common_bytes_, key.size());
    common_bytes_ = CommonPrefixBytes(before.substr(0, compared), key.substr(0, compared));
  }
  rows_.push_back({.begin = bytes_.size(),
                   .key_bytes = static_cast<uint32_t>(key.size()),
                   .value_bytes = static_cast<uint32_t>(value.size())});
  bytes_.append(key).append(value);
}

void GatheredRows::Sort() {
  if (is_in_order_) return;
  for (RowLocation& row : rows_) row.head = KeyHead(RowKey(row), common_bytes_);
  // Of the same key the newest one first.
  std::sort(rows_.begin(), rows_.end(), [this](const RowLocation& left, const RowLocation& right) {
    if (left.head != right.head) return left.head < right.head;
    const int order = RowKey(left).compare(RowKey(right));
    return order != 0 ? order < 0 : left.begin > right.begin;
  });
  const auto is_same = [this](const RowLocation& left, const RowLocation& right) {
    return left.head == right.head && RowKey(left) == RowKey(right);
  };
  rows_.erase(std::unique(rows_.begin(), rows_.end(), is_same), rows_.end());
  is_in_order_ = true;
}

void GatheredRows::Clear() {
  bytes_.clear();
  rows_.clear();
  is_in_order_ = true;
}

KeySamples GatheredRows::Samples() const {
  KeySamples samples;
  uint64_t offset = 0;
  for (const RowLocation& row : rows_) {
    samples.Add(RowKey(row), offset);
    offset += row.key_bytes + row.value_bytes;
  }
  return samples;
}

rocksdb::Status GatheredSource::SeekTo(std::string_view begin) {
  size_t end = rows_.size();
  for (at_ = 0; at_ < end;) {
    const size_t middle = at_ + (end - at_) / 2;
    if (rows_.key(middle) < begin) {
      at_ = middle + 1;
    } else {
      end = middle;
    }
  }
  return Arrive();
}

}  // namespace dynolith
