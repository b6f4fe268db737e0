// Message texts of streams (api/facts/operations.md §6).
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_STREAMS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_STREAMS_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- What a request names ---

inline std::string InvalidStreamArn(std::string_view arn) {
  return Concat("Invalid StreamArn: Invalid ResourceArn provided as input ", arn);
}
inline std::string StreamNotFound(std::string_view arn) {
  return Concat("Requested resource not found: Stream: ", arn, " not found");
}
inline std::string ShardNotFound() { return "Requested resource not found: Shard does not exist"; }
inline std::string ShardFilterNeedsShard() {
  return "One or more parameter values were invalid: ShardId must be specified in ShardFilter when "
         "Type is CHILD_SHARDS";
}
inline std::string ShardFilterNeedsType() {
  return "One or more parameter values were invalid: Type must be specified in ShardFilter";
}

// --- Positions in a shard ---

inline std::string SequenceNumberMissing(std::string_view iterator_type) {
  return Concat(
      "One or more parameter values were invalid: SequenceNumber must be specified when "
      "ShardIteratorType is ",
      iterator_type);
}
// `member`: "SequenceNumber" or "Timestamp".
inline std::string IteratorMemberUnexpected(std::string_view member,
                                            std::string_view iterator_type) {
  return Concat("One or more parameter values were invalid: ", member,
                " must not be specified when ShardIteratorType is ", iterator_type);
}
inline std::string TimestampMissing() {
  return "One or more parameter values were invalid: Timestamp must be specified when "
         "ShardIteratorType is AT_TIMESTAMP";
}
inline std::string TimestampInFuture() {
  return "One or more parameter values were invalid: Timestamp must not be in the future";
}
inline std::string SequenceNumberInvalid(std::string_view number) {
  return Concat("Invalid SequenceNumber: ", number);
}
inline std::string SequenceNumberNotInShard(std::string_view number, std::string_view shard) {
  return Concat("Invalid SequenceNumber: ", number, " is not in the range of Shard: ", shard);
}
inline std::string ShardIteratorInvalid() { return "Invalid ShardIterator"; }
inline std::string ShardIteratorExpired() {
  return "The shard iterator has expired and can no longer be used to retrieve stream records. A "
         "shard iterator expires 15 minutes after it is retrieved using the GetShardIterator "
         "action.";
}
inline std::string TrimmedDataAccess() {
  return "The operation attempted to read past the oldest stream record in a shard.";
}

// --- Damage ---

inline std::string DamagedLogRow(std::string_view key) {
  return Concat("The change log has a damaged row: ", key);
}
inline std::string DamagedShards(std::string_view table, std::string_view label) {
  return Concat("The change log has damaged rows: the shards of stream ", label, " of table ",
                table, " do not fit together");
}
inline std::string DamagedRecord() { return "The change log has a damaged record"; }
inline std::string ShardIsClosed() { return "Only an open shard can be split"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_STREAMS_H_
