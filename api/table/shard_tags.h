// Write-sharded indexes over the wire, by a tag of the table which the service ignores:
// "dynolith:shards:<index>" = "8". It may come before its index.
#ifndef DYNOLITH_API_TABLE_SHARD_TAGS_H_
#define DYNOLITH_API_TABLE_SHARD_TAGS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Whether it is a valid number of shards of an index. Errors: ValidationException.
absl::Status CheckShards(int64_t shards);

// Checks a tag in a request; other keys are always valid. Errors: ValidationException.
absl::Status CheckShardTag(std::string_view key, std::string_view value);

// Checks that no tag is of a local index or a vector index. Errors: ValidationException.
absl::Status CheckShardedIndexes(const TableMeta& meta);

// The number of shards that the tags set for an index; nullopt: none.
std::optional<int> ShardsInTags(const Tags& tags, std::string_view index);

// The index names in tags for which the table has no index.
std::vector<std::string> ShardTagsWithoutIndex(const TableMeta& meta);

// Applies changes of tags since `before` to their indexes; without a tag an index has one shard.
// Errors: CheckShardedIndexes's.
absl::Status FollowShardTags(const Tags& before, TableMeta* meta);

// Updates the tag of the index, if there is one.
void KeepShardTag(std::string_view index, int shards, Tags* tags);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_SHARD_TAGS_H_
