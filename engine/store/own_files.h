// The store's own files beside RocksDB's: whatever the operating system does not do with them is a
// status that names the file.
#ifndef DYNOLITH_ENGINE_STORE_OWN_FILES_H_
#define DYNOLITH_ENGINE_STORE_OWN_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

// Why a file that was there could not be read: kDataLoss if it is gone, else ErrnoStatus's code.
absl::Status ReadFailure(const std::string& file, int error);
// Why a file could not be written; ErrnoStatus's code.
absl::Status WriteFailure(const std::string& file, int error);

// Writes all of `bytes` to the open file, whose name is for messages, and syncs it.
absl::Status WriteAndSync(int descriptor, const std::string& file, std::string_view bytes);
// A file of these bytes, in place of one that is there.
absl::Status WriteWholeFile(const std::string& file, std::string_view bytes);
// Puts what was written to a file before, by whomever, on the disk.
absl::Status SyncFile(const std::string& file);
// Errors: as ReadFailure.
absl::StatusOr<uint64_t> BytesOfFile(const std::string& file);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_OWN_FILES_H_
