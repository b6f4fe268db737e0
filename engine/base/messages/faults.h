// What is said of faults on purpose: by the service that they imitate, and to whoever makes rules.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_FAULTS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_FAULTS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- as the service (api/facts/capacity.md §7, api/facts/wire.md §7)

inline std::string FaultInternalError() { return "Internal server error"; }
inline std::string FaultUnavailable() {
  return "DynamoDB is currently unavailable. (This should be a temporary state.)";
}
// Of calls that use no table's capacity.
inline std::string FaultRequestRate() { return "Rate of requests exceeds the allowed throughput."; }

// --- to C++ programs, which have no connection

inline std::string FaultConnectionDropped(int64_t rule) {
  return Concat("fault rule ", rule, " has dropped the connection; nothing has been done");
}
inline std::string FaultAnswerLost(int64_t rule) {
  return Concat("fault rule ", rule, " has lost the answer; the call has been done");
}

// --- in the log

inline std::string FaultOnPurpose(int64_t rule) { return Concat("fault rule ", rule); }

// --- about rules

inline std::string FaultUnknownOperation(std::string_view operation) {
  return Concat("there is no operation ", operation);
}
inline std::string FaultNotOfOperation(std::string_view fault, std::string_view operation) {
  return Concat(operation, " cannot have the fault ", fault);
}
inline std::string FaultOutOfRange(std::string_view member, std::string_view range) {
  return Concat("\"", member, "\" is not ", range);
}
// What members are to be, in the texts above and below.
inline std::string FaultWantsCount() { return "a whole number from 1 on"; }
inline std::string FaultWantsWhole() { return "a whole number from 0 on"; }
inline std::string FaultWantsFraction() { return "a number above 0 and at most 1"; }
inline std::string FaultWantsSeconds() { return "a number of seconds above 0"; }
inline std::string FaultWantsLatency() { return "a time above 0 and of at most 15 minutes"; }
inline std::string FaultWantsMilliseconds() {
  return "a whole number of milliseconds, from 1 to an hour";
}
inline std::string FaultsThatRefuse() { return "throttle, internal_error or unavailable"; }
inline std::string FaultWantsText() { return "a text"; }
inline std::string FaultWantsMap() { return "a map of attribute values"; }
inline std::string FaultWantsName() {
  return "throttle, internal_error, unavailable, latency, dropped_connection, partial_batch, "
         "transaction_conflict or answer_lost";
}
inline std::string FaultMembers() {
  return "fault, operation, table, key, nth, probability, seed, latency, retry_after, share, "
         "hits_max and "
         "lifetime";
}
inline std::string FaultMemberOnlyOf(std::string_view member, std::string_view fault) {
  return Concat("\"", member, "\" is for the fault ", fault, " only");
}
inline std::string FaultTooManyRules(size_t rules) {
  return Concat("there are ", rules, " fault rules already, and none of them has expired");
}
inline std::string FaultKeyWrong(std::string_view why, std::string_view example) {
  return Concat("\"key\": ", why, "; an example: ", example);
}
inline std::string FaultWithExample(std::string_view why, std::string_view example) {
  return Concat(why, "; an example: ", example);
}
inline std::string FaultNoSuchRule(std::string_view id) {
  return Concat("there is no fault rule ", id);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_FAULTS_H_
