// An upload of a file in parts.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_S3_UPLOAD_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_S3_UPLOAD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/ship/target/s3_client.h"

namespace dynolith::ship {

// Parts but the last have 5 MB at least and 5 GB at most, and are at most 10,000 ("Amazon S3
// multipart upload limits" of the Amazon S3 User Guide).
inline constexpr size_t kPartBytes = 16 << 20;

// Of a file with so many bytes.
size_t PartBytesOf(uint64_t bytes);

// The headers of a body that is put; `crc`: of the whole object, in its metadata.
client::HttpHeaders ChecksumHeaders(std::string_view body);
std::pair<std::string, std::string> CrcHeader(uint32_t crc);

// An upload that fails is aborted, so that its parts are not kept.
absl::Status UploadInParts(S3Client* client, std::string_view name, const std::string& path);

// Aborts uploads below the prefix that began more than a day ago: those of programs that were
// killed. What cannot be listed or aborted stays, and costs space only.
void RemoveOldUploads(S3Client* client);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_S3_UPLOAD_H_
