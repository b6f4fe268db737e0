// The texts of the admin calls and of database settings.
#ifndef DYNOLITH_API_SERVICE_MESSAGES_H_
#define DYNOLITH_API_SERVICE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== The admin endpoint, and the options that belong to it.

// --- what there is

// `more`: the paths of a server.
inline std::string AdminNoSuchPath(std::string_view path, std::string_view more = "") {
  return Concat("there is no ", path,
                "; there are GET /_dynolith/clock, POST /_dynolith/clock/advance, "
                "POST /_dynolith/clock/set, POST /_dynolith/ttl/sweep, "
                "GET /_dynolith/staleness, POST /_dynolith/staleness/hold, "
                "POST /_dynolith/staleness/release, "
                "GET, POST and DELETE /_dynolith/faults, DELETE /_dynolith/faults/1, "
                "GET and POST /_dynolith/capacity, GET /_dynolith/hot-keys?table=music, "
                "GET /_dynolith/indexes, "
                "GET /_dynolith/changes?table=music, "
                "GET /_dynolith/heat?table=music, POST /_dynolith/heat, "
                "POST /_dynolith/snapshot, GET /_dynolith/snapshots, "
                "DELETE /_dynolith/snapshots/loaded, POST /_dynolith/restore",
                more);
}
inline std::string AdminWrongMethod(std::string_view path, std::string_view method) {
  return Concat(path, " wants ", method);
}

// --- bodies

inline std::string AdminMemberWanted(std::string_view name, std::string_view example) {
  return Concat("the body needs the member \"", name, "\", and no other; an example: ", example);
}
inline std::string AdminWrongType(std::string_view name, std::string_view example) {
  return Concat("\"", name, "\" has a wrong type; an example: ", example);
}
inline std::string AdminEmptyBodyWanted() { return "the body must be empty or {}"; }

// --- queries

inline std::string AdminNoSuchParameter(std::string_view path, std::string_view parameter) {
  return Concat(path, " has no parameter ", parameter);
}

inline std::string AdminTrueOrFalse(std::string_view parameter) {
  return Concat("the parameter ", parameter, " is true or false");
}
inline std::string AdminNumberBetween(std::string_view parameter, int64_t least, int64_t most) {
  return Concat("the parameter ", parameter, " is a number from ", least, " to ", most);
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
// `option`: as the reader of this text gave it.
inline std::string ClockStartTooEarly(std::string_view option, std::string_view start,
                                      std::string_view folder, std::string_view latest) {
  return Concat(option, " ", start, " is earlier than ", latest, ", the latest time in ", folder);
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
inline std::string DatabasesElsewhere(std::string_view found, std::string_view wanted) {
  return Concat(found, " has databases, but those of a folder are where it really is: move it to ",
                wanted);
}
inline std::string RegionNotDeleted(std::string_view region) {
  return Concat(region, " is a region of this server; its database ends with the server");
}
inline std::string NoSuchRegion(std::string_view region) {
  return Concat("there is no region ", region);
}
inline std::string OnlyOneRegion() { return "there is only one region: serve several (--regions)"; }
inline std::string RegionDialBodyWanted() {
  return R"(the body must be such as {"from": "us-east-1", "to": "eu-west-1", "seconds": 1, )"
         R"("most": 5, "seed": 7} or {"paused": true} for lag, {"region": "eu-west-1"} for cut, )"
         R"({"seconds": 2} for overlap, )"
         R"({"region": "eu-west-1", "seconds": -2} for skew, and {} for release and settle)";
}
// About --regions.
inline std::string RegionHasFolder(std::string_view region, std::string_view folder) {
  return Concat("the data of ", region, " are in ", folder,
                ": the first of --regions is the one whose data are in --data itself");
}
inline std::string RegionTwice(std::string_view region) {
  return Concat("--regions names ", region, " twice");
}
inline std::string RegionPortTwice(std::string_view region) {
  return Concat("--region-port names ", region, " twice");
}
inline std::string RegionPortOfNone(std::string_view region) {
  return Concat("--region-port: ", region, " is none of --regions");
}
// `what`: "a restore of a snapshot".
inline std::string RegionsHaveOneClock(std::string_view what) {
  return Concat(what,
                " would set back one region, and leave the clock and the replicas of the others: "
                "not with several regions");
}
inline std::string DatabaseBodyWanted(std::string_view example) {
  return Concat(
      "the body needs the member \"name\", and may have \"from\" and \"snapshot\", all texts; "
      "an example: ",
      example);
}

// ===== Database settings as JSON.

inline std::string SettingsNotAnObject(size_t line, size_t column) {
  return Concat("the options are no JSON object: line ", line, ", column ", column);
}
// `nearest` is empty if nothing is near. `known`: all settings.
inline std::string SettingUnknown(std::string_view name, std::string_view nearest,
                                  std::string_view known) {
  return nearest.empty()
             ? Concat("there is no option \"", name, "\"; there are ", known)
             : Concat("there is no option \"", name, "\"; did you mean \"", nearest, "\"?");
}
inline std::string SettingTwice(std::string_view name) {
  return Concat("the option \"", name, "\" is there twice");
}
inline std::string SettingWrong(std::string_view name, std::string_view why) {
  return Concat("the option \"", name, "\": ", why);
}
// The expected value of a member.
inline std::string SettingWantsBool() { return "true or false is wanted"; }
inline std::string SettingWantsText() { return "a text is wanted"; }
inline std::string SettingWantsObject() { return "an object is wanted"; }
inline std::string SettingWantsList() { return "a list of texts is wanted"; }
inline std::string SettingWantsSeed() { return "a whole number from 0 on is wanted"; }
inline std::string NotAnAccountId(std::string_view value) {
  return Concat("\"", value, "\" is not 12 digits");
}
inline std::string NotAFolder(std::string_view value) {
  return Concat("there is no folder ", value);
}
// Of "regions", "region" and "read_only".
inline std::string SettingNamesTwice(std::string_view region) {
  return Concat("names ", region, " twice");
}
inline std::string SettingNotFirstRegion() {
  return "must be the first one of \"regions\", or be left out";
}
inline std::string SettingNotWithRegions() { return "cannot be true with \"regions\""; }
inline std::string SettingNeedsPath() { return "a database in memory cannot be read-only"; }
inline std::string SettingNotBehindEndpoint() {
  return "it is an option of a database in this process, and \"endpoint\" names a service "
         "elsewhere";
}
inline std::string SettingNeedsEndpoint() { return "there is no \"endpoint\""; }
inline std::string SettingNeedsManualClock() {
  return "only a clock that is \"manual\" starts anywhere";
}

// ===== The program `dynolith`.

// --- serve

// About an option's value, behind the option's name. `words`: as the help shows them: "off|on".
inline std::string NotAmongWords(std::string_view value, std::string_view words) {
  return Concat(value, " is not one of ", words);
}
inline std::string NotAScale(std::string_view value) {
  return Concat(value, " is not a number above 0");
}
inline std::string NotWholeBetween(std::string_view value, std::string_view least,
                                   std::string_view most) {
  return Concat(value, " is not a whole number from ", least, " to ", most);
}
inline std::string NotACallRate(std::string_view value) {
  return Concat(value, " is not a number of calls, 0 or more");
}
inline std::string NotASize(std::string_view value) {
  return Concat(value, " is no size; a size is a number of bytes, or one with a unit: 64MB, 4GB");
}
inline std::string NotABurst(std::string_view value) {
  return Concat(value, " is not a number of seconds, 1 or more");
}
inline std::string NotPartitionReads(std::string_view value) {
  return Concat(value, " is not a whole number of units, 1 or more");
}
inline std::string NotSeconds(std::string_view value) {
  return Concat(value, " is not a number of seconds, 0 or more");
}
inline std::string NotRegion(std::string_view value) {
  return Concat("\"", value, "\" is not a region such as us-east-1: letters, digits and hyphens");
}
inline std::string NotRegionPort(std::string_view value) {
  return Concat("\"", value, "\" is not a region and a port such as eu-west-1=8001");
}
inline std::string EmptyPath() { return "an empty path; leave the option out if there is none"; }

// ===== Reads of an older state (--staleness).

// About the value of --staleness, behind the option's name.
inline std::string NotStaleness(std::string_view value) {
  return Concat(
      "\"", value,
      "\" is not [TABLE[/INDEX|:stream]=]HOW[,monotonic] with HOW one of 500ms, fixed:2s, "
      "random:1s, held and none");
}

// --- the admin endpoint

inline std::string StalenessBodyWanted() {
  return R"(the body must be {}, or such as {"table": "music"}, {"table": "music", "index": )"
         R"("by-year"} or {"table": "music", "stream": true})";
}

// ===== Fault injection: the service's texts for the faults, and errors in rules.

// --- about rules

inline std::string FaultWithExample(std::string_view why, std::string_view example) {
  return Concat(why, "; an example: ", example);
}
inline std::string FaultNoSuchRule(std::string_view id) {
  return Concat("there is no fault rule ", id);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_SERVICE_MESSAGES_H_
