// Requests and outputs of exports to and imports from buckets, with DynamoDB's member names in
// snake_case.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_TRANSFERS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_TRANSFERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "dynolith/requests.h"

namespace dynolith {

// On disk. Append only.
enum class TransferStatus : uint8_t {
  kInProgress = 1,
  kCompleted = 2,
  kFailed = 3,
  kCancelling = 4,
  kCancelled = 5
};
enum class ExportFormat : uint8_t { kDynamoDbJson = 1, kIon = 2 };
enum class ExportType : uint8_t { kFull = 1, kIncremental = 2 };
enum class ExportViewType : uint8_t { kNewImage = 1, kNewAndOldImages = 2 };
enum class InputFormat : uint8_t { kDynamoDbJson = 1, kIon = 2, kCsv = 3 };
enum class InputCompressionType : uint8_t { kNone = 1, kGzip = 2, kZstd = 3 };

struct IncrementalExportSpecification {
  std::optional<absl::Time> export_from_time;
  std::optional<absl::Time> export_to_time;
  std::optional<ExportViewType> export_view_type;
};

struct ExportTableToPointInTimeRequest {
  std::string table_arn;
  std::optional<absl::Time> export_time;
  std::optional<std::string> client_token;
  std::string s3_bucket;
  std::optional<std::string> s3_bucket_owner;
  std::optional<std::string> s3_prefix;
  std::optional<std::string> s3_sse_algorithm;
  std::optional<std::string> s3_sse_kms_key_id;
  std::optional<ExportFormat> export_format;
  std::optional<ExportType> export_type;
  std::optional<IncrementalExportSpecification> incremental_export_specification;
};

struct ExportDescription {
  // As asked for, with defaults filled in.
  ExportTableToPointInTimeRequest request;
  std::string export_arn;
  TransferStatus status = TransferStatus::kInProgress;
  std::string table_id;
  absl::Time start_time;
  std::optional<absl::Time> end_time;
  std::optional<std::string> export_manifest;
  std::optional<std::string> failure_code;
  std::optional<std::string> failure_message;
  std::optional<int64_t> billed_size_bytes;
  std::optional<int64_t> item_count;
};

struct DescribeExportRequest {
  std::string export_arn;
};

struct ListExportsRequest {
  std::optional<std::string> table_arn;
  std::optional<int64_t> max_results;
  std::optional<std::string> next_token;
};

struct ListExportsOutput {
  std::vector<ExportDescription> export_summaries;
  std::optional<std::string> next_token;
};

struct S3BucketSource {
  std::optional<std::string> s3_bucket_owner;
  std::string s3_bucket;
  std::optional<std::string> s3_key_prefix;
};

struct CsvOptions {
  std::optional<std::string> delimiter;
  std::optional<std::vector<std::string>> header_list;
};

struct ImportTableRequest {
  std::optional<std::string> client_token;
  S3BucketSource s3_bucket_source;
  InputFormat input_format = InputFormat::kDynamoDbJson;
  std::optional<CsvOptions> csv_options;
  std::optional<InputCompressionType> input_compression_type;
  // TableCreationParameters: the members that it has.
  CreateTableRequest table;
};

struct ImportTableDescription {
  std::string import_arn;
  TransferStatus status = TransferStatus::kInProgress;
  std::string table_arn;
  std::optional<std::string> client_token;
  S3BucketSource s3_bucket_source;
  InputFormat input_format = InputFormat::kDynamoDbJson;
  std::optional<CsvOptions> csv_options;
  InputCompressionType input_compression_type = InputCompressionType::kNone;
  // The new table as it was when it was made: TableId and TableCreationParameters.
  TableMeta table;
  std::string cloud_watch_log_group_arn;
  absl::Time start_time;
  std::optional<absl::Time> end_time;
  int64_t error_count = 0;
  // Once it has ended.
  std::optional<int64_t> processed_size_bytes;
  std::optional<int64_t> processed_item_count;
  std::optional<int64_t> imported_item_count;
  std::optional<std::string> failure_code;
  std::optional<std::string> failure_message;
};

struct DescribeImportRequest {
  std::string import_arn;
};

struct ListImportsRequest {
  std::optional<std::string> table_arn;
  std::optional<int64_t> page_size;
  std::optional<std::string> next_token;
};

struct ListImportsOutput {
  std::vector<ImportTableDescription> import_summary_list;
  std::optional<std::string> next_token;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TRANSFERS_H_
