// How far the writer of a folder has come, as its files tell: what a reader beside it looks at to
// know whether there is anything new.
#ifndef DYNOLITH_ENGINE_STORE_FOLLOWING_WRITER_FILES_H_
#define DYNOLITH_ENGINE_STORE_FOLLOWING_WRITER_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dynolith {

struct WriterFile {
  std::string name;
  uint64_t bytes = 0;
  uint64_t inode = 0;
  friend bool operator==(const WriterFile&, const WriterFile&) = default;
};

// Each list in the order of the numbers, CURRENT in front.
struct WriterFiles {
  // CURRENT and the manifests: as long as they are the same, so are the table files in use, and no
  // log has been deleted that is not in them.
  std::vector<WriterFile> manifests;
  std::vector<WriterFile> logs;
  friend bool operator==(const WriterFiles&, const WriterFiles&) = default;
};

// Files that come or go meanwhile may be missing, or have been there before. Errors: those of the
// operating system.
absl::StatusOr<WriterFiles> LookAtWriter(const std::string& folder);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FOLLOWING_WRITER_FILES_H_
