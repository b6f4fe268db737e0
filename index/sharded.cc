#include "index/sharded.h"

#include <algorithm>

namespace dynolith {

std::vector<KeyRange> ScatterRange(const KeyRange& range, int shards) {
  std::vector<KeyRange> ranges(static_cast<size_t>(shards), range);
  for (int shard = 1; shard < shards; ++shard) {
    KeyRange& moved = ranges[static_cast<size_t>(shard)];
    MoveToShard(shard, shards, &moved.begin);
    MoveToShard(shard, shards, &moved.end);
  }
  return ranges;
}

ShardedCursor::ShardedCursor(const Snapshot& moment, Family family, const KeyRange& range,
                             int shards, Direction direction)
    : shards_(shards), direction_(direction) {
  cursors_.reserve(static_cast<size_t>(shards));
  heap_.reserve(static_cast<size_t>(shards));
  for (const KeyRange& of_shard : ScatterRange(range, shards)) {
    cursors_.push_back(moment.Scan(family, of_shard.begin, of_shard.end, direction));
  }
}

void ShardedCursor::SeekToStart() {
  heap_.clear();
  for (size_t shard = 0; shard < cursors_.size() && status_.ok(); ++shard) {
    cursors_[shard].SeekToStart();
    Arrive(shard);
  }
}

void ShardedCursor::SeekAfter(std::string_view position) {
  heap_.clear();
  for (size_t shard = 0; shard < cursors_.size() && status_.ok(); ++shard) {
    std::string moved(position);
    MoveToShard(static_cast<int>(shard), shards_, &moved);
    cursors_[shard].SeekAfter(moved);
    Arrive(shard);
  }
}

void ShardedCursor::Next() {
  const size_t shard = heap_.front();
  const auto is_behind = [this](size_t left, size_t right) { return IsBehind(left, right); };
  std::pop_heap(heap_.begin(), heap_.end(), is_behind);
  heap_.pop_back();
  cursors_[shard].Next();
  Arrive(shard);
}

void ShardedCursor::Arrive(size_t shard) {
  if (cursors_[shard].Valid()) {
    heap_.push_back(shard);
    std::push_heap(heap_.begin(), heap_.end(),
                   [this](size_t left, size_t right) { return IsBehind(left, right); });
    return;
  }
  status_ = cursors_[shard].status();
  // The rows of the other shards must not look like the whole result.
  if (!status_.ok()) heap_.clear();
}

bool ShardedCursor::IsBehind(size_t left, size_t right) const {
  const std::string_view left_position = cursors_[left].key().substr(kRowPrefixBytes);
  const std::string_view right_position = cursors_[right].key().substr(kRowPrefixBytes);
  return direction_ == Direction::kForward ? left_position > right_position
                                           : left_position < right_position;
}

}  // namespace dynolith
