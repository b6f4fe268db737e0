// Row keys: memcmp order is DynamoDB's order, so that a partition key is one range and begins_with
// a sub-range.
//
// clang-format off
//   table row = id:u32be hash:8 partition-key [sort-key]
//   index row = id:u32be hash:8 hash-attribute{1,4} range-attribute{0,4}
//               base-partition-key [base-sort-key]
//   hash      = the first 8 bytes of the partition hash, as they come; in shard s of n of an index
//               the sum of that number and s * 2^64 / n, modulo 2^64
//   S, B      = the bytes with 00 written as 00 FF, ended by 00 01;
//               without escape and end when last in the row key
//   N         = the encoded number (engine/value/number.h), ended by 00 if positive or zero and by
//               66 if negative (which a negative number of fewer than 20 pairs has already);
//               without an added end when last in the row key
// clang-format on
//
// The partition hash is MD5 of "Outliers" followed by the key's bytes (api/facts/capacity.md §3):
// UTF-8 for S, raw for B, the encoded number for N; for several hash attributes their bytes one
// after the other. The shard of an entry is the first 8 bytes of the same hash of all attributes of
// the base table's key, modulo n.
#ifndef DYNOLITH_ENGINE_KEY_KEY_CODEC_H_
#define DYNOLITH_ENGINE_KEY_KEY_CODEC_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/key/schema.h"
#include "engine/value/item.h"
#include "engine/value/value.h"

namespace dynolith {

inline constexpr size_t kRowHashBytes = 8;
inline constexpr size_t kRowPrefixBytes = sizeof(StorageId) + kRowHashBytes;

using PartitionHash = std::array<uint8_t, 16>;

// The hash of a partition key, given the payloads of its attribute values in schema order.
// Allocates nothing.
PartitionHash HashPartitionKey(absl::Span<const std::string_view> payloads);

// The same for several keys at once, in less than half of the time for each.
inline constexpr int kKeysAtOnce = 4;
using KeyPayloads = absl::InlinedVector<std::string_view, 4>;
void HashPartitionKeys(const KeyPayloads (&keys)[kKeysAtOnce],
                       PartitionHash (&hashes)[kKeysAtOnce]);

// Whether `item` has every key attribute of `schema` with the declared type and, for S and B, not
// empty.
bool HasKey(const KeySchema& schema, ItemView item);

// Appends the row key of a table row. `item` may be a whole item or only its key. Requires:
// HasKey(key, item).
void AppendRowKey(StorageId id, const KeySchema& key, ItemView item, std::string* row_key);

// Row keys of many items of one table, one after the other.
class RowKeys {
 public:
  // Requires: HasKey(key, item) of all.
  RowKeys(StorageId id, const KeySchema& key, absl::Span<const Item> items);
  std::string_view operator[](size_t i) const& ABSL_ATTRIBUTE_LIFETIME_BOUND {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }
  std::string_view operator[](size_t i) const&& = delete;

 private:
  std::string bytes_;
  std::vector<size_t> ends_;
};

// Appends the row key of an index row. Requires: HasKey of both schemas.
void AppendIndexRowKey(const IndexLayout& layout, const KeySchema& index_key,
                       const KeySchema& base_key, ItemView item, std::string* row_key);

// Translates a row key or a bound of EncodeKeyRange from the first of an index's shards to shard
// `shard`. The bytes after the prefix, and so the order, are the same in all shards of one
// partition key. Requires: at least kRowPrefixBytes bytes; 0 <= shard < shards.
void MoveToShard(int shard, int shards, std::string* row_key);

// The inverse, for a row key of any shard, or its beginning with all hash attributes of the index
// key. Other bytes stay as they are.
void MoveToFirstShard(const KeySchema& index_key, std::string* row_key);

// The restriction of the one range attribute after the equalities.
enum class RangeOperator : uint8_t {
  kNone,
  kEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBetween,
  kBeginsWith
};

// A key condition bound to a schema: equality on all hash attributes and on the first
// `range_equals.size()` range attributes, then at most one condition on the next range attribute.
struct KeyCondition {
  absl::InlinedVector<ValueView, 1> hash_equals;
  absl::InlinedVector<ValueView, 1> range_equals;
  RangeOperator range_operator = RangeOperator::kNone;  // on range attribute range_equals.size()
  std::optional<ValueView> low;                         // operand, or lower bound of kBetween
  std::optional<ValueView> high;                        // upper bound of kBetween
};

// Row keys [begin, end); an empty `end` means to the end of the id's rows and is never produced
// here.
struct KeyRange {
  std::string begin;
  std::string end;
};

// The rows of the table or index `id` that satisfy `condition`. `base_key` is nullptr for a table
// row and the table's key for an index row (then no component of `key` is last). For an index in
// shards it is the range in the first one. An empty range has begin >= end.
KeyRange EncodeKeyRange(StorageId id, const KeySchema& key, const KeySchema* base_key,
                        const KeyCondition& condition);

// All rows of an id.
KeyRange RangeOfId(StorageId id);

// Segment `segment` of `total` of a parallel scan: the rows whose hash's first 12 bits lie in the
// segment's interval (api/facts/operations.md §2, Scan). For more than 4096 segments the first 32
// bits are divided evenly.
KeyRange RangeOfSegment(StorageId id, int64_t segment, int64_t total);

// The segment in which a row key lies, by the same rule. Requires: at least kRowPrefixBytes bytes.
int64_t FindSegment(std::string_view row_key, int64_t total);

// The 8 hash bytes of a row key as a number, for engine/partition's key space. Requires: at least
// kRowPrefixBytes bytes.
uint64_t RowHash(std::string_view row_key);

// The number of leading bytes that a row key shares with all items of its collection: all of it if
// it is less than a whole row key, or if the table has no range attributes.
size_t CollectionBytes(const KeySchema& key, bool is_table_key, std::string_view row_key);

// Reads the key attributes back from a table row key: for check, dissect and tests.
// Errors: kDataLoss if the bytes are no such row key, or its hash is not the hash of its partition
// key.
absl::StatusOr<Item> DecodeRowKey(const KeySchema& key, std::string_view row_key);
// The index key attributes and the base key attributes of a row of an index in `shards` shards; the
// row must lie in its own.
absl::StatusOr<Item> DecodeIndexRowKey(const KeySchema& index_key, const KeySchema& base_key,
                                       int shards, std::string_view row_key);

// One line per component, for `dynolith dissect`. Schemas may be nullptr: then it prints only what
// can be decoded without them.
std::string DissectRowKey(const KeySchema* key, const KeySchema* base_key,
                          std::string_view row_key);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_KEY_KEY_CODEC_H_
