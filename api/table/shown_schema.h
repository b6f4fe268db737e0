// Parts of a table's metadata in the form of descriptions.
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
// In the form of requests.
SseSpecification ShownEncryption(const ServerSideEncryption& encryption);
// In the form of descriptions. Requires: it is enabled, or its `status` says what it becomes.
SseDescription DescribeEncryption(const std::optional<ServerSideEncryption>& encryption,
                                  SseStatus status);
// The counterpart of a key schema in a vector index; absent if there are no search attributes.
std::optional<std::vector<SearchSchemaElement>> ShownSearchSchema(const IndexSchema& index);

// Puts the name, the projection and the content of a vector index into any of the structures that
// show it. Requires: a vector index.
template <typename Shown>
void ShowVectorSchema(const IndexSchema& index, Shown* shown) {
  shown->index_name = index.name;
  shown->search_schema = ShownSearchSchema(index);
  shown->vector_attribute = index.vector->attribute;
  shown->dimensions = index.vector->dimensions;
  shown->distance_function = index.vector->distance;
  shown->projection = ShownProjection(index);
}

// The same for a global or a local index.
template <typename Shown>
void ShowIndexSchema(const IndexSchema& index, Shown* shown) {
  shown->index_name = index.name;
  shown->key_schema = ShownKeySchema(index.key);
  shown->projection = ShownProjection(index);
}

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_SHOWN_SCHEMA_H_
