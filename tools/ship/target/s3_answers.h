// The XML of S3's protocol, as the Amazon S3 API Reference describes it under each operation, and
// how its errors are ours.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_S3_ANSWERS_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_S3_ANSWERS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "api/remote/retries.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {

struct S3Error {
  std::string code;  // "NoSuchKey"; empty: none
  std::string message;
  std::string region;  // the right one, where the error says it
};
// Of an answer's body; what is no XML of an error has no code.
S3Error ReadS3Error(std::string_view body);

// Whether a call that failed so may succeed if it is repeated.
client::FailureKind KindOfS3Failure(int status, std::string_view code);
// The code of ours for an error, by its name, and by the status where it has none or an unknown
// one.
absl::StatusCode S3StatusCode(int status, std::string_view code);

struct S3Page {
  std::vector<ObjectInfo> objects;  // keys in place of names
  std::string next;                 // the token of the next page; empty: this is the last one
};
// Of ListObjectsV2 with encoding-type=url. nullopt: it is no such answer.
std::optional<S3Page> ReadS3Page(std::string_view body);

struct S3Upload {
  std::string key;
  std::string id;
  std::string initiated;  // "2026-11-30T01:02:03.000Z"
};
// Of ListMultipartUploads with encoding-type=url.
std::optional<std::vector<S3Upload>> ReadS3Uploads(std::string_view body);
// Of CreateMultipartUpload.
std::optional<std::string> ReadS3UploadId(std::string_view body);
// Of CompleteMultipartUpload; nullopt: it is no such answer, though it may be an error.
std::optional<std::string> ReadS3CompletedEtag(std::string_view body);

// The failures in an answer of DeleteObjects, with the keys.
std::optional<std::vector<std::pair<std::string, S3Error>>> ReadS3DeleteErrors(
    std::string_view body);

// The bodies of DeleteObjects and CompleteMultipartUpload. `etags`: of parts 1, 2, …
std::string DeleteObjectsBody(const std::vector<std::string>& keys);
std::string CompleteUploadBody(const std::vector<std::string>& etags);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_S3_ANSWERS_H_
