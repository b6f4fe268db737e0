// The texts of loads and dumps.
#ifndef DYNOLITH_TOOLS_FILES_MESSAGES_H_
#define DYNOLITH_TOOLS_FILES_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- the line of a finding; line and column are left out where they are 0

inline std::string DesignFinding(std::string_view file, size_t line, size_t column, bool is_error,
                                 std::string_view text) {
  std::string at(file);
  if (line > 0) at += Concat(":", line);
  if (line > 0 && column > 0) at += Concat(":", column);
  return Concat(at, is_error ? ": error: " : ": warning: ", text, "\n");
}

// --- their contents

inline std::string DesignTableTwice(std::string_view table, std::string_view other_file) {
  return Concat("table ", table, " is made by ", other_file, ", too");
}

// --- items

inline std::string DesignNotAlone() {
  return "the first record of the file is an item and nothing else, this one is a deletion or has "
         "a "
         "condition; put such records into a file of their own";
}
inline std::string DesignConditionsAndRules() {
  return "this record has conditions, whose values --anonymise does not change; it is not written";
}
inline std::string DesignTableWanted(std::string_view stem) {
  return Concat("whose items are these? There is no table ", stem, "; --table NAME says it");
}

// --- the service

inline std::string DesignRefused(std::string_view error, std::string_view message) {
  return message.empty() ? std::string(error) : Concat(error, ": ", message);
}
inline std::string DesignItemRefused(std::string_view error, std::string_view message) {
  return Concat("this item is not written: ", DesignRefused(error, message));
}
inline std::string DesignTableExists(std::string_view table) {
  return Concat("table ", table,
                " is there already; --if-exists keep leaves it as it is, replace deletes it");
}
inline std::string DesignWaitTooLong(std::string_view table) {
  return Concat("table ", table, " did not become ready within some minutes");
}

// --- replicas of global tables

inline std::string DesignReplicaLeftOut(std::string_view region) {
  return Concat("there is one region here; the replica of ", region,
                " is left out, --region chooses another one");
}
inline std::string DesignReplicaNotServed(std::string_view region) {
  return Concat(region, " is none of the regions that are served here; this replica is left out");
}
inline std::string DesignReplicaMissing(std::string_view table, std::string_view region) {
  return Concat("table ", table, " is there already, without this replica in ", region,
                "; it is left as it is");
}
inline std::string DesignStrongNeedsRegions() {
  return "multi-Region strong consistency needs all of these regions, which are not served here; "
         "--leave-out MultiRegionConsistency loads the rest";
}

// --- results

inline std::string DesignCounted(uint64_t count, std::string_view one) {
  return Concat(count, " ", one, count == 1 ? "" : "s");
}
inline std::string DesignJournalForeign() {
  return "this is not what a load has left behind to go on from";
}
inline std::string DesignJournalOfOther() {
  return "this was left behind by a load of other files, of files that have changed since, with "
         "another filter, sample or rules, or to another place; without this file it begins anew";
}
inline std::string DesignJournalUnwritten(std::string_view reason) {
  return Concat("cannot be written, so that this load cannot be gone on with: ", reason);
}
inline std::string DesignJournalTableGone(std::string_view table) {
  return Concat("the load that is to go on has made the table ", table,
                ", which is not there any more; without the file of --resume it begins anew");
}
inline std::string DumpFolderInUse(std::string_view folder) {
  return Concat("tables are dumped into a folder that is new or empty, and ", folder, " is not");
}
inline std::string DumpFolderUnusable(std::string_view folder, std::string_view reason) {
  return Concat("cannot use the folder ", folder, ": ", reason);
}
inline std::string DumpCannotWrite(std::string_view file, std::string_view reason) {
  return Concat("cannot write ", file, ": ", reason);
}
inline std::string DesignErrorsLeftOut(uint64_t errors) {
  return Concat("and ", errors, " more errors\n");
}

// --- parameters

inline std::string TemplateNotAsked(std::string_view name) {
  return Concat("none of these files asks for ", name);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_FILES_MESSAGES_H_
