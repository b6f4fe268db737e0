#include "api/transfer/files/export_files.h"

#include <cstdint>
#include <random>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "api/json/item_line.h"
#include "api/json/json_writer.h"
#include "api/transfer/files/ion_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// Before compression; then another file begins.
constexpr size_t kDataFileBytes = 64 << 20;
constexpr size_t kDataNameBytes = 26;

// The newest versions of the service's manifests.
constexpr std::string_view kFullVersion = "2020-06-30";
constexpr std::string_view kIncrementalVersion = "2023-08-01";

// "" or "a/b/".
std::string PrefixOf(const ExportDescription& request) {
  std::string prefix = request.s3_prefix.value_or("");
  while (prefix.ends_with('/')) prefix.pop_back();
  if (!prefix.empty()) prefix += '/';
  return prefix;
}

std::string RandomName() {
  constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyz234567";
  std::random_device random;
  std::string name;
  for (size_t i = 0; i < kDataNameBytes; ++i) name += kCharacters[random() % kCharacters.size()];
  return name;
}

std::string Base64(std::string_view bytes) {
  std::string text;
  absl::Base64Escape(ToAbsl(bytes), &text);
  return text;
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

void Text(std::string_view key, std::string_view text, JsonWriter* writer) {
  writer->Key(key);
  writer->String(text);
}

void TextOrNull(std::string_view key, const std::optional<std::string>& text, JsonWriter* writer) {
  writer->Key(key);
  text ? writer->String(*text) : writer->Null();
}

void Time(std::string_view key, const std::optional<absl::Time>& time, JsonWriter* writer) {
  if (time) Text(key, TimeText(*time), writer);
}

void Integer(std::string_view key, int64_t number, JsonWriter* writer) {
  writer->Key(key);
  writer->Integer(number);
}

std::string SummaryText(const ExportDescription& finished, std::string_view files_manifest) {
  const bool is_incremental = finished.export_type == ExportType::kIncremental;
  std::string text;
  JsonWriter writer(&text);
  writer.BeginObject();
  Text("version", is_incremental ? kIncrementalVersion : kFullVersion, &writer);
  Text("exportArn", finished.export_arn, &writer);
  Time("startTime", finished.start_time, &writer);
  Time("endTime", finished.end_time, &writer);
  Text("tableArn", finished.table_arn, &writer);
  Text("tableId", finished.table_id, &writer);
  Time("exportTime", finished.export_time, &writer);
  const auto& increment = finished.incremental_export_specification;
  if (increment) {
    Time("exportFromTime", increment->export_from_time, &writer);
    Time("exportToTime", increment->export_to_time, &writer);
  }
  Text("s3Bucket", finished.s3_bucket, &writer);
  TextOrNull("s3Prefix", finished.s3_prefix, &writer);
  TextOrNull("s3SseAlgorithm", finished.s3_sse_algorithm, &writer);
  TextOrNull("s3SseKmsKeyId", finished.s3_sse_kms_key_id, &writer);
  Text("manifestFilesS3Key", files_manifest, &writer);
  Integer("billedSizeBytes", finished.billed_size_bytes.value_or(0), &writer);
  Integer("itemCount", finished.item_count.value_or(0), &writer);
  Text("outputFormat", finished.export_format == ExportFormat::kIon ? "ION" : "DYNAMODB_JSON",
       &writer);
  if (increment) {
    Text("outputView",
         increment->export_view_type == ExportViewType::kNewImage ? "NEW_IMAGE"
                                                                  : "NEW_AND_OLD_IMAGES",
         &writer);
  }
  Text("exportType", is_incremental ? "INCREMENTAL_EXPORT" : "FULL_EXPORT", &writer);
  writer.EndObject();
  return text;
}

std::string FilesText(const std::vector<DataFile::Summary>& files) {
  std::string text;
  for (const DataFile::Summary& file : files) {
    JsonWriter writer(&text);
    writer.BeginObject();
    Integer("itemCount", file.lines, &writer);
    Text("md5Checksum", Base64(file.md5), &writer);
    // Of an object that was uploaded in one part of several.
    Text("etag", Concat(absl::BytesToHexString(Md5(file.md5)), "-1"), &writer);
    Text("dataFileS3Key", file.name, &writer);
    writer.EndObject();
    text += '\n';
  }
  return text;
}

}  // namespace

ExportFiles::ExportFiles(Bucket bucket, const ExportDescription& description)
    : bucket_(std::move(bucket)), request_(description) {
  const std::string& arn = description.export_arn;
  const std::string top = Concat(PrefixOf(request_), "AWSDynamoDB/");
  folder_ = Concat(top, std::string_view(arn).substr(arn.rfind('/') + 1), "/");
  data_folder_ = Concat(request_.export_type == ExportType::kIncremental ? top : folder_, "data/");
}

absl::StatusOr<std::unique_ptr<ExportFiles>> ExportFiles::Begin(
    Bucket bucket, const ExportDescription& description) {
  std::unique_ptr<ExportFiles> files(new ExportFiles(std::move(bucket), description));
  // Says that the bucket can be written, and that the export has begun.
  DYNOLITH_RETURN_IF_ERROR(files->WriteObject("_started", ""));
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
  DYNOLITH_RETURN_IF_ERROR(WriteManifest("manifest-files", FilesText(data_files_)));
  const std::string files_manifest = Concat(folder_, "manifest-files.json");
  DYNOLITH_RETURN_IF_ERROR(
      WriteManifest("manifest-summary", SummaryText(finished, files_manifest)));
  return Concat(folder_, "manifest-summary.json");
}

absl::Status ExportFiles::BeginDataFile() {
  const std::string_view ending = is_ion() ? ".ion.gz" : ".json.gz";
  DYNOLITH_ASSIGN_OR_RETURN(data_file_,
                            DataFile::Create(bucket_, Concat(data_folder_, RandomName(), ending)));
  return absl::OkStatus();
}

absl::Status ExportFiles::FinishDataFile() {
  DYNOLITH_ASSIGN_OR_RETURN(DataFile::Summary summary, data_file_->Finish());
  data_files_.push_back(std::move(summary));
  return absl::OkStatus();
}

absl::Status ExportFiles::WriteManifest(std::string_view name, std::string_view text) const {
  DYNOLITH_RETURN_IF_ERROR(WriteObject(Concat(name, ".json"), text));
  return WriteObject(Concat(name, ".md5"), Base64(Md5(text)));
}

absl::Status ExportFiles::WriteObject(std::string_view name, std::string_view text) const {
  DYNOLITH_ASSIGN_OR_RETURN(const ObjectFile object, bucket_.Create(Concat(folder_, name)));
  return object.Write(text);
}

}  // namespace dynolith
