// The state of an export, an import or a bulk put, and its description.
#ifndef DYNOLITH_API_TRANSFER_TRANSFER_STATE_H_
#define DYNOLITH_API_TRANSFER_TRANSFER_STATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

struct ExportState {
  // As requested, with defaults filled in.
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

struct ImportState {
  std::string import_arn;
  TransferStatus status = TransferStatus::kInProgress;
  std::string table_arn;
  std::optional<std::string> client_token;
  S3BucketSource s3_bucket_source;
  InputFormat input_format = InputFormat::kDynamoDbJson;
  std::optional<CsvOptions> csv_options;
  InputCompressionType input_compression_type = InputCompressionType::kNone;
  // The new table at its creation: TableId and TableCreationParameters.
  TableMeta table;
  std::string cloud_watch_log_group_arn;
  absl::Time start_time;
  std::optional<absl::Time> end_time;
  int64_t error_count = 0;
  // Once it has ended.
  std::optional<int64_t> processed_size_bytes;
  std::optional<int64_t> processed_item_count;
  std::optional<int64_t> imported_item_count;
  // The number of processes in a row that did not end cleanly during it.
  std::optional<int64_t> interruptions;
  std::optional<std::string> failure_code;
  std::optional<std::string> failure_message;
};

struct BulkPutState {
  // As requested.
  StartBulkPutItemsRequest request;
  std::string bulk_operation_arn;
  TransferStatus status = TransferStatus::kInProgress;
  std::string table_name;
  std::string table_id;
  absl::Time start_time;
  std::optional<absl::Time> end_time;
  // As of the last commit of items, which has also written these counts.
  int64_t processed_item_count = 0;
  int64_t processed_input_bytes = 0;
  std::optional<int64_t> total_input_bytes;
  int64_t failed_item_count = 0;
  BulkOperationUsage usage;
  std::optional<std::string> failure_code;
  std::optional<std::string> failure_message;
};

// Whether it may still make progress.
inline bool IsUnderWay(TransferStatus status) {
  return status == TransferStatus::kInProgress || status == TransferStatus::kCancelling;
}

ExportDescription ToDescription(const ExportState& state);
ExportSummary ToSummary(const ExportState& state);
ImportTableDescription ToDescription(const ImportState& state);
ImportSummary ToSummary(const ImportState& state);
BulkOperationDescription ToDescription(const BulkPutState& state);
BulkOperationSummary ToSummary(const BulkPutState& state);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_TRANSFER_STATE_H_
