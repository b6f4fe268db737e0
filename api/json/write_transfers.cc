#include "api/json/write_transfers.h"

#include <optional>
#include <string>
#include <string_view>

#include "api/json/write_members.h"
#include "api/json/write_tables.h"

namespace dynolith {
namespace {

std::string_view Word(TransferStatus status) {
  switch (status) {
    case TransferStatus::kInProgress:
      return "IN_PROGRESS";
    case TransferStatus::kCompleted:
      return "COMPLETED";
    case TransferStatus::kFailed:
      return "FAILED";
    case TransferStatus::kCancelling:
      return "CANCELLING";
    case TransferStatus::kCancelled:
      break;
  }
  return "CANCELLED";
}

std::string_view Word(InputFormat format) {
  switch (format) {
    case InputFormat::kDynamoDbJson:
      return "DYNAMODB_JSON";
    case InputFormat::kIon:
      return "ION";
    case InputFormat::kCsv:
      break;
  }
  return "CSV";
}

std::string_view Word(InputCompressionType compression) {
  switch (compression) {
    case InputCompressionType::kGzip:
      return "GZIP";
    case InputCompressionType::kZstd:
      return "ZSTD";
    case InputCompressionType::kNone:
      break;
  }
  return "NONE";
}

std::string_view Word(ExportFormat format) {
  return format == ExportFormat::kIon ? "ION" : "DYNAMODB_JSON";
}

std::string_view Word(ExportType type) {
  return type == ExportType::kIncremental ? "INCREMENTAL_EXPORT" : "FULL_EXPORT";
}

std::string_view Word(ExportViewType type) {
  return type == ExportViewType::kNewImage ? "NEW_IMAGE" : "NEW_AND_OLD_IMAGES";
}

void TextIfAny(std::string_view key, const std::optional<std::string>& text, JsonWriter* writer) {
  if (text) Text(key, *text, writer);
}

void IntegerIfAny(std::string_view key, const std::optional<int64_t>& number, JsonWriter* writer) {
  if (!number) return;
  writer->Key(key);
  writer->Integer(*number);
}

void WriteSource(const S3BucketSource& source, JsonWriter* writer) {
  writer->Key("S3BucketSource");
  writer->BeginObject();
  TextIfAny("S3BucketOwner", source.s3_bucket_owner, writer);
  Text("S3Bucket", source.s3_bucket, writer);
  TextIfAny("S3KeyPrefix", source.s3_key_prefix, writer);
  writer->EndObject();
}

void WriteCsv(const CsvOptions& csv, JsonWriter* writer) {
  writer->Key("InputFormatOptions");
  writer->BeginObject();
  writer->Key("Csv");
  writer->BeginObject();
  TextIfAny("Delimiter", csv.delimiter, writer);
  if (csv.header_list) {
    writer->Key("HeaderList");
    writer->BeginArray();
    for (const std::string& header : *csv.header_list) writer->String(header);
    writer->EndArray();
  }
  writer->EndObject();
  writer->EndObject();
}

void WriteIncrement(const IncrementalExportSpecification& increment, JsonWriter* writer) {
  writer->Key("IncrementalExportSpecification");
  writer->BeginObject();
  Time("ExportFromTime", increment.export_from_time, writer);
  Time("ExportToTime", increment.export_to_time, writer);
  if (increment.export_view_type) {
    Text("ExportViewType", Word(*increment.export_view_type), writer);
  }
  writer->EndObject();
}

// What was asked for.
void WriteAsked(const ExportTableToPointInTimeRequest& request, JsonWriter* writer) {
  Text("TableArn", request.table_arn, writer);
  Time("ExportTime", request.export_time, writer);
  TextIfAny("ClientToken", request.client_token, writer);
  Text("S3Bucket", request.s3_bucket, writer);
  TextIfAny("S3BucketOwner", request.s3_bucket_owner, writer);
  TextIfAny("S3Prefix", request.s3_prefix, writer);
  TextIfAny("S3SseAlgorithm", request.s3_sse_algorithm, writer);
  TextIfAny("S3SseKmsKeyId", request.s3_sse_kms_key_id, writer);
  if (request.export_format) Text("ExportFormat", Word(*request.export_format), writer);
  if (request.export_type) Text("ExportType", Word(*request.export_type), writer);
  if (const auto& increment = request.incremental_export_specification) {
    WriteIncrement(*increment, writer);
  }
}

}  // namespace

void WriteOutputJson(const ImportTableDescription& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("ImportTableDescription");
  writer->BeginObject();
  Text("ImportArn", output.import_arn, writer);
  Text("ImportStatus", Word(output.status), writer);
  Text("TableArn", output.table_arn, writer);
  Text("TableId", output.table.uuid, writer);
  TextIfAny("ClientToken", output.client_token, writer);
  WriteSource(output.s3_bucket_source, writer);
  writer->Key("ErrorCount");
  writer->Integer(output.error_count);
  Text("CloudWatchLogGroupArn", output.cloud_watch_log_group_arn, writer);
  Text("InputFormat", Word(output.input_format), writer);
  if (output.csv_options) WriteCsv(*output.csv_options, writer);
  Text("InputCompressionType", Word(output.input_compression_type), writer);
  writer->Key("TableCreationParameters");
  WriteTableParameters(output.table, writer);
  Time("StartTime", output.start_time, writer);
  Time("EndTime", output.end_time, writer);
  IntegerIfAny("ProcessedSizeBytes", output.processed_size_bytes, writer);
  IntegerIfAny("ProcessedItemCount", output.processed_item_count, writer);
  IntegerIfAny("ImportedItemCount", output.imported_item_count, writer);
  TextIfAny("FailureCode", output.failure_code, writer);
  TextIfAny("FailureMessage", output.failure_message, writer);
  writer->EndObject();
  writer->EndObject();
}

void WriteOutputJson(const ListImportsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("ImportSummaryList");
  writer->BeginArray();
  for (const ImportTableDescription& import : output.import_summary_list) {
    writer->BeginObject();
    Text("ImportArn", import.import_arn, writer);
    Text("ImportStatus", Word(import.status), writer);
    Text("TableArn", import.table_arn, writer);
    WriteSource(import.s3_bucket_source, writer);
    Text("CloudWatchLogGroupArn", import.cloud_watch_log_group_arn, writer);
    Text("InputFormat", Word(import.input_format), writer);
    Time("StartTime", import.start_time, writer);
    Time("EndTime", import.end_time, writer);
    writer->EndObject();
  }
  writer->EndArray();
  TextIfAny("NextToken", output.next_token, writer);
  writer->EndObject();
}

void WriteOutputJson(const ExportDescription& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("ExportDescription");
  writer->BeginObject();
  Text("ExportArn", output.export_arn, writer);
  Text("ExportStatus", Word(output.status), writer);
  Time("StartTime", output.start_time, writer);
  Time("EndTime", output.end_time, writer);
  TextIfAny("ExportManifest", output.export_manifest, writer);
  Text("TableId", output.table_id, writer);
  WriteAsked(output.request, writer);
  TextIfAny("FailureCode", output.failure_code, writer);
  TextIfAny("FailureMessage", output.failure_message, writer);
  IntegerIfAny("BilledSizeBytes", output.billed_size_bytes, writer);
  IntegerIfAny("ItemCount", output.item_count, writer);
  writer->EndObject();
  writer->EndObject();
}

void WriteOutputJson(const ListExportsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("ExportSummaries");
  writer->BeginArray();
  for (const ExportDescription& summary : output.export_summaries) {
    writer->BeginObject();
    Text("ExportArn", summary.export_arn, writer);
    Text("ExportStatus", Word(summary.status), writer);
    if (summary.request.export_type) Text("ExportType", Word(*summary.request.export_type), writer);
    writer->EndObject();
  }
  writer->EndArray();
  TextIfAny("NextToken", output.next_token, writer);
  writer->EndObject();
}

}  // namespace dynolith
