#include "api/stream/change_reader.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/escaping.h"
#include "absl/time/clock.h"
#include "api/request/call_bounds.h"
#include "api/stream/change_record.h"
#include "api/stream/messages.h"
#include "api/stream/stream_reads.h"
#include "api/table/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/stream/messages.h"

namespace dynolith {
namespace {

// One read of a shard, and so what a reader holds of it.
constexpr size_t kReadAtOnce = 1000;
constexpr size_t kReadBytesAtOnce = 256 << 10;
// How often a waiting reader looks whether the process is about to end.
constexpr absl::Duration kLookPeriod = absl::Milliseconds(100);
// Nobody tells what other processes do with the table.
constexpr absl::Duration kCatchUpPeriod = absl::Seconds(1);
// A reader that is woken by the writes to other tables, time after time, looks less often.
constexpr absl::Duration kIdlePauseMax = absl::Milliseconds(10);

absl::Status Trimmed() {
  return MakeError(ErrorKind::kTrimmedDataAccess, messages::TrimmedDataAccess());
}

}  // namespace

// --- Places ---

std::string StreamChangeReader::PlaceText(const Place& place) {
  const std::string bytes =
      Concat(place.label, "/", SequenceText(place.number), "/", absl::ToUnixMicros(place.created));
  std::string text;
  absl::WebSafeBase64Escape(bytes, &text);
  return text;
}

std::optional<StreamChangeReader::Place> StreamChangeReader::ParsePlace(std::string_view text) {
  std::string bytes;
  if (!absl::WebSafeBase64Unescape(ToAbsl(text), &bytes)) return std::nullopt;
  const std::string_view parts = bytes;
  const size_t number_begin = parts.find('/') + 1;
  const size_t micros_begin = parts.find('/', number_begin) + 1;
  if (number_begin < 2 || micros_begin == 0) return std::nullopt;
  const std::optional<SequenceNumber> number =
      ParseSequenceText(parts.substr(number_begin, micros_begin - 1 - number_begin));
  int64_t micros = 0;
  const char* const end = parts.data() + parts.size();
  const auto parsed = std::from_chars(parts.data() + micros_begin, end, micros);
  if (!number || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return Place{std::string(parts.substr(0, number_begin - 1)), *number,
               absl::FromUnixMicros(micros)};
}

std::string StreamChangeReader::place() const { return PlaceText(place_); }

// --- Where reading begins ---

absl::StatusOr<std::unique_ptr<ChangeReader>> StreamChangeReader::Open(
    const OperationContext& context, const ChangesFrom& from) {
  DYNOLITH_RETURN_IF_ERROR(CheckReadsStreams(context));
  std::unique_ptr<StreamChangeReader> reader(new StreamChangeReader(&context));
  DYNOLITH_RETURN_IF_ERROR(reader->Begin(from));
  return reader;
}

absl::Status StreamChangeReader::Begin(const ChangesFrom& from) {
  DYNOLITH_RETURN_IF_ERROR(context_->streams->FollowTable(*context_->catalog, from.table_name));
  name_.table = from.table_name;
  if (!from.after.empty()) {
    const std::optional<Place> place = ParsePlace(from.after);
    if (!place) return absl::InvalidArgumentError(messages::NoPlaceOfChanges(from.after));
    place_ = *place;
  } else {
    const std::shared_ptr<Table> table = context_->catalog->Find(from.table_name);
    if (table == nullptr) {
      return MakeError(ErrorKind::kResourceNotFound, messages::TableNotFound(from.table_name));
    }
    const std::shared_ptr<const TableMeta> meta = table->meta();
    if (!meta->stream.enabled) {
      return ValidationError(messages::NoStreamToReadChangesOf(from.table_name));
    }
    place_.label = meta->stream.label;
  }
  name_.label = place_.label;
  DYNOLITH_ASSIGN_OR_RETURN(const Stream stream, FindStream());
  stream_ = stream.number;
  closed_ = stream.closed.has_value();
  if (from.after.empty() && !from.from_oldest) return BeginNow(stream);
  DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber visible, context_->streams->Visible());
  DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber newest, FindNewest(stream));
  if (place_.number > std::max(newest, visible)) {
    return absl::InvalidArgumentError(messages::PlaceBeyondChanges(from.after));
  }
  if (place_.number > 0 && IsTrimmedAfterPlace(stream)) return Trimmed();
  AddShards(stream, place_.number + 1, place_.number == 0);
  return absl::OkStatus();
}

absl::Status StreamChangeReader::BeginNow(const Stream& stream) {
  place_.created = context_->clock->Now();
  // Below it is nothing that is under way. Changes that have been acknowledged may be above it, and
  // are seen once more.
  DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber visible, context_->streams->Visible());
  DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber newest, FindNewest(stream));
  place_.number = std::min(visible, newest);
  AddShards(stream, place_.number + 1);
  return absl::OkStatus();
}

absl::StatusOr<SequenceNumber> StreamChangeReader::FindNewest(const Stream& stream) const {
  if (context_->store->shared() == nullptr) return context_->streams->Visible();
  SequenceNumber newest = 0;
  for (const StreamShard& shard : stream.shards) {
    DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber end, context_->streams->LatestPosition(shard));
    newest = std::max(newest, end - 1);
  }
  return newest;
}

bool StreamChangeReader::IsTrimmedAfterPlace(const Stream& stream) const {
  const auto began_after_place = [this](const StreamShard& shard) {
    return place_.number < kStamped ? shard.number > place_.number : shard.created > place_.created;
  };
  // A shard that began after the place had one before it for each of its hashes.
  return std::any_of(stream.shards.begin(), stream.shards.end(), [&](const StreamShard& shard) {
    return began_after_place(shard) &&
           std::none_of(stream.shards.begin(), stream.shards.end(), [&](const StreamShard& before) {
             return before.number < shard.number && before.hash_first <= shard.hash_first &&
                    before.hash_last >= shard.hash_first;
           });
  });
}

bool StreamChangeReader::AddShards(const Stream& stream, SequenceNumber next, bool from_oldest) {
  const size_t before = shards_.size();
  for (const StreamShard& shard : stream.shards) {
    if (known_.contains(shard.number)) continue;
    const size_t before_shard = shards_.size();
    if (!shard.end || *shard.end > next) {
      OpenShard open{.number = shard.number,
                     .next = std::max<SequenceNumber>(next, shard.number),
                     .begins_at_oldest = from_oldest};
      open.through = open.next - 1;
      shards_.push_back(std::move(open));
    }
    absl::Cleanup forget = [&] {
      if (shards_.size() > before_shard) shards_.pop_back();
    };
    known_.insert(shard.number);
    std::move(forget).Cancel();
  }
  return shards_.size() > before;
}

absl::StatusOr<Stream> StreamChangeReader::FindStream() const {
  DYNOLITH_ASSIGN_OR_RETURN(std::optional<Stream> stream, context_->streams->Find(name_));
  if (!stream) {
    return MakeError(ErrorKind::kResourceNotFound,
                     messages::StreamOfChangesIsGone(name_.table, name_.label));
  }
  return *std::move(stream);
}

// --- Reading ---

absl::Status StreamChangeReader::ReadShard(OpenShard* shard) {
  const ShardIterator from{.kind = shard->begins_at_oldest ? ShardIterator::Kind::kTrimHorizon
                                                           : ShardIterator::Kind::kPosition,
                           .stream = stream_,
                           .shard = shard->number,
                           .position = shard->next};
  std::deque<ReadChange> read;
  DYNOLITH_ASSIGN_OR_RETURN(
      const StreamLog::ReadResult result,
      context_->streams->Read(
          from, kReadAtOnce, kReadBytesAtOnce,
          [&](SequenceNumber number, const RecordView& record) {
            read.push_back({number, record.created, ToChangeRecord(*context_, number, record)});
          }));
  shard->read = std::move(read);
  shard->begins_at_oldest = false;
  shard->ended = !result.next_position;
  lacks_shards_ = lacks_shards_ || shard->ended;
  if (!shard->ended) {
    shard->next = *result.next_position;
    shard->through = shard->next - 1;
  }
  return absl::OkStatus();
}

absl::Status StreamChangeReader::ReadShards() {
  for (;;) {
    for (OpenShard& shard : shards_) {
      if (shard.ended || !shard.read.empty()) continue;
      DYNOLITH_RETURN_IF_ERROR(ReadShard(&shard));
    }
    if (!lacks_shards_ && !shards_.empty()) return absl::OkStatus();
    // Whoever ends a shard makes its children in the same commit.
    DYNOLITH_ASSIGN_OR_RETURN(const Stream stream, FindStream());
    closed_ = stream.closed.has_value();
    const bool has_more = AddShards(stream, 0);
    lacks_shards_ = false;
    if (!has_more) return absl::OkStatus();
  }
}

SequenceNumber StreamChangeReader::CompleteThrough() const {
  SequenceNumber through = kGreatestSequence;
  for (const OpenShard& shard : shards_) {
    if (!shard.ended) through = std::min(through, shard.through);
  }
  return through;
}

void StreamChangeReader::MovePlace(absl::Time read) {
  const SequenceNumber through = CompleteThrough();
  if (through <= place_.number || through == kGreatestSequence) return;
  place_.number = through;
  place_.created = read;
}

absl::Status StreamChangeReader::Follow() {
  const absl::Time now = absl::Now();
  if (now - caught_up_ >= kCatchUpPeriod) {
    DYNOLITH_RETURN_IF_ERROR(context_->catalog->CatchUp());
    caught_up_ = now;
  }
  return context_->streams->FollowTable(*context_->catalog, name_.table);
}

void StreamChangeReader::HandOut(size_t most, std::vector<PlacedChange>* changes) {
  if (lacks_shards_) return;
  const SequenceNumber through = CompleteThrough();
  while (changes->size() < most) {
    OpenShard* first = nullptr;
    for (OpenShard& shard : shards_) {
      if (shard.read.empty()) continue;
      if (first == nullptr || shard.read.front().number < first->read.front().number) {
        first = &shard;
      }
    }
    if (first == nullptr || first->read.front().number > through) break;
    ReadChange& change = first->read.front();
    try {
      changes->push_back({PlaceText({place_.label, change.number, change.created}), {}});
    } catch (const std::bad_alloc&) {
      if (changes->empty()) throw;
      break;  // what has been taken is handed out
    }
    changes->back().record = std::move(change.record);
    place_.number = change.number;
    place_.created = change.created;
    first->read.pop_front();
  }
  std::erase_if(shards_, [](const OpenShard& shard) { return shard.ended && shard.read.empty(); });
}

absl::StatusOr<std::vector<PlacedChange>> StreamChangeReader::Next(size_t most,
                                                                   absl::Duration wait) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  if (most == 0) return absl::InvalidArgumentError(messages::NoChangesAskedFor());
  const absl::Time deadline = absl::Now() + wait;
  std::vector<PlacedChange> changes;
  for (absl::Duration pause;;) {
    DYNOLITH_RETURN_IF_ERROR(CheckNotInterrupted(*context_));
    HandOut(most, &changes);
    if (!changes.empty()) return changes;
    const absl::Time read = context_->clock->Now();
    // A stream that was switched off must show its end.
    DYNOLITH_RETURN_IF_ERROR(Follow());
    DYNOLITH_RETURN_IF_ERROR(ReadShards());
    HandOut(most, &changes);
    if (!changes.empty()) return changes;
    MovePlace(read);
    if (shards_.empty() && closed_) {
      return absl::OutOfRangeError(messages::ChangesHaveEnded(name_.table));
    }
    const absl::Duration rest = deadline - absl::Now();
    if (rest <= absl::ZeroDuration()) return changes;
    if (context_->streams->AwaitVisible(CompleteThrough(), std::min(rest, kLookPeriod))) {
      absl::SleepFor(std::min(rest, pause));
      pause = std::min(pause + absl::Milliseconds(1), kIdlePauseMax);
    } else {
      pause = absl::ZeroDuration();
    }
  }
}

}  // namespace dynolith
