// The Database behind the public interface: owns the parts, hands each call to its operation.
#ifndef DYNOLITH_API_DATABASE_DATABASE_IMPL_H_
#define DYNOLITH_API_DATABASE_DATABASE_IMPL_H_

#include <memory>

#include "api/database/ttl_sweeper.h"
#include "api/request/operation_context.h"
#include "api/table/backfill_runner.h"
#include "api/transfer/transfer_runner.h"
#include "api/write/conflict_table.h"
#include "api/write/idempotency.h"
#include "dynolith/database.h"
#include "engine/catalog/catalog.h"
#include "engine/history/history.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"
#include "engine/stream/stream_log.h"
#include "engine/ttl/expiry_index.h"

namespace dynolith {

class DatabaseImpl final : public Database {
 public:
  // Takes an open store; loads the catalog, finishes deletions and resumes unfinished backfills.
  static absl::StatusOr<std::unique_ptr<DatabaseImpl>> Make(const DatabaseOptions& options,
                                                            std::unique_ptr<Store> store);

  absl::StatusOr<WriteOutput> PutItem(const PutItemRequest& request) override;
  absl::StatusOr<WriteOutput> UpdateItem(const UpdateItemRequest& request) override;
  absl::StatusOr<WriteOutput> DeleteItem(const DeleteItemRequest& request) override;
  absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request) override;
  absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request, ItemSink sink) override;
  absl::StatusOr<BatchGetItemOutput> BatchGetItem(const BatchGetItemRequest& request) override;
  absl::StatusOr<BatchWriteItemOutput> BatchWriteItem(
      const BatchWriteItemRequest& request) override;
  absl::StatusOr<PageOutput> Query(const QueryRequest& request) override;
  absl::StatusOr<PageOutput> Query(const QueryRequest& request, ItemSink sink) override;
  absl::StatusOr<PageOutput> Scan(const ScanRequest& request) override;
  absl::StatusOr<PageOutput> Scan(const ScanRequest& request, ItemSink sink) override;
  absl::StatusOr<SearchVectorsOutput> SearchVectors(const SearchVectorsRequest& request) override;
  absl::StatusOr<TableDescription> CreateTable(const CreateTableRequest& request) override;
  absl::StatusOr<TableDescription> DescribeTable(const DescribeTableRequest& request) override;
  absl::StatusOr<TableDescription> UpdateTable(const UpdateTableRequest& request) override;
  absl::StatusOr<TableDescription> DeleteTable(const DeleteTableRequest& request) override;
  absl::StatusOr<ListTablesOutput> ListTables(const ListTablesRequest& request) override;
  absl::StatusOr<DescribeLimitsOutput> DescribeLimits() override;
  absl::StatusOr<TransactWriteItemsOutput> TransactWriteItems(
      const TransactWriteItemsRequest& request) override;
  absl::StatusOr<TransactGetItemsOutput> TransactGetItems(
      const TransactGetItemsRequest& request) override;
  absl::StatusOr<ExecuteStatementOutput> ExecuteStatement(
      const ExecuteStatementRequest& request) override;
  absl::StatusOr<BatchExecuteStatementOutput> BatchExecuteStatement(
      const BatchExecuteStatementRequest& request) override;
  absl::StatusOr<ExecuteTransactionOutput> ExecuteTransaction(
      const ExecuteTransactionRequest& request) override;
  absl::StatusOr<UpdateTimeToLiveOutput> UpdateTimeToLive(
      const UpdateTimeToLiveRequest& request) override;
  absl::StatusOr<DescribeTimeToLiveOutput> DescribeTimeToLive(
      const DescribeTimeToLiveRequest& request) override;
  absl::StatusOr<ListStreamsOutput> ListStreams(const ListStreamsRequest& request) override;
  absl::StatusOr<DescribeStreamOutput> DescribeStream(
      const DescribeStreamRequest& request) override;
  absl::StatusOr<GetShardIteratorOutput> GetShardIterator(
      const GetShardIteratorRequest& request) override;
  absl::StatusOr<GetRecordsOutput> GetRecords(const GetRecordsRequest& request) override;
  absl::StatusOr<int64_t> SweepExpiredItems() override;
  absl::Status TakeBackgroundFailure() override;
  absl::Status TagResource(const TagResourceRequest& request) override;
  absl::Status UntagResource(const UntagResourceRequest& request) override;
  absl::StatusOr<ImportTableDescription> ImportTable(const ImportTableRequest& request) override;
  absl::StatusOr<ImportTableDescription> DescribeImport(
      const DescribeImportRequest& request) override;
  absl::StatusOr<ListImportsOutput> ListImports(const ListImportsRequest& request) override;
  absl::StatusOr<ExportDescription> ExportTableToPointInTime(
      const ExportTableToPointInTimeRequest& request) override;
  absl::StatusOr<ExportDescription> DescribeExport(const DescribeExportRequest& request) override;
  absl::StatusOr<ListExportsOutput> ListExports(const ListExportsRequest& request) override;
  absl::Status DescribeGlobalTable(const DescribeGlobalTableRequest& request) override;
  absl::StatusOr<ListTagsOfResourceOutput> ListTagsOfResource(
      const ListTagsOfResourceRequest& request) override;
  absl::StatusOr<PutResourcePolicyOutput> PutResourcePolicy(
      const PutResourcePolicyRequest& request) override;
  absl::StatusOr<GetResourcePolicyOutput> GetResourcePolicy(
      const GetResourcePolicyRequest& request) override;
  absl::StatusOr<DeleteResourcePolicyOutput> DeleteResourcePolicy(
      const DeleteResourcePolicyRequest& request) override;
  absl::StatusOr<BackupDescription> CreateBackup(const CreateBackupRequest& request) override;
  absl::StatusOr<BackupDescription> DescribeBackup(const DescribeBackupRequest& request) override;
  absl::StatusOr<BackupDescription> DeleteBackup(const DeleteBackupRequest& request) override;
  absl::StatusOr<ListBackupsOutput> ListBackups(const ListBackupsRequest& request) override;
  absl::StatusOr<TableDescription> RestoreTableFromBackup(
      const RestoreTableFromBackupRequest& request) override;
  absl::StatusOr<TableDescription> RestoreTableToPointInTime(
      const RestoreTableToPointInTimeRequest& request) override;
  absl::StatusOr<ContinuousBackupsDescription> DescribeContinuousBackups(
      const DescribeContinuousBackupsRequest& request) override;
  absl::StatusOr<ContinuousBackupsDescription> UpdateContinuousBackups(
      const UpdateContinuousBackupsRequest& request) override;
  absl::StatusOr<ContributorInsightsDescription> DescribeContributorInsights(
      const DescribeContributorInsightsRequest& request) override;
  absl::StatusOr<ContributorInsightsDescription> UpdateContributorInsights(
      const UpdateContributorInsightsRequest& request) override;
  absl::StatusOr<ListContributorInsightsOutput> ListContributorInsights(
      const ListContributorInsightsRequest& request) override;
  absl::StatusOr<KinesisStreamingDestinationOutput> EnableKinesisStreamingDestination(
      const KinesisStreamingDestinationRequest& request) override;
  absl::StatusOr<KinesisStreamingDestinationOutput> DisableKinesisStreamingDestination(
      const KinesisStreamingDestinationRequest& request) override;
  absl::StatusOr<UpdateKinesisStreamingDestinationOutput> UpdateKinesisStreamingDestination(
      const UpdateKinesisStreamingDestinationRequest& request) override;
  absl::StatusOr<DescribeKinesisStreamingDestinationOutput> DescribeKinesisStreamingDestination(
      const DescribeKinesisStreamingDestinationRequest& request) override;
  absl::StatusOr<TableAutoScalingDescription> UpdateTableReplicaAutoScaling(
      const UpdateTableReplicaAutoScalingRequest& request) override;
  absl::StatusOr<TableAutoScalingDescription> DescribeTableReplicaAutoScaling(
      const DescribeTableReplicaAutoScalingRequest& request) override;
  absl::Status Checkpoint(const std::string& folder) override;
  Statistics TakeStatistics() const override;
  absl::Status WaitForBackfills() override;

  // For tools and tests that look below the operations.
  Store* store() { return store_.get(); }
  Catalog* catalog() { return catalog_.get(); }
  History* history() { return history_.get(); }

 private:
  DatabaseImpl() = default;

  // Destroyed from the last to the first: the runner stops before what it works on goes.
  std::unique_ptr<Store> store_;
  std::unique_ptr<Catalog> catalog_;
  RowLocks locks_;
  std::unique_ptr<IdempotencyTokens> tokens_;
  std::unique_ptr<ConflictTable> conflicts_;  // nullptr: overlapping writes wait
  std::unique_ptr<StreamLog> streams_;
  std::unique_ptr<History> history_;
  std::unique_ptr<ExpiryIndex> expiry_;
  std::unique_ptr<BackfillRunner> backfills_;  // nullptr: read-only
  OperationContext context_;
  std::unique_ptr<TtlSweeper> sweeper_;
  TransferRunner transfers_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_DATABASE_IMPL_H_
