#include "api/transfer/files/export_files.h"

#include <cstdint>
#include <utility>

#include "api/json/item_line.h"
#include "api/json/json_writer.h"
#include "api/transfer/files/ion_text.h"
#include "api/transfer/files/manifest.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// The newest versions of the service's manifests.
constexpr std::string_view kFullVersion = "2020-06-30";
constexpr std::string_view kIncrementalVersion = "2023-08-01";

std::string SummaryText(const ExportDescription& finished, std::string_view files_manifest) {
  const bool is_incremental = finished.export_type == ExportType::kIncremental;
  std::string text;
  JsonWriter writer(&text);
  writer.BeginObject();
  WriteText("version", is_incremental ? kIncrementalVersion : kFullVersion, &writer);
  WriteText("exportArn", finished.export_arn, &writer);
  WriteTime("startTime", finished.start_time, &writer);
  WriteTime("endTime", finished.end_time, &writer);
  WriteText("tableArn", finished.table_arn, &writer);
  WriteText("tableId", finished.table_id, &writer);
  WriteTime("exportTime", finished.export_time, &writer);
  const auto& increment = finished.incremental_export_specification;
  if (increment) {
    WriteTime("exportFromTime", increment->export_from_time, &writer);
    WriteTime("exportToTime", increment->export_to_time, &writer);
  }
  WriteText("s3Bucket", finished.s3_bucket, &writer);
  WriteTextOrNull("s3Prefix", finished.s3_prefix, &writer);
  WriteTextOrNull("s3SseAlgorithm", finished.s3_sse_algorithm, &writer);
  WriteTextOrNull("s3SseKmsKeyId", finished.s3_sse_kms_key_id, &writer);
  WriteText("manifestFilesS3Key", files_manifest, &writer);
  WriteInteger("billedSizeBytes", finished.billed_size_bytes.value_or(0), &writer);
  WriteInteger("itemCount", finished.item_count.value_or(0), &writer);
  WriteText("outputFormat", finished.export_format == ExportFormat::kIon ? "ION" : "DYNAMODB_JSON",
            &writer);
  if (increment) {
    WriteText("outputView",
              increment->export_view_type == ExportViewType::kNewImage ? "NEW_IMAGE"
                                                                       : "NEW_AND_OLD_IMAGES",
              &writer);
  }
  WriteText("exportType", is_incremental ? "INCREMENTAL_EXPORT" : "FULL_EXPORT", &writer);
  writer.EndObject();
  return text;
}

}  // namespace

ExportFiles::ExportFiles(Bucket bucket, const ExportDescription& description)
    : bucket_(std::move(bucket)), request_(description) {
  const std::string& arn = description.export_arn;
  const std::string top = Concat(FolderOfPrefix(request_.s3_prefix), "AWSDynamoDB/");
  folder_ = Concat(top, std::string_view(arn).substr(arn.rfind('/') + 1), "/");
  data_folder_ = Concat(request_.export_type == ExportType::kIncremental ? top : folder_, "data/");
}

absl::StatusOr<std::unique_ptr<ExportFiles>> ExportFiles::Begin(
    Bucket bucket, const ExportDescription& description) {
  std::unique_ptr<ExportFiles> files(new ExportFiles(std::move(bucket), description));
  // Shows that the bucket is writable and the export has begun.
  DYNOLITH_RETURN_IF_ERROR(WriteTextObject(files->bucket_, Concat(files->folder_, "_started"), ""));
  DYNOLITH_RETURN_IF_ERROR(files->BeginDataFile());
  return files;
}

bool ExportFiles::is_ion() const { return request_.export_format == ExportFormat::kIon; }

absl::Status ExportFiles::AddItem(ItemView item) {
  line_.clear();
  is_ion() ? AppendIonItem(item, &line_) : AppendItemLine(item, &line_);
  return AddLine();
}

absl::Status ExportFiles::AddChange(const ExportedChange& change) {
  line_.clear();
  is_ion() ? AppendIonChange(change, &line_) : AppendChangeLine(change, &line_);
  return AddLine();
}

absl::Status ExportFiles::AddLine() {
  if (data_file_->bytes() >= kDataFileBytes) {
    DYNOLITH_RETURN_IF_ERROR(FinishDataFile());
    DYNOLITH_RETURN_IF_ERROR(BeginDataFile());
  }
  return data_file_->Append(line_);
}

absl::StatusOr<std::string> ExportFiles::Finish(const ExportDescription& finished) {
  DYNOLITH_RETURN_IF_ERROR(FinishDataFile());
  DYNOLITH_RETURN_IF_ERROR(
      WriteManifest(bucket_, Concat(folder_, "manifest-files"), FilesManifest(data_files_)));
  const std::string files_manifest = Concat(folder_, "manifest-files.json");
  DYNOLITH_RETURN_IF_ERROR(WriteManifest(bucket_, Concat(folder_, "manifest-summary"),
                                         SummaryText(finished, files_manifest)));
  return Concat(folder_, "manifest-summary.json");
}

absl::Status ExportFiles::BeginDataFile() {
  const std::string_view ending = is_ion() ? ".ion.gz" : ".json.gz";
  DYNOLITH_ASSIGN_OR_RETURN(
      data_file_, DataFile::Create(bucket_, Concat(data_folder_, RandomDataName(), ending)));
  return absl::OkStatus();
}

absl::Status ExportFiles::FinishDataFile() {
  DYNOLITH_ASSIGN_OR_RETURN(DataFile::Summary summary, data_file_->Finish());
  data_files_.push_back(std::move(summary));
  return absl::OkStatus();
}

}  // namespace dynolith
