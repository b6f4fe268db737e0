#include "engine/stream/stream_check.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "engine/base/big_endian.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/store/disagreements.h"
#include "engine/store/messages.h"
#include "engine/store/row_id.h"
#include "engine/stream/messages.h"
#include "engine/stream/record.h"
#include "engine/stream/sequence_numbers.h"
#include "engine/stream/stream_rows.h"

namespace dynolith {
namespace {

constexpr uint64_t kGreatestShard = std::numeric_limits<uint64_t>::max();

// Methods return only what keeps the check from running.
class StreamChecker {
 public:
  StreamChecker(Store* store, const Catalog& catalog,
                absl::FunctionRef<void(const std::string&)> report, StreamCheckSummary* summary)
      : store_(store),
        catalog_(catalog),
        disagreements_(report, &summary->disagreements),
        summary_(summary) {}

  absl::Status Check() {
    DYNOLITH_RETURN_IF_ERROR(LoadStreams());
    DYNOLITH_RETURN_IF_ERROR(CheckRecords());
    for (const auto& [number, stream] : streams_) {
      if (!stream.closed) DYNOLITH_RETURN_IF_ERROR(CompareWithItems(stream));
    }
    return absl::OkStatus();
  }

 private:
  struct Owner {
    const Stream* stream = nullptr;
    const StreamShard* shard = nullptr;
  };

  void DisagreeOn(std::string_view record_key, const std::string& what) {
    disagreements_.Add(messages::RecordDisagrees(Hex(record_key), what));
  }

  absl::Status Examine(const absl::Status& status) {
    return disagreements_.Examine(messages::ChangeLog(), status);
  }

  absl::Status LoadStreams() {
    const auto [streams_begin, streams_end] = AllStreamKeys();
    Cursor cursor = store_->Scan(Family::kLog, streams_begin, streams_end, Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      absl::StatusOr<Stream> stream = DecodeStream(cursor.key(), cursor.value());
      DYNOLITH_RETURN_IF_ERROR(Examine(stream.status()));
      if (!stream.ok()) continue;
      const uint64_t number = stream->number;
      streams_[number] = *std::move(stream);
    }
    DYNOLITH_RETURN_IF_ERROR(Examine(cursor.status()));
    const auto [shards_begin, shards_end] = AllShardKeys();
    cursor = store_->Scan(Family::kLog, shards_begin, shards_end, Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      const auto shard = DecodeShard(cursor.key(), cursor.value());
      DYNOLITH_RETURN_IF_ERROR(Examine(shard.status()));
      if (!shard.ok()) continue;
      const auto stream = streams_.find(shard->first);
      if (stream == streams_.end()) {
        disagreements_.Add(messages::ShardWithoutStream(Hex(cursor.key())));
      } else {
        stream->second.shards.push_back(shard->second);
      }
    }
    DYNOLITH_RETURN_IF_ERROR(Examine(cursor.status()));
    for (const auto& [number, stream] : streams_) {
      for (const StreamShard& shard : stream.shards) owners_[shard.number] = {&stream, &shard};
    }
    return absl::OkStatus();
  }

  absl::Status CheckRecords() {
    const auto sequences = SequenceNumbers::Load(store_);
    DYNOLITH_RETURN_IF_ERROR(Examine(sequences.status()));
    // Stamps are not counted.
    const bool counts = sequences.ok() && store_->local() != nullptr;
    const SequenceNumber next = counts ? (*sequences)->next() : kGreatestSequence;
    Cursor cursor = store_->Scan(Family::kLog, RecordKey(0, 0),
                                 RecordKey(kGreatestShard, kGreatestSequence), Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      ++summary_->records;
      CheckRecord(cursor.key(), cursor.value(), next);
    }
    return Examine(cursor.status());
  }

  void CheckRecord(std::string_view key, std::string_view value, SequenceNumber next) {
    const absl::StatusOr<SequenceNumber> sequence = SequenceOfRecordKey(key);
    if (!sequence.ok()) return DisagreeOn(key, messages::DamagedRecord());
    const SequenceNumber number = *sequence;
    const auto owner = owners_.find(ReadBigEndian(key.substr(1)));
    if (owner == owners_.end()) return DisagreeOn(key, messages::RecordWithoutShard());
    const StreamShard& shard = *owner->second.shard;
    if (number <= shard.number || number >= shard.end.value_or(next)) {
      return DisagreeOn(key, messages::RecordOutsideShard());
    }
    const absl::StatusOr<RecordView> record = DecodeRecord(value);
    if (!record.ok()) return DisagreeOn(key, std::string(ToStd(record.status().message())));
    const std::string row_key = EncodeBaseRowKey(*owner->second.stream, record->keys);
    if (row_key.empty()) return DisagreeOn(key, messages::RecordWithOtherKeys());
    const uint64_t hash = RowHash(row_key);
    if (hash < shard.hash_first || hash > shard.hash_last) {
      return DisagreeOn(key, messages::RecordOutsideShard());
    }
    for (const auto& image : {record->old_image, record->new_image}) {
      if (image && EncodeBaseRowKey(*owner->second.stream, *image) != row_key) {
        return DisagreeOn(key, messages::RecordWithOtherKeys());
      }
    }
  }

  // Empty if the item has no such key.
  static std::string EncodeBaseRowKey(const Stream& stream, ItemView item) {
    std::string row_key;
    if (HasKey(stream.key, item)) AppendRowKey(stream.table_id, stream.key, item, &row_key);
    return row_key;
  }

  static bool IsRecorded(const TableMeta& meta, std::string_view label) {
    return std::any_of(meta.kinesis_destinations.begin(), meta.kinesis_destinations.end(),
                       [&](const KinesisDestination& destination) {
                         return destination.is_recorded() && destination.log_label == label;
                       });
  }

  // From the last record of the stream to the first, so that an item's first is its last one.
  absl::Status CompareWithItems(const Stream& stream) {
    const std::shared_ptr<Table> table = catalog_.Find(stream.name.table);
    if (table == nullptr || table->meta()->schema.id != stream.table_id) return absl::OkStatus();
    // One that is disabled and not yet closed has missed changes.
    const bool is_for_destination = IsDestinationLabel(stream.name.label);
    if (is_for_destination && !IsRecorded(*table->meta(), stream.name.label)) {
      return absl::OkStatus();
    }
    std::unordered_set<uint64_t> seen;  // hashes: an item may be taken for another and passed over
    for (size_t i = stream.shards.size(); i-- > 0;) {
      const uint64_t shard = stream.shards[i].number;
      Cursor cursor = store_->Scan(Family::kLog, RecordKey(shard, 0),
                                   RecordKey(shard, kGreatestSequence), Direction::kBackward);
      for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
        const absl::StatusOr<RecordView> record = DecodeRecord(cursor.value());
        if (!record.ok()) continue;  // reported
        const std::string row_key = EncodeBaseRowKey(stream, record->keys);
        const bool is_last = seen.insert(std::hash<std::string>{}(row_key)).second;
        if (row_key.empty() || !is_last) continue;
        DYNOLITH_RETURN_IF_ERROR(CompareWithItem(cursor.key(), *record, row_key));
      }
      DYNOLITH_RETURN_IF_ERROR(Examine(cursor.status()));
      // Without a parent it began when the destination was enabled again: before that are changes
      // that the stream has missed.
      if (is_for_destination && !stream.shards[i].parent) break;
    }
    return absl::OkStatus();
  }

  absl::Status CompareWithItem(std::string_view key, const RecordView& record,
                               const std::string& row_key) {
    Row row;
    const auto found = store_->Get(Family::kTables, row_key, &row);
    if (!found.ok()) return Examine(found.status());
    const bool was_removed = record.event == StreamEvent::kRemove;
    if (*found == was_removed) {
      DisagreeOn(key, was_removed ? messages::RecordOfItemThatIsThere(Hex(row_key))
                                  : messages::RecordOfItemThatIsGone(Hex(row_key)));
    } else if (record.new_image && record.new_image->bytes() != row.value()) {
      DisagreeOn(key, messages::RecordOfOtherItem(Hex(row_key)));
    }
    return absl::OkStatus();
  }

  Store* const store_;
  const Catalog& catalog_;
  Disagreements disagreements_;
  StreamCheckSummary* const summary_;
  std::map<uint64_t, Stream> streams_;
  std::map<uint64_t, Owner> owners_;  // of the shards
};

}  // namespace

absl::Status CheckStreams(Store* store, const Catalog& catalog,
                          absl::FunctionRef<void(const std::string&)> report,
                          StreamCheckSummary* summary) {
  return StreamChecker(store, catalog, report, summary).Check();
}

}  // namespace dynolith
