// Parts of a table's metadata as descriptions show them.
#ifndef DYNOLITH_API_TABLE_SHOWN_SCHEMA_H_
#define DYNOLITH_API_TABLE_SHOWN_SCHEMA_H_

#include <optional>
#include <vector>

#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"
#include "engine/key/schema.h"

namespace dynolith {

std::vector<AttributeDefinition> ShownDefinitions(const std::vector<KeyAttribute>& attributes);
std::vector<KeySchemaElement> ShownKeySchema(const KeySchema& key);
IndexProjection ShownProjection(const IndexSchema& index);
ProvisionedThroughput ShownUnits(const Throughput& throughput);
// Requires: the stream is enabled.
StreamSpecification ShownStream(const StreamState& stream);
// As it is asked for.
SseSpecification ShownEncryption(const ServerSideEncryption& encryption);
// As a description shows it. Requires: it is enabled, or its `status` says what it becomes.
SseDescription DescribeEncryption(const std::optional<ServerSideEncryption>& encryption,
                                  SseStatus status);
// What a vector index has in place of a key schema; absent if nothing is searched by.
std::optional<std::vector<SearchSchemaElement>> ShownSearchSchema(const IndexSchema& index);

// The name, the projection and all that says what is in a vector index, into any of the structures
// that show it. Requires: a vector index.
template <typename Shown>
void ShowVectorSchema(const IndexSchema& index, Shown* shown) {
  shown->index_name = index.name;
  shown->search_schema = ShownSearchSchema(index);
  shown->vector_attribute = index.vector->attribute;
  shown->dimensions = index.vector->dimensions;
  shown->distance_function = index.vector->distance;
  shown->projection = ShownProjection(index);
}

// The same of a global or a local index.
template <typename Shown>
void ShowIndexSchema(const IndexSchema& index, Shown* shown) {
  shown->index_name = index.name;
  shown->key_schema = ShownKeySchema(index.key);
  shown->projection = ShownProjection(index);
}

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_SHOWN_SCHEMA_H_
