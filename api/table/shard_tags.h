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

// Whether it is any number of shards that an index may have. Errors: ValidationException.
absl::Status CheckShards(int64_t shards);

// A tag as a request gives it; of other keys everything is right. Errors: ValidationException.
absl::Status CheckShardTag(std::string_view key, std::string_view value);

// No tag is of an index that is local or of vectors. Errors: ValidationException.
absl::Status CheckShardedIndexes(const TableMeta& meta);

// What the tags say of an index; nullopt: nothing.
std::optional<int> ShardsInTags(const Tags& tags, std::string_view index);

// The names in tags of which the table has no index.
std::vector<std::string> ShardTagsWithoutIndex(const TableMeta& meta);

// Has each index follow what has changed of its tag since `before`; without a tag it has one shard.
// Errors: CheckShardedIndexes's.
absl::Status FollowShardTags(const Tags& before, TableMeta* meta);

// Brings the tag of the index in line, if there is one.
void KeepShardTag(std::string_view index, int shards, Tags* tags);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_SHARD_TAGS_H_
