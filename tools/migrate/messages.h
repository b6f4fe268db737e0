// The texts about migrations.
#ifndef DYNOLITH_TOOLS_MIGRATE_MESSAGES_H_
#define DYNOLITH_TOOLS_MIGRATE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- sides and calls

inline std::string MigrateStopped() {
  return "the migration was stopped; the same command goes on with it";
}
inline std::string MigrateOptionsOfEndpoint(std::string_view folder) {
  return Concat(folder, " is a folder: region, profile and certificates are for endpoints");
}
inline std::string MigrateKeyOfFolder(std::string_view endpoint) {
  return Concat(endpoint, " is an endpoint: an encryption key is for a folder");
}
inline std::string MigrateForwardsNowhere() {
  return "--cut-over forward is for a server of ours that forwards calls to another endpoint; "
         "nobody can call a folder";
}
inline std::string MigrateForwardsParts() {
  return "--cut-over forward needs all of the items as they are: with a filter, a sample or rules "
         "programs would miss what TO has not got";
}
inline std::string MigrateBucketOfEndpoints() {
  return "--bucket is for two endpoints: FROM exports to a bucket and TO imports from it; to a "
         "folder there is --bulk";
}
inline std::string MigrateBucketOfParts() {
  return "--bucket needs all of the items as they are: no filter, sample or rule sees an export";
}
inline std::string MigrateBucketBad(std::string_view text) {
  return Concat("--bucket is BUCKET or BUCKET/PREFIX, not \"", text, "\"");
}
inline std::string MigrateSamePlace() { return "FROM and TO are the same place"; }
inline std::string MigrateCallFailed(std::string_view place, std::string_view operation,
                                     std::string_view error, std::string_view message) {
  return Concat(place, ": ", operation, ": ", error, message.empty() ? "" : ": ", message);
}
inline std::string MigrateNotActive(std::string_view place, std::string_view table) {
  return Concat(place, ": table ", table, " has not become ACTIVE");
}

// --- the state's file

inline std::string MigrateStateBad(std::string_view file, std::string_view reason) {
  return Concat(file, ": ", reason);
}
inline std::string MigrateStateDamaged() {
  return "this is no state of a migration, or it is damaged; without it a migration begins anew";
}
inline std::string MigrateStateVersion(int version) {
  return Concat("this state of a migration has version ", version,
                ", which another version of the program can read");
}
inline std::string MigrateStateOfOther(std::string_view what) {
  return Concat("this is the state of another migration: \"", what,
                "\" is not the same; --state names another file");
}
inline std::string MigrateStateUnwritten(std::string_view file, std::string_view reason) {
  return Concat(file, " cannot be written: ", reason);
}
inline std::string MigrateStateHeld(std::string_view file) {
  return Concat("another run holds ", file);
}

// --- the plan

inline std::string MigrateTags(size_t count) {
  return Concat(count, count == 1 ? " tag" : " tags");
}
inline std::string MigratePolicy() { return "its resource policy"; }
inline std::string MigrateRecovery() { return "point-in-time recovery"; }
inline std::string MigrateTimeToLive(std::string_view attribute) {
  return Concat("TTL of ", attribute);
}
inline std::string MigrateStreamSetting(std::string_view view) {
  return Concat(", a stream (", view, ")");
}
inline std::string MigrateOnDemand() { return "on demand"; }
inline std::string MigrateProvisioned(std::string_view reads, std::string_view writes) {
  return Concat(reads, " read and ", writes, " write units");
}
inline std::string MigrateChangesOfFolder() {
  return "none while this runs: nobody else has the folder";
}
inline std::string MigrateChangesByScan() {
  return "unknown until the cut-over, which compares both sides and writes what differs";
}
inline std::string MigrateChangesBySwitch() {
  return "from its stream, which is off and will be switched on (NEW_AND_OLD_IMAGES)";
}
inline std::string MigrateChangesBy(std::string_view view) {
  return Concat("from its stream (", view,
                view == "NEW_AND_OLD_IMAGES" || view == "NEW_IMAGE"
                    ? ")"
                    : "), each item then read from the table");
}
inline std::string MigratePlanHead(std::string_view from, std::string_view to) {
  return Concat("From ", from, " to ", to, "\n");
}
inline std::string MigratePlanTable(std::string_view table, size_t indexes,
                                    std::string_view settings) {
  return Concat("table ", table, ": ", indexes, indexes == 1 ? " index, " : " indexes, ", settings,
                "\n");
}
inline std::string MigratePlanUnits(uint64_t items, uint64_t bytes, uint64_t reads,
                                    uint64_t writes) {
  return Concat("  by its description ", items, " items, ", bytes, " bytes: about ", reads,
                " units to read, ", writes, " to write\n");
}
inline std::string MigratePlanBucket(std::string_view bucket) {
  return Concat("  by an export to ", bucket,
                " and an import, which cost by the gigabyte and no units\n");
}
inline std::string MigratePlanChanges(std::string_view changes) {
  return Concat("  changes meanwhile: ", changes, "\n");
}
inline std::string MigratePlanUntold(std::string_view untold) {
  return Concat("  not known: ", untold, "\n");
}
inline std::string MigratePlanSum(uint64_t reads, uint64_t writes) {
  return Concat("In all about ", reads, " units to read, ", writes,
                " to write, and the changes; a comparison reads both sides once more\n");
}
inline std::string MigratePlanCost(double reads, double writes, std::string_view currency,
                                   std::string_view region, std::string_view date) {
  constexpr size_t kRoom = 64;
  char text[kRoom];
  std::snprintf(text, sizeof(text), "%.2f + %.2f", reads, writes);
  return Concat("Cost on demand where it is paid for: ", text, " ", currency,
                " (to read on FROM, to write on TO; prices of ", region, ", ", date, ")\n");
}
inline std::string MigratePlanTime(uint64_t seconds, bool is_bounded) {
  if (!is_bounded)
    return "Time: as fast as both sides can; --read-rate and --write-rate bound it\n";
  return Concat("Time at these rates: ", seconds, " s or more\n");
}
inline std::string MigrateNotTold(std::string_view operation, std::string_view error,
                                  std::string_view message) {
  return Concat(operation, ": ", error, message.empty() ? "" : ": ", message);
}

// --- tables of TO

inline std::string MigrateLeftOut(std::string_view table, std::string_view member,
                                  std::string_view reason) {
  return Concat("table ", table, " is made without ", member, ": ", reason);
}
inline std::string MigrateNotSet(std::string_view table, std::string_view setting,
                                 std::string_view error, std::string_view message) {
  return Concat("table ", table, " is without ", setting, ": ", error, message.empty() ? "" : ": ",
                message);
}
inline std::string MigrateOtherKeys(std::string_view place, std::string_view table,
                                    std::string_view other, std::string_view own) {
  return Concat(place, ": table ", table, " is there with other keys: ", other, " instead of ",
                own);
}
inline std::string MigrateNotEmpty(std::string_view place, std::string_view table) {
  return Concat(place, ": table ", table,
                " is there and has items; with --into-existing they stay, and those of FROM "
                "replace them");
}

// --- items and changes

inline std::string MigrateRule(std::string_view table, std::string_view reason) {
  return Concat("table ", table, ": ", reason);
}
inline std::string MigrateItemRefused(std::string_view table, std::string_view key,
                                      std::string_view error, std::string_view message) {
  return Concat("table ", table, ": item ", key, " is refused: ", error,
                message.empty() ? "" : ": ", message);
}
inline std::string MigrateNotImported(std::string_view table, std::string_view member) {
  return Concat("table ", table, " has ", member,
                ", which no import can make, so its items are read and written");
}
inline std::string MigrateTransferFailed(std::string_view place, std::string_view what,
                                         std::string_view code, std::string_view message) {
  return Concat(place, ": ", what, " has failed: ", code, message.empty() ? "" : ": ", message);
}
inline std::string MigrateImportErrors(std::string_view table, uint64_t errors,
                                       std::string_view arn) {
  return Concat("table ", table, ": ", errors, " items of the export are not in it, by its import ",
                arn);
}
inline std::string MigrateExporting(std::string_view table, std::string_view arn) {
  return Concat("table ", table, ": export ", arn, "\n");
}
inline std::string MigrateImporting(std::string_view table, std::string_view arn) {
  return Concat("table ", table, ": import ", arn, "\n");
}
inline std::string MigrateNoStream(std::string_view table, std::string_view error,
                                   std::string_view message) {
  return Concat(
      "table ", table, " has no stream (", error, message.empty() ? "" : ": ", message,
      "), so what changes while it is copied is only found at the cut-over, by comparing");
}
inline std::string MigrateStreamGone(std::string_view table) {
  return Concat("the stream of table ", table, " is gone, so it is copied anew");
}
inline std::string MigrateStreamOther(std::string_view table) {
  return Concat("table ", table, " has another stream than before, so it is copied anew");
}
inline std::string MigrateTrimmed(std::string_view table) {
  return Concat("changes of table ", table,
                " are no longer in its stream, which keeps 24 hours (TrimmedDataAccess), so it is "
                "copied anew");
}
inline std::string MigrateDoubt(std::string_view file, size_t line, std::string_view text) {
  return Concat(file, ":", line, ": ", text);
}

// --- the report

inline std::string MigrateCopied(std::string_view table, uint64_t items, uint64_t changes,
                                 uint64_t refused) {
  return Concat("table ", table, ": ", items, " items read, ", changes, " changes since",
                refused == 0 ? std::string() : Concat(", ", refused, " refused"), "\n");
}
inline std::string MigrateCaughtUp() {
  return "TO has caught up; the same command with --cut-over ends the migration\n";
}
inline std::string MigrateNotFollowed() {
  return "What changes on FROM is not followed; the same command with --cut-over compares and ends "
         "the migration\n";
}
inline std::string MigrateRefusing(std::string_view place) {
  return Concat(place,
                " refuses writes of these tables now; DELETE /_dynolith/handovers/TABLE takes that "
                "back\n");
}
inline std::string MigrateForwarding(std::string_view place, std::string_view to) {
  return Concat(place, " forwards calls of these tables to ", to,
                " now; DELETE /_dynolith/handovers/TABLE ends that\n");
}
inline std::string MigrateScannedAgain(std::string_view table, size_t differences) {
  return Concat("table ", table, ": a second scan has found ", differences,
                " items to write or delete\n");
}
inline std::string MigrateNotCompared() { return "The sides were not compared (--verify none)\n"; }
inline std::string MigrateCompared(std::string_view table, uint64_t from, uint64_t to, bool is_same,
                                   size_t differences, uint64_t extra) {
  return Concat(
      "table ", table, ": ", from, " items on FROM, ", to, " on TO: ",
      is_same ? std::string("the same")
              : (differences == 0 ? std::string("not as many") : Concat(differences, " differ")),
      extra == 0 ? std::string() : Concat(", and ", extra, " that only TO has"), "\n");
}
inline std::string MigrateMissing(std::string_view table, std::string_view key) {
  return Concat("table ", table, ": item ", key, " is missing on TO");
}
inline std::string MigrateOther(std::string_view table, std::string_view key) {
  return Concat("table ", table, ": item ", key, " is another on TO");
}
inline std::string MigrateExtra(std::string_view table, std::string_view key) {
  return Concat("table ", table, ": item ", key, " is on TO only");
}
inline std::string MigrateOver(std::string_view to, std::string_view file) {
  return Concat("The migration is over: ", to, " has everything. ", file, " may be removed\n");
}
inline std::string MigrateOverBefore(std::string_view file) {
  return Concat("This migration is over, as ", file,
                " says; nothing was done. Without this file another one begins\n");
}

inline std::string MigrateWarning(std::string_view text) { return Concat("warning: ", text); }
inline std::string MigrateError(std::string_view text) { return Concat("error: ", text); }

// --- the line that shows the progress

inline std::string MigrateCopying() { return "copying"; }
inline std::string MigrateComparing() { return "comparing"; }
// "1.2" of 1200 milliseconds.
inline std::string MigrateSeconds(uint64_t milliseconds) {
  constexpr uint64_t kWhole = 1000;
  constexpr uint64_t kTenth = 100;
  return Concat(milliseconds / kWhole, ".", milliseconds % kWhole / kTenth);
}

inline std::string MigrateShareLine(std::string_view phase, uint64_t items, uint64_t all,
                                    uint64_t a_second, uint64_t read_units, uint64_t write_units,
                                    std::string_view left) {
  std::string text = Concat(phase, ": ", items);
  if (all > 0) text += Concat(" of about ", all);
  text += Concat(" items; ", a_second, " items, ", read_units, " units read and ", write_units,
                 " written a second");
  return left.empty() ? text : Concat(text, ", ", left, " left");
}
inline std::string MigrateLagLine(uint64_t changes, std::string_view lag) {
  return Concat("following: ", changes, " changes; ", lag, " s behind");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_MIGRATE_MESSAGES_H_
