// Which table files a manifest names: what a store consists of, read without opening it.
//
// clang-format off
//   record = (tag field*)*   of RocksDB's VersionEdit; integers are varints, bytes a length and as
//                            many
//   tag    = 6: level number                             the table file is not needed any more
//          | 103: level number size bytes bytes integer integer (custom bytes)* 1    a new one
//          | 200: number                                 the family of all files in the record;
//                                                        none: 0
//          | 201: bytes                                  a new family of that number, by name
//          | others, of which only the length of their fields matters
// clang-format on
#ifndef DYNOLITH_ENGINE_STORE_MANIFEST_FILES_H_
#define DYNOLITH_ENGINE_STORE_MANIFEST_FILES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dynolith {

class StoreKeys;

struct TableFileInfo {
  uint64_t family = 0;
  uint64_t level = 0;
  uint64_t bytes = 0;
};
// By number.
using TableFiles = std::map<uint64_t, TableFileInfo>;

// Applies one record. False if it cannot be decoded.
bool FollowManifestRecord(std::string_view record, TableFiles* files);

// A record that removes a table file.
std::string RecordOfLostTableFile(uint64_t number, const TableFileInfo& place);

// The manifest of an empty store: with these families, numbered from 0, and no file after
// MANIFEST-000001, which it becomes.
std::string FirstManifest(const std::vector<std::string_view>& families);

// Those of the state at the manifest's end; `file` is its path. `keys`: of an encrypted store;
// nullptr: it is none. Errors: kDataLoss if it is damaged.
absl::StatusOr<TableFiles> ReadTableFiles(const std::string& file, const StoreKeys* keys = nullptr);

// A manifest that another process adds to.
class GrowingManifest {
 public:
  // Those of the state at its present end. Reads what has been added since the last call, or all of
  // another file. Errors: as ReadTableFiles.
  absl::StatusOr<const TableFiles*> Read(const std::string& file, const StoreKeys* keys = nullptr);

 private:
  std::string file_;
  uint64_t read_to_ = 0;
  TableFiles files_;
};

// The numbers of all table files that the manifest names or has named. Errors: as ReadTableFiles.
absl::StatusOr<std::set<uint64_t>> EverNamedTableFiles(const std::string& file,
                                                       const StoreKeys* keys = nullptr);

// The number in "MANIFEST-000012"; nullopt for every other name.
std::optional<uint64_t> ManifestNumber(std::string_view name);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_MANIFEST_FILES_H_
