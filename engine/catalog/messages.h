// The texts of the catalog, for operators, not for clients of the service.
#ifndef DYNOLITH_ENGINE_CATALOG_MESSAGES_H_
#define DYNOLITH_ENGINE_CATALOG_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string CatalogTableExists(std::string_view name) {
  return Concat("there is a table ", name, " already");
}
inline std::string CatalogNoTable(std::string_view name) {
  return Concat("there is no table ", name);
}
inline std::string CatalogBackupExists(std::string_view table, std::string_view id) {
  return Concat("there is a backup ", id, " of table ", table, " already");
}
inline std::string CatalogNoBackup(std::string_view table, std::string_view id) {
  return Concat("there is no backup ", id, " of table ", table);
}
inline std::string CatalogBackupInUse(std::string_view table, std::string_view id) {
  return Concat("the backup ", id, " of table ", table, " is being read");
}
// `key`: "<table>/<id>".
inline std::string CatalogBackupDamaged(std::string_view key, std::string_view detail) {
  return Concat("the catalog entry of backup ", key, " is damaged: ", detail);
}
inline std::string CatalogBackupsDiffer(std::string_view inner) {
  return Concat("it says that it is backup ", inner);
}
inline std::string CatalogChangedElsewhere() {
  return "other processes change the tables again and again";
}
inline std::string CatalogVersionDamaged() {
  return "the number of the catalog's changes is damaged";
}
inline std::string CatalogIdsExhausted() { return "all storage ids of this store are used up"; }
inline std::string CatalogEntryDamaged(std::string_view name, std::string_view detail) {
  return Concat("the catalog entry of table ", name, " is damaged: ", detail);
}
inline std::string CatalogThroughputDamaged(std::string_view key, std::string_view detail) {
  return Concat("the catalog's entry ", key, " is damaged: ", detail);
}
inline std::string CatalogThroughputOfNoTable() { return "there is no table of that id"; }
inline std::string CatalogFieldDamaged(std::string_view field) {
  return Concat("field ", field, " is missing or wrong");
}
inline std::string CatalogNamesDiffer(std::string_view inner) {
  return Concat("it says that it is table ", inner);
}
inline std::string CatalogIdDamaged(int64_t id) {
  return Concat("storage id ", id, " is used twice or was never given out");
}
inline std::string CatalogNextIdDamaged() {
  return "the catalog's next storage id is missing or wrong";
}
inline std::string CatalogRowsOfUnknownId(int64_t id) {
  return Concat("there are rows of storage id ", id,
                ", which the catalog never gave out: a part of the catalog is missing");
}

inline std::string CatalogUnownedIdDamaged() {
  return "the catalog's row of an id that no table has is damaged";
}
inline std::string CatalogRowsGivenUp() {
  return "this process gave no sign of life for so long that others took it for ended and deleted "
         "the rows that it had begun to write: run the request again";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_CATALOG_MESSAGES_H_
