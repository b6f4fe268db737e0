// The texts about files that stand for a bucket, and about records that are no items.
#ifndef DYNOLITH_API_TRANSFER_FILES_MESSAGES_H_
#define DYNOLITH_API_TRANSFER_FILES_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Ours ---

inline constexpr std::string_view kNoSuchKey = "S3NoSuchKey";
inline std::string NoSuchKey() { return "The specified prefix has no objects"; }
inline constexpr std::string_view kAccessDenied = "S3AccessDenied";
inline std::string BucketNotAccessible(std::string_view object, std::string_view reason) {
  return Concat("Access denied: ", object, ": ", reason);
}
inline std::string FileChangedMeanwhile() { return "it was changed while it was being read"; }
inline std::string ObjectOutsideBucket() { return "the name leads out of the bucket's folder"; }
inline constexpr std::string_view kBulkInputTooLarge = "InputLimitExceeded";
inline std::string TooManyBulkObjects(size_t most) {
  return Concat("The input has more than ", most, " objects");
}
inline std::string BulkObjectTooLarge(std::string_view object, int64_t most) {
  return Concat("The object ", object, " has more than ", most, " bytes");
}

// --- Why a record of a source is no item. Only counted; for tests and logs ---

inline std::string RecordTooLong() { return "a record is too long"; }
inline std::string RecordIsNotUtf8() { return "not UTF-8"; }
inline std::string RecordMemberInvalid(std::string_view member, std::string_view type) {
  return Concat(member, " is no ", type);
}
inline std::string ObjectDamaged(std::string_view coding) {
  return Concat("the object is not ", coding);
}
inline std::string CsvQuoteUnexpected() { return "a double quote that is not escaped"; }
inline std::string CsvQuoteMissing() { return "a double quote that is not closed"; }
inline std::string CsvColumnsDiffer(size_t found, size_t headers) {
  return Concat(found, " columns, but ", headers, " headers");
}
inline std::string CsvHeadersInvalid() { return "the header has an empty or repeated name"; }
inline std::string CsvBinaryInvalid() { return "a binary key that is not base64"; }
inline std::string IonSyntaxError(std::string_view what, size_t position) {
  return Concat("no Ion: ", what, " at ", position);
}
inline std::string IonUnsupported(std::string_view what) {
  return Concat("no attribute value: ", what);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_TRANSFER_FILES_MESSAGES_H_
