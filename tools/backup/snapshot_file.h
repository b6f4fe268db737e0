// One backup of a store: a text that names every file of it by its checksum.
//
//   snapshots/NAME = "dynolith snapshot 2\n" "name " NAME "\n" "store " path "\n" file+
//                    "end " sha256 "\n"
//                    version 1 had no name
//   NAME     = number "-" time     six digits or more, one more than the last one's: the order of
//                                  backups does not depend on a clock; "20260131T120000Z"
//   path     = of the data folder, as a C string without its quotes
//   file     = "file " sha256 " " bytes " " inode " " modified " " name "\n"
//              inode, modified (nanoseconds since 1970): of the store's own file, which tell it
//              again without reading it: table files are written once
//   sha256   = 64 lower-case hexadecimal digits; the last one is of all bytes before "end "
#ifndef DYNOLITH_TOOLS_BACKUP_SNAPSHOT_FILE_H_
#define DYNOLITH_TOOLS_BACKUP_SNAPSHOT_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace dynolith {

struct SnapshotFile {
  struct Origin {
    uint64_t inode = 0;
    uint64_t modified_nanoseconds = 0;
    bool operator==(const Origin&) const = default;
  };
  std::string name;
  std::string sha256;
  uint64_t bytes = 0;
  Origin origin;
  bool operator==(const SnapshotFile&) const = default;
};

// What the operating system says of the file at `path`; without its checksum. `name`: the result's.
// Errors: as those of file_copy.h.
absl::StatusOr<SnapshotFile> LookAt(const std::string& path, const std::string& name);

struct StoreSnapshot {
  std::string name;  // empty: version 1
  std::string store;
  std::vector<SnapshotFile> files;

  uint64_t bytes() const;
  bool operator==(const StoreSnapshot&) const = default;
};

std::string SnapshotName(uint64_t number, absl::Time taken);
// The number of such a name; nullopt for every other one.
std::optional<uint64_t> SnapshotNumber(std::string_view name);

// When it was taken, to the second; absl::InfinitePast() for every other name.
absl::Time SnapshotTime(std::string_view name);

std::string SnapshotText(const StoreSnapshot& snapshot);
// `file` is for messages; its last part is the snapshot's name. No name in the result leads out of
// a folder. Errors: kDataLoss for an invalid text, or the text of another snapshot;
// kFailedPrecondition for a newer version.
absl::StatusOr<StoreSnapshot> ParseSnapshot(const std::string& file, std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_SNAPSHOT_FILE_H_
