#include "engine/store/sorted/merged_rows.h"

#include <utility>

#include "engine/store/sorted/key_head.h"

namespace dynolith {

bool MergedRows::IsBefore(const Entry& left, const Entry& right) const {
  if (left.head != right.head) return left.head < right.head;
  const int order = sources_[left.source]->key().compare(sources_[right.source]->key());
  return order != 0 ? order < 0 : left.source > right.source;
}

void MergedRows::Sift(size_t at) {
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= heap_.size()) return;
    if (child + 1 < heap_.size() && IsBefore(heap_[child + 1], heap_[child])) ++child;
    if (!IsBefore(heap_[child], heap_[at])) return;
    std::swap(heap_[child], heap_[at]);
    at = child;
  }
}

rocksdb::Status MergedRows::SeekTo(std::string_view begin) {
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (rocksdb::Status status = sources_[i]->SeekTo(begin); !status.ok()) return End(status);
    if (sources_[i]->Valid()) heap_.push_back({KeyHead(sources_[i]->key(), common_bytes_), i});
  }
  for (size_t i = heap_.size() / 2; i-- > 0;) Sift(i);
  return Arrive();
}

rocksdb::Status MergedRows::MoveFirst() {
  Entry& first = heap_.front();
  RowSource& source = *sources_[first.source];
  if (rocksdb::Status status = source.Next(); !status.ok()) return status;
  if (source.Valid()) {
    first.head = KeyHead(source.key(), common_bytes_);
  } else {
    first = heap_.back();
    heap_.pop_back();
  }
  Sift(0);
  return rocksdb::Status::OK();
}

rocksdb::Status MergedRows::Next() {
  const uint64_t last_head = heap_.front().head;
  last_key_ = key();
  do {
    if (rocksdb::Status status = MoveFirst(); !status.ok()) return End(status);
  } while (!heap_.empty() && heap_.front().head == last_head &&
           sources_[heap_.front().source]->key() == last_key_);
  return Arrive();
}

rocksdb::Status MergedRows::Arrive() {
  if (heap_.empty()) return End();
  const RowSource& source = *sources_[heap_.front().source];
  return ArriveAt(source.key(), source.value());
}

}  // namespace dynolith
