// What shipping remembers beside a store's folder: small files of lines.
//
//   FILE = MAGIC " 1\n" line* "end " crc "\n"     CRC-32C of all before "end "
#ifndef DYNOLITH_TOOLS_SHIP_STATE_FILE_H_
#define DYNOLITH_TOOLS_SHIP_STATE_FILE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith::ship {

// The lines; nullopt: there is no file. Errors name the file: kDataLoss, kFailedPrecondition for a
// newer version, the operating system's.
absl::StatusOr<std::optional<std::string>> ReadStateFile(const std::string& file,
                                                         std::string_view magic);
// Durable when it returns.
absl::Status WriteStateFile(const std::string& file, std::string_view magic,
                            std::string_view lines);

// The name of the manifest in CURRENT; empty: there is no store yet. Of an encrypted store it is a
// text that stands for the name.
std::string CurrentManifest(const std::string& folder);

// An absolute path, without a folder's other names.
std::string RealFolder(const std::string& given);

// A target as it is remembered: a folder's path like RealFolder's, so that other names of it are
// the same.
std::string RealTarget(const std::string& url);

// kInvalidArgument if a target is a folder in the store's, or the other way round, by whatever
// names: before either is made. `folder`: as of RealFolder.
absl::Status CheckApart(const std::string& url, const std::string& folder);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_STATE_FILE_H_
