#include "api/database/database_impl.h"

#include <utility>

#include "api/backup/backups.h"
#include "api/backup/restore_table_from_backup.h"
#include "api/backup/restore_table_to_point_in_time.h"
#include "api/control/absent_features.h"
#include "api/control/auto_scaling.h"
#include "api/control/continuous_backups.h"
#include "api/control/contributor_insights.h"
#include "api/control/create_table.h"
#include "api/control/delete_table.h"
#include "api/control/describe_limits.h"
#include "api/control/describe_table.h"
#include "api/control/describe_time_to_live.h"
#include "api/control/kinesis_destinations.h"
#include "api/control/list_tables.h"
#include "api/control/list_tags_of_resource.h"
#include "api/control/resource_policies.h"
#include "api/control/tag_resource.h"
#include "api/control/untag_resource.h"
#include "api/control/update_table.h"
#include "api/control/update_time_to_live.h"
#include "api/database/latest_time.h"
#include "api/partiql/batch_execute_statement.h"
#include "api/partiql/execute_statement.h"
#include "api/partiql/execute_transaction.h"
#include "api/read/batch_get_item.h"
#include "api/read/get_item.h"
#include "api/read/query.h"
#include "api/read/scan.h"
#include "api/read/search_vectors.h"
#include "api/read/transact_get_items.h"
#include "api/stream/describe_stream.h"
#include "api/stream/get_records.h"
#include "api/stream/get_shard_iterator.h"
#include "api/stream/list_streams.h"
#include "api/transfer/export_table_to_point_in_time.h"
#include "api/transfer/import_table.h"
#include "api/transfer/interrupted_transfers.h"
#include "api/transfer/transfer_lists.h"
#include "api/write/batch_write_item.h"
#include "api/write/delete_item.h"
#include "api/write/put_item.h"
#include "api/write/transact_write_items.h"
#include "api/write/update_item.h"
#include "engine/base/status_macros.h"
#include "engine/store/work_counters.h"

namespace dynolith {
namespace {

// After that time the service closes a shard and opens a child of it (facts/operations.md §6).
constexpr absl::Duration kStreamShardLife = absl::Hours(4);

// Copies what a sink receives.
Item CopyCounted(ItemView item) {
  WorkCounters& work = ThreadWork();
  ++work.item_copies;
  work.bytes_copied += item.bytes().size();
  return Item::Copy(item);
}

// A clock that stands still goes on from where everything in the store has happened.
absl::Status MoveToLatest(const OperationContext& context, ManualClock* clock) {
  DYNOLITH_ASSIGN_OR_RETURN(const absl::Time latest, LatestTime(context));
  if (clock->Now() < latest) clock->Set(latest);
  return absl::OkStatus();
}

// What the last process to write to the store has left undone.
absl::Status FinishLeftovers(const OperationContext& context) {
  DYNOLITH_RETURN_IF_ERROR(FinishDeletions(context));
  DYNOLITH_RETURN_IF_ERROR(FinishInterruptedTransfers(context));
  return context.streams->FollowAll(*context.catalog);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  StoreOptions store_options;
  store_options.path = options.path;
  store_options.in_memory = options.in_memory;
  store_options.sync_commits = options.sync_commits;
  store_options.write_buffer_bytes = options.write_buffer_bytes;
  store_options.block_cache_bytes = options.block_cache_bytes;
  store_options.read_only = store_options.beside_writer = options.read_only;
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Store::Open(store_options));
  return DatabaseImpl::Make(options, std::move(store));
}

absl::StatusOr<std::unique_ptr<DatabaseImpl>> DatabaseImpl::Make(const DatabaseOptions& options,
                                                                 std::unique_ptr<Store> store) {
  std::unique_ptr<DatabaseImpl> database(new DatabaseImpl);
  database->store_ = std::move(store);
  DYNOLITH_ASSIGN_OR_RETURN(database->catalog_, Catalog::Load(database->store_.get()));
  OperationContext& context = database->context_;
  context.store = database->store_.get();
  context.catalog = database->catalog_.get();
  context.locks = &database->locks_;
  context.clock = options.clock ? options.clock : &SystemClock();
  context.region = options.region;
  context.account_id = options.account_id;
  context.delays = options.table_delays;
  context.transfers = options.transfers;
  database->tokens_ = std::make_unique<IdempotencyTokens>(context.store, context.clock);
  context.tokens = database->tokens_.get();
  if (options.fail_on_conflict) database->conflicts_ = std::make_unique<ConflictTable>();
  context.conflicts = database->conflicts_.get();
  DYNOLITH_ASSIGN_OR_RETURN(database->streams_, StreamLog::Load(context.store, context.clock,
                                                                {.shards = options.stream_shards,
                                                                 .shard_life = kStreamShardLife}));
  context.streams = database->streams_.get();
  DYNOLITH_ASSIGN_OR_RETURN(database->history_, History::Load(context.store, context.clock));
  context.history = database->history_.get();
  ManualClock* const manual_clock = options.clock ? options.clock->AsManual() : nullptr;
  if (manual_clock != nullptr) DYNOLITH_RETURN_IF_ERROR(MoveToLatest(context, manual_clock));
  const bool writes = !context.store->read_only();
  if (writes) DYNOLITH_RETURN_IF_ERROR(FinishLeftovers(context));
  database->expiry_ = std::make_unique<ExpiryIndex>(context.store, context.catalog, context.locks);
  context.expiry = database->expiry_.get();
  if (writes) {
    database->backfills_ =
        std::make_unique<BackfillRunner>(context.store, context.locks, context.catalog);
  }
  context.backfills = database->backfills_.get();
  database->sweeper_ = std::make_unique<TtlSweeper>(
      &database->context_,
      TtlSweeperOptions{.period = options.ttl_sweep_period, .clock = manual_clock});
  if (writes) database->sweeper_->Start();
  return database;
}

absl::StatusOr<WriteOutput> DatabaseImpl::PutItem(const PutItemRequest& request) {
  return dynolith::PutItem(context_, request);
}

absl::StatusOr<WriteOutput> DatabaseImpl::UpdateItem(const UpdateItemRequest& request) {
  return dynolith::UpdateItem(context_, request);
}

absl::StatusOr<WriteOutput> DatabaseImpl::DeleteItem(const DeleteItemRequest& request) {
  return dynolith::DeleteItem(context_, request);
}

absl::StatusOr<GetItemOutput> DatabaseImpl::GetItem(const GetItemRequest& request) {
  std::optional<Item> copy;
  DYNOLITH_ASSIGN_OR_RETURN(
      GetItemOutput output,
      dynolith::GetItem(context_, request, [&copy](ItemView item) { copy = CopyCounted(item); }));
  output.item = std::move(copy);
  return output;
}

absl::StatusOr<GetItemOutput> DatabaseImpl::GetItem(const GetItemRequest& request, ItemSink sink) {
  return dynolith::GetItem(context_, request, sink);
}

absl::StatusOr<BatchGetItemOutput> DatabaseImpl::BatchGetItem(const BatchGetItemRequest& request) {
  return dynolith::BatchGetItem(context_, request);
}

absl::StatusOr<BatchWriteItemOutput> DatabaseImpl::BatchWriteItem(
    const BatchWriteItemRequest& request) {
  return dynolith::BatchWriteItem(context_, request);
}

absl::StatusOr<PageOutput> DatabaseImpl::Query(const QueryRequest& request) {
  std::vector<Item> items;
  DYNOLITH_ASSIGN_OR_RETURN(PageOutput output,
                            dynolith::Query(context_, request, [&items](ItemView item) {
                              items.push_back(CopyCounted(item));
                            }));
  output.items = std::move(items);
  return output;
}

absl::StatusOr<PageOutput> DatabaseImpl::Query(const QueryRequest& request, ItemSink sink) {
  return dynolith::Query(context_, request, sink);
}

absl::StatusOr<PageOutput> DatabaseImpl::Scan(const ScanRequest& request) {
  std::vector<Item> items;
  DYNOLITH_ASSIGN_OR_RETURN(PageOutput output,
                            dynolith::Scan(context_, request, [&items](ItemView item) {
                              items.push_back(CopyCounted(item));
                            }));
  output.items = std::move(items);
  return output;
}

absl::StatusOr<PageOutput> DatabaseImpl::Scan(const ScanRequest& request, ItemSink sink) {
  return dynolith::Scan(context_, request, sink);
}

absl::StatusOr<SearchVectorsOutput> DatabaseImpl::SearchVectors(
    const SearchVectorsRequest& request) {
  return dynolith::SearchVectors(context_, request);
}

absl::StatusOr<TableDescription> DatabaseImpl::CreateTable(const CreateTableRequest& request) {
  return dynolith::CreateTable(&context_, request);
}

absl::StatusOr<TableDescription> DatabaseImpl::DescribeTable(const DescribeTableRequest& request) {
  return dynolith::DescribeTable(&context_, request);
}

absl::StatusOr<TableDescription> DatabaseImpl::UpdateTable(const UpdateTableRequest& request) {
  return dynolith::UpdateTable(&context_, request);
}

absl::StatusOr<TableDescription> DatabaseImpl::DeleteTable(const DeleteTableRequest& request) {
  return dynolith::DeleteTable(&context_, request);
}

absl::StatusOr<ListTablesOutput> DatabaseImpl::ListTables(const ListTablesRequest& request) {
  return dynolith::ListTables(&context_, request);
}

absl::StatusOr<DescribeLimitsOutput> DatabaseImpl::DescribeLimits() {
  return dynolith::DescribeLimits(&context_);
}

absl::StatusOr<TransactWriteItemsOutput> DatabaseImpl::TransactWriteItems(
    const TransactWriteItemsRequest& request) {
  return dynolith::TransactWriteItems(context_, request);
}

absl::StatusOr<TransactGetItemsOutput> DatabaseImpl::TransactGetItems(
    const TransactGetItemsRequest& request) {
  return dynolith::TransactGetItems(context_, request);
}

absl::StatusOr<ExecuteStatementOutput> DatabaseImpl::ExecuteStatement(
    const ExecuteStatementRequest& request) {
  return dynolith::ExecuteStatement(context_, request);
}

absl::StatusOr<BatchExecuteStatementOutput> DatabaseImpl::BatchExecuteStatement(
    const BatchExecuteStatementRequest& request) {
  return dynolith::BatchExecuteStatement(context_, request);
}

absl::StatusOr<ExecuteTransactionOutput> DatabaseImpl::ExecuteTransaction(
    const ExecuteTransactionRequest& request) {
  return dynolith::ExecuteTransaction(context_, request);
}

absl::StatusOr<UpdateTimeToLiveOutput> DatabaseImpl::UpdateTimeToLive(
    const UpdateTimeToLiveRequest& request) {
  return dynolith::UpdateTimeToLive(context_, request);
}

absl::StatusOr<DescribeTimeToLiveOutput> DatabaseImpl::DescribeTimeToLive(
    const DescribeTimeToLiveRequest& request) {
  return dynolith::DescribeTimeToLive(context_, request);
}

absl::StatusOr<ListStreamsOutput> DatabaseImpl::ListStreams(const ListStreamsRequest& request) {
  return dynolith::ListStreams(context_, request);
}

absl::StatusOr<DescribeStreamOutput> DatabaseImpl::DescribeStream(
    const DescribeStreamRequest& request) {
  return dynolith::DescribeStream(context_, request);
}

absl::StatusOr<GetShardIteratorOutput> DatabaseImpl::GetShardIterator(
    const GetShardIteratorRequest& request) {
  return dynolith::GetShardIterator(context_, request);
}

absl::StatusOr<GetRecordsOutput> DatabaseImpl::GetRecords(const GetRecordsRequest& request) {
  return dynolith::GetRecords(context_, request);
}

absl::StatusOr<int64_t> DatabaseImpl::SweepExpiredItems() {
  DYNOLITH_RETURN_IF_ERROR(store_->CheckWritable());
  return sweeper_->SweepNow();
}

absl::Status DatabaseImpl::TakeBackgroundFailure() { return sweeper_->TakeFailure(); }

absl::Status DatabaseImpl::TagResource(const TagResourceRequest& request) {
  return dynolith::TagResource(context_, request);
}

absl::Status DatabaseImpl::UntagResource(const UntagResourceRequest& request) {
  return dynolith::UntagResource(context_, request);
}

absl::StatusOr<ListTagsOfResourceOutput> DatabaseImpl::ListTagsOfResource(
    const ListTagsOfResourceRequest& request) {
  return dynolith::ListTagsOfResource(context_, request);
}

absl::StatusOr<PutResourcePolicyOutput> DatabaseImpl::PutResourcePolicy(
    const PutResourcePolicyRequest& request) {
  return dynolith::PutResourcePolicy(context_, request);
}

absl::StatusOr<GetResourcePolicyOutput> DatabaseImpl::GetResourcePolicy(
    const GetResourcePolicyRequest& request) {
  return dynolith::GetResourcePolicy(context_, request);
}

absl::StatusOr<DeleteResourcePolicyOutput> DatabaseImpl::DeleteResourcePolicy(
    const DeleteResourcePolicyRequest& request) {
  return dynolith::DeleteResourcePolicy(context_, request);
}

absl::StatusOr<BackupDescription> DatabaseImpl::CreateBackup(const CreateBackupRequest& request) {
  return dynolith::CreateBackup(context_, request);
}

absl::StatusOr<BackupDescription> DatabaseImpl::DescribeBackup(
    const DescribeBackupRequest& request) {
  return dynolith::DescribeBackup(context_, request);
}

absl::StatusOr<BackupDescription> DatabaseImpl::DeleteBackup(const DeleteBackupRequest& request) {
  return dynolith::DeleteBackup(context_, request);
}

absl::StatusOr<ListBackupsOutput> DatabaseImpl::ListBackups(const ListBackupsRequest& request) {
  return dynolith::ListBackups(context_, request);
}

absl::StatusOr<TableDescription> DatabaseImpl::RestoreTableFromBackup(
    const RestoreTableFromBackupRequest& request) {
  return dynolith::RestoreTableFromBackup(context_, request);
}

absl::StatusOr<TableDescription> DatabaseImpl::RestoreTableToPointInTime(
    const RestoreTableToPointInTimeRequest& request) {
  return dynolith::RestoreTableToPointInTime(context_, request);
}

absl::StatusOr<ContinuousBackupsDescription> DatabaseImpl::DescribeContinuousBackups(
    const DescribeContinuousBackupsRequest& request) {
  return dynolith::DescribeContinuousBackups(context_, request);
}

absl::StatusOr<ContinuousBackupsDescription> DatabaseImpl::UpdateContinuousBackups(
    const UpdateContinuousBackupsRequest& request) {
  return dynolith::UpdateContinuousBackups(context_, request);
}

absl::StatusOr<ContributorInsightsDescription> DatabaseImpl::DescribeContributorInsights(
    const DescribeContributorInsightsRequest& request) {
  return dynolith::DescribeContributorInsights(context_, request);
}

absl::StatusOr<ContributorInsightsDescription> DatabaseImpl::UpdateContributorInsights(
    const UpdateContributorInsightsRequest& request) {
  return dynolith::UpdateContributorInsights(context_, request);
}

absl::StatusOr<ListContributorInsightsOutput> DatabaseImpl::ListContributorInsights(
    const ListContributorInsightsRequest& request) {
  return dynolith::ListContributorInsights(context_, request);
}

absl::StatusOr<KinesisStreamingDestinationOutput> DatabaseImpl::EnableKinesisStreamingDestination(
    const KinesisStreamingDestinationRequest& request) {
  return dynolith::EnableKinesisStreamingDestination(context_, request);
}

absl::StatusOr<KinesisStreamingDestinationOutput> DatabaseImpl::DisableKinesisStreamingDestination(
    const KinesisStreamingDestinationRequest& request) {
  return dynolith::DisableKinesisStreamingDestination(context_, request);
}

absl::StatusOr<UpdateKinesisStreamingDestinationOutput>
DatabaseImpl::UpdateKinesisStreamingDestination(
    const UpdateKinesisStreamingDestinationRequest& request) {
  return dynolith::UpdateKinesisStreamingDestination(context_, request);
}

absl::StatusOr<DescribeKinesisStreamingDestinationOutput>
DatabaseImpl::DescribeKinesisStreamingDestination(
    const DescribeKinesisStreamingDestinationRequest& request) {
  return dynolith::DescribeKinesisStreamingDestination(context_, request);
}

absl::StatusOr<TableAutoScalingDescription> DatabaseImpl::UpdateTableReplicaAutoScaling(
    const UpdateTableReplicaAutoScalingRequest& request) {
  return dynolith::UpdateTableReplicaAutoScaling(context_, request);
}

absl::StatusOr<TableAutoScalingDescription> DatabaseImpl::DescribeTableReplicaAutoScaling(
    const DescribeTableReplicaAutoScalingRequest& request) {
  return dynolith::DescribeTableReplicaAutoScaling(context_, request);
}

absl::StatusOr<ImportTableDescription> DatabaseImpl::ImportTable(
    const ImportTableRequest& request) {
  return dynolith::ImportTable(context_, &transfers_, request);
}

absl::StatusOr<ImportTableDescription> DatabaseImpl::DescribeImport(
    const DescribeImportRequest& request) {
  return dynolith::DescribeImport(context_, request);
}

absl::StatusOr<ListImportsOutput> DatabaseImpl::ListImports(const ListImportsRequest& request) {
  return dynolith::ListImports(context_, request);
}

absl::StatusOr<ExportDescription> DatabaseImpl::ExportTableToPointInTime(
    const ExportTableToPointInTimeRequest& request) {
  return dynolith::ExportTableToPointInTime(context_, &transfers_, request);
}

absl::StatusOr<ExportDescription> DatabaseImpl::DescribeExport(
    const DescribeExportRequest& request) {
  return dynolith::DescribeExport(context_, request);
}

absl::StatusOr<ListExportsOutput> DatabaseImpl::ListExports(const ListExportsRequest& request) {
  return dynolith::ListExports(context_, request);
}

absl::Status DatabaseImpl::DescribeGlobalTable(const DescribeGlobalTableRequest& request) {
  return dynolith::DescribeGlobalTable(request);
}

absl::Status DatabaseImpl::Checkpoint(const std::string& folder) {
  return store_->Checkpoint(folder);
}

Statistics DatabaseImpl::TakeStatistics() const {
  Statistics statistics;
  for (const std::shared_ptr<Table>& table : catalog_->All()) {
    ++statistics.tables;
    statistics.indexes += table->meta()->schema.indexes.size();
  }
  statistics.store = store_->TakeStatistics();
  return statistics;
}

absl::Status DatabaseImpl::WaitForBackfills() {
  absl::Status status = backfills_ ? backfills_->WaitUntilIdle() : absl::OkStatus();
  status.Update(transfers_.WaitUntilIdle());
  return status;
}

}  // namespace dynolith
