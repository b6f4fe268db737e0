// The change log: the changes of the items of tables with a stream or with Kinesis destinations,
// for 24 hours (api/facts/operations.md §6).
#ifndef DYNOLITH_ENGINE_STREAM_STREAM_LOG_H_
#define DYNOLITH_ENGINE_STREAM_STREAM_LOG_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "engine/base/clock.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/row_follower.h"
#include "engine/store/store.h"
#include "engine/store/transaction/transaction.h"
#include "engine/stream/record.h"
#include "engine/stream/sequence_numbers.h"
#include "engine/stream/shard_iterator.h"
#include "engine/stream/stream_rows.h"

namespace dynolith {

struct StreamOptions {
  // Shards of a new stream. 0: one for each of the table's initial partitions, at most four.
  int shards = 0;
  // The age at which RollOldShards closes an open shard; zero or infinite: never.
  absl::Duration shard_life = absl::ZeroDuration();
};

// All streams of a store. In a SharedStore other processes change them as well: each change expects
// the row that every change changes (kSequenceLimitKey), and so does each commit with records; the
// rows are read again when it is not as it was. Streams follow the tables' metadata; a table's
// first record opens its stream if no call has done so before, so a crash between the two does no
// harm. Thread-safe. Lock order: row locks, mutex_, the sequence numbers' own.
class StreamLog {
 public:
  // `store` and `clock` must outlive the log. Errors: kDataLoss; the store's.
  static absl::StatusOr<std::unique_ptr<StreamLog>> Load(Store* store, const Clock* clock,
                                                         const StreamOptions& options = {});

  // Reads what other processes have changed. No effect in a LocalStore. Errors: kDataLoss; the
  // store's.
  absl::Status Refresh() ABSL_LOCKS_EXCLUDED(mutex_);

  // --- Changes of tables ---

  // Opens or closes the table's streams as `meta` says. Call it after each change of
  // TableMeta::stream has been published. Idempotent.
  absl::Status Follow(const TableMeta& meta) ABSL_LOCKS_EXCLUDED(mutex_);
  // Closes the streams of a dropped table.
  absl::Status Drop(StorageId table_id) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same for the table of that name, if there is one; closes the streams of earlier tables of
  // that name.
  absl::Status FollowTable(const Catalog& catalog, std::string_view table_name)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The same for all tables: repairs interrupted changes, and finds those without a call.
  absl::Status FollowAll(const Catalog& catalog) ABSL_LOCKS_EXCLUDED(mutex_);

  // --- Shards ---

  // Closes an open shard; one child takes over its items. Errors: kFailedPrecondition if there is
  // no such open shard.
  absl::Status RollShard(const StreamName& name, uint64_t shard) ABSL_LOCKS_EXCLUDED(mutex_);
  // A partition of the table has been split where `hash` begins. Its shard is closed and two
  // children divide it there, or one replaces it if all of it lies on one side. No effect without a
  // stream.
  absl::Status FollowSplit(StorageId table_id, uint64_t hash) ABSL_LOCKS_EXCLUDED(mutex_);
  // Rolls all open shards that have reached their age.
  absl::Status RollOldShards() ABSL_LOCKS_EXCLUDED(mutex_);

  // --- Reading ---

  // Names in order, at most `limit`: those of one table if `table` is set, greater than `after` if
  // that is set. Here and in Find there are no streams of Kinesis destinations.
  std::vector<StreamName> Names(const std::optional<std::string>& table,
                                const std::optional<StreamName>& after, size_t limit)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The present stream: with `trimmed_through` up to date and without the shards whose records are
  // all too old. nullopt if there is none.
  absl::StatusOr<std::optional<Stream>> Find(const StreamName& name) ABSL_LOCKS_EXCLUDED(mutex_);
  // The streams of Kinesis destinations, in the order of their names, each as Find returns it.
  absl::StatusOr<std::vector<Stream>> DestinationStreams() ABSL_LOCKS_EXCLUDED(mutex_);
  // The table of a stream. nullopt if there is no such stream.
  std::optional<std::string> FindTableName(uint64_t stream) const ABSL_LOCKS_EXCLUDED(mutex_);
  // No stream, shard or record has a later time. One seek for each shard.
  absl::StatusOr<absl::Time> LatestTime() const ABSL_LOCKS_EXCLUDED(mutex_);
  // After all of the shard's records whose writes have been acknowledged. Errors: kDataLoss; the
  // store's.
  absl::StatusOr<SequenceNumber> LatestPosition(const StreamShard& shard) const;
  // Each record up to this number either can be read by now or will never exist. Errors: the
  // store's, of a SharedStore.
  absl::StatusOr<SequenceNumber> Visible() const;
  // A snapshot of the store that is taken after this call has every record up to this number that
  // will ever exist. Takes no lock. 0 if a SharedStore does not tell.
  SequenceNumber VisibleThrough() const { return Visible().value_or(0); }
  // Waits until there may be records with numbers above this one. False: there were none by the end
  // of the time. In a SharedStore it looks every 50 ms.
  bool AwaitVisible(SequenceNumber above, absl::Duration timeout) const;
  // The place of the shard's first record that was made at `time` or later; after all records if
  // there is none. Errors: kDataLoss; the store's. O(log(numbers) + records of kDisorder).
  absl::StatusOr<SequenceNumber> PositionAt(const StreamShard& shard, absl::Time time) const;
  // Records are in the order of their times, except those of concurrent commits, as long as the
  // clock is not set back.
  static constexpr absl::Duration kDisorder = absl::Seconds(1);

  // An older state to read.
  struct ReadPoint {
    const Snapshot* snapshot = nullptr;
    SequenceNumber visible_through = 0;  // as of before the snapshot
  };

  struct ReadResult {
    // The start of the next read; nullopt: the shard is closed and ends here.
    std::optional<SequenceNumber> next_position;
  };
  // Calls `sink(sequence number, record)` for the records from the iterator's place on, at most
  // `records_max` and together at most `bytes_max` of RecordBytes, but at least one. The record's
  // views are valid during the call. With `past`, records beyond it are left to later reads.
  // Errors: TrimmedDataAccessException; kDataLoss; the store's.
  absl::StatusOr<ReadResult> Read(const ShardIterator& from, size_t records_max, size_t bytes_max,
                                  absl::FunctionRef<void(SequenceNumber, const RecordView&)> sink,
                                  const std::optional<ReadPoint>& past = std::nullopt)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Periodic work: rolls old shards, and deletes expired records from the store; reads hide these
  // even before.
  absl::Status Trim() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend class StreamRecorder;
  using Streams = std::map<uint64_t, Stream>;
  using StreamNumbers = std::map<StreamName, uint64_t>;

  StreamLog(Store* store, const Clock* clock, const StreamOptions& options)
      : store_(store), shared_(store->shared()), clock_(clock), options_(options) {}

  enum class Reopen : bool { kNo, kYes };
  struct OpenStream {
    StorageId table_id = 0;
    std::string label;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a 0 that is compared with.
    friend auto operator<=>(const OpenStream&, const OpenStream&) = default;
  };
  // Finds an open stream by a label that is not copied.
  using OpenRef = std::pair<StorageId, std::string_view>;
  struct OpenOrder {
    using is_transparent = void;
    static OpenRef RefTo(const OpenStream& stream) { return {stream.table_id, stream.label}; }
    static const OpenRef& RefTo(const OpenRef& ref) { return ref; }
    template <typename Left, typename Right>
    bool operator()(const Left& left, const Right& right) const {
      return RefTo(left) < RefTo(right);
    }
  };
  using OpenNumbers = std::map<OpenStream, uint64_t, OpenOrder>;
  // A stream that a table is to have; borrows from its metadata.
  struct WantedStream {
    std::string_view label;
    StreamViewType view_type = StreamViewType::kKeysOnly;
  };
  static std::vector<WantedStream> WantedBy(const TableMeta& meta);

  absl::Status LoadRows(const ReadView& rows) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Sets the end of a closed shard whose row has none. Requires: `rows` is the state of that row.
  static absl::Status FindEnd(const ReadView& rows, StreamShard* shard);
  // Refresh, in one attempt. Errors: kAborted: run it again; Refresh's.
  absl::Status TryRefresh() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Runs a change of streams; in a SharedStore, on what is there, until others are not in its way.
  // With `catalog` only as long as the tables are those of the catalog.
  absl::Status Change(absl::FunctionRef<absl::Status()> change, const Catalog* catalog = nullptr)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Commits a change. Errors: kAborted: another process has made one; the store's.
  absl::Status Commit(WriteBatch* batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The number of a new stream or shard.
  absl::StatusOr<uint64_t> TakeNumber() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Closes it in memory.
  absl::Status End(absl::Time now, StreamShard* shard) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Greater than the numbers of all records.
  SequenceNumber EndOfRecords() const {
    return shared_ == nullptr ? sequences_->next() : kGreatestSequence;
  }
  // Those of the tables of that name, or of all, as they were before the catalog was read.
  std::vector<OpenStream> OpenStreams(const std::optional<std::string_view>& table_name) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Opens the streams that tables have and closes those of `before` that no table has.
  absl::Status FollowTables(const Catalog& catalog,
                            const std::vector<std::shared_ptr<Table>>& tables,
                            const std::vector<OpenStream>& before) ABSL_LOCKS_EXCLUDED(mutex_);
  // The table's open stream for clients, of which there is at most one.
  OpenNumbers::iterator OpenForClients(StorageId table_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes the stream an open one of the table; one for clients replaces another one. A closed
  // stream of that name is left so, or opened again.
  absl::Status Open(const TableMeta& meta, const WantedStream& wanted, Reopen reopen,
                    const Catalog* catalog = nullptr) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status OpenLocked(const TableMeta& meta, const WantedStream& wanted, Reopen reopen)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // If it is still an open one of the table.
  absl::Status Close(const OpenStream& stream, const Catalog& catalog) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Close(const OpenRef& stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // All of the table's but these.
  absl::Status CloseBut(StorageId table_id, absl::Span<const WantedStream> wanted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status RollLocked(const StreamName& name, uint64_t shard)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status SplitLocked(StorageId table_id, uint64_t hash) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Closes the shard; a child for each part, given by its first hash, replaces it.
  absl::Status DivideShard(Stream stream, uint64_t shard, absl::Span<const uint64_t> parts)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The stream of a Kinesis destination has one, so that its records have one order.
  absl::Status AddShards(const TableMeta& meta, Stream* stream)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Persists the stream with its shards, then keeps it in memory.
  absl::Status Keep(Stream stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Time Horizon() const;
  // The present shard. Errors: TrimmedDataAccessException if it is deleted.
  absl::StatusOr<StreamShard> ShardToRead(uint64_t stream, uint64_t shard)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Updates a shard's trimmed_through, in memory only.
  absl::Status FindTrimmed(uint64_t stream, const StreamShard& shard) ABSL_LOCKS_EXCLUDED(mutex_);
  // Removes closed shards that are too old, and with the last one the stream.
  absl::Status RemoveOldShards(uint64_t stream) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status RemoveOldLocked(uint64_t stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status DeleteTrimmed(uint64_t stream) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status DeleteTrimmedLocked(uint64_t stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // As Find.
  absl::StatusOr<std::optional<Stream>> Present(uint64_t number) ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<Stream> Copy(uint64_t stream) const ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<uint64_t> Numbers() const ABSL_LOCKS_EXCLUDED(mutex_);

  Store* const store_;
  SharedStore* const shared_;  // nullptr: nobody else changes streams
  const Clock* const clock_;
  const StreamOptions options_;
  std::unique_ptr<SequenceNumbers> sequences_;

  // Held shared while a writer picks a shard and takes a number, exclusively while shards change:
  // so every number in a shard is below its end.
  mutable absl::Mutex mutex_;
  Streams streams_ ABSL_GUARDED_BY(mutex_);
  StreamNumbers names_ ABSL_GUARDED_BY(mutex_);
  OpenNumbers open_ ABSL_GUARDED_BY(mutex_);
  // In a SharedStore: the value of the row that each change changes; the next number.
  uint64_t version_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_number_ ABSL_GUARDED_BY(mutex_) = 1;
  const Catalog* followed_ ABSL_GUARDED_BY(mutex_) = nullptr;  // during Change
};

// The records of one commit, a RowFollower. The row locks are held as long as it lives, which keeps
// the records of an item in order.
class StreamRecorder {
 public:
  // `log` must outlive the recorder. nullptr: nothing is recorded. `transaction`: that of the
  // commit; only a SharedStore needs it.
  explicit StreamRecorder(StreamLog* log, const Transaction* transaction = nullptr)
      : log_(log), transaction_(transaction) {}
  StreamRecorder(const StreamRecorder&) = delete;
  StreamRecorder& operator=(const StreamRecorder&) = delete;
  // Makes the records visible to readers.
  ~StreamRecorder();

  static bool Concerns(const TableMeta& meta) {
    return meta.stream.enabled || meta.HasRecordedDestination();
  }
  // Adds the records of the change: one for each stream of the table.
  absl::Status Append(const RowChange& change, WriteBatch* batch);

 private:
  absl::Status AppendTo(const StreamLog::WantedStream& wanted, const RowChange& change,
                        ItemView keys, WriteBatch* batch);
  // The record in that shard.
  absl::Status Put(uint64_t shard, const RecordView& record, WriteBatch* batch)
      ABSL_SHARED_LOCKS_REQUIRED(log_->mutex_);
  absl::Status PutStamped(uint64_t shard, const RecordView& record)
      ABSL_SHARED_LOCKS_REQUIRED(log_->mutex_);

  StreamLog* const log_;
  const Transaction* const transaction_;
  // Our first number, which is in flight.
  std::optional<uint64_t> first_;
  uint16_t stamped_ = 0;  // records so far, in a SharedStore
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STREAM_STREAM_LOG_H_
