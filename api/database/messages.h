// The texts of a database as a whole: its states, snapshots and forks, and the loops over pages.
#ifndef DYNOLITH_API_DATABASE_MESSAGES_H_
#define DYNOLITH_API_DATABASE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== Unusable or damaged folders and files. Each text names the folder or the file.

inline std::string MemoryBudgetInMemory() {
  return "a store in memory takes as much as its items do, so it has no memory budget: give it a "
         "data folder, or leave the budget out";
}

// --- a database that follows another process's

inline std::string FollowsNobody() {
  return "this database was not opened to follow another process's";
}
inline std::string FollowsOnlyReading() {
  return "a database follows another process's only if it is read_only";
}
inline std::string FollowsWithoutStaleness() {
  return "a database that follows another process's has one state, and no stale reads";
}

// --- a store of several processes

inline std::string CheckpointOfSharedStore() {
  return "a checkpoint is a copy of a data folder, and this database is in a store of several "
         "processes: that is copied with its own tools";
}

// --- endpoints

inline std::string SnapshotsOfSharedStore() {
  return "a store that several servers use has no snapshots and no databases with names";
}
inline std::string EndpointNotLinked() {
  return "this program is not linked with the library dynolith::endpoint (pkg-config: "
         "dynolith-endpoint), without which no endpoint can be called";
}
inline std::string EndpointHasNoStates(std::string_view endpoint) {
  return Concat("only a database in this process has states to return to, and not the service at ",
                endpoint);
}

// --- snapshots

inline std::string SnapshotNameWanted(std::string_view name) {
  return Concat(
      "\"", name,
      "\" is no name of a snapshot: letters, digits, \"-\", \"_\" and \".\", which is not "
      "the first one, at most 255");
}
inline std::string NoSuchSnapshot(std::string_view name) {
  return Concat("there is no snapshot ", name);
}
inline std::string StatesHaveClocks() {
  return "a database that is restored has a clock of its own for each of its states";
}
inline std::string StateNotOpen(std::string_view folder) {
  return Concat("the database in ", folder, " could not be opened again when it was restored");
}
inline std::string StateNotOpened(std::string_view folder, std::string_view reason) {
  return Concat("the database in ", folder, " could not be opened: ", reason);
}
inline std::string StateBeforeIsSnapshot(std::string_view name) {
  return Concat("the state before the restore is the snapshot ", name);
}
inline std::string StateBeforeInFolder(std::string_view folder) {
  return Concat("the state before the restore is in ", folder,
                ": move it elsewhere before the database is opened again, which deletes it");
}
inline std::string ForkInMemory() {
  return "the fork of a database in memory is in memory: it has no path";
}
inline std::string ForkNeedsPath() {
  return "the fork of a database in a folder needs a path of its own";
}
inline std::string FoldersNotExchanged(std::string_view folder, std::string_view with,
                                       std::string_view reason) {
  return Concat("the folders ", folder, " and ", with, " could not be exchanged: ", reason);
}
inline std::string DataFolderIsMountPoint(std::string_view folder) {
  return Concat(folder,
                " is a mount point, which cannot change places with another folder: give a data "
                "folder within it, such as ",
                folder, "/main");
}
inline std::string StatesNotKept(std::string_view data, std::string_view folder,
                                 std::string_view reason) {
  return Concat("the folder ", folder, " could not be made: ", reason,
                "; snapshots are kept beside the data folder ", data,
                ", so its parent must be a folder that can be written");
}
inline std::string SnapshotsNotListed(std::string_view folder, std::string_view reason) {
  return Concat(folder, " could not be read: ", reason);
}
inline std::string SnapshotNotMoved(std::string_view folder, std::string_view reason) {
  return Concat(folder, " could not be put in its place: ", reason);
}

// ===== Queries of several keys as one (dynolith/shards.h). Ours: the service has none.

inline std::string TogetherWithoutKeys() {
  return "Keys that are queried together need a projection with all keys of the table and of the "
         "index";
}
inline std::string TogetherRequestInvalid() {
  return "Keys that are queried together are distinct, at least one, and asked for items from the "
         "beginning";
}

// ===== The admin endpoint, and the options that belong to it.

// --- databases

inline std::string DatabaseNotRemoved(std::string_view folder, std::string_view reason) {
  return Concat(folder, " could not be removed: ", reason);
}

// ===== The last message of a program that did not check whether a loop over pages failed.

inline std::string PagerFailureUnseen(std::string_view failure) {
  return Concat("a loop over all pages has failed, and its status() was not looked at: ", failure);
}

// ===== Structs as items (dynolith/typed.h); each is about an attribute.

inline std::string NumberDoesNotFitFloat(std::string_view number) {
  return Concat("the number ", number, " does not fit a float");
}
inline std::string NumberDoesNotFitMember() {
  return "a number does not fit the member of the struct that it is meant for";
}
inline std::string NoValue() { return "an empty std::optional or std::set has no attribute value"; }
inline std::string NumberHasNoText() { return "a number has no decimal text"; }
inline std::string TextNotReadBack(std::string_view member, std::string_view behind) {
  return Concat("\"", member, "\" contains \"", behind,
                "\", which stands behind it in the composed text: it could not be read back");
}
inline std::string NumberHasMoreDigits(uint64_t number, size_t digits) {
  return Concat("the number ", number, " has more than ", digits, " digits");
}
inline std::string ComposedTextDiffers(std::string_view rest, std::string_view wanted) {
  return Concat("\"", rest, "\" does not begin with \"", wanted, "\"");
}
inline std::string ComposedTextLacks(std::string_view rest, std::string_view wanted) {
  return Concat("\"", rest, "\" has no \"", wanted, "\"");
}
inline std::string ComposedTextNoNumber(std::string_view rest, size_t digits) {
  return Concat("\"", rest, "\" does not begin with a number of ", digits, " digits that fits");
}
inline std::string ComposedTextGoesOn(std::string_view rest) {
  return Concat("it goes on with \"", rest, "\"");
}
inline std::string ValueWithoutName(int64_t value) {
  return Concat("the value ", value, " of the enumeration has no name");
}
inline std::string NameWithoutValue(std::string_view name) {
  return Concat("\"", name, "\" is no name of the enumeration");
}
// ===== Reads of an older state (--staleness).

inline std::string NothingToHold(std::string_view scope) {
  return Concat("there is no ", scope, " whose reads could be held");
}

// ===== Housekeeping in a store of several processes.

inline std::string AnotherProcessSweeps() {
  return "another process that uses this store deletes its expired items";
}

inline std::string AnotherProcessTransfers() {
  return "another process that uses this store exports, imports or puts items in bulk";
}

// ===== The catalog, for operators, not for clients of the service.

inline std::string DamagedClock() { return "the row that says where the clock stood is damaged"; }

// ===== Partitions and enforced capacity.

inline std::string CapacityScaleNotAbove() { return "the scale of capacity has to be above 0"; }
inline std::string CapacityAssumptionTooLow() {
  return "capacity is saved for at least 1 s, the delay of a split is not below 0, and a partition "
         "serves at least 1 read unit a second";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_DATABASE_MESSAGES_H_
