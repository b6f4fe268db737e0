#include "api/transfer/transfer_state.h"

#include "api/table/shown_schema.h"

namespace dynolith {
namespace {

void ShowIndex(const TableMeta& table, size_t i, CreateTableRequest* parameters) {
  const IndexSchema& schema = table.schema.indexes[i];
  if (schema.kind == IndexKind::kVector) {
    if (!parameters->vector_indexes) parameters->vector_indexes.emplace();
    ShowVectorSchema(schema, &parameters->vector_indexes->emplace_back());
    return;
  }
  if (schema.kind != IndexKind::kGlobal) return;
  if (!parameters->global_secondary_indexes) parameters->global_secondary_indexes.emplace();
  SecondaryIndex& index = parameters->global_secondary_indexes->emplace_back();
  ShowIndexSchema(schema, &index);
  if (table.billing_mode == BillingMode::kProvisioned) {
    index.provisioned_throughput = ShownUnits(table.index_states[i].throughput);
  }
  index.on_demand_throughput = table.index_states[i].on_demand;
}

// What the table was made with, with its defaults.
CreateTableRequest ToCreateTableRequest(const TableMeta& table) {
  CreateTableRequest parameters;
  parameters.table_name = table.schema.name;
  parameters.attribute_definitions = ShownDefinitions(table.attribute_definitions);
  parameters.key_schema = ShownKeySchema(table.schema.key);
  parameters.billing_mode = table.billing_mode;
  if (table.billing_mode == BillingMode::kProvisioned) {
    parameters.provisioned_throughput = ShownUnits(table.throughput);
  }
  parameters.on_demand_throughput = table.on_demand;
  if (table.encryption) parameters.sse_specification = ShownEncryption(*table.encryption);
  for (size_t i = 0; i < table.schema.indexes.size(); ++i) ShowIndex(table, i, &parameters);
  return parameters;
}

}  // namespace

ExportDescription ToDescription(const ExportState& state) {
  const ExportTableToPointInTimeRequest& asked = state.request;
  return {.export_arn = state.export_arn,
          .export_status = state.status,
          .start_time = state.start_time,
          .end_time = state.end_time,
          .export_manifest = state.export_manifest,
          .table_arn = asked.table_arn,
          .table_id = state.table_id,
          .export_time = asked.export_time,
          .client_token = asked.client_token,
          .s3_bucket = asked.s3_bucket,
          .s3_bucket_owner = asked.s3_bucket_owner,
          .s3_prefix = asked.s3_prefix,
          .s3_sse_algorithm = asked.s3_sse_algorithm,
          .s3_sse_kms_key_id = asked.s3_sse_kms_key_id,
          .failure_code = state.failure_code,
          .failure_message = state.failure_message,
          .export_format = asked.export_format,
          .billed_size_bytes = state.billed_size_bytes,
          .item_count = state.item_count,
          .export_type = asked.export_type,
          .incremental_export_specification = asked.incremental_export_specification,
          .filter_specification = asked.filter_specification};
}

ExportSummary ToSummary(const ExportState& state) {
  return {.export_arn = state.export_arn,
          .export_status = state.status,
          .export_type = state.request.export_type};
}

ImportTableDescription ToDescription(const ImportState& state) {
  return {.import_arn = state.import_arn,
          .import_status = state.status,
          .table_arn = state.table_arn,
          .table_id = state.table.uuid,
          .client_token = state.client_token,
          .s3_bucket_source = state.s3_bucket_source,
          .error_count = state.error_count,
          .cloud_watch_log_group_arn = state.cloud_watch_log_group_arn,
          .input_format = state.input_format,
          .csv_options = state.csv_options,
          .input_compression_type = state.input_compression_type,
          .table_creation_parameters = ToCreateTableRequest(state.table),
          .start_time = state.start_time,
          .end_time = state.end_time,
          .processed_size_bytes = state.processed_size_bytes,
          // Shown from the first answer on.
          .processed_item_count = state.processed_item_count.value_or(0),
          .imported_item_count = state.imported_item_count.value_or(0),
          .failure_code = state.failure_code,
          .failure_message = state.failure_message};
}

ImportSummary ToSummary(const ImportState& state) {
  return {.import_arn = state.import_arn,
          .import_status = state.status,
          .table_arn = state.table_arn,
          .s3_bucket_source = state.s3_bucket_source,
          .cloud_watch_log_group_arn = state.cloud_watch_log_group_arn,
          .input_format = state.input_format,
          .start_time = state.start_time,
          .end_time = state.end_time};
}

BulkOperationDescription ToDescription(const BulkPutState& state) {
  const StartBulkPutItemsRequest& asked = state.request;
  return {
      .bulk_operation_arn = state.bulk_operation_arn,
      .bulk_operation_status = state.status,
      .table_details = {{.table_name = asked.table_name, .table_id = state.table_id}},
      .client_token = asked.client_token,
      .input = asked.input,
      .output = asked.output,
      .start_time = state.start_time,
      .end_time = state.end_time,
      .processed_item_count = state.processed_item_count,
      .processed_input_bytes = state.processed_input_bytes,
      .total_input_bytes = state.total_input_bytes,
      .usage = {state.usage},
      .failed_item_count = state.failed_item_count,
      .failure_code = state.failure_code,
      .failure_message = state.failure_message,
      .max_write_request_units = asked.max_write_request_units,
      .performance_tier = asked.performance_tier.value_or(BulkOperationPerformanceTier::kStandard)};
}

BulkOperationSummary ToSummary(const BulkPutState& state) {
  return {.bulk_operation_arn = state.bulk_operation_arn,
          .bulk_operation_status = state.status,
          .start_time = state.start_time,
          .end_time = state.end_time};
}

}  // namespace dynolith
