// Scatter-gather search in an index in shards: reads all of them and merges their rows into one
// order.
#ifndef DYNOLITH_INDEX_SHARDED_H_
#define DYNOLITH_INDEX_SHARDED_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/key/key_codec.h"
#include "engine/store/store.h"

namespace dynolith {

// The range of each shard, given the one in the first shard (RowSource::RangeFor).
std::vector<KeyRange> ScatterRange(const KeyRange& range, int shards);

// The rows of one partition key from all shards, in the order in which a Cursor would walk them in
// one range: by the bytes after the prefix of the row key, which are the index's sort key, then the
// key of the base table. So no two rows are equal, and any row is a position in all shards. The
// views stay valid until the next move. Must be destroyed before its store.
class ShardedCursor {
 public:
  // `range`: in the first shard. O(shards).
  ShardedCursor(const Snapshot& moment, Family family, const KeyRange& range, int shards,
                Direction direction);

  // As in Cursor; `position` is in the first shard and in the range's partition key. O(shards).
  void SeekToStart();
  void SeekAfter(std::string_view position);
  // Requires: Valid(). O(log shards).
  void Next();
  bool Valid() const { return !heap_.empty(); }
  // Require: Valid().
  std::string_view key() const { return front().key(); }
  std::string_view value() const { return front().value(); }
  // Not ok if any shard could not be read; the cursor is not Valid then.
  const absl::Status& status() const { return status_; }

 private:
  const Cursor& front() const { return cursors_[heap_.front()]; }
  // Whether the row of cursor `left` comes after that of `right`.
  bool IsBehind(size_t left, size_t right) const;
  // Adds the row at which the cursor has arrived, if there is one.
  void Arrive(size_t shard);

  const int shards_;
  const Direction direction_;
  std::vector<Cursor> cursors_;
  // The shards that have a row, as a heap: the one with the next row is first.
  std::vector<size_t> heap_;
  absl::Status status_;
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_SHARDED_H_
