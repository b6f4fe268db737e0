// The texts of exports and imports. Those that are ours, because the service's are not known, stand
// below "Ours".
#ifndef DYNOLITH_API_TRANSFER_MESSAGES_H_
#define DYNOLITH_API_TRANSFER_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Failures of transfers that have begun ---

inline constexpr std::string_view kNoSuchBucket = "S3NoSuchBucket";
inline std::string NoSuchBucket() { return "The specified bucket does not exist"; }
inline constexpr std::string_view kItemValidationError = "ItemValidationError";
inline std::string SomeItemsInvalid() {
  return "Some of the items failed validation checks. Please check CloudWatch error logs for more "
         "details.";
}

// --- Ours ---

inline std::string InvalidExportArn() { return "Invalid Export ARN"; }
inline std::string InvalidImportArn() { return "Invalid Import ARN"; }
inline std::string ExportNotFound(std::string_view arn) {
  return Concat("Export not found: ", arn);
}
inline std::string ImportNotFound(std::string_view arn) {
  return Concat("Import not found: ", arn);
}
inline std::string ImportParameterUnexpected(std::string_view member) {
  return Concat("One or more parameter values were invalid: ", member,
                " cannot be asked for of an imported table");
}
inline std::string ExportTokenReused() {
  return "There was a conflict when writing to the specified S3 bucket: the client token was used "
         "for another export";
}
// The end of the text is ours.
inline std::string ImportTokenReused() {
  return "Duplicate request detected: the client token is that of an import of another table";
}
inline std::string TooManyExports(int most) {
  return Concat("Subscriber limit exceeded: Only ", most, " exports can be done simultaneously");
}
inline std::string TooManyImports(int most) {
  return Concat("Subscriber limit exceeded: Only ", most, " imports can be done simultaneously");
}
inline std::string IncrementalSpecificationMissing() {
  return "One or more parameter values were invalid: IncrementalExportSpecification is required "
         "when ExportType is INCREMENTAL_EXPORT";
}
inline std::string IncrementalSpecificationUnexpected() {
  return "One or more parameter values were invalid: IncrementalExportSpecification is only "
         "allowed when ExportType is INCREMENTAL_EXPORT";
}
inline std::string ExportTimeUnexpected() {
  return "One or more parameter values were invalid: ExportTime is not allowed when ExportType is "
         "INCREMENTAL_EXPORT";
}
inline std::string ExportFromTimeMissing() {
  return "One or more parameter values were invalid: ExportFromTime is required for an "
         "incremental export";
}
inline std::string KmsKeyWithoutKms() {
  return "One or more parameter values were invalid: S3SseKmsKeyId is only allowed when "
         "S3SseAlgorithm is KMS";
}
inline std::string ExportTimeOutsideWindow() {
  return "Export time is outside of the point in time recovery window";
}
inline std::string ExportPeriodReversed() {
  return "ExportFromTime must be earlier than ExportToTime";
}
inline std::string ExportPeriodTooShort() {
  return "The time between ExportFromTime and ExportToTime must be at least 15 minutes";
}
inline std::string ExportPeriodTooLong() {
  return "The time between ExportFromTime and ExportToTime must be at most 24 hours";
}
inline std::string CsvOptionsUnexpected() {
  return "One or more parameter values were invalid: inputFormatOptions are only allowed when "
         "inputFormat is CSV";
}
inline std::string CsvHeaderRepeated(std::string_view name) {
  return Concat("One or more parameter values were invalid: Duplicate column in HeaderList: ",
                name);
}
inline constexpr std::string_view kInternalTransferError = "InternalServerError";
inline std::string TransferInterrupted() { return "The transfer was interrupted"; }
inline std::string ExportedTableGone() {
  return "The table or its point in time recovery was deleted during the export";
}

// For bulk operations.
inline std::string InvalidBulkOperationArn() { return "Invalid Bulk Operation ARN"; }
inline std::string BulkOperationNotFound(std::string_view arn) {
  return Concat("Bulk operation not found: ", arn);
}
inline std::string TooManyBulkOperations(int most) {
  return Concat("Subscriber limit exceeded: Only ", most,
                " bulk operations can be done simultaneously");
}
inline std::string BulkOutputBucketMissing() {
  return "One or more parameter values were invalid: OutputS3Configuration must have an S3Bucket";
}
inline std::string BulkOutputTypeMissing() {
  return "One or more parameter values were invalid: OutputType must have at least one member";
}
// Ours.
inline std::string BulkIntoReplicas(std::string_view table) {
  return Concat("Bulk operations on a table with replicas are not supported: ", table);
}
inline std::string BulkWhileIndexIsCreated(std::string_view table) {
  return Concat(
      "Attempt to change a resource which is still in use: An index of the table is "
      "being created: ",
      table);
}
inline constexpr std::string_view kBulkCancelled = "Cancelled";
inline std::string BulkCancelled() { return "The bulk operation was cancelled"; }
inline constexpr std::string_view kBulkTableGone = "ResourceNotFoundException";

// --- Damage ---

// `key`: of the entry: "export/01489602797149-73d8d5bc".
inline std::string TransferEntryDamaged(std::string_view key, std::string_view detail) {
  return Concat("the entry ", key, " is damaged: ", detail);
}

// --- Results of imports, for a log ---

// `unread`: objects that were not read beyond a record that forms no item.
inline std::string RecordsLeftOut(int64_t left_out, int64_t records, int64_t unread) {
  return Concat(left_out, " of ", records, " records were left out",
                unread > 0 ? Concat(", and what follows them in ", unread,
                                    unread == 1 ? " object" : " objects")
                           : std::string(),
                "; all others are in the table");
}
inline std::string ImportFailed(std::string_view code, std::string_view reason) {
  return Concat("the table is gone: ", code, ": ", reason);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_TRANSFER_MESSAGES_H_
