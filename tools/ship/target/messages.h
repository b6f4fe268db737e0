// The texts about places that stores are shipped to.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_MESSAGES_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- URLs and names

inline std::string ShipUrlOdd(std::string_view url) {
  return Concat(
      "'", url,
      "' is no place to ship to: give s3://BUCKET/PREFIX, a folder's path or file:///PATH");
}
inline std::string ShipNameInvalid(std::string_view name) {
  return Concat("'", name,
                "' is no name of an object: names are parts of A-Z a-z 0-9 . _ - with a / between "
                "them");
}

inline std::string ShipBucketInvalid(std::string_view url, std::string_view bucket) {
  return Concat(
      "'", bucket, "' of ", url,
      " is no name of a bucket: 3 to 63 of a-z 0-9 . - with a letter or digit at both ends");
}
inline std::string ShipPrefixTooLong(std::string_view prefix, size_t bytes_max) {
  return Concat("the prefix ", prefix, " is longer than ", bytes_max, " characters");
}
inline std::string ShipEndpointOdd(std::string_view endpoint) {
  return Concat(endpoint, " is no address of a server such as http://127.0.0.1:9000");
}

// --- local files

inline std::string ShipFileUnread(std::string_view file, std::string_view reason) {
  return Concat("cannot read ", file, ": ", reason);
}
inline std::string ShipFileUnwritten(std::string_view file, std::string_view reason) {
  return Concat("cannot write ", file, ": ", reason);
}
inline std::string ShipNoRegularFile() { return "it is no regular file"; }
// `file`: whose bytes are put.
inline std::string ShipFileChanges(std::string_view file) {
  return Concat(file, " has changed while it was copied");
}

// --- targets; `target`: as it describes itself

// `object`: a name, empty for the target itself.
inline std::string ShipFailed(std::string_view what, std::string_view object,
                              std::string_view target, std::string_view reason) {
  return Concat("cannot ", what, " ", object, object.empty() ? "" : " in ", target, ": ", reason);
}
inline std::string ShipInterrupted() { return "interrupted"; }
inline std::string ShipObjectTooLarge(size_t bytes_max) {
  return Concat("it has more than ", bytes_max, " bytes");
}
inline std::string ShipObjectMissing() { return "there is no such object"; }
inline std::string ShipObjectCut() { return "it became shorter while it was read"; }
inline std::string ShipFolderMissing(std::string_view target) {
  return Concat("there is no folder ", target);
}
inline std::string ShipFolderEmpty(std::string_view target) {
  return Concat(target, " is empty: is its disk mounted?");
}
// `mark`: a folder in it.
inline std::string ShipFolderAway(std::string_view mark) {
  return Concat("the folder is away: there is no ", mark, " in it any more");
}
inline std::string ShipNeitherLinksNorRenames() {
  return "its file system can neither link files nor rename them without replacing others";
}

// --- buckets

// `code`, `message`: of the answer, or empty.
inline std::string ShipS3Error(int status, std::string_view code, std::string_view message) {
  if (code.empty()) return Concat("the server answers with status ", status);
  return Concat(code, message.empty() ? "" : ": ", message);
}
inline std::string ShipOtherRegion(std::string_view right, std::string_view region) {
  return Concat("the bucket is in the region ", right, ", not in ", region);
}
inline std::string ShipAnswerOdd(std::string_view operation) {
  return Concat("the answer is none of ", operation);
}
inline std::string ShipPieceOdd() { return "the answer has other bytes than were asked for"; }
inline std::string ShipObjectReplaced() { return "it was replaced while it was read"; }
inline std::string ShipOtherCrc(std::string_view stored, std::string_view read) {
  return Concat("its bytes have the CRC-32C ", read, ", but those that were put have ", stored);
}
inline std::string ShipNoCondition() {
  return "the server does not know If-None-Match, by which two programs that ship to one place are "
         "kept apart";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_MESSAGES_H_
