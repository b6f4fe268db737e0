// The texts of the operations on streams (api/facts/operations.md §6).
#ifndef DYNOLITH_API_STREAM_MESSAGES_H_
#define DYNOLITH_API_STREAM_MESSAGES_H_

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
inline std::string StreamsOfTheWriter() {
  return "this database follows another process's, which alone can read streams: ask that one";
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

// --- Changes in order (dynolith/changes.h) ---

inline std::string NoStreamToReadChangesOf(std::string_view table) {
  return Concat(
      "The table ", table,
      " has no stream to read changes from: UpdateTable with a StreamSpecification switches "
      "it on");
}
inline std::string NoPlaceOfChanges(std::string_view text) {
  return Concat("\"", text, "\" is no place in the changes of a table");
}
inline std::string PlaceBeyondChanges(std::string_view text) {
  return Concat("the place ", text,
                " lies after everything in this database: it comes from another one");
}
inline std::string StreamOfChangesIsGone(std::string_view table, std::string_view label) {
  return Concat("Requested resource not found: the stream ", label, " of table ", table,
                " is gone: a stream is kept for a day after its end");
}
inline std::string ChangesHaveEnded(std::string_view table) {
  return Concat(
      "the stream of table ", table,
      " has ended, and all of its changes have been read: the stream was switched off, or "
      "the table was deleted");
}
inline std::string NoChangesAskedFor() { return "at least one change must be asked for"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_STREAM_MESSAGES_H_
