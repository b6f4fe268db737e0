// The texts about Kinesis destinations and what is sent to them.
#ifndef DYNOLITH_TOOLS_SERVER_KINESIS_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_KINESIS_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string KinesisNeedsOwnStore() {
  return "--kinesis does not work with a store that several servers use: each of them would send "
         "everything";
}

// --- answers

inline std::string KinesisAnswered(int status, std::string_view body) {
  return Concat("status ", status, body.empty() ? "" : ": ", body);
}
inline std::string KinesisOddAnswer() { return "the answer is not one of Kinesis"; }
inline std::string KinesisRecordRefused(std::string_view code, std::string_view message) {
  return code.empty() ? "a record has no sequence number" : Concat(code, ": ", message);
}
inline std::string KinesisStreamIs(std::string_view stream, std::string_view status) {
  return Concat("stream ", stream, " is ", status);
}

// --- deliveries

inline std::string KinesisFails(std::string_view table, std::string_view stream,
                                std::string_view reason) {
  return Concat("Kinesis destination ", stream, " of table ", table, " fails: ", reason);
}
inline std::string KinesisWorksAgain(std::string_view table, std::string_view stream) {
  return Concat("Kinesis destination ", stream, " of table ", table, " works again");
}
inline std::string KinesisLookFails(std::string_view reason) {
  return Concat("Kinesis destinations cannot be looked up: ", reason);
}
inline std::string KinesisEnableFailed(std::string_view table, std::string_view stream,
                                       std::string_view reason) {
  return Concat("Kinesis destination ", stream, " of table ", table, " is ENABLE_FAILED: ", reason);
}
inline std::string KinesisTableGone(std::string_view table, std::string_view stream,
                                    std::string_view reason) {
  return Concat("Kinesis destination ", stream, " of table ", table,
                ", which is gone: its changes are not sent: ", reason);
}
inline std::string KinesisRecordGivenUp(std::string_view table, std::string_view stream,
                                        std::string_view event, size_t bytes,
                                        std::string_view reason) {
  return Concat("Kinesis destination ", stream, " of table ", table, ": given up: record ", event,
                " of ", bytes, " bytes: ", reason);
}
inline std::string KinesisRecordsTrimmed(std::string_view table, std::string_view stream) {
  return Concat("Kinesis destination ", stream, " of table ", table,
                ": changes were dropped before they were sent: they are kept for 24 hours");
}
inline std::string KinesisPositionBeyond(std::string_view table, std::string_view stream) {
  return Concat("Kinesis destination ", stream, " of table ", table,
                ": there are fewer changes than were sent; what there is is sent again");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_KINESIS_MESSAGES_H_
