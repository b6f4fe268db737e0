// Message texts of Kinesis streaming destinations (api/facts/operations.md §5.6).
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_KINESIS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_KINESIS_H_

#include <string>
#include <string_view>

#include "engine/base/messages/tables.h"
#include "engine/base/strings.h"

namespace dynolith::messages {

namespace kinesis_internal {
inline std::string InvalidState(std::string_view text) {
  return Concat("Table is not in a valid state to enable Kinesis Streaming Destination: ", text);
}
}  // namespace kinesis_internal

// `operation`: "DISABLE"; that "UPDATE" is refused in the same words is not known.
inline std::string DestinationNotActive(std::string_view operation) {
  return kinesis_internal::InvalidState(
      Concat("KinesisStreamingDestination must be ACTIVE to perform ", operation, " operation."));
}
// Reported up to "DISABLED"; the rest is weak.
inline std::string DestinationNotDisabled() {
  return kinesis_internal::InvalidState(
      "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE "
      "operation.");
}
// The next two: weak.
inline std::string DestinationUpdateEmpty() {
  return "Streaming destination cannot be updated with given parameters: "
         "UpdateKinesisStreamingConfiguration cannot be null or contain only null values";
}
// `precision`: "MILLISECOND" or "MICROSECOND".
inline std::string PrecisionUnchanged(std::string_view precision, std::string_view table,
                                      std::string_view stream_arn) {
  return Concat("Invalid Request: Precision is already set to the desired value of ", precision,
                " for tableId: ", table, ", kdsArn: ", stream_arn);
}
// The next two: not texts of the service.
inline std::string NotAKinesisStream(std::string_view arn) {
  return tables_internal::Invalid(
      Concat("StreamArn must be the ARN of a Kinesis data stream: ", arn));
}
inline std::string KinesisStreamElsewhere(std::string_view arn) {
  return tables_internal::Invalid(
      Concat("The Kinesis data stream must be in the account and the region of the table: ", arn));
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_KINESIS_H_
