#include "tools/lab/model/item_collections.h"

#include <algorithm>

#include "engine/base/limits.h"

namespace dynolith::lab {
namespace {

// The number of partition keys that the accesses of a table name; 0: none, or unbounded.
int64_t CountKeys(const Experiment& experiment, size_t at) {
  int64_t most = 0;
  for (const Access& access : experiment.accesses) {
    for (const Access& part : ListParts(access)) {
      const auto named = part.key.find(experiment.tables[at].partition_key.attribute);
      if (part.table != at || named == part.key.end()) continue;
      const KeySource& source = experiment.sources[named->second];
      most = std::max(most, static_cast<int64_t>(source.count) * source.shards);
    }
  }
  return most;
}

}  // namespace

ItemCollections::ItemCollections(const Experiment& experiment, size_t table)
    : weight_(static_cast<uint64_t>(experiment.sample)) {
  const int64_t keys = CountKeys(experiment, table);
  if (keys > 0) bytes_at_start_ = experiment.tables[table].bytes / keys;
}

int64_t ItemCollections::CountBytes(uint64_t hash) const {
  const auto found = bytes_.find(hash);
  return found == bytes_.end() ? bytes_at_start_ : found->second;
}

bool ItemCollections::HasRoomFor(const LabUse& use, int64_t bytes) const {
  return CountBytes(use.position.hash()) + bytes <= kItemCollectionBytesMax;
}

void ItemCollections::Add(uint64_t hash, int64_t bytes) {
  int64_t& own = bytes_.try_emplace(hash, bytes_at_start_).first->second;
  own = std::max<int64_t>(0, own + bytes);
}

void ItemCollections::CountRefused(const LabUse& use, Micros now) {
  const auto [found, is_new] = full_at_.try_emplace(use.position.hash(), full_.size());
  if (is_new) {
    full_.push_back({.key = use.texts == nullptr ? "" : use.texts->ToText(use.key), .at = now});
  }
  full_[found->second].refused += weight_;
}

}  // namespace dynolith::lab
