// What the admin endpoint says to whoever tests with it, and the options that belong to it.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_ADMIN_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_ADMIN_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- who may call

inline std::string AdminOnlyFromHere() {
  return "the admin endpoint answers only programs on this machine; --admin-token FILE or "
         "--admin-from CIDR opens it to others";
}
inline std::string AdminNotForwarded() {
  return "the admin endpoint answers nothing that a proxy has forwarded";
}
inline std::string AdminNotForPages() {
  return "the admin endpoint answers no web pages but its own";
}
inline std::string AdminHostIsNotLocal(std::string_view host) {
  return Concat("the admin endpoint is called localhost, 127.0.0.1 or [::1], not ", host);
}

// Of a caller from a network that may call.
inline std::string AdminHostIsPublic(std::string_view host) {
  return Concat(
      "without a token the admin endpoint is called by an address, one word such as "
      "dynolith, or a name that ends in .local, .internal or .svc, not ",
      host);
}
inline std::string AdminWrongToken() { return "this is not the token of --admin-token"; }
// `reason`: why it is wanted.
inline std::string AdminWantsToken(std::string_view reason) {
  return Concat(reason, " (Authorization: Bearer TOKEN, of --admin-token)");
}
inline std::string CannotReadAdminToken(std::string_view file, std::string_view reason) {
  return Concat("cannot read the token of the admin endpoint in ", file, ": ", reason);
}
inline std::string NoAdminToken(std::string_view file, size_t least) {
  return Concat(file, " holds no token: one word of ", least,
                " or more letters, digits and signs, such as openssl rand -hex 24 prints");
}

// --- what there is

// `more`: what there is of a server.
inline std::string AdminNoSuchPath(std::string_view path, std::string_view more = "") {
  return Concat("there is no ", path,
                "; there are GET /_dynolith/clock, POST /_dynolith/clock/advance, "
                "POST /_dynolith/clock/set, POST /_dynolith/ttl/sweep, "
                "GET /_dynolith/staleness, POST /_dynolith/staleness/hold, "
                "POST /_dynolith/staleness/release, "
                "GET, POST and DELETE /_dynolith/faults, DELETE /_dynolith/faults/1, "
                "GET and POST /_dynolith/capacity, GET /_dynolith/hot-keys?table=music, "
                "GET /_dynolith/heat?table=music, POST /_dynolith/heat, "
                "POST /_dynolith/snapshot, GET /_dynolith/snapshots, "
                "DELETE /_dynolith/snapshots/loaded, POST /_dynolith/restore",
                more);
}
inline std::string AdminPathsOfServer() {
  return ", GET and POST /_dynolith/databases, DELETE /_dynolith/databases/test1, "
         "POST /_dynolith/checkpoint, POST /_dynolith/checkpoint/remove, "
         "GET /_dynolith/metrics, and a page for browsers at /_dynolith/";
}
inline std::string AdminWrongMethod(std::string_view path, std::string_view method) {
  return Concat(path, " wants ", method);
}

// --- bodies

inline std::string AdminNotAnObject(std::string_view example) {
  return Concat("the body is no JSON object; an example: ", example);
}
inline std::string AdminMemberWanted(std::string_view name, std::string_view example) {
  return Concat("the body needs the member \"", name, "\", and no other; an example: ", example);
}
inline std::string AdminWrongType(std::string_view name, std::string_view example) {
  return Concat("\"", name, "\" has a wrong type; an example: ", example);
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
inline std::string AdminEmptyBodyWanted() { return "the body must be empty or {}"; }

// --- queries

inline std::string AdminNoSuchParameter(std::string_view path, std::string_view parameter) {
  return Concat(path, " has no parameter ", parameter);
}

inline std::string AdminParameterWanted(std::string_view path, std::string_view parameter) {
  return Concat(path, " wants the parameter ", parameter);
}

// --- the clock

inline std::string ClockGoesByItself() {
  return "the clock is the machine's and cannot be moved; --clock manual, or \"clock\": \"manual\" "
         "in process, makes one that can";
}
inline std::string ClockOnlyForward() {
  return "\"seconds\" is negative; the clock only moves forward";
}
inline std::string ClockNotBack(std::string_view wanted, std::string_view now) {
  return Concat(wanted, " is earlier than ", now,
                ", where the clock stands; it only moves forward");
}
inline std::string ClockTooFar(std::string_view latest) {
  return Concat("the clock cannot be later than ", latest);
}
inline std::string NotATime(std::string_view text) {
  return Concat("neither a time such as 2026-01-31T12:00:00Z nor seconds since 1970 before 2200: ",
                text);
}
inline std::string ClockStartNeedsManual() { return "--clock-start is for --clock manual only"; }
// `option`: as whoever reads this has given it.
inline std::string ClockStartTooEarly(std::string_view option, std::string_view start,
                                      std::string_view folder, std::string_view latest) {
  return Concat(option, " ", start, " is earlier than ", latest, ", the latest time in ", folder);
}
// Behind where the data is, in the line that says that calls are answered.
inline std::string ClockStandsAt(std::string_view time) {
  return Concat("; the clock stands at ", time);
}

// --- databases

inline std::string DatabaseNotOpen() {
  return "the database could not be opened again when it was restored";
}
inline std::string DatabaseNameWanted(std::string_view name) {
  return Concat(
      "\"", name,
      "\" is no name of a database: letters, digits, \"-\", \"_\" and \".\", which is not "
      "the first one, at most 255");
}
inline std::string NoSuchDatabase(std::string_view name) {
  return Concat("there is no database ", name);
}
inline std::string DatabaseNotMadeByCalls(std::string_view name) {
  return Concat(
      "there is no database ", name,
      ": POST /_dynolith/databases makes one, and calls do with --databases-made-by call");
}
inline std::string TooManyDatabases(size_t most) {
  return Concat("there are ", most,
                " databases with names, and no more are made: delete some, or give "
                "--databases-max a larger number");
}
inline std::string DatabasesAllInUse(size_t most) {
  return Concat(
      most,
      " databases with names are open, as many as --databases-open allows, and each is in use, is "
      "at work, or has rules, held reads or capacities that would be lost: try again");
}
inline std::string NoFilesForDatabase() {
  return "the process may open too few files for one more database: try again, or raise its limit "
         "(ulimit -n)";
}
inline std::string DatabaseExists(std::string_view name) {
  return Concat("there is a database ", name, " already");
}
inline std::string DatabasesNotListed(std::string_view folder, std::string_view reason) {
  return Concat(folder, " could not be read: ", reason);
}
inline std::string DatabaseNotRemoved(std::string_view folder, std::string_view reason) {
  return Concat(folder, " could not be removed: ", reason);
}
inline std::string DatabaseBodyWanted(std::string_view example) {
  return Concat(
      "the body needs the member \"name\", and may have \"from\" and \"snapshot\", all texts; "
      "an example: ",
      example);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_ADMIN_H_
