// The texts about tables that are handed over.
#ifndef DYNOLITH_TOOLS_SERVER_HANDOVER_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_HANDOVER_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- answers to calls

inline std::string HandoverRefused(std::string_view table) {
  return Concat("Table ", table, " is being handed over to another endpoint; try again");
}
inline std::string HandoverUnreached(std::string_view table, std::string_view to,
                                     std::string_view reason) {
  return Concat("Table ", table, " is handed over to ", to, ": ", reason);
}
inline std::string HandoverMixed(std::string_view moved, std::string_view to,
                                 std::string_view other) {
  return Concat("Table ", moved, " is handed over to ", to, ", and table ", other,
                " is not: one call cannot be for both");
}
inline std::string HandoverBulk(std::string_view table, std::string_view to) {
  return Concat("Table ", table, " is handed over to ", to, ": start bulk operations there");
}
inline std::string HandoverCircle(std::string_view table, std::string_view to) {
  return Concat("Table ", table, " is handed over to ", to,
                ", from where the call comes: the handovers of these servers form a circle");
}

// --- answers of the admin endpoint

inline constexpr std::string_view kHandoverExample =
    R"({"table": "music", "state": "refuse"}, or {"table": "music", "state": "forward", )"
    R"("to": "http://127.0.0.1:8001"})";
inline std::string HandoverBadBody(std::string_view reason) {
  return Concat(reason, "; a handover is ", kHandoverExample);
}
inline std::string HandoverNoObject() { return "the body is no JSON object"; }
inline std::string HandoverUnknownMember(std::string_view name) {
  return Concat("there is no member ", name);
}
inline std::string HandoverNoText(std::string_view name) {
  return Concat(name, " is missing or no text");
}
inline std::string HandoverUnknownState(std::string_view state) {
  return Concat("state ", state, " is neither refuse nor forward");
}
inline std::string HandoverOnlyForward(std::string_view name) {
  return Concat(name, " is for the state forward");
}
inline std::string HandoverNotRefused(std::string_view table) {
  return Concat("table ", table,
                " must refuse writes first: what is written until then would not be moved");
}
inline std::string HandoverIsForwarded(std::string_view table, std::string_view to) {
  return Concat("table ", table, " is handed over to ", to,
                "; DELETE /_dynolith/handovers/TABLE ends that, and calls are answered here again");
}
inline std::string HandoverNone(std::string_view table) {
  return Concat("table ", table, " is not handed over");
}
inline std::string HandoverBulkRuns(std::string_view arn) {
  return Concat("bulk operation ", arn, " is writing to the table: wait for its end, or cancel it");
}
inline std::string HandoverNoTable(std::string_view to, std::string_view table,
                                   std::string_view answer) {
  return Concat(to, " does not describe table ", table, ": ", answer);
}

// --- the file

inline std::string HandoverFileUnread(std::string_view file, std::string_view reason) {
  return Concat(file, ", the tables that were handed over, cannot be read: ", reason,
                ". Without it this server would answer calls that belong to another endpoint");
}
inline std::string HandoverFileDamaged() { return "it is damaged, or of another version"; }
inline std::string HandoverFileUnwritten(std::string_view file, std::string_view reason) {
  return Concat(file, " cannot be written: ", reason);
}

// --- the log

// `database`: empty for the first.
inline std::string HandoverTable(std::string_view table, std::string_view database) {
  return database.empty() ? Concat("table ", table)
                          : Concat("table ", table, " of database ", database);
}
inline std::string HandoverRefuses(std::string_view table) {
  return Concat(table, ": writes are refused, it is being handed over");
}
inline std::string HandoverForwards(std::string_view table, std::string_view to) {
  return Concat(table, ": calls are forwarded to ", to);
}
inline std::string HandoverEnds(std::string_view table) {
  return Concat(table, ": the handover has ended, calls are answered here");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_HANDOVER_MESSAGES_H_
