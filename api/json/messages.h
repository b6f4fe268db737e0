// The texts about JSON that is not a request of its operation.
#ifndef DYNOLITH_API_JSON_MESSAGES_H_
#define DYNOLITH_API_JSON_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/table/messages.h"
#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== Reading a request: JSON types, member constraints, attribute values (api/facts/wire.md
// §8-§9, api/facts/values.md §1-§6, api/facts/operations.md §1).

// --- JSON types (SerializationException) ---

// `token` is "TRUE_VALUE", "NUMBER_VALUE", ...; `type` "String", "Integer", ...
inline std::string NotConvertible(std::string_view token, std::string_view type) {
  return Concat(token, " cannot be converted to ", type);
}
inline std::string ListForClass(std::string_view class_name) {
  return Concat("Unrecognized collection type class ", class_name);
}
inline std::string ListForMap(std::string_view value_class) {
  return Concat("Unrecognized collection type java.util.Map<java.lang.String, ", value_class, ">");
}
inline std::string UnexpectedStructure() {
  return "Start of structure or map found where not expected";
}
inline std::string UnexpectedToken() { return "Unexpected token received from parser"; }
inline std::string UnexpectedFieldType() { return "Unexpected field type"; }
inline std::string UnexpectedValueType() { return "Unexpected value type in payload"; }
inline std::string ScalarForGeneric() {
  return "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to "
         "class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
         "java.lang.Class are in module java.base of loader 'bootstrap')";
}
inline std::string NotBase64Text() {
  return "only base-64-encoded strings are convertible to bytes";
}
inline std::string Base64Length(size_t length) {
  return Concat("Base64 encoded length is expected a multiple of 4 bytes but found: ", length);
}
inline std::string Base64NotCanonical() {
  return "Invalid last non-pad Base64 character dectected";
}

// --- Attribute values (invalid values: engine/value/messages.h) ---

inline std::string ExpressionValueInvalid(std::string_view message, std::string_view name) {
  return Concat("ExpressionAttributeValues contains invalid value: ", message, " for key ", name);
}
inline std::string StartKeyValueInvalid(std::string_view message) {
  return Concat("The provided starting key is invalid: ", message);
}

// ===== Vector indexes and SearchVectors (api/facts/newest.md §3, the service's guide
// "Troubleshooting vector indexes"). "Ours": the service refuses this, too, with an unknown text.

// --- The front end of SearchVectors (api/facts/wire.md §8) ---

namespace vectors_internal {
inline std::string At(size_t line, size_t column) {
  return Concat(" at line ", line, " column ", column);
}
}  // namespace vectors_internal

// `found`: "null", "integer `5`"; `expected`: "a string".
inline std::string InvalidJsonType(std::string_view found, std::string_view expected, size_t line,
                                   size_t column) {
  return Concat("invalid type: ", found, ", expected ", expected,
                vectors_internal::At(line, column));
}
inline std::string InvalidJsonValue(std::string_view found, std::string_view expected, size_t line,
                                    size_t column) {
  return Concat("invalid value: ", found, ", expected ", expected,
                vectors_internal::At(line, column));
}
inline std::string UnknownJsonVariant(std::string_view word,
                                      const std::vector<std::string_view>& words, size_t line,
                                      size_t column) {
  std::string list;
  for (const std::string_view known : words) {
    list.append(Concat(list.empty() ? "" : ", ", "`", known, "`"));
  }
  return Concat("unknown variant `", word, "`, expected one of ", list,
                vectors_internal::At(line, column));
}
inline std::string MissingJsonField(std::string_view field, size_t line, size_t column) {
  return Concat("missing field `", field, "`", vectors_internal::At(line, column));
}

// ===== The admin endpoint, and the options that belong to it.

// --- bodies

inline std::string AdminNotAnObject(std::string_view example) {
  return Concat("the body is no JSON object; an example: ", example);
}
inline std::string AdminMemberMissing(std::string_view member, std::string_view example) {
  return Concat("the body needs the member \"", member, "\"; an example: ", example);
}
inline std::string AdminMemberTwice(std::string_view member, std::string_view example) {
  return Concat("\"", member, "\" is there twice; an example: ", example);
}
inline std::string AdminMemberWrong(std::string_view member, std::string_view wanted,
                                    std::string_view example) {
  return Concat("\"", member, "\" is not ", wanted, "; an example: ", example);
}
inline std::string AdminUnknownMember(std::string_view member, std::string_view members,
                                      std::string_view example) {
  return Concat("there is no member \"", member, "\"; there are ", members,
                "; an example: ", example);
}

// ===== Fault injection: the service's texts for the faults, and errors in rules.

// --- in the log

inline std::string FaultOnPurpose(int64_t rule) { return Concat("fault rule ", rule); }

// --- about rules

// The expected values of members, for the texts above and below.
inline std::string FaultWantsCount() { return "a whole number from 1 on"; }
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
inline std::string FaultKeyWrong(std::string_view why, std::string_view example) {
  return Concat("\"key\": ", why, "; an example: ", example);
}

// ===== Attribute values, numbers, sizes and keys (api/facts/values.md §1-§8), and damaged bytes.

// --- The shape of one value (§1) ---

inline std::string NullNotTrue() {
  return "One or more parameter values were invalid: Null attribute value types must have the "
         "value of true";
}
inline std::string ValueEmpty() {
  return "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
}

// ===== Partitions and enforced capacity.

// --- the admin endpoint

inline std::string CapacityMembers() {
  return "table, mode, scale, seed, burst_seconds, split_delay_seconds and partition_reads";
}
inline std::string CapacityWantsTable() { return "the name of a table"; }
inline std::string CapacityWantsMode() { return "account, enforce, static, burst or adaptive"; }
inline std::string CapacityWantsScale() { return "a number above 0"; }
inline std::string CapacityWantsSeconds(bool is_burst) {
  return Concat("a number of seconds from ", is_burst ? "1" : "0", " on");
}
inline std::string CapacityWantsReads() { return "a whole number from 1 on"; }
inline std::string CapacityWantsSeed() { return "a whole number from 0 on"; }

// ===== Answers of a service elsewhere, which cannot be read.

inline std::string AnswerIsNotJson() { return "the answer is not a JSON object"; }
inline std::string AnswerOfOtherTypes(std::string_view reason) {
  return Concat("the answer has another form: ", reason);
}
inline std::string AnswerLacks(std::string_view member) {
  return Concat("the answer has no ", member);
}
inline std::string AnswerWordUnknown(std::string_view word, std::string_view enumeration) {
  return Concat("\"", word, "\" is no ", enumeration, " that this version knows");
}
inline std::string ErrorOfName(std::string_view name, std::string_view message) {
  return message.empty() ? std::string(name) : Concat(name, ": ", message);
}
inline std::string ErrorWithoutName(int http_status) {
  return Concat("an answer with status ", http_status, " and without the name of an error");
}

// ===== Tags, policies, backups, insights and the tables' states (api/facts/operations.md
// §5.5-§5.7).

// --- Backups, global tables ---

inline std::string OldGlobalTablesUnsupported() {
  return tables_internal::Invalid(
      "DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB "
      "global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).");
}

// ===== Exports and imports. The texts are ours: the service's are unknown.

// --- Why a record of a source is not an item. Such records are only counted: for tests and logs
// ---

inline std::string RecordIsNotJson() { return "not JSON"; }
inline std::string RecordWithoutItem() { return "no Item"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_JSON_MESSAGES_H_
