// The texts of fault injection: the service's texts for the faults, and errors in rules.
#ifndef DYNOLITH_API_FAULTS_MESSAGES_H_
#define DYNOLITH_API_FAULTS_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- the service's texts (api/facts/capacity.md §7, api/facts/wire.md §7)

inline std::string FaultInternalError() { return "Internal server error"; }
inline std::string FaultUnavailable() {
  return "DynamoDB is currently unavailable. (This should be a temporary state.)";
}
// For calls that use no table's capacity.
inline std::string FaultRequestRate() { return "Rate of requests exceeds the allowed throughput."; }

// --- to C++ programs, which have no connection

inline std::string FaultConnectionDropped(int64_t rule) {
  return Concat("fault rule ", rule, " has dropped the connection; nothing has been done");
}
inline std::string FaultAnswerLost(int64_t rule) {
  return Concat("fault rule ", rule, " has lost the answer; the call has been done");
}

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
inline std::string FaultWantsWhole() { return "a whole number from 0 on"; }
inline std::string FaultWantsFraction() { return "a number above 0 and at most 1"; }
inline std::string FaultWantsSeconds() { return "a number of seconds above 0"; }
inline std::string FaultWantsLatency() { return "a time above 0 and of at most 15 minutes"; }
inline std::string FaultWantsMilliseconds() {
  return "a whole number of milliseconds, from 1 to an hour";
}
inline std::string FaultsThatRefuse() { return "throttle, internal_error or unavailable"; }
inline std::string FaultMemberOfOtherFault(std::string_view member, std::string_view fault) {
  return Concat("\"", member, "\" is for the fault ", fault, " only");
}
inline std::string FaultTooManyRules(size_t rules) {
  return Concat("there are ", rules, " fault rules already, and none of them has expired");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_FAULTS_MESSAGES_H_
