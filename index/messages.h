// The texts about reading indexes, and about filling, checking and repairing them.
#ifndef DYNOLITH_INDEX_MESSAGES_H_
#define DYNOLITH_INDEX_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== Backfill and check of index rows.

// `row` in all texts: the row's key, as printed by the caller.

inline std::string BackfillRowDamaged(std::string_view table, std::string_view row,
                                      std::string_view detail) {
  return Concat("table ", table, ", row ", row, ": ", detail);
}
inline std::string CheckIndex(std::string_view table, std::string_view index) {
  return Concat("table ", table, ", index ", index);
}

inline std::string CheckBackup(std::string_view table, std::string_view id) {
  return Concat("table ", table, ", backup ", id);
}

// `place`: returned by CheckTable, CheckIndex or CheckBackup.
inline std::string CheckItemDamaged(std::string_view place, std::string_view row,
                                    std::string_view detail) {
  return Concat(place, ", row ", row, ": the item cannot be understood: ", detail);
}
inline std::string CheckBackupRows(std::string_view place, uint64_t rows, int64_t wanted) {
  return Concat(place, ": it has ", rows, " rows, but says that it has ", wanted);
}
inline std::string CheckKeyDiffers(std::string_view place, std::string_view row,
                                   std::string_view item) {
  return Concat(place, ", row ", row, ": the key is not that of its item ", item);
}
inline std::string CheckKeyDamaged(std::string_view place, std::string_view row,
                                   std::string_view detail) {
  return Concat(place, ", row ", row, ": the key cannot be understood: ", detail);
}
inline std::string CheckEntryMissing(std::string_view place, std::string_view row,
                                     std::string_view key) {
  return Concat(place, ", row ", row, ": the entry of item ", key, " is missing");
}
inline std::string CheckEntryOrphaned(std::string_view place, std::string_view row,
                                      std::string_view key) {
  return Concat(place, ", row ", row, ": there is no item ", key);
}
inline std::string CheckEntryMisplaced(std::string_view place, std::string_view row,
                                       std::string_view key) {
  return Concat(place, ", row ", row, ": item ", key, " does not belong here");
}
inline std::string CheckProjectionDiffers(std::string_view place, std::string_view row,
                                          std::string_view found, std::string_view expected) {
  return Concat(place, ", row ", row, ": the entry is ", found, ", but its item gives ", expected);
}
inline std::string CheckFiles() { return "files"; }

// ===== `dynolith repair`: a line for each unreadable part, and what was saved.

// --- what has changed; `key`: of a row of the catalog

inline std::string RepairEntryLost(std::string_view key) {
  return Concat("the entry ", key, " of the catalog does not make sense, and was left out");
}
inline std::string RepairBackupPart(std::string_view key, int64_t rows, int64_t wanted) {
  return Concat(key, ": ", rows, " of its ", wanted, " items are there");
}
inline std::string RecoveredTable(uint32_t id) { return Concat("recovered-", id); }
inline std::string RecoveredTableId(uint32_t id) {
  const std::string digits = std::to_string(id);
  return Concat("00000000-0000-4000-8000-", std::string(12 - digits.size(), '0'), digits);
}
inline std::string RepairTableNamed(std::string_view name, uint64_t items, std::string_view key,
                                    bool is_guess) {
  return Concat("the name and the settings of a table of ", items, items == 1 ? " item" : " items",
                ", which is now called ", name, "; its key is ", key,
                is_guess ? ", of several that it could be" : "");
}
inline std::string RepairItemsNameless(uint32_t id, uint64_t items) {
  return Concat("the table of ", items, items == 1 ? " item" : " items", " under number ", id,
                ": no key fits all of them");
}
inline std::string RepairIndexesFilled(std::string_view table) {
  return Concat("indexes of ", table, ", which were filled anew from its items");
}
inline std::string RepairStreamsDropped(uint64_t rows) {
  return Concat(rows, " rows of streams, which begin anew");
}
inline std::string RepairExpiryFilled() {
  return "when items expire, which was found anew from the items";
}
inline std::string RepairHistoryDropped(uint64_t rows) {
  return Concat(rows, " records of what items were before: the past begins now");
}
inline std::string RepairReplicasFollow(std::string_view table, uint64_t items) {
  return Concat("table ", table, ": ", items,
                " items and versions are again what goes to the other regions");
}
inline std::string RepairReplicasFilled(std::string_view table, uint64_t changes,
                                        uint64_t versions) {
  return Concat("table ", table, ": ", changes, " changes on their way to other regions and ",
                versions, " versions of items: all its items go to the other regions again");
}
inline std::string RepairNotSound(uint64_t disagreements, std::string_view first) {
  return Concat("what was saved does not agree with itself in ", disagreements,
                " places, of which the first is: ", first);
}

// ===== The item operations' own rules (api/facts/operations.md §1-§3, api/facts/expressions.md
// §8).

// --- Tables and indexes, as the data plane sees them ---

inline std::string NoSuchIndex(std::string_view index) {
  return Concat("The table does not have the specified index: ", index);
}
inline std::string IndexIsBackfilling(std::string_view index) {
  return Concat("Cannot read from backfilling global secondary index: ", index);
}

// --- Query and Scan ---

inline std::string ConsistentReadOnGlobalIndex() {
  return "Consistent reads are not supported on global secondary indexes";
}
inline std::string AllAttributesNotProjected(std::string_view index) {
  return Concat(
      "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for "
      "global secondary index ",
      index, " because its projection type is not ALL");
}
inline std::string IndexDoesNotProject(std::string_view index, std::string_view attributes) {
  return Concat("One or more parameter values were invalid: Global secondary index ", index,
                " does not project [", attributes, "]");
}
inline std::string FilterNotProjected(std::string_view index, std::string_view attributes) {
  return Concat("One or more parameter values were invalid: Secondary index ", index,
                " does not project one or more filter attributes: [", attributes, "]");
}

// ===== Vector indexes and SearchVectors (api/facts/newest.md §3, the service's guide
// "Troubleshooting vector indexes"). "Ours": the service refuses this, too, with an unknown text.

// --- Reading ---

// `operation`: "Query" or "Scan".
inline std::string NotSupportedOnVectorIndex(std::string_view operation) {
  return Concat(operation, " operation not supported on this index type.");
}
inline std::string VectorIndexIsBackfilling(std::string_view index) {
  return Concat("Cannot search backfilling vector index: ", index);
}

// --- The front end of SearchVectors (api/facts/wire.md §8) ---

inline std::string VectorEntryDamaged(std::string_view index) {
  return Concat("The index ", index, " has a damaged entry: its vector cannot be understood");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_INDEX_MESSAGES_H_
