#include "tools/lab/model/stream_shards.h"

#include <algorithm>
#include <iterator>

namespace dynolith::lab {
namespace {

// Limits of a call (api/facts/operations.md §6).
constexpr double kRecordsOfCall = 1'000;
constexpr double kBytesOfCall = 1 << 20;
// Limits of a shard for all of its readers together (README.md).
constexpr double kBytesOfSecond = 2 << 20;
// Readers with a smaller lag than this keep up.
constexpr double kBehindSeconds = 1;

}  // namespace

StreamShards::StreamShards(const StreamReaders& readers) {
  const auto count = static_cast<double>(readers.readers);
  result_.calls = count * static_cast<double>(kSecond) / static_cast<double>(readers.interval);
  const double calls = std::min(result_.calls, kStreamCallsOfSecond) / count;
  records_a_second_ = calls * kRecordsOfCall;
  bytes_a_second_ = std::min(calls * kBytesOfCall, kBytesOfSecond / count);
}

void StreamShards::Add(uint64_t partition, double records, double bytes) {
  Shard& shard = shards_[partition];
  shard.new_records += records;
  shard.new_bytes += bytes;
}

void StreamShards::Split(const PartitionSplit& split) {
  for (const uint64_t child : {split.low, split.high}) shards_[child].parent = split.parent;
}

// Returns the seconds that reading the rest takes.
double StreamShards::Read(Shard* shard) const {
  shard->records = std::max(0.0, shard->records - records_a_second_);
  shard->bytes = std::max(0.0, shard->bytes - bytes_a_second_);
  return std::max(shard->records / records_a_second_, shard->bytes / bytes_a_second_);
}

void StreamShards::CloseSecond(Micros now) {
  result_.behind_at_end = 0;
  for (auto it = shards_.begin(); it != shards_.end();) {
    Shard& shard = it->second;
    result_.records = std::max(result_.records, shard.new_records);
    result_.bytes = std::max(result_.bytes, shard.new_bytes);
    shard.records += shard.new_records;
    shard.bytes += shard.new_bytes;
    shard.new_records = shard.new_bytes = 0;
    const auto parent = shards_.find(shard.parent);
    if (parent != shards_.end()) {
      shard.behind = parent->second.behind +
                     std::max(shard.records / records_a_second_, shard.bytes / bytes_a_second_);
    } else {
      shard.behind = Read(&shard);
    }
    result_.behind_at_end = std::max(result_.behind_at_end, shard.behind);
    it = shard.behind > 0 ? std::next(it) : shards_.erase(it);
  }
  result_.behind_most = std::max(result_.behind_most, result_.behind_at_end);
  if (result_.behind_at_end > kBehindSeconds && !result_.behind_from) result_.behind_from = now;
}

StreamResult StreamShards::Finish(size_t shards) {
  result_.shards = shards;
  return result_;
}

}  // namespace dynolith::lab
