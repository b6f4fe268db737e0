// The texts about what streams call.
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- options

inline std::string OnStreamForm(std::string_view option) {
  return Concat("--on-stream ", option, ": wants TABLE=TARGET, such as ",
                "orders=http://127.0.0.1:9001/ or orders=exec:./handle.sh");
}
inline std::string OnStreamTwice(std::string_view table, std::string_view target) {
  return Concat("--on-stream ", table, "=", target, " is given twice");
}
inline std::string TargetUnknown(std::string_view target) {
  return Concat(target, " is no target: wants http://…, https://… or exec:COMMAND");
}
inline std::string TargetBadUrl(std::string_view target) {
  return Concat(target, " is no address of a server");
}
inline std::string TargetNoCommand() { return "exec: without a command"; }
inline std::string TargetsNeedOwnStore() {
  return "--on-stream and --stream-targets need a store of this server's own: of a store that "
         "several servers use each of them would deliver everything";
}
inline std::string TargetsFile(std::string_view file, std::string_view reason) {
  return Concat("--stream-targets ", file, ": ", reason);
}
inline std::string TargetsNoJson(size_t line, size_t column) {
  return Concat("no JSON: line ", line, ", column ", column);
}
inline std::string TargetsNoObjects() {
  return "wants an object like the input of CreateEventSourceMapping, or a list of them";
}
inline std::string TargetsAt(size_t line, std::string_view name, std::string_view reason) {
  return Concat("line ", line, ": ", name, ": ", reason);
}
inline std::string TargetsMemberUnknown() { return "there is no such member for a table's stream"; }
inline std::string TargetsMemberTwice() { return "is there twice"; }
inline std::string TargetsNoTable() { return "is missing: a table's name or ARN"; }
inline std::string TargetsNobody(std::string_view table) {
  return Concat("no --on-stream and no FunctionName says what the stream of ", table, " calls");
}
inline std::string TargetsTwice(std::string_view table, std::string_view target) {
  return Concat("there is a mapping of ", table, " to ", target, " already");
}
inline std::string TargetsWholeBetween(int64_t least, int64_t most) {
  return Concat("wants a whole number from ", least, " to ", most);
}
inline std::string TargetsUnlimitedOr(int64_t least, int64_t most) {
  return Concat("wants -1, for without end, or a whole number from ", least, " to ", most);
}
inline std::string TargetsWantsBool() { return "wants true or false"; }
inline std::string TargetsWantsText() { return "wants a text"; }
inline std::string TargetsWantsPosition() { return "wants TRIM_HORIZON, LATEST or AT_TIMESTAMP"; }
inline std::string TargetsWantsTime() {
  return "wants a time: seconds since 1970, or 2026-01-31T12:00:00Z";
}
inline std::string TargetsTimeMissing() {
  return "AT_TIMESTAMP wants StartingPositionTimestamp, and nothing else has it";
}
inline std::string TargetsWantsFilters() {
  return R"(wants {"Filters": [{"Pattern": "a pattern's JSON as a text"}, …]}, at most 10)";
}
inline std::string TargetsWantsDestination() {
  return R"(wants {"OnFailure": {"Destination": "a file, or http://…"}})";
}
inline std::string TargetsWantsResponseTypes() {
  return R"(wants [] or ["ReportBatchItemFailures"])";
}
inline std::string TargetsWindowAndLanes() {
  return "a tumbling window has one state for a shard: it wants ParallelizationFactor 1";
}

// --- filter patterns

inline std::string FilterNoJson() { return "a filter's pattern is no JSON"; }
inline std::string FilterNoObject() { return "a filter's pattern is no object"; }
inline std::string FilterEmpty() { return "an object in a filter's pattern has no field"; }
inline std::string FilterFieldNoList(std::string_view name) {
  return Concat(name, ": wants a list of what it may be, or an object with fields");
}
inline std::string FilterRuleUnknown() {
  return "a rule is a text, a number, true, false, null, or an object with one operator";
}
inline std::string FilterOperatorUnknown(std::string_view name) {
  return Concat(name, " is no operator: there are exists, prefix, suffix, equals-ignore-case, ",
                "numeric and anything-but");
}
inline std::string FilterRuleWants(std::string_view rule, std::string_view wants) {
  return Concat(rule, ": wants ", wants);
}

// --- positions

inline std::string PositionsDamaged() {
  return "it is damaged, or of another version of dynolith: what was delivered is not known; "
         "without the file the streams are delivered from where the mappings say";
}
inline std::string PositionsFile(std::string_view file, std::string_view reason) {
  return Concat("the places of deliveries in ", file, ": ", reason);
}

// --- deliveries

inline std::string TargetAnswered(int status, std::string_view body) {
  return Concat("status ", status, body.empty() ? "" : ": ", body);
}
inline std::string TargetFunctionError(std::string_view kind, std::string_view body) {
  return Concat(kind, body.empty() ? "" : ": ", body);
}
inline std::string TargetOddAnswer() { return "the answer is no JSON"; }
inline std::string TargetFailuresUnreadable() {
  return "batchItemFailures of the answer is no list of {\"itemIdentifier\": sequence number}";
}
inline std::string TargetFailureUnknown(std::string_view number) {
  return Concat("batchItemFailures names ", number, ", which the batch does not have");
}
inline std::string TargetFailedFrom(std::string_view number) {
  return Concat("the target reports a failure from ", number, " on");
}
inline std::string TargetTimedOut(int64_t seconds) {
  return Concat("no answer within ", seconds, " seconds");
}
inline std::string TargetWindowState() { return "state of the answer is no object"; }
inline std::string CommandNotStarted(std::string_view reason) {
  return Concat("the command cannot be started: ", reason);
}
inline std::string CommandEnded(int status, std::string_view errors) {
  return Concat("the command ended with ", status, errors.empty() ? "" : ": ", errors);
}
inline std::string CommandKilled(int number, std::string_view errors) {
  return Concat("the command was ended by signal ", number, errors.empty() ? "" : ": ", errors);
}
inline std::string DeliveryInterrupted() { return "the server ends"; }
inline std::string FailureNotDelivered(std::string_view where, std::string_view reason) {
  return Concat("DestinationConfig.OnFailure ", where, ": ", reason);
}
inline std::string RecordsDiscarded(std::string_view table, std::string_view target, size_t records,
                                    std::string_view first, std::string_view last,
                                    std::string_view condition, std::string_view reason) {
  return Concat("--on-stream ", table, "=", target, ": given up (", condition, "): ", records,
                records == 1 ? " record" : " records", " from ", first, " to ", last,
                reason.empty() ? "" : ": ", reason);
}
inline std::string RecordsTrimmed(std::string_view table, std::string_view target,
                                  std::string_view shard) {
  return Concat("--on-stream ", table, "=", target, ": records of ", shard,
                " were trimmed before they were delivered: a stream keeps them for 24 hours");
}
inline std::string PositionBeyond(std::string_view table, std::string_view target,
                                  std::string_view shard) {
  return Concat("--on-stream ", table, "=", target, ": ", shard, " has fewer records than were ",
                "delivered of it; it is delivered from its beginning");
}
inline std::string DeliveryFails(std::string_view table, std::string_view target,
                                 std::string_view reason) {
  return Concat("--on-stream ", table, "=", target, " fails: ", reason);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_MESSAGES_H_
