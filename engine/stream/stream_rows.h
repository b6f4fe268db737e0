// The metadata of a stream and of its shards, and the keys of everything in the change log.
//
// Rows in Family::kLog:
//   'S' stream:u64be                 -> item of the stream's members; of a Kinesis destination, too
//   'H' stream:u64be shard:u64be     -> item of the shard's members
//   'R' shard:u64be sequence         -> record (record.h); sequence_numbers.h
//   'N'                              -> see sequence_numbers.h
//   'T', 'U' ...                     -> of another room: see engine/history/history_rows.h
// The number of a stream or a shard is the next sequence number that is counted at its creation:
// never reused, and in the order of creation. In a SharedStore a shard that has been closed has no
// `end` in its row at first: nobody writes records into it any more, and its last one tells.
#ifndef DYNOLITH_ENGINE_STREAM_STREAM_ROWS_H_
#define DYNOLITH_ENGINE_STREAM_STREAM_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/catalog/table_meta.h"
#include "engine/key/schema.h"
#include "engine/stream/sequence_numbers.h"

namespace dynolith {

// What a stream's ARN names.
struct StreamName {
  std::string table;
  std::string label;

  friend bool operator==(const StreamName&, const StreamName&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a 0 that is compared with.
  friend auto operator<=>(const StreamName&, const StreamName&) = default;
};

// The records of the items whose partition hash lies in [hash_first, hash_last], from the shard's
// number on, up to `end` once it is closed.
struct StreamShard {
  uint64_t number = 0;
  std::optional<uint64_t> parent;
  std::optional<SequenceNumber> end;
  bool ends_with_last_record = false;  // `end` is not known, and the greatest number: see above
  absl::Time created;
  absl::Time closed;  // set with `end`
  uint64_t hash_first = 0;
  uint64_t hash_last = 0;
  // Records up to this number have expired; 0: none.
  SequenceNumber trimmed_through = 0;
  // Records up to this number are also deleted from the store.
  SequenceNumber deleted_through = 0;
};

struct Stream {
  uint64_t number = 0;
  StreamName name;
  StorageId table_id = 0;
  StreamViewType view_type = StreamViewType::kKeysOnly;
  KeySchema key;
  absl::Time created;
  std::optional<absl::Time> closed;
  std::vector<StreamShard> shards;  // ascending by number

  // nullptr if there is none.
  const StreamShard* FindShard(uint64_t shard_number) const;
  StreamShard* FindShard(uint64_t shard_number);
  // Whether each hash has one open shard, or none if the stream is closed.
  bool HasSoundShards() const;
  // Requires: the stream is open and has sound shards.
  const StreamShard& FindOpenShard(uint64_t row_hash) const;
};

std::string StreamKey(uint64_t stream);
std::string ShardKey(uint64_t stream, uint64_t shard);
std::string RecordKey(uint64_t shard, SequenceNumber sequence_number);
// The beginning of the keys of records whose numbers are stamps, which follow.
std::string StampedRecordPrefix(uint64_t shard);
// Errors: kDataLoss if it is no record's key.
absl::StatusOr<SequenceNumber> SequenceOfRecordKey(std::string_view key);

// All rows of a kind lie in [first, second).
std::pair<std::string_view, std::string_view> AllStreamKeys();
std::pair<std::string_view, std::string_view> AllShardKeys();
std::pair<std::string_view, std::string_view> AllRecordKeys();

// Without its shards.
std::string EncodeStream(const Stream& stream);
// Errors: kDataLoss.
absl::StatusOr<Stream> DecodeStream(std::string_view key, std::string_view bytes);
std::string EncodeShard(const StreamShard& shard);
// The number of the stream and the shard. Errors: kDataLoss.
absl::StatusOr<std::pair<uint64_t, StreamShard>> DecodeShard(std::string_view key,
                                                             std::string_view bytes);

// The label of the stream that keeps the changes of a table for a Kinesis stream: it has the name
// of no stream that clients can have. Deterministic, so that a destination that is enabled again
// goes on with it. `stream_name`: of Kinesis.
std::string DestinationLabel(StorageId table_id, std::string_view stream_name);
bool IsDestinationLabel(std::string_view label);
// Requires: IsDestinationLabel(label).
std::string_view DestinationOf(std::string_view label);

// "shardId-00000000000000000042-1f0c5d2e".
std::string ShardIdText(uint64_t shard_number);
// nullopt if the text is no shard id of ours.
std::optional<uint64_t> ParseShardId(std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STREAM_STREAM_ROWS_H_
