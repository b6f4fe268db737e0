#include "engine/partition/partition_map.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "engine/base/big_endian.h"
#include "engine/partition/messages.h"

namespace dynolith {
namespace {

constexpr size_t kHashBytes = 8;

uint64_t ShortPositionHash(std::string_view position) {
  std::string whole(position);
  whole.resize(kHashBytes);
  return ReadBigEndian(whole);
}

// The first hash of a position, which may be shorter than a hash.
uint64_t PositionHash(std::string_view position) {
  return position.size() >= kHashBytes ? ReadBigEndian(position) : ShortPositionHash(position);
}

std::string EncodePosition(uint64_t hash) {
  std::string position;
  AppendBigEndian(hash, &position);
  return position;
}

}  // namespace

PartitionMap::PartitionMap(int count) {
  const auto parts = static_cast<unsigned __int128>(count);
  for (uint64_t i = 0; i < static_cast<uint64_t>(count); ++i) {
    const auto hash = static_cast<uint64_t>((static_cast<unsigned __int128>(i) << 64) / parts);
    hashes_.push_back(hash);
    partitions_.push_back({.id = next_id_++,
                           .begin = i == 0 ? std::string() : EncodePosition(hash),
                           .weight = 1.0 / count});
  }
}

absl::StatusOr<PartitionMap> PartitionMap::FromPartitions(std::vector<Partition> partitions,
                                                          uint64_t next_id) {
  std::set<uint64_t> ids;
  bool is_sound = !partitions.empty() && partitions[0].begin.empty();
  for (size_t i = 0; i < partitions.size(); ++i) {
    const Partition& partition = partitions[i];
    is_sound = is_sound && (i == 0 || partitions[i - 1].begin < partition.begin) &&
               partition.id > 0 && partition.id < next_id && ids.insert(partition.id).second &&
               partition.weight >= 0 && partition.weight <= 1;
  }
  if (!is_sound) return absl::DataLossError(messages::PartitionsNotInOrder());
  PartitionMap map;
  for (const Partition& partition : partitions)
    map.hashes_.push_back(PositionHash(partition.begin));
  map.partitions_ = std::move(partitions);
  map.next_id_ = next_id;
  return map;
}

size_t PartitionMap::FindIndex(std::string_view position, size_t likely) const {
  const uint64_t hash = PositionHash(position);
  const auto is_within = [&](size_t index) {
    return hashes_[index] < hash && (index + 1 == hashes_.size() || hash < hashes_[index + 1]);
  };
  if (likely < hashes_.size() && is_within(likely)) return likely;
  // Where it is if all partitions are equal, as they are until one is split.
  const auto even =
      static_cast<size_t>(static_cast<unsigned __int128>(hash) * hashes_.size() >> 64);
  if (is_within(even)) return even;
  // The last one that does not begin behind the hash. Without branches, which nobody could predict.
  size_t index = 0;
  for (size_t count = hashes_.size(); count > 1;) {
    const size_t half = count / 2;
    index = hashes_[index + half] <= hash ? index + half : index;
    count -= half;
  }
  // Several partitions may begin within one hash.
  while (index > 0 && hashes_[index] == hash && position < partitions_[index].begin) --index;
  return index;
}

std::optional<std::string> PartitionMap::FindMiddle(size_t index) const {
  const uint64_t first = hashes_[index];
  // The difference of hashes is right for the last partition, too, whose end is 2^64.
  const uint64_t end = index + 1 == hashes_.size() ? 0 : hashes_[index + 1];
  const uint64_t half = (end - first) / 2;
  const bool is_all = hashes_.size() == 1;
  if (half == 0 && !is_all) return std::nullopt;
  return EncodePosition(is_all ? uint64_t{1} << 63 : first + half);
}

void PartitionMap::AddBytes(size_t index, int64_t bytes) {
  partitions_[index].bytes = std::max<int64_t>(0, partitions_[index].bytes + bytes);
}

PartitionSplit PartitionMap::Split(size_t index, std::string_view boundary) {
  assert(boundary > partitions_[index].begin);
  assert(index + 1 == partitions_.size() || boundary < partitions_[index + 1].begin);
  const Partition parent = partitions_[index];
  Partition& low = partitions_[index];
  low.id = next_id_++;
  low.parent = parent.id;
  low.weight = parent.weight / 2;
  low.bytes = parent.bytes / 2;
  Partition high = low;
  high.id = next_id_++;
  high.begin = std::string(boundary);
  high.bytes = parent.bytes - low.bytes;
  PartitionSplit split = {parent.id, low.id, high.id, high.begin};
  hashes_.insert(hashes_.begin() + static_cast<std::ptrdiff_t>(index) + 1, PositionHash(boundary));
  partitions_.insert(partitions_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(high));
  return split;
}

}  // namespace dynolith
