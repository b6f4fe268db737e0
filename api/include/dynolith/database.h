// Dynolith in process: a database with DynamoDB's semantics in one folder or in memory.
//
//   auto database = dynolith::Database::Open({.path = "/tmp/music"});
//   (*database)->PutItem({.table_name = "music", .item = {{"pk", Value::S("a")}}});
//
// or the same calls of a service elsewhere: Database::Open({.endpoint = "https://…"}).
//
// Every method may be called from many threads at once. A failed status carries the service's
// exception kind (KindOf in engine/base/errors.h) and its message (MessageOf). Where the service
// returns them, it also carries the old item (AttachedItem) and the reasons of a cancelled
// transaction (AttachedReasons) or of a throttled request (AttachedThrottling); status.ToString()
// prints these as JSON (engine/value/attachments.h).
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_DATABASE_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_DATABASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dynolith/bulk_transfer.h"
#include "dynolith/capacity_options.h"
#include "dynolith/capacity_report.h"
#include "dynolith/changes.h"
#include "dynolith/client_scope.h"
#include "dynolith/control_rates.h"
#include "dynolith/faults.h"
#include "dynolith/follow_report.h"
#include "dynolith/heat_report.h"
#include "dynolith/hot_keys.h"
#include "dynolith/index_shards.h"
#include "dynolith/item_sink.h"
#include "dynolith/pager.h"
#include "dynolith/requests.h"
#include "dynolith/staleness_options.h"
#include "dynolith/statistics.h"
#include "dynolith/table_delays.h"
#include "dynolith/table_load.h"
#include "dynolith/use_report.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/value/attachments.h"

namespace dynolith {

class AccessObserver;
class LogObserver;
class RemoteCalls;
class Regions;
struct OperationContext;

// Whether SearchVectors compares every vector or, in large indexes, uses a graph that may miss some
// (index/graph/README.md).
enum class VectorSearch { kExact, kApproximate };

struct DatabaseOptions {
  // The folder with all data; created when absent. Ignored with `in_memory`.
  std::string path;
  bool in_memory = false;
  // Whether an acknowledged write also survives power loss, not only the end of the process.
  bool sync_commits = false;
  // Where the key comes from that protects the folder, its snapshots and its checkpoints:
  // "file:PATH", "env:NAME" or "command:TEXT", of 32 bytes, 64 hexadecimal digits or base64 of 32
  // bytes. A new folder becomes an encrypted one, and stays so; Open fails with kFailedPrecondition
  // without the key or with another one, and with a key for a folder that is not encrypted.
  // Exports, and whatever else is written elsewhere, are not encrypted. Empty: the folder is not
  // encrypted.
  std::string encryption_key;
  // For all memory that grows with use: memtables, cached parts of table files, cached items. Each
  // has its part (engine/process/memory_budget.h), unless it is set below. Reads and writes stay
  // within it, whatever the size of the data. Running requests and the graphs of vectors have
  // bounds of their own. Open fails with kInvalidArgument if it is too small, and with `in_memory`.
  // 0: no budget, and each part has its default.
  size_t memory_budget_bytes = 0;
  // The size of each of about two memtables; default: 8 MB.
  std::optional<size_t> write_buffer_bytes;
  // The cache of blocks of table files; default: 128 MB.
  std::optional<size_t> block_cache_bytes;
  // The cache of items that point reads read repeatedly, and of hot pages of a Query; 0: none;
  // default: 32 MB.
  std::optional<size_t> item_cache_bytes;
  // Parts of the ARNs that descriptions show.
  std::string region = "us-east-1";
  std::string account_id = "000000000000";
  // The regions that this database is one of (dynolith/regions.h), so that its tables may have
  // replicas in the others. Must outlive the database; nullptr: it is the only one.
  Regions* regions = nullptr;
  // Must outlive the database; nullptr: the machine's clock. Time to live, tokens, iterators,
  // stream trimming, the states of tables and indexes and every other time in an answer follow it.
  //
  //   ManualClock clock(absl::Now());
  //   auto database = Database::Open({.in_memory = true, .clock = &clock});
  //   ...
  //   clock.Advance(absl::Hours(25));  // returns when all work due by then is done
  //
  // If a ManualClock is earlier than an event in the folder, Open advances it. Do not set it back
  // then: past events would lie in its future.
  Clock* clock = nullptr;
  // Whether a write that overlaps a transaction waits for it, or fails with a conflict as in the
  // service (api/facts/operations.md §3).
  bool fail_on_conflict = false;
  // Whether UpdateItem refuses an UpdateExpression whose charge exceeds 400 KB, as in us-east-1 and
  // 21 of 31 other regions, and measures the item before the condition is evaluated; if not, only
  // the size of the resulting item counts, as in the rest (api/facts/values.md §7).
  bool charge_updates = true;
  // The time between two sweeps of expired items; zero: only SweepExpiredItems sweeps. With the
  // machine's clock sweeps run in the background; with a ManualClock as a part of each advance by
  // at least this time.
  absl::Duration ttl_sweep_period = absl::Seconds(1);
  // Shards of a new stream; 0: one for each of the table's initial partitions, at most four.
  int stream_shards = 0;
  // For tables and indexes, on `clock`; default: none.
  TableDelays table_delays;
  // Whether requests beyond a table's capacity are refused.
  CapacityOptions capacity;
  // For calls that are not about items, unless `capacity` is only counted.
  ControlRates control_rates;
  // Whether the consumption and refusals of tables and indexes are counted (ReportUse).
  bool count_use = false;
  // Whether the hot keys of all tables and indexes are watched (ReportHotKeys), and not only of
  // those for which UpdateContributorInsights asks. Counting a key costs some 100 ns.
  bool hot_keys = false;
  // Is told of every access of a table or an index (engine/partition/access_observer.h); must
  // outlive the database. nullptr: none.
  AccessObserver* observer = nullptr;
  // Is told what the logs in the folder cannot tell to whoever copies them
  // (engine/store/following/log_observer.h); must outlive the database. nullptr: nobody.
  LogObserver* log_observer = nullptr;
  // Whether the caller sends the changes of tables to their Kinesis destinations, as the server
  // does (tools/server/kinesis): then these are kept until they are sent, and a destination becomes
  // ACTIVE when the caller has found its stream. If not, destinations have states only.
  bool sends_to_kinesis = false;
  // The states that eventually consistent reads may see; default: the newest.
  StalenessOptions staleness;
  VectorSearch vector_search = VectorSearch::kExact;
  // With kApproximate, indexes or HASH values with fewer entries are still searched exactly.
  size_t vector_graph_entries = 10'000;
  // Memory for the graphs of kApproximate. A graph that does not fit is not built, and
  // TakeBackgroundFailure says so.
  size_t vector_graph_bytes = size_t{1} << 30;
  // The destination of exports and the source of imports; must outlive the database. nullptr: there
  // are no buckets, and every transfer fails as with a bucket that does not exist.
  BulkTransfer* transfers = nullptr;
  // Reads a folder without changing it, also while another process serves it. Reads see the folder
  // as it was when it was opened, regardless of later writes: nothing is swept or trimmed, no table
  // changes its state and no index is filled. Every write fails with
  // absl::StatusCode::kFailedPrecondition. Open advances a ManualClock as otherwise. Not with
  // `in_memory`.
  bool read_only = false;
  // With `read_only`: reads see what the writer commits as it goes on, mostly within 50 ms if no
  // call takes longer (Database::ReportFollowing says how far); each call sees one state. Streams
  // cannot be read, since a change on its way may come before one that is there already; nor can
  // reads be stale otherwise. Writes and reads of streams fail with AccessDeniedException.
  bool follow = false;
  // The address of a service that speaks DynamoDB's protocol, such as "http://127.0.0.1:8000" or
  // "https://dynamodb.eu-west-1.amazonaws.com". Every operation is asked of it, over connections
  // that all threads share. The options above are for a database in this process: none of them may
  // be set. Credentials, repetitions, differences: tools/manual/leaving.md. Needs the library
  // dynolith::endpoint (pkg-config: dynolith-endpoint).
  std::string endpoint;
  // For signatures; empty: of the address, or as SDKs find it.
  std::string endpoint_region;
  // A file of certificates (PEM) by which the endpoint is checked; empty: the system's.
  std::string endpoint_certificates;
};

// A forked process cannot use its parent's databases: methods that return a status fail there with
// AccessDeniedException, and deleting a database does nothing. The process may open databases of
// its own, of the same folder once the parent has closed it (engine/store/README.md, "Processes
// that fork").
//
// Behind an endpoint the operations, QueryAll, ScanAll and QueryTogether work as in process; their
// errors are those of the service, or kUnavailable where there is no answer. The virtual methods
// are for databases of this process: they fail with kFailedPrecondition, and those without a status
// do nothing and return nothing. Interrupt works; TakeBackgroundFailure has none to return.
class Database {
 public:
  // Errors: see LocalStore::Open; kDataLoss naming the damaged entry. For an endpoint, which is not
  // asked yet: kInvalidArgument for an invalid address, options that exclude it or no certificates;
  // kFailedPrecondition without the library dynolith::endpoint, credentials or a region.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const DatabaseOptions& options);
  virtual ~Database() = default;

  // Every operation of the service, by its name: absl::StatusOr<WriteOutput> PutItem(const
  // PutItemRequest& request), and so on.
#include "engine/model/methods.inc"

  absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request);
  // The same, but the item goes to `sink` (not called when there is none) without being copied. No
  // lock is held meanwhile: a sink, here and below, may call every method of this database and
  // advance its clock. It may also change or delete the data that is being read; the read continues
  // in its initial state. It must not destroy the database. Behind an endpoint an answer is read
  // whole before its items go to the sink.
  absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request, ItemSink sink);
  absl::StatusOr<BatchGetItemOutput> BatchGetItem(const BatchGetItemRequest& request);
  // The same, but `responses` stays empty.
  absl::StatusOr<BatchGetItemOutput> BatchGetItem(const BatchGetItemRequest& request,
                                                  TableItemSink sink);
  absl::StatusOr<PageOutput> Query(const QueryRequest& request);
  absl::StatusOr<PageOutput> Query(const QueryRequest& request, ItemSink sink);
  absl::StatusOr<PageOutput> Scan(const ScanRequest& request);
  absl::StatusOr<PageOutput> Scan(const ScanRequest& request, ItemSink sink);

  // Deletes all items that have expired, regardless of the period. Returns their number.
  virtual absl::StatusOr<int64_t> SweepExpiredItems() = 0;
  // The first failure, since the last call, of sweeps and other background work.
  virtual absl::Status TakeBackgroundFailure() = 0;

  // --- Not in the service ---

  // Every item of all pages, from the request's exclusive_start_key on; dynolith/pager.h says how
  // to check for a failure.
  Pager<QueryRequest> QueryAll(QueryRequest request);
  Pager<ScanRequest> ScanAll(ScanRequest request);

  // The changes of a table with a stream, in order (dynolith/changes.h). Errors:
  // ResourceNotFoundException for a table that does not exist, or a place whose stream is gone;
  // ValidationException for a table without a stream; kInvalidArgument for no place, or for one
  // that lies after everything in this database; TrimmedDataAccessException: changes after the
  // place are older than a day, and gone.
  virtual absl::StatusOr<std::unique_ptr<ChangeReader>> ReadChanges(const ChangesFrom& from) = 0;
  // The same, calling the function on a thread of its own. More errors: ServiceUnavailable if there
  // is no room for a thread.
  absl::StatusOr<std::unique_ptr<ChangeWatch>> Watch(
      const ChangesFrom& from, std::function<void(const PlacedChange&)> function);

  // Begins to make a table with its items, several times as fast as writing them into an existing
  // one. Other calls of this database continue meanwhile. The table's stream, if it has one, begins
  // after the items. Errors: CreateTable's.
  virtual absl::StatusOr<std::unique_ptr<TableLoad>> LoadTable(
      const CreateTableRequest& request) = 0;

  // A consistent copy of the whole database as it is now, which Open accepts, in a new or empty
  // folder. By hard links where the file system allows it, so cheap on the same disk; memtables are
  // flushed first. Writes continue meanwhile. Errors: kFailedPrecondition for a folder that is not
  // empty, for a database in memory, which has no files to copy, and for a read-only one; the
  // store's.
  virtual absl::Status Checkpoint(const std::string& folder) = 0;

  // Sets the treatment of requests beyond the table's capacity from now on, overriding the options
  // of Open; with full buckets. Its partitions stay as they are. Lost when the database is closed.
  // Errors: kInvalidArgument for a scale that is not above 0; those of DescribeTable.
  virtual absl::Status SetCapacity(std::string_view table, const CapacityOptions& options) = 0;
  // The past and present use of the table's partitions. Errors: those of DescribeTable.
  virtual absl::StatusOr<CapacityReport> ReportCapacity(std::string_view table) const = 0;

  // The consumption of each table and global index so far, with DatabaseOptions::count_use.
  virtual std::vector<UseReport> ReportUse() const = 0;
  // The hot keys of the table, or of its global index; `index`: empty for the table. Errors: those
  // of DescribeTable; the same for an index that does not exist.
  virtual absl::StatusOr<HotKeyReport> ReportHotKeys(std::string_view table,
                                                     std::string_view index) const = 0;
  // Whether, from now on, the hot keys of the table and all its global indexes are watched,
  // regardless of other settings, and the distribution of their accesses is recorded: the last ten
  // minutes on the database's clock, in at most 7.2 MB each. The record is dropped when this ends.
  // Errors: those of DescribeTable.
  virtual absl::Status WatchHeat(std::string_view table, bool watches) = 0;
  // The record, without times that ended before `since`. `index` and errors: those of
  // ReportHotKeys.
  virtual absl::StatusOr<HeatReport> ReportHeat(std::string_view table, std::string_view index,
                                                absl::Time since) const = 0;

  // Spreads the entries of each partition key of a global index over so many shards, 1 to 200, from
  // now on. Over the wire a tag of the table, "dynolith:shards:" and the index's name, sets it; an
  // existing tag is updated. Existing entries move in the background, beside reads and writes, and
  // queries are charged as before until all have moved. Errors: ValidationException;
  // ResourceNotFoundException for the table or the index.
  virtual absl::Status SetIndexShards(std::string_view table, std::string_view index,
                                      int shards) = 0;
  virtual absl::StatusOr<IndexShards> DescribeIndexShards(std::string_view table,
                                                          std::string_view index) const = 0;
  // The same for all global indexes of the table, the progress of those that are being filled or
  // moved, and the tags for shards that have no index. Errors: those of DescribeTable.
  virtual absl::StatusOr<IndexReport> ReportIndexes(std::string_view table) const = 0;

  // Injects faults into calls, of these methods and of the wire, until the rule expires or is
  // removed. Rules are asked in the order of their creation until one hits; latencies do not end
  // the search and add up. Returns its id. Rules are kept in memory only. Errors: kInvalidArgument;
  // kResourceExhausted beyond kFaultRulesMax rules that have not expired.
  virtual absl::StatusOr<int64_t> AddFault(const FaultRule& rule) = 0;
  // Whether there was such a rule.
  virtual bool RemoveFault(int64_t id) = 0;
  virtual void RemoveFaults() = 0;
  // All rules that have not been removed, in order. The oldest expired ones are dropped when there
  // are too many.
  virtual std::vector<FaultReport> ListFaults() const = 0;

  // From now on eventually consistent reads in the scope see this moment, regardless of the rules,
  // until it is released. A hold of an index or a stream takes precedence over that of its table,
  // and that over the hold of everything. A second hold of a scope moves it to the present. Writes
  // continue, and the store keeps the overwritten versions. Errors: kNotFound if there is no such
  // table or index.
  virtual absl::Status HoldReads(const ReadScope& of) = 0;
  // Errors: kNotFound if the scope is not held.
  virtual absl::Status ReleaseReads(const ReadScope& of) = 0;
  virtual StalenessState DescribeStaleness() const = 0;

  // How far a database is that follows another process's (DatabaseOptions::follow); the default of
  // FollowReport for others.
  virtual FollowReport ReportFollowing() const { return {}; }
  // Waits until later calls on such a database see all that the writer had acknowledged before this
  // one. Not from within a call, such as a sink. Errors: kFailedPrecondition for others;
  // FollowReport::failure.
  virtual absl::Status CatchUp();

  // The engine's content, and its work since it was opened. O(files).
  virtual Statistics TakeStatistics() const = 0;

  // Makes running and later pages and operations that walk whole tables fail soon, because the
  // process is to end. From any thread.
  virtual void Interrupt() = 0;

  // ---

  // Blocks until no index is being filled and all transfers have ended, or wait for a manual clock.
  // For tests and tools.
  virtual absl::Status WaitForBackfills() = 0;

 protected:
  Database() = default;
  // Behind an endpoint. Borrows `remote`.
  explicit Database(RemoteCalls* remote) : remote_(remote) {}

  // The borrowed parts that the operations use. Behind an endpoint there are none.
  virtual const OperationContext& context() const = 0;
  friend const OperationContext& ContextOf(const Database& database) { return database.context(); }

 private:
  friend RemoteCalls* RemoteCallsOf(const Database& database) { return database.remote_; }

  RemoteCalls* const remote_ = nullptr;  // nullptr in this process
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_DATABASE_H_
