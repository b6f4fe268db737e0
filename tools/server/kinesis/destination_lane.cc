#include "tools/server/kinesis/destination_lane.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/stream/record.h"
#include "tools/server/kinesis/messages.h"

namespace dynolith::kinesis {
namespace {

// By the machine's clock: an endpoint does not live on a clock that a test moves.
constexpr absl::Duration kLookPause = absl::Milliseconds(50);
constexpr absl::Duration kFirstBackOff = absl::Milliseconds(100);
constexpr absl::Duration kLongestBackOff = absl::Seconds(10);
constexpr int kDoublingsMax = 7;
// Of a read, and of what has been read and is not sent: several calls' worth, so that many changes
// of one item leave room for others.
constexpr size_t kReadRecordsMax = 500;
constexpr size_t kWaitingMax = 2000;
constexpr size_t kWaitingBytesMax = size_t{8} << 20;
// What a read may become: a megabyte of records, in JSON.
constexpr size_t kReadBytesMax = size_t{2} << 20;

targets::LaneKey KeyOf(const std::string& shard) { return {.shard = shard}; }

}  // namespace

DestinationLane::DestinationLane(LaneParts parts, Destination destination,
                                 std::unique_ptr<KinesisConnection> connection)
    : parts_(std::move(parts)),
      key_(destination.key()),
      connection_(std::move(connection)),
      waiting_bytes_(parts_.waiting_bytes),
      destination_(std::move(destination)) {
  for (const auto& [lane, position] : parts_.positions->Get(key_).lanes) {
    positions_[lane.shard] = position;
  }
  absl::MutexLock lock(&mutex_);
  has_failed_ = destination_.status == KinesisDestinationStatus::kEnableFailed;
  // Nobody knows any more whether its stream was there.
  if (!destination_.status) destination_.awaits_check = true;
}

void DestinationLane::Update(const Destination& destination) {
  absl::MutexLock lock(&mutex_);
  const Destination before = std::exchange(destination_, destination);
  if (destination.status == KinesisDestinationStatus::kEnableFailed) has_failed_ = true;
  if (destination.status) return;
  // What is left of a table that is gone is sent as before.
  destination_.precision = before.precision;
  destination_.awaits_check =
      before.status ? before.status == KinesisDestinationStatus::kEnabling : before.awaits_check;
}

Destination DestinationLane::destination() const {
  absl::MutexLock lock(&mutex_);
  return destination_;
}

LaneReport DestinationLane::Report() const {
  absl::MutexLock lock(&mutex_);
  return report_;
}

absl::Duration DestinationLane::Step() {
  if (parts_.interrupted->load()) return absl::InfiniteDuration();
  if (has_failed()) {
    const absl::Status dropped = DropFailed(this->destination());
    if (!dropped.ok()) return BackOff(std::string(MessageOf(dropped)));
    if (has_failed()) return kLookPause;
  }
  const Destination destination = this->destination();
  if (destination.awaits_check) return Check(destination);
  if (!destination.sends()) return kLookPause;
  if (const absl::Status gathered = Gather(destination); !gathered.ok()) {
    return BackOff(std::string(MessageOf(gathered)));
  }
  absl::Duration pause = caught_up_ ? kLookPause : absl::ZeroDuration();
  const std::vector<size_t> batch = ChooseBatch(waiting_);
  if (!batch.empty()) pause = Send(destination, batch);
  UpdateReport();
  return pause;
}

// --- whether there is the stream

absl::Duration DestinationLane::Check(const Destination& destination) {
  const absl::Status found = connection_->FindStream(destination.stream);
  if (parts_.interrupted->load()) return absl::InfiniteDuration();
  const bool is_missing = absl::IsNotFound(found);
  if (!found.ok() && !is_missing) return BackOff(std::string(MessageOf(found)));
  const std::string failure = is_missing ? std::string(MessageOf(found)) : "";
  // The shards are closed then, so that all of the attempt can be told from the next one.
  absl::Status finished =
      destination.status ? parts_.source->FinishEnabling(destination, failure) : absl::OkStatus();
  if (!finished.ok()) return BackOff(std::string(MessageOf(finished)));
  failures_in_row_ = 0;
  SetError("");
  {
    absl::MutexLock lock(&mutex_);
    if (!destination.status) destination_.awaits_check = false;
    if (is_missing) has_failed_ = true;
  }
  if (is_missing) {
    parts_.note(destination.status
                    ? messages::KinesisEnableFailed(destination.table, destination.stream, failure)
                    : messages::KinesisTableGone(destination.table, destination.stream, failure));
    return absl::ZeroDuration();
  }
  const absl::StatusOr<std::optional<Destination>> now = parts_.source->Find(key_);
  if (!now.ok()) return BackOff(std::string(MessageOf(now.status())));
  if (*now) Update(**now);
  return absl::ZeroDuration();
}

bool DestinationLane::has_failed() const {
  absl::MutexLock lock(&mutex_);
  return has_failed_;
}

absl::Status DestinationLane::DropFailed(const Destination& destination) {
  Destination now = destination;
  const auto is_failed = [&] {
    return !now.status || now.status == KinesisDestinationStatus::kEnableFailed;
  };
  if (!is_failed()) {
    // What the last look has found may be older than the failure.
    DYNOLITH_ASSIGN_OR_RETURN(const std::optional<Destination> found, parts_.source->Find(key_));
    if (!found) return absl::OkStatus();
    Update(*found);
    now = *found;
  }
  DropWaiting();
  UpdateReport();
  for (const targets::SourceShard& shard : now.shards) {
    targets::LanePosition position = PositionOf(shard);
    if (!shard.is_closed || position.done) continue;
    position.next = std::max(position.next, SequenceNumber{shard.number});
    position.done = true;
    SetPosition(shard.id, position, true);
  }
  if (is_failed()) return absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  has_failed_ = false;
  return absl::OkStatus();
}

// --- reading

targets::LanePosition DestinationLane::PositionOf(const targets::SourceShard& shard) const {
  const auto found = positions_.find(shard.id);
  return found == positions_.end() ? targets::LanePosition() : found->second;
}

void DestinationLane::SetPosition(const std::string& shard, const targets::LanePosition& position,
                                  bool durably) {
  positions_[shard] = position;
  const absl::Status kept = parts_.positions->Set(key_, KeyOf(shard), position, durably);
  // What is not kept is sent again after a restart.
  if (!kept.ok()) SetError(std::string(MessageOf(kept)));
}

void DestinationLane::Forget() {
  for (const auto& [shard, position] : positions_) {
    parts_.positions->Forget(key_, KeyOf(shard));
  }
}

bool DestinationLane::FindShard(const Destination& destination) {
  std::set<std::string> there;
  for (const targets::SourceShard& shard : destination.shards) there.insert(shard.id);
  for (auto it = positions_.begin(); it != positions_.end();) {
    const bool is_gone = there.count(it->first) == 0;
    if (is_gone && !it->second.done) {
      parts_.note(messages::KinesisRecordsTrimmed(destination.table, destination.stream));
    }
    if (is_gone) parts_.positions->Forget(key_, KeyOf(it->first));
    it = is_gone ? positions_.erase(it) : std::next(it);
  }
  for (const targets::SourceShard& shard : destination.shards) {
    targets::LanePosition position = PositionOf(shard);
    if (position.next == 0) {
      // Its own beginning, so that what is trimmed from now on is noticed, also after a restart.
      position.next = shard.number;
      SetPosition(shard.id, position, true);
    }
    // After a return to a snapshot one that was done may be open again.
    if (position.done && shard.is_closed) continue;
    if (!shard_ || shard_->id != shard.id) read_position_ = position.next;
    shard_ = shard;
    ended_ = false;
    return true;
  }
  shard_.reset();
  return false;
}

absl::Status DestinationLane::Gather(const Destination& destination) {
  // A shard is left when all of it is sent, so that places are in one order.
  if (waiting_.empty() && !FindShard(destination)) {
    caught_up_ = true;
    return absl::OkStatus();
  }
  while (!ended_ && waiting_.size() < kWaitingMax && waiting_bytes_.get() < kWaitingBytesMax) {
    // Until other lanes have sent, or dropped, what they have read.
    caught_up_ = !waiting_bytes_.Reserve(kReadBytesMax);
    if (caught_up_) break;
    const absl::StatusOr<size_t> records = ReadOnce(destination);
    waiting_bytes_.Return(kReadBytesMax);
    DYNOLITH_RETURN_IF_ERROR(records.status());
    caught_up_ = *records == 0;
    if (caught_up_) break;
  }
  if (!waiting_.empty()) return absl::OkStatus();
  targets::LanePosition position = PositionOf(*shard_);
  const bool has_moved = position.next != read_position_ || position.done != ended_;
  position.next = read_position_;
  position.done = ended_;
  if (has_moved) SetPosition(shard_->id, position, ended_);
  if (ended_) caught_up_ = false;  // on with the next one
  return absl::OkStatus();
}

absl::StatusOr<size_t> DestinationLane::ReadOnce(const Destination& destination) {
  size_t records = 0;
  SequenceNumber last = 0;
  const auto precision = destination.precision.value_or(TimestampPrecision::kMillisecond);
  DYNOLITH_ASSIGN_OR_RETURN(
      const targets::StreamSource::Place place,
      parts_.source->records().Read(
          *shard_, read_position_, kReadRecordsMax,
          [&](const OperationContext& context, SequenceNumber number, const RecordView& record) {
            ++records;
            last = number;
            waiting_.push_back({.record = MakeKinesisRecord(context, destination.table, precision,
                                                            number, record)});
            waiting_bytes_.Add(waiting_.back().record.bytes());
          }));
  if (place.trimmed) {
    parts_.note(messages::KinesisRecordsTrimmed(destination.table, destination.stream));
  }
  if (place.restarted) {
    parts_.note(messages::KinesisPositionBeyond(destination.table, destination.stream));
  }
  ended_ = place.ended;
  // At the end of a shard there is no next place.
  if (!ended_) {
    read_position_ = place.next;
  } else if (records > 0) {
    read_position_ = last + 1;
  }
  return records;
}

// --- sending

absl::Duration DestinationLane::Send(const Destination& destination,
                                     const std::vector<size_t>& batch) {
  std::vector<const KinesisRecord*> records;
  records.reserve(batch.size());
  for (const size_t i : batch) records.push_back(&waiting_[i].record);
  const absl::StatusOr<std::vector<std::string>> outcomes =
      connection_->PutRecords(destination.stream, records);
  if (parts_.interrupted->load() && !outcomes.ok()) return absl::InfiniteDuration();
  {
    absl::MutexLock lock(&mutex_);
    ++report_.calls;
  }
  if (!outcomes.ok()) {
    const bool is_refused = absl::IsInvalidArgument(outcomes.status()) && records.size() == 1 &&
                            records.front()->bytes() > kRecordBytesMax;
    if (is_refused) return GiveUp(destination, outcomes.status());
    // Others may have an endpoint that answers.
    if (waiting_bytes_.is_scarce(kReadBytesMax)) DropWaiting();
    return BackOff(std::string(MessageOf(outcomes.status())));
  }
  std::string error;
  int64_t sent = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    const bool is_taken = (*outcomes)[i].empty();
    if (!is_taken) error = (*outcomes)[i];
    waiting_[batch[i]].is_sent = is_taken;
    sent += is_taken ? 1 : 0;
  }
  Advance();
  {
    absl::MutexLock lock(&mutex_);
    report_.sent += sent;
  }
  if (sent > 0) failures_in_row_ = 0;
  if (sent == 0 && waiting_bytes_.is_scarce(kReadBytesMax)) DropWaiting();
  if (!error.empty()) return BackOff(error);
  SetError("");
  return absl::ZeroDuration();
}

absl::Duration DestinationLane::GiveUp(const Destination& destination, const absl::Status& why) {
  // A large record is the first of those that are not sent.
  const auto refused = std::find_if(waiting_.begin(), waiting_.end(),
                                    [](const WaitingRecord& each) { return !each.is_sent; });
  parts_.note(messages::KinesisRecordGivenUp(destination.table, destination.stream,
                                             SequenceText(refused->record.number),
                                             refused->record.bytes(), MessageOf(why)));
  refused->is_sent = true;
  Advance();
  failures_in_row_ = 0;
  absl::MutexLock lock(&mutex_);
  ++report_.given_up;
  ++report_.failures;
  return absl::ZeroDuration();
}

void DestinationLane::Advance() {
  const size_t before = waiting_.size();
  while (!waiting_.empty() && waiting_.front().is_sent) {
    waiting_bytes_.Return(waiting_.front().record.bytes());
    waiting_.pop_front();
  }
  if (waiting_.size() == before) return;
  targets::LanePosition position = PositionOf(*shard_);
  position.next = waiting_.empty() ? read_position_ : waiting_.front().record.number;
  position.done = ended_ && waiting_.empty();
  SetPosition(shard_->id, position, true);
}

void DestinationLane::DropWaiting() {
  shard_.reset();
  waiting_.clear();
  waiting_bytes_.Return(waiting_bytes_.get());
}

absl::Duration DestinationLane::BackOff(const std::string& error) {
  {
    absl::MutexLock lock(&mutex_);
    ++report_.failures;
  }
  SetError(error);
  UpdateReport();
  const absl::Duration wait =
      std::min(kFirstBackOff * (1 << std::min(failures_in_row_, kDoublingsMax)), kLongestBackOff);
  ++failures_in_row_;
  return wait;
}

void DestinationLane::SetError(const std::string& error) {
  std::string note;
  {
    absl::MutexLock lock(&mutex_);
    // Once, until it succeeds again.
    if (report_.last_error.empty() != error.empty()) {
      note = error.empty() ? messages::KinesisWorksAgain(destination_.table, destination_.stream)
                           : messages::KinesisFails(destination_.table, destination_.stream, error);
    }
    report_.last_error = error;
  }
  if (!note.empty()) parts_.note(note);
}

void DestinationLane::UpdateReport() {
  const absl::StatusOr<absl::Time> now = parts_.source->records().Now();
  const auto unsent = std::count_if(waiting_.begin(), waiting_.end(),
                                    [](const WaitingRecord& each) { return !each.is_sent; });
  absl::MutexLock lock(&mutex_);
  report_.waiting = static_cast<size_t>(unsent);
  report_.age.reset();
  if (!waiting_.empty() && now.ok()) report_.age = *now - waiting_.front().record.created;
}

}  // namespace dynolith::kinesis
