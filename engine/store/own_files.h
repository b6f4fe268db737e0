// The store's own files beside RocksDB's: failures of the operating system become statuses that
// name the file.
#ifndef DYNOLITH_ENGINE_STORE_OWN_FILES_H_
#define DYNOLITH_ENGINE_STORE_OWN_FILES_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

// The reason for which an existing file could not be read: kDataLoss if it has disappeared, else
// ErrnoStatus's code.
absl::Status ReadFailure(const std::string& file, int error);
// The reason for which a file could not be written; ErrnoStatus's code.
absl::Status WriteFailure(const std::string& file, int error);
// The reason for which a data folder could not be made or opened for writing; ErrnoStatus's code.
absl::Status FolderFailure(const std::string& folder, int error);
// The reason for which one could not be found, opened for reading or listed; ErrnoStatus's code.
absl::Status FolderReadFailure(const std::string& folder, int error);

// Writes all of `bytes` to the open file, whose name is for messages, and syncs it.
absl::Status WriteAndSync(int descriptor, const std::string& file, std::string_view bytes);
// Writes a file of these bytes, replacing an existing one.
absl::Status WriteWholeFile(const std::string& file, std::string_view bytes);
// Gives a file a second name; of a symbolic link to the file that it leads to. 0 or errno.
int LinkFile(const std::string& from, const std::string& to);
// A new file of the first `bytes` of another one, or of all of it if it has fewer. Errors: as
// ReadFailure of `from` and WriteFailure of `to`.
absl::Status CopyFile(const std::string& from, const std::string& to,
                      uint64_t bytes = std::numeric_limits<uint64_t>::max());
// Syncs earlier writes to a file, by any process.
absl::Status SyncFile(const std::string& file);
// Errors: as ReadFailure.
absl::StatusOr<uint64_t> BytesOfFile(const std::string& file);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_OWN_FILES_H_
