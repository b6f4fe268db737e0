// Dynolith in process: a database with DynamoDB's semantics in one folder or in memory.
//
//   auto database = dynolith::Database::Open({.path = "/tmp/music"});
//   (*database)->PutItem({.table_name = "music", .item = {{"pk", Value::S("a")}}});
//
// Every method is safe to call from many threads. A failed status carries the service's exception
// kind (KindOf in engine/base/errors.h) and its message (MessageOf); and where the service returns
// them the old item (AttachedItem), the reasons of a cancelled transaction (AttachedReasons) or of
// a throttled request (AttachedThrottling), which also stand as JSON in what status.ToString()
// prints (engine/value/attachments.h).
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_DATABASE_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_DATABASE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dynolith/bulk_transfer.h"
#include "dynolith/capacity_options.h"
#include "dynolith/capacity_report.h"
#include "dynolith/client_scope.h"
#include "dynolith/control_rates.h"
#include "dynolith/faults.h"
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
struct OperationContext;

// How SearchVectors finds what is near: by comparing every vector, or, in large indexes, through a
// graph that may miss some (index/graph/README.md).
enum class VectorSearch { kExact, kApproximate };

struct DatabaseOptions {
  // The folder that holds everything; created when absent. Ignored with `in_memory`.
  std::string path;
  bool in_memory = false;
  // Whether an acknowledged write also survives power loss, not only the end of the process.
  bool sync_commits = false;
  // For everything that grows with use: memtables, what is read from table files, items that are
  // read again and again. Each has its part (engine/base/memory_budget.h), or the one that is given
  // below. What is read and written stays within it, however much there is on the disk; of its own
  // bounds are requests under way and the graphs of vectors. Open fails with kInvalidArgument if it
  // is too small, and with `in_memory`. 0: none, and each part has its default.
  size_t memory_budget_bytes = 0;
  // Of each of two memtables or so; default: 8 MB.
  std::optional<size_t> write_buffer_bytes;
  // Of blocks of table files; default: 128 MB.
  std::optional<size_t> block_cache_bytes;
  // Of memory for items that are read again and again, one by one; 0: none; default: 32 MB.
  std::optional<size_t> item_cache_bytes;
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
  // service (api/facts/operations.md §3).
  bool fail_on_conflict = false;
  // Whether UpdateItem refuses what its UpdateExpression is charged beyond 400 KB, as in us-east-1
  // and 21 of 31 other regions, and measures the item before the condition is looked at; if not,
  // only the item that comes of it counts, as in the rest (api/facts/values.md §7).
  bool charge_updates = true;
  // Between two sweeps of expired items; zero: only SweepExpiredItems. On the machine's clock in
  // the background; on a ManualClock as a part of each move by which so much time has passed.
  absl::Duration ttl_sweep_period = absl::Seconds(1);
  // Shards of a new stream; 0: one for each partition that the table has at first, at most four.
  int stream_shards = 0;
  // Of tables and indexes, on `clock`; default: none.
  TableDelays table_delays;
  // Whether requests beyond a table's capacity are refused.
  CapacityOptions capacity;
  // Of calls that are not about items, unless `capacity` is only counted.
  ControlRates control_rates;
  // Whether it is counted what tables and indexes consume and refuse (ReportUse).
  bool count_use = false;
  // Whether the hot keys of all tables and indexes are watched (ReportHotKeys), and not only of
  // those for which UpdateContributorInsights asks. Each key that is counted costs some 100 ns.
  bool hot_keys = false;
  // Is told of every access of a table or an index (engine/partition/access_observer.h); must
  // outlive the database. nullptr: nobody is.
  AccessObserver* observer = nullptr;
  // What eventually consistent reads may see; default: the newest state.
  StalenessOptions staleness;
  VectorSearch vector_search = VectorSearch::kExact;
  // Where kApproximate compares every vector, too: in indexes, or HASH values, of fewer entries.
  size_t vector_graph_entries = 10'000;
  // Memory for the graphs of kApproximate. A graph that does not fit is not built, and
  // TakeBackgroundFailure says so.
  size_t vector_graph_bytes = size_t{1} << 30;
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

// A process that was forked cannot use its parent's databases: what returns a status fails there
// with AccessDeniedException, and deleting one does nothing. It may open databases of its own, of
// the same folder once the parent has closed it (engine/store/README.md, "Processes that fork").
class Database {
 public:
  // Errors: see Store::Open; kDataLoss naming the damaged entry.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const DatabaseOptions& options);
  virtual ~Database() = default;

  // Every operation of the service, by its name: absl::StatusOr<WriteOutput> PutItem(const
  // PutItemRequest& request), and so on.
#include "engine/model/methods.inc"

  absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request);
  // The same, but the item goes to `sink` (not called when there is none) without being copied. No
  // lock is held meanwhile: a sink, here and below, may call every method of this database and move
  // its clock, also change or delete what is being read, which goes on as it was at its beginning.
  // It must not destroy the database.
  absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request, ItemSink sink);
  absl::StatusOr<BatchGetItemOutput> BatchGetItem(const BatchGetItemRequest& request);
  // The same, but `responses` stays empty.
  absl::StatusOr<BatchGetItemOutput> BatchGetItem(const BatchGetItemRequest& request,
                                                  TableItemSink sink);
  absl::StatusOr<PageOutput> Query(const QueryRequest& request);
  absl::StatusOr<PageOutput> Query(const QueryRequest& request, ItemSink sink);
  absl::StatusOr<PageOutput> Scan(const ScanRequest& request);
  absl::StatusOr<PageOutput> Scan(const ScanRequest& request, ItemSink sink);

  // Deletes what has expired by now, whatever the period says. Returns how many items.
  virtual absl::StatusOr<int64_t> SweepExpiredItems() = 0;
  // The first failure since the last call of sweeps and other work that nobody has asked for.
  virtual absl::Status TakeBackgroundFailure() = 0;

  // --- What the service does not have ---

  // Every item of all pages, from the request's exclusive_start_key on; dynolith/pager.h says how
  // to see a failure.
  Pager<QueryRequest> QueryAll(QueryRequest request);
  Pager<ScanRequest> ScanAll(ScanRequest request);

  // Begins to make a table with its items, some times as fast as writing them into one that is
  // there. Others call this database meanwhile as they like. A stream that it has begins behind the
  // items. Errors: CreateTable's.
  virtual absl::StatusOr<std::unique_ptr<TableLoad>> LoadTable(
      const CreateTableRequest& request) = 0;

  // A consistent copy of the whole database as it is now, which Open accepts, in a folder that is
  // made, or is empty. By hard links where the file system allows it, so cheap on the same disk;
  // memtables are flushed first. Writes go on meanwhile. Errors: kFailedPrecondition for a folder
  // that holds something, for a database in memory, which has no files to copy, and for a read-only
  // one; the store's.
  virtual absl::Status Checkpoint(const std::string& folder) = 0;

  // What becomes of requests beyond the table's capacity from now on, whatever the database was
  // opened with; with full buckets. Its partitions stay as they are. Not kept when the database is
  // closed. Errors: kInvalidArgument for a scale that is not above 0; those of DescribeTable.
  virtual absl::Status SetCapacity(std::string_view table, const CapacityOptions& options) = 0;
  // What the table's partitions have done and can do. Errors: those of DescribeTable.
  virtual absl::StatusOr<CapacityReport> ReportCapacity(std::string_view table) const = 0;

  // What each table and global index has given so far, if DatabaseOptions::count_use.
  virtual std::vector<UseReport> ReportUse() const = 0;
  // Which keys of the table, or of its global index, are hot; `index`: empty for the table. Errors:
  // those of DescribeTable; the same for an index that is not there.
  virtual absl::StatusOr<HotKeyReport> ReportHotKeys(std::string_view table,
                                                     std::string_view index) const = 0;
  // Whether, from now on, the hot keys of the table and all its global indexes are watched whatever
  // else says so, and it is recorded where their accesses fall: for ten minutes on the database's
  // clock, in at most 7.2 MB each. Forgotten when it ends. Errors: those of DescribeTable.
  virtual absl::Status WatchHeat(std::string_view table, bool watches) = 0;
  // What was recorded, but for times that ended before `since`. `index` and errors: those of
  // ReportHotKeys.
  virtual absl::StatusOr<HeatReport> ReportHeat(std::string_view table, std::string_view index,
                                                absl::Time since) const = 0;

  // Spreads the entries of each partition key of a global index over so many shards, 1 to 200, from
  // now on; over the wire a tag of the table, "dynolith:shards:" and the index's name, says it, and
  // one that there is follows. Entries that there are move in the background, beside reads and
  // writes, and queries are charged as before until all have. Errors: ValidationException;
  // ResourceNotFoundException for the table or the index.
  virtual absl::Status SetIndexShards(std::string_view table, std::string_view index,
                                      int shards) = 0;
  virtual absl::StatusOr<IndexShards> DescribeIndexShards(std::string_view table,
                                                          std::string_view index) const = 0;
  // The same of all global indexes of the table, how far those are that are being filled or moved,
  // and the tags for shards that have no index. Errors: those of DescribeTable.
  virtual absl::StatusOr<IndexReport> ReportIndexes(std::string_view table) const = 0;

  // Has calls fail on purpose, these methods' and the wire's, until the rule expires or is removed.
  // Rules are asked in the order of their making: the first that hits a call is the last that is
  // asked, but for latencies, which add up. Returns its id. They are kept in memory only. Errors:
  // kInvalidArgument; kResourceExhausted beyond kFaultRulesMax rules that have not expired.
  virtual absl::StatusOr<int64_t> AddFault(const FaultRule& rule) = 0;
  // Whether there was such a rule.
  virtual bool RemoveFault(int64_t id) = 0;
  virtual void RemoveFaults() = 0;
  // All rules that have not been removed, in order. Of expired ones the oldest are forgotten when
  // there are too many.
  virtual std::vector<FaultReport> ListFaults() const = 0;

  // From now on eventually consistent reads of what the scope covers see this moment, whatever the
  // rules say, until it is released; that of an index or a stream counts before that of its table,
  // that before the one of everything. A scope that is held already is held anew. Writes go on, and
  // the store keeps what they overwrite. Errors: kNotFound if there is no such table or index.
  virtual absl::Status HoldReads(const ReadScope& of) = 0;
  // Errors: kNotFound if the scope is not held.
  virtual absl::Status ReleaseReads(const ReadScope& of) = 0;
  virtual StalenessState DescribeStaleness() const = 0;

  // What the engine holds and has done since it was opened. O(files).
  virtual Statistics TakeStatistics() const = 0;

  // Makes pages and operations that walk whole tables fail soon, those under way and later ones,
  // because the process is to end. From any thread.
  virtual void Interrupt() = 0;

  // ---

  // Blocks until no index is being filled any more and all transfers have ended, or wait for a
  // clock that is moved by hand. For tests and tools.
  virtual absl::Status WaitForBackfills() = 0;

 protected:
  // What the operations work on.
  virtual const OperationContext& context() const = 0;
  friend const OperationContext& ContextOf(const Database& database) { return database.context(); }
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_DATABASE_H_
