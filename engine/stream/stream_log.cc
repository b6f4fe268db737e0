#include "engine/stream/stream_log.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/time/clock.h"
#include "engine/base/big_endian.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/prepared_entry.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/store/row_locks.h"
#include "engine/stream/messages.h"

namespace dynolith {
namespace {

constexpr int kDefaultShardsMax = 4;
// Where others may be in the way, too; if it is the catalog that has changed, no try helps.
constexpr int kTriesToFollow = 8;
// Nobody tells that other processes have made records.
constexpr absl::Duration kSharedLookPeriod = absl::Milliseconds(50);

// The first and the last hash of the i-th of `count` equal parts of all.
std::pair<uint64_t, uint64_t> HashPart(int i, int count) {
  constexpr uint64_t kLast = std::numeric_limits<uint64_t>::max();
  const uint64_t step = kLast / static_cast<uint64_t>(count) + 1;
  const uint64_t begin = static_cast<uint64_t>(i) * step;
  return {begin, i + 1 == count ? kLast : begin + step - 1};
}

// That the row of the limit still says so; 0: that there is none.
void ExpectSequenceLimit(uint64_t limit, const Transaction& transaction) {
  char bytes[sizeof limit];
  StoreBigEndian(limit, bytes);
  std::optional<std::string_view> value;
  if (limit > 0) value = std::string_view(bytes, sizeof bytes);
  transaction.Expect(Family::kLog, kSequenceLimitKey, value);
}

// Valid until the next call in this thread.
ItemView KeyAttributesIn(const KeySchema& key, ItemView item) {
  static thread_local ItemBuilder builder;
  builder.BeginMap();
  for (const auto* attributes : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *attributes) {
      builder.Key(attribute.name);
      builder.Copy(*item.Find(attribute.name));
    }
  }
  builder.EndMap();
  return builder.FinishItemView();
}

}  // namespace

// --- Loading ---

absl::StatusOr<std::unique_ptr<StreamLog>> StreamLog::Load(Store* store, const Clock* clock,
                                                           const StreamOptions& options) {
  std::unique_ptr<StreamLog> log(new StreamLog(store, clock, options));
  DYNOLITH_ASSIGN_OR_RETURN(log->sequences_, SequenceNumbers::Load(store));
  absl::MutexLock lock(&log->mutex_);
  if (log->shared_ == nullptr) {
    DYNOLITH_RETURN_IF_ERROR(log->LoadRows(*store));
    return log;
  }
  DYNOLITH_RETURN_IF_ERROR(RunTransaction([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(log->mutex_) {
    return log->LoadRows(*log->shared_->Begin());
  }));
  return log;
}

absl::Status StreamLog::LoadRows(const ReadView& rows) {
  streams_.clear();
  names_.clear();
  open_.clear();
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t version, ReadSequenceLimit(rows));
  const auto [streams_begin, streams_end] = AllStreamKeys();
  Cursor cursor = rows.Scan(Family::kLog, streams_begin, streams_end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_ASSIGN_OR_RETURN(Stream stream, DecodeStream(cursor.key(), cursor.value()));
    const bool is_second = !stream.closed && !IsDestinationLabel(stream.name.label) &&
                           OpenForClients(stream.table_id) != open_.end();
    const OpenStream key{stream.table_id, stream.name.label};
    const bool is_first = !is_second && names_.emplace(stream.name, stream.number).second &&
                          (stream.closed || open_.emplace(key, stream.number).second);
    if (!is_first) return absl::DataLossError(messages::DamagedLogRow(streams_begin));
    streams_[stream.number] = std::move(stream);
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  const auto [shards_begin, shards_end] = AllShardKeys();
  cursor = rows.Scan(Family::kLog, shards_begin, shards_end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_ASSIGN_OR_RETURN(auto shard, DecodeShard(cursor.key(), cursor.value()));
    DYNOLITH_RETURN_IF_ERROR(FindEnd(rows, &shard.second));
    const auto stream = streams_.find(shard.first);
    if (stream == streams_.end()) {
      return absl::DataLossError(messages::DamagedLogRow(shards_begin));
    }
    stream->second.shards.push_back(shard.second);
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  for (const auto& [number, stream] : streams_) {
    if (!stream.HasSoundShards()) {
      return absl::DataLossError(messages::DamagedShards(stream.name.table, stream.name.label));
    }
  }
  version_ = version;
  next_number_ = std::max<uint64_t>(version, 1);
  return absl::OkStatus();
}

absl::Status StreamLog::FindEnd(const ReadView& rows, StreamShard* shard) {
  if (!shard->ends_with_last_record) return absl::OkStatus();
  Cursor cursor = rows.Scan(Family::kLog, RecordKey(shard->number, 0),
                            RecordKey(shard->number, kGreatestSequence), Direction::kBackward);
  cursor.SeekToStart();
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  SequenceNumber last = std::max<SequenceNumber>(shard->number, shard->trimmed_through);
  if (cursor.Valid()) {
    DYNOLITH_ASSIGN_OR_RETURN(last, SequenceOfRecordKey(cursor.key()));
  }
  shard->end = last + 1;
  shard->ends_with_last_record = false;
  return absl::OkStatus();
}

// --- Changes by other processes ---

absl::Status StreamLog::Refresh() {
  if (shared_ == nullptr) return absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  return RunTransaction([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return TryRefresh(); });
}

absl::Status StreamLog::TryRefresh() {
  const std::unique_ptr<Attempt> attempt = shared_->Begin();
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t version, ReadSequenceLimit(*attempt));
  return version == version_ ? absl::OkStatus() : LoadRows(*attempt);
}

absl::Status StreamLog::Change(absl::FunctionRef<absl::Status()> change, const Catalog* catalog) {
  if (shared_ == nullptr) return change();
  const auto attempt = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    DYNOLITH_RETURN_IF_ERROR(TryRefresh());
    return change();
  };
  if (catalog == nullptr) return RunTransaction(attempt);
  followed_ = catalog;
  const absl::Cleanup end = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { followed_ = nullptr; };
  for (int tries = 0; tries < kTriesToFollow; ++tries) {
    absl::Status status = attempt();
    if (status.ok() || !IsAbortedByStore(status)) return status;
  }
  // The tables are others by now: who changes them, or the next call, makes their streams follow.
  return absl::OkStatus();
}

absl::Status StreamLog::Commit(WriteBatch* batch) {
  if (shared_ == nullptr) return store_->Commit(*batch);
  RowLocks none(1);
  Transaction transaction(store_, &none, {});
  if (followed_ != nullptr) followed_->ExpectUnchanged(&transaction);
  ExpectSequenceLimit(version_, transaction);
  std::string limit;
  AppendBigEndian(std::max(next_number_, version_ + 1), &limit);
  batch->Put(Family::kLog, kSequenceLimitKey, limit);
  // What is in memory is read again before it is used: the row is not as it was.
  return transaction.Commit(*batch);
}

absl::StatusOr<uint64_t> StreamLog::TakeNumber() {
  if (shared_ == nullptr) return sequences_->Next();
  return next_number_++;
}

absl::StatusOr<SequenceNumber> StreamLog::Visible() const {
  if (shared_ == nullptr) return sequences_->visible();
  DYNOLITH_ASSIGN_OR_RETURN(const Stamp stamp, shared_->StableStamp());
  return kStamped + stamp;
}

// --- What happens to tables ---

std::vector<StreamLog::WantedStream> StreamLog::WantedBy(const TableMeta& meta) {
  std::vector<WantedStream> wanted;
  if (meta.status == TableStatus::kDeleting) return wanted;
  if (meta.stream.enabled) wanted.push_back({meta.stream.label, meta.stream.view_type});
  for (const KinesisDestination& destination : meta.kinesis_destinations) {
    if (!destination.is_recorded()) continue;
    wanted.push_back({destination.log_label, StreamViewType::kNewAndOldImages});
  }
  return wanted;
}

absl::Status StreamLog::Follow(const TableMeta& meta) {
  const std::vector<WantedStream> wanted = WantedBy(meta);
  absl::MutexLock lock(&mutex_);
  return Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (const WantedStream& stream : wanted) {
      DYNOLITH_RETURN_IF_ERROR(OpenLocked(meta, stream, Reopen::kYes));
    }
    return CloseBut(meta.schema.id, wanted);
  });
}

absl::Status StreamLog::Drop(StorageId table_id) {
  absl::MutexLock lock(&mutex_);
  return Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return CloseBut(table_id, {}); });
}

absl::Status StreamLog::FollowTable(const Catalog& catalog, std::string_view table_name) {
  DYNOLITH_RETURN_IF_ERROR(Refresh());
  const std::vector<OpenStream> before = OpenStreams(table_name);
  const std::shared_ptr<Table> table = catalog.Find(table_name);
  if (table == nullptr) return FollowTables(catalog, {}, before);
  return FollowTables(catalog, {table}, before);
}

absl::Status StreamLog::FollowAll(const Catalog& catalog) {
  DYNOLITH_RETURN_IF_ERROR(Refresh());
  // First: a stream that is open by now has a table in the catalog by now, or is to be closed.
  const std::vector<OpenStream> before = OpenStreams(std::nullopt);
  return FollowTables(catalog, catalog.All(), before);
}

std::vector<StreamLog::OpenStream> StreamLog::OpenStreams(
    const std::optional<std::string_view>& table_name) const {
  absl::ReaderMutexLock lock(&mutex_);
  std::vector<OpenStream> open;
  auto it = table_name ? names_.lower_bound({std::string(*table_name), ""}) : names_.begin();
  for (; it != names_.end(); ++it) {
    if (table_name && it->first.table != *table_name) break;
    const Stream& stream = streams_.at(it->second);
    if (!stream.closed) open.push_back({stream.table_id, stream.name.label});
  }
  return open;
}

absl::Status StreamLog::FollowTables(const Catalog& catalog,
                                     const std::vector<std::shared_ptr<Table>>& tables,
                                     const std::vector<OpenStream>& before) {
  if (store_->read_only()) return absl::OkStatus();
  std::set<OpenStream> wanted;
  for (const std::shared_ptr<Table>& table : tables) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    for (const WantedStream& stream : WantedBy(*meta)) {
      wanted.insert({meta->schema.id, std::string(stream.label)});
      // The metadata may be old by now: what was closed stays closed.
      DYNOLITH_RETURN_IF_ERROR(Open(*meta, stream, Reopen::kNo, &catalog));
    }
  }
  for (const OpenStream& stream : before) {
    if (!wanted.contains(stream)) DYNOLITH_RETURN_IF_ERROR(Close(stream, catalog));
  }
  return absl::OkStatus();
}

StreamLog::OpenNumbers::iterator StreamLog::OpenForClients(StorageId table_id) {
  for (auto it = open_.lower_bound(OpenRef(table_id, "")); it != open_.end(); ++it) {
    if (it->first.table_id != table_id) break;
    if (!IsDestinationLabel(it->first.label)) return it;
  }
  return open_.end();
}

absl::Status StreamLog::Open(const TableMeta& meta, const WantedStream& wanted, Reopen reopen,
                             const Catalog* catalog) {
  absl::MutexLock lock(&mutex_);
  return Change(
      [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return OpenLocked(meta, wanted, reopen); },
      catalog);
}

absl::Status StreamLog::OpenLocked(const TableMeta& meta, const WantedStream& wanted,
                                   Reopen reopen) {
  const StreamName name{meta.schema.name, std::string(wanted.label)};
  const OpenRef key(meta.schema.id, wanted.label);
  if (const auto it = open_.find(key); it != open_.end()) {
    if (streams_.at(it->second).name == name) return absl::OkStatus();
  }
  const auto known = names_.find(name);
  if (known != names_.end() && reopen == Reopen::kNo) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(Close(key));
  if (!IsDestinationLabel(wanted.label)) {
    const auto other = OpenForClients(meta.schema.id);
    if (other != open_.end()) DYNOLITH_RETURN_IF_ERROR(Close(OpenOrder::RefTo(other->first)));
  }

  Stream stream;
  if (known == names_.end()) {
    DYNOLITH_ASSIGN_OR_RETURN(stream.number, TakeNumber());
    stream.name = name;
    stream.created = clock_->Now();
  } else {
    DYNOLITH_RETURN_IF_ERROR(Close(OpenRef(streams_.at(known->second).table_id, wanted.label)));
    stream = streams_.at(known->second);
  }
  stream.closed = std::nullopt;
  stream.table_id = meta.schema.id;
  stream.view_type = wanted.view_type;
  stream.key = meta.schema.key;
  DYNOLITH_RETURN_IF_ERROR(AddShards(meta, &stream));
  auto named = PrepareEntry<StreamNumbers>(name, stream.number);
  auto opened = PrepareEntry<OpenNumbers>(OpenStream{meta.schema.id, name.label}, stream.number);
  DYNOLITH_RETURN_IF_ERROR(Keep(std::move(stream)));
  InsertPrepared(std::move(named), &names_);
  InsertPrepared(std::move(opened), &open_);
  return absl::OkStatus();
}

absl::Status StreamLog::AddShards(const TableMeta& meta, Stream* stream) {
  const int usual = options_.shards > 0 ? options_.shards
                                        : std::clamp(meta.initial_partitions, 1, kDefaultShardsMax);
  const int count = IsDestinationLabel(stream->name.label) ? 1 : usual;
  for (int i = 0; i < count; ++i) {
    StreamShard shard;
    DYNOLITH_ASSIGN_OR_RETURN(shard.number, TakeNumber());
    shard.created = clock_->Now();
    std::tie(shard.hash_first, shard.hash_last) = HashPart(i, count);
    stream->shards.push_back(shard);
  }
  return absl::OkStatus();
}

absl::Status StreamLog::Close(const OpenStream& stream, const Catalog& catalog) {
  absl::MutexLock lock(&mutex_);
  return Change(
      [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return Close(OpenOrder::RefTo(stream)); },
      &catalog);
}

absl::Status StreamLog::CloseBut(StorageId table_id, absl::Span<const WantedStream> wanted) {
  std::vector<std::string> closed;
  for (auto it = open_.lower_bound(OpenRef(table_id, "")); it != open_.end(); ++it) {
    const std::string& label = it->first.label;
    if (it->first.table_id != table_id) break;
    const bool is_wanted = std::any_of(wanted.begin(), wanted.end(),
                                       [&](const auto& stream) { return stream.label == label; });
    if (!is_wanted) closed.push_back(label);
  }
  for (const std::string& label : closed) {
    DYNOLITH_RETURN_IF_ERROR(Close(OpenRef(table_id, label)));
  }
  return absl::OkStatus();
}

absl::Status StreamLog::Close(const OpenRef& stream_key) {
  const auto it = open_.find(stream_key);
  if (it == open_.end()) return absl::OkStatus();
  Stream stream = streams_.at(it->second);
  stream.closed = clock_->Now();
  for (StreamShard& shard : stream.shards) {
    if (shard.end) continue;
    DYNOLITH_RETURN_IF_ERROR(End(*stream.closed, &shard));
  }
  DYNOLITH_RETURN_IF_ERROR(Keep(std::move(stream)));
  open_.erase(it);
  return absl::OkStatus();
}

absl::Status StreamLog::End(absl::Time now, StreamShard* shard) {
  shard->closed = now;
  // The last record is not known before the rows are read again; until then nobody may take the
  // shard for one that has been read to its end.
  shard->ends_with_last_record = shared_ != nullptr;
  if (shared_ != nullptr) {
    shard->end = kGreatestSequence;
  } else {
    DYNOLITH_ASSIGN_OR_RETURN(shard->end, sequences_->Next());
  }
  return absl::OkStatus();
}

absl::Status StreamLog::Keep(Stream stream) {
  const uint64_t number = stream.number;
  auto entry = PrepareEntry<Streams>(number, std::move(stream));
  const Stream& kept = entry.mapped();
  WriteBatch batch;
  batch.Put(Family::kLog, StreamKey(number), EncodeStream(kept));
  for (const StreamShard& shard : kept.shards) {
    batch.Put(Family::kLog, ShardKey(number, shard.number), EncodeShard(shard));
  }
  DYNOLITH_RETURN_IF_ERROR(Commit(&batch));
  InsertPrepared(std::move(entry), &streams_);
  return absl::OkStatus();
}

// --- Shards ---

absl::Status StreamLog::RollShard(const StreamName& name, uint64_t shard) {
  absl::MutexLock lock(&mutex_);
  return Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return RollLocked(name, shard); });
}

absl::Status StreamLog::RollLocked(const StreamName& name, uint64_t shard) {
  const auto known = names_.find(name);
  Stream stream = known == names_.end() ? Stream() : streams_.at(known->second);
  const StreamShard* const parent = stream.FindShard(shard);
  if (parent == nullptr || parent->end) {
    return absl::FailedPreconditionError(messages::ShardIsClosed());
  }
  const uint64_t first = parent->hash_first;
  return DivideShard(std::move(stream), shard, {first});
}

absl::Status StreamLog::FollowSplit(StorageId table_id, uint64_t hash) {
  absl::MutexLock lock(&mutex_);
  return Change([&]()
                    ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return SplitLocked(table_id, hash); });
}

absl::Status StreamLog::SplitLocked(StorageId table_id, uint64_t hash) {
  const auto open = OpenForClients(table_id);
  if (open == open_.end()) return absl::OkStatus();
  Stream stream = streams_.at(open->second);
  for (const StreamShard& shard : stream.shards) {
    if (shard.end || hash < shard.hash_first || hash > shard.hash_last) continue;
    std::vector<uint64_t> parts = {shard.hash_first};
    if (hash != shard.hash_first) parts.push_back(hash);
    const uint64_t number = shard.number;
    return DivideShard(std::move(stream), number, parts);
  }
  return absl::OkStatus();
}

absl::Status StreamLog::DivideShard(Stream stream, uint64_t shard_number,
                                    absl::Span<const uint64_t> parts) {
  StreamShard* const parent = stream.FindShard(shard_number);
  const absl::Time parent_closed = clock_->Now();
  DYNOLITH_RETURN_IF_ERROR(End(parent_closed, parent));
  const uint64_t last = parent->hash_last;
  for (size_t i = 0; i < parts.size(); ++i) {
    StreamShard child;
    DYNOLITH_ASSIGN_OR_RETURN(child.number, TakeNumber());
    child.parent = shard_number;
    child.created = parent_closed;
    child.hash_first = parts[i];
    child.hash_last = i + 1 == parts.size() ? last : parts[i + 1] - 1;
    stream.shards.push_back(child);
  }
  return Keep(std::move(stream));
}

absl::Status StreamLog::RollOldShards() {
  if (store_->read_only()) return absl::OkStatus();
  if (options_.shard_life <= absl::ZeroDuration()) return absl::OkStatus();
  const absl::Time old = clock_->Now() - options_.shard_life;
  std::vector<std::pair<StreamName, uint64_t>> shards;
  {
    absl::ReaderMutexLock lock(&mutex_);
    for (const auto& [table, number] : open_) {
      const Stream& stream = streams_.at(number);
      for (const StreamShard& shard : stream.shards) {
        if (!shard.end && shard.created <= old) shards.emplace_back(stream.name, shard.number);
      }
    }
  }
  for (const auto& [name, shard] : shards) {
    absl::Status status = RollShard(name, shard);
    // Closed meanwhile.
    if (!status.ok() && status.code() != absl::StatusCode::kFailedPrecondition) return status;
  }
  return absl::OkStatus();
}

// --- Writing ---

StreamRecorder::~StreamRecorder() {
  if (first_) log_->sequences_->Finish(*first_);
}

absl::Status StreamRecorder::Append(const RowChange& change, WriteBatch* batch) {
  if (log_ == nullptr) return absl::OkStatus();
  const TableMeta& meta = change.meta;
  const ItemView keys =
      KeyAttributesIn(meta.schema.key, change.after != nullptr ? *change.after : *change.before);
  if (meta.stream.enabled) {
    DYNOLITH_RETURN_IF_ERROR(
        AppendTo({meta.stream.label, meta.stream.view_type}, change, keys, batch));
  }
  for (const KinesisDestination& destination : meta.kinesis_destinations) {
    if (!destination.is_recorded()) continue;
    DYNOLITH_RETURN_IF_ERROR(
        AppendTo({destination.log_label, StreamViewType::kNewAndOldImages}, change, keys, batch));
  }
  return absl::OkStatus();
}

absl::Status StreamRecorder::AppendTo(const StreamLog::WantedStream& wanted,
                                      const RowChange& change, ItemView keys, WriteBatch* batch) {
  RecordView record = MakeRecord(wanted.view_type, keys, change.before, change.after);
  record.by_time_to_live = change.by_time_to_live;
  record.created = log_->clock_->Now();
  for (;;) {
    {
      absl::ReaderMutexLock lock(&log_->mutex_);
      const StreamLog::OpenRef key(change.meta.schema.id, wanted.label);
      if (const auto open = log_->open_.find(key); open != log_->open_.end()) {
        const Stream& stream = log_->streams_.at(open->second);
        return Put(stream.FindOpenShard(RowHash(change.row_key)).number, record, batch);
      }
    }
    DYNOLITH_RETURN_IF_ERROR(log_->Open(change.meta, wanted, StreamLog::Reopen::kYes));
  }
}

absl::Status StreamRecorder::Put(uint64_t shard, const RecordView& record, WriteBatch* batch) {
  if (log_->shared_ != nullptr) return PutStamped(shard, record);
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t number,
                            first_ ? log_->sequences_->Next() : log_->sequences_->Begin());
  if (!first_) first_ = number;
  PutRecord(RecordKey(shard, number), record, batch);
  return absl::OkStatus();
}

absl::Status StreamRecorder::PutStamped(uint64_t shard, const RecordView& record) {
  // The shard is open as long as nobody has changed a stream.
  if (stamped_ == 0) ExpectSequenceLimit(log_->version_, *transaction_);
  WriteBatch row;
  PutRecord(StampedRecordPrefix(shard), record, &row);
  absl::Status status;
  row.ForEach([&](const WriteBatch::Change& put) {
    status.Update(transaction_->PutStamped(put.family, put.key, stamped_++, put.value));
  });
  return status;
}

// --- Reading ---

std::vector<StreamName> StreamLog::Names(const std::optional<std::string>& table,
                                         const std::optional<StreamName>& after, size_t limit) {
  absl::ReaderMutexLock lock(&mutex_);
  const StreamName begin{table.value_or(""), ""};
  std::vector<StreamName> names;
  auto it = after && *after > begin ? names_.upper_bound(*after) : names_.lower_bound(begin);
  for (; it != names_.end() && names.size() < limit; ++it) {
    if (table && it->first.table != *table) break;
    if (!IsDestinationLabel(it->first.label)) names.push_back(it->first);
  }
  return names;
}

std::optional<Stream> StreamLog::Copy(uint64_t stream) const {
  absl::ReaderMutexLock lock(&mutex_);
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return std::nullopt;
  return it->second;
}

std::optional<std::string> StreamLog::FindTableName(uint64_t stream) const {
  absl::ReaderMutexLock lock(&mutex_);
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return std::nullopt;
  return it->second.name.table;
}

absl::StatusOr<absl::Time> StreamLog::LatestTime() const {
  absl::ReaderMutexLock lock(&mutex_);
  absl::Time latest = absl::InfinitePast();
  for (const auto& [number, stream] : streams_) {
    latest = std::max({latest, stream.created, stream.closed.value_or(stream.created)});
    for (const StreamShard& shard : stream.shards) {
      if (shard.end) latest = std::max(latest, shard.closed);
      Cursor cursor = store_->Scan(Family::kLog, RecordKey(shard.number, 0),
                                   RecordKey(shard.number, EndOfRecords()), Direction::kBackward);
      cursor.SeekToStart();
      DYNOLITH_RETURN_IF_ERROR(cursor.status());
      if (!cursor.Valid()) continue;
      DYNOLITH_ASSIGN_OR_RETURN(const RecordView record, DecodeRecord(cursor.value()));
      latest = std::max(latest, record.created);
    }
  }
  return latest;
}

absl::StatusOr<SequenceNumber> StreamLog::LatestPosition(const StreamShard& shard) const {
  if (shared_ == nullptr) return sequences_->next();
  Cursor cursor = store_->Scan(Family::kLog, RecordKey(shard.number, 0),
                               RecordKey(shard.number, kGreatestSequence), Direction::kBackward);
  cursor.SeekToStart();
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  SequenceNumber last = std::max<SequenceNumber>(shard.number, shard.trimmed_through);
  if (cursor.Valid()) {
    DYNOLITH_ASSIGN_OR_RETURN(last, SequenceOfRecordKey(cursor.key()));
  }
  return last + 1;
}

absl::StatusOr<std::optional<Stream>> StreamLog::Find(const StreamName& name) {
  DYNOLITH_RETURN_IF_ERROR(Refresh());
  if (IsDestinationLabel(name.label)) return std::nullopt;
  uint64_t number = 0;
  {
    absl::ReaderMutexLock lock(&mutex_);
    const auto it = names_.find(name);
    if (it == names_.end()) return std::nullopt;
    number = it->second;
  }
  return Present(number);
}

absl::StatusOr<std::vector<Stream>> StreamLog::DestinationStreams() {
  DYNOLITH_RETURN_IF_ERROR(Refresh());
  std::vector<uint64_t> numbers;
  {
    absl::ReaderMutexLock lock(&mutex_);
    for (const auto& [name, number] : names_) {
      if (IsDestinationLabel(name.label)) numbers.push_back(number);
    }
  }
  std::vector<Stream> streams;
  for (const uint64_t number : numbers) {
    DYNOLITH_ASSIGN_OR_RETURN(std::optional<Stream> stream, Present(number));
    if (stream) streams.push_back(*std::move(stream));
  }
  return streams;
}

absl::StatusOr<std::optional<Stream>> StreamLog::Present(uint64_t number) {
  DYNOLITH_RETURN_IF_ERROR(RemoveOldShards(number));
  const std::optional<Stream> stream = Copy(number);
  if (!stream) return std::nullopt;
  for (const StreamShard& shard : stream->shards) {
    DYNOLITH_RETURN_IF_ERROR(FindTrimmed(number, shard));
  }
  return Copy(number);
}

absl::StatusOr<StreamShard> StreamLog::ShardToRead(uint64_t stream_number, uint64_t shard_number) {
  const auto find = [&]() -> absl::StatusOr<StreamShard> {
    const std::optional<Stream> stream = Copy(stream_number);
    const StreamShard* shard = stream ? stream->FindShard(shard_number) : nullptr;
    if (shard == nullptr || (shard->end && shard->closed < Horizon())) {
      return MakeError(ErrorKind::kTrimmedDataAccess, messages::TrimmedDataAccess());
    }
    return *shard;
  };
  DYNOLITH_ASSIGN_OR_RETURN(const StreamShard shard, find());
  DYNOLITH_RETURN_IF_ERROR(FindTrimmed(stream_number, shard));
  return find();
}

absl::StatusOr<StreamLog::ReadResult> StreamLog::Read(
    const ShardIterator& from, size_t records_max, size_t bytes_max,
    absl::FunctionRef<void(SequenceNumber, const RecordView&)> sink,
    const std::optional<ReadPoint>& past) {
  // Before what is read of the shard and in it: all up to here can be seen then.
  absl::StatusOr<SequenceNumber> newest;
  if (!past) {
    newest = Visible();
    DYNOLITH_RETURN_IF_ERROR(newest.status());
  }
  const SequenceNumber visible = past ? past->visible_through : *newest;
  DYNOLITH_RETURN_IF_ERROR(Refresh());
  DYNOLITH_ASSIGN_OR_RETURN(const StreamShard shard, ShardToRead(from.stream, from.shard));
  SequenceNumber position = from.position;
  if (from.kind == ShardIterator::Kind::kTrimHorizon) {
    position = std::max<SequenceNumber>(shard.number, shard.trimmed_through + 1);
  } else if (position <= shard.trimmed_through) {
    return MakeError(ErrorKind::kTrimmedDataAccess, messages::TrimmedDataAccess());
  }
  ReadResult result;
  size_t records = 0;
  size_t bytes = 0;
  const std::string begin = RecordKey(shard.number, position);
  const std::string end = RecordKey(shard.number, visible + 1);
  Cursor cursor = store_->At(past ? past->snapshot : nullptr)
                      .Scan(Family::kLog, begin, end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber number, SequenceOfRecordKey(cursor.key()));
    DYNOLITH_ASSIGN_OR_RETURN(const RecordView record, DecodeRecord(cursor.value()));
    bytes += RecordBytes(record);
    if (records == records_max || (records > 0 && bytes > bytes_max)) {
      result.next_position = number;
      return result;
    }
    sink(number, record);
    ++records;
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  if (!shard.end || *shard.end > visible) {
    result.next_position = std::max(position, visible + 1);
  }
  return result;
}

bool StreamLog::AwaitVisible(SequenceNumber above, absl::Duration timeout) const {
  if (shared_ == nullptr) {
    constexpr SequenceNumber kGreatest = std::numeric_limits<uint64_t>::max();
    return sequences_->AwaitVisible(absl::Uint128Low64(std::min(above, kGreatest)), timeout);
  }
  absl::SleepFor(std::min(timeout, kSharedLookPeriod));
  return VisibleThrough() > above;
}

// --- Age ---

absl::StatusOr<SequenceNumber> StreamLog::PositionAt(const StreamShard& shard,
                                                     absl::Time time) const {
  DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber visible, Visible());
  const SequenceNumber end = visible + 1;
  // Calls `visit(number, time)` for the records from `position` on, until it returns false.
  const auto walk = [&](SequenceNumber position, auto visit) -> absl::Status {
    Cursor cursor = store_->Scan(Family::kLog, RecordKey(shard.number, position),
                                 RecordKey(shard.number, end), Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber number, SequenceOfRecordKey(cursor.key()));
      DYNOLITH_ASSIGN_OR_RETURN(const RecordView record, DecodeRecord(cursor.value()));
      if (!visit(number, record.created)) break;
    }
    return cursor.status();
  };
  SequenceNumber low = std::max<SequenceNumber>(shard.number, shard.trimmed_through + 1);
  for (SequenceNumber high = end; low < high;) {
    const SequenceNumber middle = low + (high - low) / 2;
    SequenceNumber after_middle = end;
    bool is_earlier = false;
    DYNOLITH_RETURN_IF_ERROR(walk(middle, [&](SequenceNumber number, absl::Time created) {
      after_middle = number + 1;
      is_earlier = created < time - kDisorder;
      return false;
    }));
    is_earlier ? void(low = after_middle) : void(high = middle);
  }
  SequenceNumber position = end;
  DYNOLITH_RETURN_IF_ERROR(walk(low, [&](SequenceNumber number, absl::Time created) {
    if (created < time) return true;
    position = number;
    return false;
  }));
  return position;
}

absl::Time StreamLog::Horizon() const { return clock_->Now() - absl::Hours(kStreamRetentionHours); }

absl::Status StreamLog::FindTrimmed(uint64_t stream_number, const StreamShard& shard) {
  const absl::Time horizon = Horizon();
  const auto position = std::max<SequenceNumber>(shard.number, shard.trimmed_through + 1);
  const SequenceNumber end = shared_ == nullptr ? sequences_->visible() + 1 : kGreatestSequence;
  Cursor cursor = store_->Scan(Family::kLog, RecordKey(shard.number, position),
                               RecordKey(shard.number, end), Direction::kForward);
  SequenceNumber trimmed = 0;
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_ASSIGN_OR_RETURN(const RecordView record, DecodeRecord(cursor.value()));
    if (record.created >= horizon) break;
    DYNOLITH_ASSIGN_OR_RETURN(trimmed, SequenceOfRecordKey(cursor.key()));
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  if (trimmed == 0) return absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  const auto stream = streams_.find(stream_number);
  StreamShard* kept = stream == streams_.end() ? nullptr : stream->second.FindShard(shard.number);
  if (kept != nullptr) kept->trimmed_through = std::max(kept->trimmed_through, trimmed);
  return absl::OkStatus();
}

absl::Status StreamLog::RemoveOldShards(uint64_t stream_number) {
  absl::MutexLock lock(&mutex_);
  return Change(
      [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return RemoveOldLocked(stream_number); });
}

absl::Status StreamLog::RemoveOldLocked(uint64_t stream_number) {
  const absl::Time horizon = Horizon();
  const auto it = streams_.find(stream_number);
  if (it == streams_.end()) return absl::OkStatus();
  Stream& stream = it->second;
  const auto is_old = [horizon](const StreamShard& shard) {
    return shard.end && shard.closed < horizon;
  };
  WriteBatch batch;
  size_t old = 0;
  for (const StreamShard& shard : stream.shards) {
    if (!is_old(shard)) continue;
    ++old;
    batch.Delete(Family::kLog, ShardKey(stream_number, shard.number));
    batch.DeleteRange(Family::kLog, RecordKey(shard.number, 0),
                      RecordKey(shard.number, *shard.end));
  }
  if (old == 0) return absl::OkStatus();
  const bool all = old == stream.shards.size();
  if (all) batch.Delete(Family::kLog, StreamKey(stream_number));
  DYNOLITH_RETURN_IF_ERROR(Commit(&batch));
  stream.shards.erase(std::remove_if(stream.shards.begin(), stream.shards.end(), is_old),
                      stream.shards.end());
  if (all) {
    names_.erase(stream.name);
    streams_.erase(it);
  }
  return absl::OkStatus();
}

absl::Status StreamLog::DeleteTrimmed(uint64_t stream_number) {
  const std::optional<Stream> before = Copy(stream_number);
  if (!before) return absl::OkStatus();
  for (const StreamShard& shard : before->shards) {
    DYNOLITH_RETURN_IF_ERROR(FindTrimmed(stream_number, shard));
  }
  absl::MutexLock lock(&mutex_);
  return Change(
      [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return DeleteTrimmedLocked(stream_number); });
}

absl::Status StreamLog::DeleteTrimmedLocked(uint64_t stream_number) {
  const auto it = streams_.find(stream_number);
  if (it == streams_.end()) return absl::OkStatus();
  WriteBatch batch;
  for (const StreamShard& shard : it->second.shards) {
    if (shard.trimmed_through <= shard.deleted_through) continue;
    batch.DeleteRange(Family::kLog, RecordKey(shard.number, 0),
                      RecordKey(shard.number, shard.trimmed_through + 1));
    batch.Put(Family::kLog, ShardKey(stream_number, shard.number), EncodeShard(shard));
  }
  if (batch.empty()) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(Commit(&batch));
  for (StreamShard& shard : it->second.shards) shard.deleted_through = shard.trimmed_through;
  return absl::OkStatus();
}

std::vector<uint64_t> StreamLog::Numbers() const {
  absl::ReaderMutexLock lock(&mutex_);
  std::vector<uint64_t> numbers;
  for (const auto& [number, stream] : streams_) numbers.push_back(number);
  return numbers;
}

absl::Status StreamLog::Trim() {
  DYNOLITH_RETURN_IF_ERROR(Refresh());
  DYNOLITH_RETURN_IF_ERROR(RollOldShards());
  for (const uint64_t number : Numbers()) {
    DYNOLITH_RETURN_IF_ERROR(RemoveOldShards(number));
    DYNOLITH_RETURN_IF_ERROR(DeleteTrimmed(number));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
