// A database that keeps the request it was given and answers what it was told to: for tests of the
// JSON room alone.
#ifndef DYNOLITH_TESTS_UNIT_JSON_FAKE_DATABASE_H_
#define DYNOLITH_TESTS_UNIT_JSON_FAKE_DATABASE_H_

#include <string>
#include <string_view>
#include <vector>

#include "api/json/dispatch.h"
#include "dynolith/database.h"

namespace dynolith {

class FakeDatabase : public Database {
 public:
  // What the next operations answer: `failure` if it is not OK, else the output.
  absl::Status failure;
  WriteOutput write;
  GetItemOutput get;
  BatchGetItemOutput batch_get;
  BatchWriteItemOutput batch_write;
  PageOutput page;
  TableDescription table;
  ListTablesOutput tables;
  DescribeLimitsOutput limits;
  TransactWriteItemsOutput transact_write_items_output;
  TransactGetItemsOutput transact_get_items_output;
  ExecuteStatementOutput execute_statement_output;
  BatchExecuteStatementOutput batch_execute_statement_output;
  ExecuteTransactionOutput execute_transaction_output;
  UpdateTimeToLiveOutput update_time_to_live_output;
  DescribeTimeToLiveOutput describe_time_to_live_output;
  ListStreamsOutput list_streams_output;
  DescribeStreamOutput describe_stream_output;
  GetShardIteratorOutput get_shard_iterator_output;
  GetRecordsOutput get_records_output;
  ListTagsOfResourceOutput list_tags_of_resource_output;
  PutResourcePolicyOutput put_resource_policy_output;
  GetResourcePolicyOutput get_resource_policy_output;
  DeleteResourcePolicyOutput delete_resource_policy_output;
  BackupDescription backup;
  ListBackupsOutput list_backups_output;
  ContinuousBackupsDescription describe_continuous_backups_output;
  ContinuousBackupsDescription update_continuous_backups_output;
  ContributorInsightsDescription describe_contributor_insights_output;
  ContributorInsightsDescription update_contributor_insights_output;
  ListContributorInsightsOutput list_contributor_insights_output;
  DescribeKinesisStreamingDestinationOutput describe_kinesis_streaming_destination_output;
  TableAutoScalingDescription describe_table_replica_auto_scaling_output;
  KinesisStreamingDestinationOutput enable_kinesis_streaming_destination_output;
  KinesisStreamingDestinationOutput disable_kinesis_streaming_destination_output;
  UpdateKinesisStreamingDestinationOutput update_kinesis_streaming_destination_output;
  TableAutoScalingDescription update_table_replica_auto_scaling_output;
  SearchVectorsOutput search_vectors_output;
  ListExportsOutput list_exports_output;
  ListImportsOutput list_imports_output;
  ExportDescription export_output;
  ExportDescription describe_export_output;
  ImportTableDescription describe_import_output;
  ImportTableDescription import_table_output;

  // The last request of each kind.
  PutItemRequest put_request;
  UpdateItemRequest update_request;
  DeleteItemRequest delete_request;
  GetItemRequest get_request;
  BatchGetItemRequest batch_get_request;
  BatchWriteItemRequest batch_write_request;
  QueryRequest query_request;
  ScanRequest scan_request;
  SearchVectorsRequest search_vectors_request;
  CreateTableRequest create_request;
  DescribeTableRequest describe_request;
  UpdateTableRequest update_table_request;
  DeleteTableRequest delete_table_request;
  ListTablesRequest list_request;
  TransactWriteItemsRequest transact_write_items_request;
  TransactGetItemsRequest transact_get_items_request;
  ExecuteStatementRequest execute_statement_request;
  BatchExecuteStatementRequest batch_execute_statement_request;
  ExecuteTransactionRequest execute_transaction_request;
  UpdateTimeToLiveRequest update_time_to_live_request;
  DescribeTimeToLiveRequest describe_time_to_live_request;
  ListStreamsRequest list_streams_request;
  DescribeStreamRequest describe_stream_request;
  GetShardIteratorRequest get_shard_iterator_request;
  GetRecordsRequest get_records_request;
  ListTagsOfResourceRequest list_tags_of_resource_request;
  PutResourcePolicyRequest put_resource_policy_request;
  GetResourcePolicyRequest get_resource_policy_request;
  DeleteResourcePolicyRequest delete_resource_policy_request;
  DescribeContinuousBackupsRequest describe_continuous_backups_request;
  UpdateContinuousBackupsRequest update_continuous_backups_request;
  DescribeContributorInsightsRequest describe_contributor_insights_request;
  UpdateContributorInsightsRequest update_contributor_insights_request;
  ListContributorInsightsRequest list_contributor_insights_request;
  DescribeKinesisStreamingDestinationRequest describe_kinesis_streaming_destination_request;
  DescribeTableReplicaAutoScalingRequest describe_table_replica_auto_scaling_request;
  KinesisStreamingDestinationRequest enable_kinesis_streaming_destination_request;
  KinesisStreamingDestinationRequest disable_kinesis_streaming_destination_request;
  UpdateKinesisStreamingDestinationRequest update_kinesis_streaming_destination_request;
  UpdateTableReplicaAutoScalingRequest update_table_replica_auto_scaling_request;
  TagResourceRequest tag_resource_request;
  UntagResourceRequest untag_resource_request;
  CreateBackupRequest create_backup_request;
  ListBackupsRequest list_backups_request;
  ListExportsRequest list_exports_request;
  ListImportsRequest list_imports_request;
  DescribeBackupRequest describe_backup_request;
  DeleteBackupRequest delete_backup_request;
  RestoreTableFromBackupRequest restore_table_from_backup_request;
  RestoreTableToPointInTimeRequest restore_table_to_point_in_time_request;
  DescribeExportRequest describe_export_request;
  DescribeImportRequest describe_import_request;
  ImportTableRequest import_table_request;
  ExportTableToPointInTimeRequest export_request;
  DescribeGlobalTableRequest describe_global_table_request;

  absl::StatusOr<WriteOutput> PutItem(const PutItemRequest& request) override {
    return Answer(request, &put_request, write);
  }
  absl::StatusOr<WriteOutput> UpdateItem(const UpdateItemRequest& request) override {
    return Answer(request, &update_request, write);
  }
  absl::StatusOr<WriteOutput> DeleteItem(const DeleteItemRequest& request) override {
    return Answer(request, &delete_request, write);
  }
  absl::StatusOr<SearchVectorsOutput> SearchVectors(const SearchVectorsRequest& request) override {
    return Answer(request, &search_vectors_request, search_vectors_output);
  }
  absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request) override {
    return Answer(request, &get_request, get);
  }
  absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request, ItemSink sink) override {
    get_request = request;
    if (get.item) sink(get.item->view());
    if (!failure.ok()) return failure;
    return GetItemOutput{.item = std::nullopt, .consumed_capacity = get.consumed_capacity};
  }
  absl::StatusOr<BatchGetItemOutput> BatchGetItem(const BatchGetItemRequest& request) override {
    return Answer(request, &batch_get_request, batch_get);
  }
  absl::StatusOr<BatchWriteItemOutput> BatchWriteItem(
      const BatchWriteItemRequest& request) override {
    return Answer(request, &batch_write_request, batch_write);
  }
  absl::StatusOr<PageOutput> Query(const QueryRequest& request) override {
    return Answer(request, &query_request, page);
  }
  absl::StatusOr<PageOutput> Query(const QueryRequest& request, ItemSink sink) override {
    query_request = request;
    return Page(sink);
  }
  absl::StatusOr<PageOutput> Scan(const ScanRequest& request) override {
    return Answer(request, &scan_request, page);
  }
  absl::StatusOr<PageOutput> Scan(const ScanRequest& request, ItemSink sink) override {
    scan_request = request;
    return Page(sink);
  }
  absl::StatusOr<TableDescription> CreateTable(const CreateTableRequest& request) override {
    return Answer(request, &create_request, table);
  }
  absl::StatusOr<TableDescription> DescribeTable(const DescribeTableRequest& request) override {
    return Answer(request, &describe_request, table);
  }
  absl::StatusOr<TableDescription> UpdateTable(const UpdateTableRequest& request) override {
    return Answer(request, &update_table_request, table);
  }
  absl::StatusOr<TableDescription> DeleteTable(const DeleteTableRequest& request) override {
    return Answer(request, &delete_table_request, table);
  }
  absl::StatusOr<ListTablesOutput> ListTables(const ListTablesRequest& request) override {
    return Answer(request, &list_request, tables);
  }
  absl::StatusOr<DescribeLimitsOutput> DescribeLimits() override {
    if (!failure.ok()) return failure;
    return limits;
  }
  absl::Status WaitForBackfills() override { return absl::OkStatus(); }
  absl::Status Checkpoint(const std::string&) override { return absl::OkStatus(); }
  Statistics TakeStatistics() const override { return {}; }
  absl::StatusOr<TransactWriteItemsOutput> TransactWriteItems(
      const TransactWriteItemsRequest& request) override {
    return Answer(request, &transact_write_items_request, transact_write_items_output);
  }
  absl::StatusOr<TransactGetItemsOutput> TransactGetItems(
      const TransactGetItemsRequest& request) override {
    return Answer(request, &transact_get_items_request, transact_get_items_output);
  }
  absl::StatusOr<ExecuteStatementOutput> ExecuteStatement(
      const ExecuteStatementRequest& request) override {
    return Answer(request, &execute_statement_request, execute_statement_output);
  }
  absl::StatusOr<BatchExecuteStatementOutput> BatchExecuteStatement(
      const BatchExecuteStatementRequest& request) override {
    return Answer(request, &batch_execute_statement_request, batch_execute_statement_output);
  }
  absl::StatusOr<ExecuteTransactionOutput> ExecuteTransaction(
      const ExecuteTransactionRequest& request) override {
    return Answer(request, &execute_transaction_request, execute_transaction_output);
  }
  absl::StatusOr<UpdateTimeToLiveOutput> UpdateTimeToLive(
      const UpdateTimeToLiveRequest& request) override {
    return Answer(request, &update_time_to_live_request, update_time_to_live_output);
  }
  absl::StatusOr<DescribeTimeToLiveOutput> DescribeTimeToLive(
      const DescribeTimeToLiveRequest& request) override {
    return Answer(request, &describe_time_to_live_request, describe_time_to_live_output);
  }
  absl::StatusOr<ListStreamsOutput> ListStreams(const ListStreamsRequest& request) override {
    return Answer(request, &list_streams_request, list_streams_output);
  }
  absl::StatusOr<DescribeStreamOutput> DescribeStream(
      const DescribeStreamRequest& request) override {
    return Answer(request, &describe_stream_request, describe_stream_output);
  }
  absl::StatusOr<GetShardIteratorOutput> GetShardIterator(
      const GetShardIteratorRequest& request) override {
    return Answer(request, &get_shard_iterator_request, get_shard_iterator_output);
  }
  absl::StatusOr<GetRecordsOutput> GetRecords(const GetRecordsRequest& request) override {
    return Answer(request, &get_records_request, get_records_output);
  }
  absl::StatusOr<int64_t> SweepExpiredItems() override { return 0; }
  absl::Status TakeBackgroundFailure() override { return absl::OkStatus(); }
  absl::StatusOr<ListTagsOfResourceOutput> ListTagsOfResource(
      const ListTagsOfResourceRequest& request) override {
    return Answer(request, &list_tags_of_resource_request, list_tags_of_resource_output);
  }
  absl::StatusOr<PutResourcePolicyOutput> PutResourcePolicy(
      const PutResourcePolicyRequest& request) override {
    return Answer(request, &put_resource_policy_request, put_resource_policy_output);
  }
  absl::StatusOr<GetResourcePolicyOutput> GetResourcePolicy(
      const GetResourcePolicyRequest& request) override {
    return Answer(request, &get_resource_policy_request, get_resource_policy_output);
  }
  absl::StatusOr<DeleteResourcePolicyOutput> DeleteResourcePolicy(
      const DeleteResourcePolicyRequest& request) override {
    return Answer(request, &delete_resource_policy_request, delete_resource_policy_output);
  }
  absl::StatusOr<BackupDescription> CreateBackup(const CreateBackupRequest& request) override {
    return Answer(request, &create_backup_request, backup);
  }
  absl::StatusOr<BackupDescription> DescribeBackup(const DescribeBackupRequest& request) override {
    return Answer(request, &describe_backup_request, backup);
  }
  absl::StatusOr<BackupDescription> DeleteBackup(const DeleteBackupRequest& request) override {
    return Answer(request, &delete_backup_request, backup);
  }
  absl::StatusOr<ListBackupsOutput> ListBackups(const ListBackupsRequest& request) override {
    return Answer(request, &list_backups_request, list_backups_output);
  }
  absl::StatusOr<TableDescription> RestoreTableFromBackup(
      const RestoreTableFromBackupRequest& request) override {
    return Answer(request, &restore_table_from_backup_request, table);
  }
  absl::StatusOr<TableDescription> RestoreTableToPointInTime(
      const RestoreTableToPointInTimeRequest& request) override {
    return Answer(request, &restore_table_to_point_in_time_request, table);
  }
  absl::StatusOr<ContinuousBackupsDescription> DescribeContinuousBackups(
      const DescribeContinuousBackupsRequest& request) override {
    return Answer(request, &describe_continuous_backups_request,
                  describe_continuous_backups_output);
  }
  absl::StatusOr<ContinuousBackupsDescription> UpdateContinuousBackups(
      const UpdateContinuousBackupsRequest& request) override {
    return Answer(request, &update_continuous_backups_request, update_continuous_backups_output);
  }
  absl::StatusOr<ContributorInsightsDescription> DescribeContributorInsights(
      const DescribeContributorInsightsRequest& request) override {
    return Answer(request, &describe_contributor_insights_request,
                  describe_contributor_insights_output);
  }
  absl::StatusOr<ContributorInsightsDescription> UpdateContributorInsights(
      const UpdateContributorInsightsRequest& request) override {
    return Answer(request, &update_contributor_insights_request,
                  update_contributor_insights_output);
  }
  absl::StatusOr<ListContributorInsightsOutput> ListContributorInsights(
      const ListContributorInsightsRequest& request) override {
    return Answer(request, &list_contributor_insights_request, list_contributor_insights_output);
  }
  absl::StatusOr<DescribeKinesisStreamingDestinationOutput> DescribeKinesisStreamingDestination(
      const DescribeKinesisStreamingDestinationRequest& request) override {
    return Answer(request, &describe_kinesis_streaming_destination_request,
                  describe_kinesis_streaming_destination_output);
  }
  absl::StatusOr<KinesisStreamingDestinationOutput> EnableKinesisStreamingDestination(
      const KinesisStreamingDestinationRequest& request) override {
    return Answer(request, &enable_kinesis_streaming_destination_request,
                  enable_kinesis_streaming_destination_output);
  }
  absl::StatusOr<KinesisStreamingDestinationOutput> DisableKinesisStreamingDestination(
      const KinesisStreamingDestinationRequest& request) override {
    return Answer(request, &disable_kinesis_streaming_destination_request,
                  disable_kinesis_streaming_destination_output);
  }
  absl::StatusOr<UpdateKinesisStreamingDestinationOutput> UpdateKinesisStreamingDestination(
      const UpdateKinesisStreamingDestinationRequest& request) override {
    return Answer(request, &update_kinesis_streaming_destination_request,
                  update_kinesis_streaming_destination_output);
  }
  absl::StatusOr<TableAutoScalingDescription> UpdateTableReplicaAutoScaling(
      const UpdateTableReplicaAutoScalingRequest& request) override {
    return Answer(request, &update_table_replica_auto_scaling_request,
                  update_table_replica_auto_scaling_output);
  }
  absl::StatusOr<TableAutoScalingDescription> DescribeTableReplicaAutoScaling(
      const DescribeTableReplicaAutoScalingRequest& request) override {
    return Answer(request, &describe_table_replica_auto_scaling_request,
                  describe_table_replica_auto_scaling_output);
  }
  absl::Status TagResource(const TagResourceRequest& request) override {
    tag_resource_request = request;
    return failure;
  }
  absl::Status UntagResource(const UntagResourceRequest& request) override {
    untag_resource_request = request;
    return failure;
  }
  absl::StatusOr<ListExportsOutput> ListExports(const ListExportsRequest& request) override {
    return Answer(request, &list_exports_request, list_exports_output);
  }
  absl::StatusOr<ListImportsOutput> ListImports(const ListImportsRequest& request) override {
    return Answer(request, &list_imports_request, list_imports_output);
  }
  absl::StatusOr<ExportDescription> ExportTableToPointInTime(
      const ExportTableToPointInTimeRequest& request) override {
    return Answer(request, &export_request, export_output);
  }
  absl::StatusOr<ExportDescription> DescribeExport(const DescribeExportRequest& request) override {
    return Answer(request, &describe_export_request, describe_export_output);
  }
  absl::StatusOr<ImportTableDescription> ImportTable(const ImportTableRequest& request) override {
    return Answer(request, &import_table_request, import_table_output);
  }
  absl::StatusOr<ImportTableDescription> DescribeImport(
      const DescribeImportRequest& request) override {
    return Answer(request, &describe_import_request, describe_import_output);
  }
  absl::Status DescribeGlobalTable(const DescribeGlobalTableRequest& request) override {
    describe_global_table_request = request;
    return failure;
  }

 private:
  template <typename Request, typename Output>
  absl::StatusOr<Output> Answer(const Request& request, Request* kept, const Output& output) {
    *kept = request;
    if (!failure.ok()) return failure;
    return output;
  }

  absl::StatusOr<PageOutput> Page(ItemSink sink) {
    for (const Item& item : page.items) sink(item.view());
    if (!failure.ok()) return failure;
    PageOutput output = page;
    output.items.clear();
    return output;
  }
};

// A dispatcher on a fake database, and what its answers consist of.
struct JsonFixture {
  FakeDatabase database;
  Dispatcher dispatcher{&database, {}};

  std::string Body(std::string_view operation, std::string_view body) {
    return dispatcher.Handle(operation, body).body;
  }
};

// The bodies of the two errors of requests that have not reached an operation.
inline std::string SerializationBody(std::string_view message) {
  return R"({"__type":"com.amazon.coral.service#SerializationException","Message":")" +
         std::string(message) + "\"}";
}
inline std::string ValidationBody(std::string_view message) {
  return R"({"__type":"com.amazon.coral.validate#ValidationException","message":")" +
         std::string(message) + "\"}";
}

}  // namespace dynolith

#endif  // DYNOLITH_TESTS_UNIT_JSON_FAKE_DATABASE_H_
