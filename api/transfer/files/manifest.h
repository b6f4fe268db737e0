// The common part of the files of exports and of bulk puts' reports: names, and the manifests that
// describe them.
#ifndef DYNOLITH_API_TRANSFER_FILES_MANIFEST_H_
#define DYNOLITH_API_TRANSFER_FILES_MANIFEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/json/json_writer.h"
#include "api/transfer/files/bucket.h"
#include "api/transfer/files/data_file.h"

namespace dynolith {

// Before compression; then another data file begins.
inline constexpr size_t kDataFileBytes = 64 << 20;

// "" or "a/b/": the requested prefix may end with a slash or not.
std::string FolderOfPrefix(const std::optional<std::string>& prefix);
// The name of a data file, in the service's form.
std::string RandomDataName();

// Members of a manifest.
void WriteText(std::string_view key, std::string_view text, JsonWriter* writer);
void WriteTextOrNull(std::string_view key, const std::optional<std::string>& text,
                     JsonWriter* writer);
// Nothing if there is none.
void WriteTime(std::string_view key, const std::optional<absl::Time>& time, JsonWriter* writer);
void WriteInteger(std::string_view key, int64_t number, JsonWriter* writer);

// manifest-files.json: one line for each file.
std::string FilesManifest(const std::vector<DataFile::Summary>& files);
// A new object with that text. Errors: TransferFailure.
absl::Status WriteTextObject(const Bucket& bucket, const std::string& name, std::string_view text);
// <name>.json, and <name>.md5 with its checksum as base64.
absl::Status WriteManifest(const Bucket& bucket, const std::string& name, std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_MANIFEST_H_
