// Dynolith in process: a database with DynamoDB's semantics in one folder or in memory.
//
//   auto database = dynolith::Database::Open({.path = "/tmp/music"});
//   (*database)->PutItem({.table_name = "music", .item = {{"pk", Value::S("a")}}});
//
// Every method is safe to call from many threads. A failed status carries the service's exception
// kind (KindOf), its message (MessageOf) and, where the service returns it, the old item
// (AttachedItem); see engine/base/errors.h.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_DATABASE_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_DATABASE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "dynolith/auto_scaling.h"
#include "dynolith/backups.h"
#include "dynolith/bulk_transfer.h"
#include "dynolith/item_sink.h"
#include "dynolith/pager.h"
#include "dynolith/requests.h"
#include "dynolith/statements.h"
#include "dynolith/statistics.h"
#include "dynolith/streams.h"
#include "dynolith/table_delays.h"
#include "dynolith/table_features.h"
#include "dynolith/time_to_live.h"
#include "dynolith/transactions.h"
#include "dynolith/transfers.h"
#include "dynolith/vectors.h"
#include "engine/base/clock.h"

namespace dynolith {

struct DatabaseOptions {
  // The folder that holds everything; created when absent. Ignored with `in_memory`.
  std::string path;
  bool in_memory = false;
  // Whether an acknowledged write also survives power loss, not only the end of the process.
  bool sync_commits = false;
  size_t write_buffer_bytes = 16 << 20;
  size_t block_cache_bytes = 128 << 20;
  // Parts of the ARNs that descriptions show.
  std::string region = "us-east-1";
  std::string account_id = "000000000000";
  // Must outlive the database; nullptr: the machine's clock. Time to live, tokens, iterators,
  // stream trimming, the states of tables and indexes and every other time in an answer follow it.
  //
  //   ManualClock clock(absl::Now());
  //   auto database = Database::Open({.in_memory = true, .clock = &clock});
  //   ...
  //   clock.Advance(absl::Hours(25));  // returns when all that is due by then has been done
  //
  // A ManualClock that is earlier than anything in the folder is moved forward by Open. It should
  // then not be set back: what has happened would lie in the future.
  Clock* clock = nullptr;
  // Whether a write that overlaps a transaction waits for it, or fails with a conflict as in the
  // service (facts/operations.md §3).
  bool fail_on_conflict = false;
  // Between two sweeps of expired items; zero: only SweepExpiredItems. On the machine's clock in
  // the background; on a ManualClock as a part of each move by which so much time has passed.
  absl::Duration ttl_sweep_period = absl::Seconds(1);
  // Shards of a new stream; 0: one for each partition that the table has at first, at most four.
  int stream_shards = 0;
  // Of tables and indexes, on `clock`; default: none.
  TableDelays table_delays;
  // Where exports go to and imports come from; must outlive the database. nullptr: there are no
  // buckets, and every transfer fails as one of a bucket that does not exist.
  BulkTransfer* transfers = nullptr;
  // Looks at a folder without changing anything in it, also while another process serves it. What
  // is seen is the folder as it was when it was opened, whatever is written to it later: nothing is
  // swept or trimmed, no table changes its state and no index is filled. Everything that would
  // write fails with absl::StatusCode::kFailedPrecondition. A ManualClock is moved forward by Open
  // as otherwise. Not with `in_memory`.
  bool read_only = false;
};

class Database {
 public:
  // Errors: see Store::Open; kDataLoss naming the damaged entry.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const DatabaseOptions& options);
  virtual ~Database() = default;

  virtual absl::StatusOr<WriteOutput> PutItem(const PutItemRequest& request) = 0;
  virtual absl::StatusOr<WriteOutput> UpdateItem(const UpdateItemRequest& request) = 0;
  virtual absl::StatusOr<WriteOutput> DeleteItem(const DeleteItemRequest& request) = 0;

  virtual absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request) = 0;
  // The same, but the item goes to `sink` (not called when there is none) without being copied.
  virtual absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request, ItemSink sink) = 0;

  virtual absl::StatusOr<BatchGetItemOutput> BatchGetItem(const BatchGetItemRequest& request) = 0;
  virtual absl::StatusOr<BatchWriteItemOutput> BatchWriteItem(
      const BatchWriteItemRequest& request) = 0;

  virtual absl::StatusOr<PageOutput> Query(const QueryRequest& request) = 0;
  virtual absl::StatusOr<PageOutput> Query(const QueryRequest& request, ItemSink sink) = 0;
  virtual absl::StatusOr<PageOutput> Scan(const ScanRequest& request) = 0;
  virtual absl::StatusOr<PageOutput> Scan(const ScanRequest& request, ItemSink sink) = 0;

  virtual absl::StatusOr<SearchVectorsOutput> SearchVectors(
      const SearchVectorsRequest& request) = 0;

  virtual absl::StatusOr<TransactWriteItemsOutput> TransactWriteItems(
      const TransactWriteItemsRequest& request) = 0;
  virtual absl::StatusOr<TransactGetItemsOutput> TransactGetItems(
      const TransactGetItemsRequest& request) = 0;

  virtual absl::StatusOr<ExecuteStatementOutput> ExecuteStatement(
      const ExecuteStatementRequest& request) = 0;
  virtual absl::StatusOr<BatchExecuteStatementOutput> BatchExecuteStatement(
      const BatchExecuteStatementRequest& request) = 0;
  virtual absl::StatusOr<ExecuteTransactionOutput> ExecuteTransaction(
      const ExecuteTransactionRequest& request) = 0;

  virtual absl::StatusOr<TableDescription> CreateTable(const CreateTableRequest& request) = 0;
  virtual absl::StatusOr<TableDescription> DescribeTable(const DescribeTableRequest& request) = 0;
  virtual absl::StatusOr<TableDescription> UpdateTable(const UpdateTableRequest& request) = 0;
  virtual absl::StatusOr<TableDescription> DeleteTable(const DeleteTableRequest& request) = 0;
  virtual absl::StatusOr<ListTablesOutput> ListTables(const ListTablesRequest& request) = 0;
  virtual absl::StatusOr<DescribeLimitsOutput> DescribeLimits() = 0;

  virtual absl::StatusOr<UpdateTimeToLiveOutput> UpdateTimeToLive(
      const UpdateTimeToLiveRequest& request) = 0;
  virtual absl::StatusOr<DescribeTimeToLiveOutput> DescribeTimeToLive(
      const DescribeTimeToLiveRequest& request) = 0;
  // Deletes what has expired by now, whatever the period says. Returns how many items.
  virtual absl::StatusOr<int64_t> SweepExpiredItems() = 0;
  // The first failure since the last call of sweeps and other work that nobody has asked for.
  virtual absl::Status TakeBackgroundFailure() = 0;

  virtual absl::StatusOr<ListStreamsOutput> ListStreams(const ListStreamsRequest& request) = 0;
  virtual absl::StatusOr<DescribeStreamOutput> DescribeStream(
      const DescribeStreamRequest& request) = 0;
  virtual absl::StatusOr<GetShardIteratorOutput> GetShardIterator(
      const GetShardIteratorRequest& request) = 0;
  virtual absl::StatusOr<GetRecordsOutput> GetRecords(const GetRecordsRequest& request) = 0;

  virtual absl::Status TagResource(const TagResourceRequest& request) = 0;
  virtual absl::Status UntagResource(const UntagResourceRequest& request) = 0;
  virtual absl::StatusOr<ListTagsOfResourceOutput> ListTagsOfResource(
      const ListTagsOfResourceRequest& request) = 0;

  virtual absl::StatusOr<PutResourcePolicyOutput> PutResourcePolicy(
      const PutResourcePolicyRequest& request) = 0;
  virtual absl::StatusOr<GetResourcePolicyOutput> GetResourcePolicy(
      const GetResourcePolicyRequest& request) = 0;
  virtual absl::StatusOr<DeleteResourcePolicyOutput> DeleteResourcePolicy(
      const DeleteResourcePolicyRequest& request) = 0;

  virtual absl::StatusOr<BackupDescription> CreateBackup(const CreateBackupRequest& request) = 0;
  virtual absl::StatusOr<BackupDescription> DescribeBackup(
      const DescribeBackupRequest& request) = 0;
  virtual absl::StatusOr<BackupDescription> DeleteBackup(const DeleteBackupRequest& request) = 0;
  virtual absl::StatusOr<ListBackupsOutput> ListBackups(const ListBackupsRequest& request) = 0;
  virtual absl::StatusOr<TableDescription> RestoreTableFromBackup(
      const RestoreTableFromBackupRequest& request) = 0;
  virtual absl::StatusOr<TableDescription> RestoreTableToPointInTime(
      const RestoreTableToPointInTimeRequest& request) = 0;

  virtual absl::StatusOr<ContinuousBackupsDescription> DescribeContinuousBackups(
      const DescribeContinuousBackupsRequest& request) = 0;
  virtual absl::StatusOr<ContinuousBackupsDescription> UpdateContinuousBackups(
      const UpdateContinuousBackupsRequest& request) = 0;

  virtual absl::StatusOr<ContributorInsightsDescription> DescribeContributorInsights(
      const DescribeContributorInsightsRequest& request) = 0;
  virtual absl::StatusOr<ContributorInsightsDescription> UpdateContributorInsights(
      const UpdateContributorInsightsRequest& request) = 0;
  virtual absl::StatusOr<ListContributorInsightsOutput> ListContributorInsights(
      const ListContributorInsightsRequest& request) = 0;

  virtual absl::StatusOr<KinesisStreamingDestinationOutput> EnableKinesisStreamingDestination(
      const KinesisStreamingDestinationRequest& request) = 0;
  virtual absl::StatusOr<KinesisStreamingDestinationOutput> DisableKinesisStreamingDestination(
      const KinesisStreamingDestinationRequest& request) = 0;
  virtual absl::StatusOr<UpdateKinesisStreamingDestinationOutput> UpdateKinesisStreamingDestination(
      const UpdateKinesisStreamingDestinationRequest& request) = 0;
  virtual absl::StatusOr<DescribeKinesisStreamingDestinationOutput>
  DescribeKinesisStreamingDestination(
      const DescribeKinesisStreamingDestinationRequest& request) = 0;

  virtual absl::StatusOr<TableAutoScalingDescription> UpdateTableReplicaAutoScaling(
      const UpdateTableReplicaAutoScalingRequest& request) = 0;
  virtual absl::StatusOr<TableAutoScalingDescription> DescribeTableReplicaAutoScaling(
      const DescribeTableReplicaAutoScalingRequest& request) = 0;

  // Exports and imports are done in the background.
  virtual absl::StatusOr<ImportTableDescription> ImportTable(const ImportTableRequest& request) = 0;
  virtual absl::StatusOr<ImportTableDescription> DescribeImport(
      const DescribeImportRequest& request) = 0;
  virtual absl::StatusOr<ListImportsOutput> ListImports(const ListImportsRequest& request) = 0;
  virtual absl::StatusOr<ExportDescription> ExportTableToPointInTime(
      const ExportTableToPointInTimeRequest& request) = 0;
  virtual absl::StatusOr<ExportDescription> DescribeExport(
      const DescribeExportRequest& request) = 0;
  virtual absl::StatusOr<ListExportsOutput> ListExports(const ListExportsRequest& request) = 0;

  // Never OK: there are none here.
  virtual absl::Status DescribeGlobalTable(const DescribeGlobalTableRequest& request) = 0;

  // --- What the service does not have ---

  // Every item of all pages, from the request's exclusive_start_key on; dynolith/pager.h says how
  // to see a failure.
  Pager<QueryRequest> QueryAll(QueryRequest request);
  Pager<ScanRequest> ScanAll(ScanRequest request);

  // A consistent copy of the whole database as it is now, which Open accepts, in a folder that is
  // made, or is empty. By hard links where the file system allows it, so cheap on the same disk;
  // memtables are flushed first. Writes go on meanwhile. Errors: kFailedPrecondition for a folder
  // that holds something, for a database in memory, which has no files to copy, and for a read-only
  // one; the store's.
  virtual absl::Status Checkpoint(const std::string& folder) = 0;

  // What the engine holds and has done since it was opened. O(files).
  virtual Statistics TakeStatistics() const = 0;

  // ---

  // Blocks until no index is being filled any more and all transfers have ended, for tests and
  // tools.
  virtual absl::Status WaitForBackfills() = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_DATABASE_H_
