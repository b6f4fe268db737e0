#include "api/table/shard_tags.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "api/table/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/index_layouts.h"

namespace dynolith {
namespace {

constexpr std::string_view kShardTag = "dynolith:shards:";

// The number in a tag's value, 0 if it is none; so written that the same number has one text.
int64_t ParseShardCount(std::string_view value) {
  int64_t shards = 0;
  const bool is_number = absl::SimpleAtoi(ToAbsl(value), &shards);
  return is_number && std::to_string(shards) == value ? shards : 0;
}

bool MayBeShards(int64_t shards) { return shards >= 1 && shards <= kIndexShardsMax; }

}  // namespace

absl::Status CheckShards(int64_t shards) {
  if (MayBeShards(shards)) return absl::OkStatus();
  return ValidationError(messages::IndexShardsInvalid(std::to_string(shards), kIndexShardsMax));
}

absl::Status CheckShardTag(std::string_view key, std::string_view value) {
  if (!key.starts_with(kShardTag) || MayBeShards(ParseShardCount(value))) return absl::OkStatus();
  return ValidationError(messages::IndexShardsInvalid(value, kIndexShardsMax));
}

absl::Status CheckShardedIndexes(const TableMeta& meta) {
  for (const IndexSchema& index : meta.schema.indexes) {
    if (index.kind == IndexKind::kGlobal || !ShardsInTags(meta.tags, index.name)) continue;
    return ValidationError(messages::IndexHasNoShards(index.name));
  }
  return absl::OkStatus();
}

std::optional<int> ShardsInTags(const Tags& tags, std::string_view index) {
  const std::string key = Concat(kShardTag, index);
  const auto tag =
      std::find_if(tags.begin(), tags.end(), [&](const auto& each) { return each.first == key; });
  if (tag == tags.end()) return std::nullopt;
  // A value that a program without shards has let in says nothing.
  const int64_t shards = ParseShardCount(tag->second);
  return MayBeShards(shards) ? std::optional<int>(static_cast<int>(shards)) : std::nullopt;
}

std::vector<std::string> ShardTagsWithoutIndex(const TableMeta& meta) {
  std::vector<std::string> names;
  for (const auto& [key, value] : meta.tags) {
    if (!key.starts_with(kShardTag)) continue;
    const std::string name = key.substr(kShardTag.size());
    if (meta.schema.FindIndex(name) == nullptr) names.push_back(name);
  }
  return names;
}

absl::Status FollowShardTags(const Tags& before, TableMeta* meta) {
  for (size_t i = 0; i < meta->schema.indexes.size(); ++i) {
    IndexSchema& index = meta->schema.indexes[i];
    if (index.kind != IndexKind::kGlobal) continue;
    const std::optional<int> wanted = ShardsInTags(meta->tags, index.name);
    if (wanted == ShardsInTags(before, index.name)) continue;
    SetShards(wanted.value_or(1), &index, &meta->index_states[i]);
  }
  return CheckShardedIndexes(*meta);
}

void KeepShardTag(std::string_view index, int shards, Tags* tags) {
  const std::string key = Concat(kShardTag, index);
  for (auto& [name, value] : *tags) {
    if (name == key) value = std::to_string(shards);
  }
}

}  // namespace dynolith
