// A shard iterator: a place in a shard, as an opaque text with its whole state, so that the server
// stores none.
//
//   iterator = stream-arn "|1|"
//              base64url(version:u8 kind:u8 stream:u64be shard:u64be created:u64be position
//                        check:u64be)     ; created in microseconds since 1970; position: the bytes
//                                         ; of a sequence number (sequence_numbers.h)
// The check detects truncated or changed texts, including the ARN's part; it keeps no secret.
#ifndef DYNOLITH_ENGINE_STREAM_SHARD_ITERATOR_H_
#define DYNOLITH_ENGINE_STREAM_SHARD_ITERATOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "engine/stream/sequence_numbers.h"

namespace dynolith {

struct ShardIterator {
  // In clients' hands for 15 minutes. Append only.
  enum class Kind : uint8_t {
    // The oldest record at the time of use.
    kTrimHorizon = 1,
    // The first record with at least the number `position`.
    kPosition = 2
  };
  Kind kind = Kind::kTrimHorizon;
  uint64_t stream = 0;
  uint64_t shard = 0;
  SequenceNumber position = 0;
  absl::Time created;
  // The ARN by which clients name the stream: they may read its region and account from it.
  std::string stream_arn;
};

std::string EncodeShardIterator(const ShardIterator& iterator);
// nullopt if the text is no iterator.
std::optional<ShardIterator> ParseShardIterator(std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STREAM_SHARD_ITERATOR_H_
