#include "api/json/read_transfers.h"

#include <string>
#include <string_view>
#include <utility>

#include "api/json/members.h"
#include "api/json/read_tables.h"
#include "api/json/request_parts.h"

namespace dynolith {
namespace {

constexpr std::pair<std::string_view, InputFormat> kInputFormats[] = {
    {"DYNAMODB_JSON", InputFormat::kDynamoDbJson},
    {"ION", InputFormat::kIon},
    {"CSV", InputFormat::kCsv}};
constexpr std::pair<std::string_view, InputCompressionType> kCompressions[] = {
    {"GZIP", InputCompressionType::kGzip},
    {"ZSTD", InputCompressionType::kZstd},
    {"NONE", InputCompressionType::kNone}};

constexpr std::pair<std::string_view, ExportFormat> kExportFormats[] = {
    {"DYNAMODB_JSON", ExportFormat::kDynamoDbJson}, {"ION", ExportFormat::kIon}};
constexpr std::pair<std::string_view, ExportType> kExportTypes[] = {
    {"FULL_EXPORT", ExportType::kFull}, {"INCREMENTAL_EXPORT", ExportType::kIncremental}};
constexpr std::pair<std::string_view, ExportViewType> kViewTypes[] = {
    {"NEW_IMAGE", ExportViewType::kNewImage},
    {"NEW_AND_OLD_IMAGES", ExportViewType::kNewAndOldImages}};

S3BucketSource ReadSource(JsonValue value) {
  namespace in = members::S3BucketSource;
  const Fields fields(in::kShape, value);
  return {.s3_bucket_owner = fields.String(in::kS3BucketOwner),
          .s3_bucket = std::string(fields.Text(in::kS3Bucket)),
          .s3_key_prefix = fields.String(in::kS3KeyPrefix)};
}

std::optional<CsvOptions> ReadCsvOptions(const Fields& request) {
  const JsonValue* const options = request.Find(members::ImportTableInput::kInputFormatOptions);
  if (options == nullptr) return std::nullopt;
  const Fields formats(members::InputFormatOptions::kShape, *options);
  const JsonValue* const csv = formats.Find(members::InputFormatOptions::kCsv);
  if (csv == nullptr) return std::nullopt;
  namespace in = members::CsvOptions;
  const Fields fields(in::kShape, *csv);
  return CsvOptions{.delimiter = fields.String(in::kDelimiter),
                    .header_list = ReadStrings(fields, in::kHeaderList)};
}

IncrementalExportSpecification ReadIncrement(JsonValue value) {
  namespace in = members::IncrementalExportSpecification;
  const Fields fields(in::kShape, value);
  return {
      .export_from_time = fields.Time(in::kExportFromTime),
      .export_to_time = fields.Time(in::kExportToTime),
      .export_view_type = ReadEnum(fields, in::kExportViewType, absl::MakeConstSpan(kViewTypes))};
}

}  // namespace

absl::Status ReadRequest(const Fields& fields, ImportTableRequest* request) {
  namespace in = members::ImportTableInput;
  request->client_token = fields.String(in::kClientToken);
  request->s3_bucket_source = ReadSource(*fields.Find(in::kS3BucketSource));
  request->input_format = *ReadEnum(fields, in::kInputFormat, absl::MakeConstSpan(kInputFormats));
  request->csv_options = ReadCsvOptions(fields);
  request->input_compression_type =
      ReadEnum(fields, in::kInputCompressionType, absl::MakeConstSpan(kCompressions));
  request->table = ReadTableParameters(*fields.Find(in::kTableCreationParameters));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DescribeImportRequest* request) {
  request->import_arn = std::string(fields.Text(members::DescribeImportInput::kImportArn));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, ListImportsRequest* request) {
  namespace in = members::ListImportsInput;
  request->table_arn = fields.String(in::kTableArn);
  request->page_size = fields.Integer(in::kPageSize);
  request->next_token = fields.String(in::kNextToken);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, ExportTableToPointInTimeRequest* request) {
  namespace in = members::ExportTableToPointInTimeInput;
  request->table_arn = std::string(fields.Text(in::kTableArn));
  request->export_time = fields.Time(in::kExportTime);
  request->client_token = fields.String(in::kClientToken);
  request->s3_bucket = std::string(fields.Text(in::kS3Bucket));
  request->s3_bucket_owner = fields.String(in::kS3BucketOwner);
  request->s3_prefix = fields.String(in::kS3Prefix);
  request->s3_sse_algorithm = fields.String(in::kS3SseAlgorithm);
  request->s3_sse_kms_key_id = fields.String(in::kS3SseKmsKeyId);
  request->export_format = ReadEnum(fields, in::kExportFormat, absl::MakeConstSpan(kExportFormats));
  request->export_type = ReadEnum(fields, in::kExportType, absl::MakeConstSpan(kExportTypes));
  if (const JsonValue* increment = fields.Find(in::kIncrementalExportSpecification)) {
    request->incremental_export_specification = ReadIncrement(*increment);
  }
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DescribeExportRequest* request) {
  request->export_arn = std::string(fields.Text(members::DescribeExportInput::kExportArn));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, ListExportsRequest* request) {
  namespace in = members::ListExportsInput;
  request->table_arn = fields.String(in::kTableArn);
  request->max_results = fields.Integer(in::kMaxResults);
  request->next_token = fields.String(in::kNextToken);
  return absl::OkStatus();
}

}  // namespace dynolith
