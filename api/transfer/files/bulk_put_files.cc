#include "api/transfer/files/bulk_put_files.h"

#include <utility>

#include "api/json/item_line.h"
#include "api/json/json_writer.h"
#include "api/transfer/files/manifest.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// The `version` member of manifest-summary.json.
constexpr std::string_view kVersion = "2026-11-04";

std::string OutputFolder(const BulkOperationDescription& description) {
  const std::string& arn = description.bulk_operation_arn;
  return Concat(FolderOfPrefix(description.output.s3_key_prefix), "AWSDynamoDB/",
                std::string_view(arn).substr(arn.rfind('/') + 1), "/");
}

std::string_view TransferStatusName(TransferStatus status) {
  switch (status) {
    case TransferStatus::kInProgress:
      return "IN_PROGRESS";
    case TransferStatus::kCompleted:
      return "COMPLETED";
    case TransferStatus::kCompletedWithErrors:
      return "COMPLETED_WITH_ERRORS";
    case TransferStatus::kCancelling:
      return "CANCELLING";
    case TransferStatus::kCancelled:
      return "CANCELLED";
    case TransferStatus::kFailed:
      return "FAILED";
  }
  return "";
}

void WritePlace(const RecordPlace& place, JsonWriter* writer) {
  WriteText("S3Object", place.object, writer);
  WriteInteger("Line", place.line, writer);
}

std::string SummaryText(const BulkOperationDescription& finished, std::string_view files_manifest) {
  std::string text;
  JsonWriter writer(&text);
  writer.BeginObject();
  WriteText("version", kVersion, &writer);
  WriteText("bulkOperationArn", finished.bulk_operation_arn, &writer);
  WriteText("bulkOperationStatus", TransferStatusName(finished.bulk_operation_status), &writer);
  WriteTime("startTime", finished.start_time, &writer);
  WriteTime("endTime", finished.end_time, &writer);
  WriteText("tableName", finished.table_details[0].table_name, &writer);
  WriteText("tableId", finished.table_details[0].table_id, &writer);
  WriteText("s3Bucket", finished.output.s3_bucket.value_or(""), &writer);
  WriteTextOrNull("s3Prefix", finished.output.s3_key_prefix, &writer);
  WriteTextOrNull("s3SseAlgorithm", finished.output.s3_sse_algorithm, &writer);
  WriteTextOrNull("s3SseKmsKeyId", finished.output.s3_sse_kms_key_id, &writer);
  WriteText("manifestFilesS3Key", files_manifest, &writer);
  WriteInteger("processedItemCount", finished.processed_item_count, &writer);
  WriteInteger("failedItemCount", finished.failed_item_count, &writer);
  WriteText("outputFormat", "DYNAMODB_JSON", &writer);
  writer.EndObject();
  return text;
}

}  // namespace

BulkPutFiles::BulkPutFiles(Bucket bucket, const BulkOperationDescription& description)
    : bucket_(std::move(bucket)), folder_(OutputFolder(description)) {}

absl::StatusOr<std::unique_ptr<BulkPutFiles>> BulkPutFiles::Begin(
    Bucket bucket, const BulkOperationDescription& description) {
  std::unique_ptr<BulkPutFiles> files(new BulkPutFiles(std::move(bucket), description));
  // Says that the bucket can be written, before anything is written elsewhere.
  DYNOLITH_RETURN_IF_ERROR(WriteTextObject(files->bucket_, Concat(files->folder_, "_started"), ""));
  return files;
}

absl::Status BulkPutFiles::AddError(const RecordPlace& place, std::string_view text,
                                    const absl::Status& error) {
  line_.clear();
  JsonWriter writer(&line_);
  writer.BeginObject();
  WritePlace(place, &writer);
  WriteText("ErrorCode", InfoOf(KindOf(error)).exception_name, &writer);
  WriteText("ErrorMessage", MessageOf(error), &writer);
  if (!text.empty() && IsUtf8(text)) WriteText("Record", text, &writer);
  writer.EndObject();
  return AddLine(&errors_);
}

absl::Status BulkPutFiles::AddConditionFailure(const RecordPlace& place, ItemView item,
                                               const std::optional<ItemView>& existing) {
  line_.clear();
  JsonWriter writer(&line_);
  writer.BeginObject();
  WritePlace(place, &writer);
  writer.Key("Item");
  writer.Item(item);
  if (existing) {
    writer.Key("ExistingItem");
    writer.Item(*existing);
  }
  writer.EndObject();
  return AddLine(&condition_failures_);
}

absl::Status BulkPutFiles::AddLine(Kind* kind) {
  if (kind->file != nullptr && kind->file->bytes() >= kDataFileBytes) {
    DYNOLITH_RETURN_IF_ERROR(FinishFile(kind));
  }
  if (kind->file == nullptr) {
    const std::string name = Concat(folder_, kind->name, "/", RandomDataName(), ".json.gz");
    DYNOLITH_ASSIGN_OR_RETURN(kind->file, DataFile::Create(bucket_, name));
  }
  line_ += '\n';
  return kind->file->Append(line_);
}

absl::Status BulkPutFiles::FinishFile(Kind* kind) {
  if (kind->file == nullptr) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(DataFile::Summary summary, kind->file->Finish());
  files_.push_back(std::move(summary));
  kind->file.reset();
  return absl::OkStatus();
}

absl::Status BulkPutFiles::Finish(const BulkOperationDescription& finished) {
  DYNOLITH_RETURN_IF_ERROR(FinishFile(&errors_));
  DYNOLITH_RETURN_IF_ERROR(FinishFile(&condition_failures_));
  DYNOLITH_RETURN_IF_ERROR(
      WriteManifest(bucket_, Concat(folder_, "manifest-files"), FilesManifest(files_)));
  return WriteManifest(bucket_, Concat(folder_, "manifest-summary"),
                       SummaryText(finished, Concat(folder_, "manifest-files.json")));
}

}  // namespace dynolith
