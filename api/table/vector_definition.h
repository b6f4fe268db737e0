// The rules for a vector index that CreateTable and UpdateTable share (api/facts/newest.md §3, the
// service's model of VectorIndex).
#ifndef DYNOLITH_API_TABLE_VECTOR_DEFINITION_H_
#define DYNOLITH_API_TABLE_VECTOR_DEFINITION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/table/table_definition.h"
#include "dynolith/requests.h"
#include "engine/key/schema.h"

namespace dynolith {

// Search schema, projection and dimensions of one index, then its agreement with `others`, the
// table's vector indexes that were checked before. All errors here are ValidationExceptions.
absl::Status CheckVectorIndex(const VectorIndex& index, const std::vector<std::string>& table_key,
                              const DefinitionsByName& definitions,
                              const std::vector<IndexSchema>& others);

// Only tables without provisioned units may have vector indexes.
absl::Status CheckVectorBilling(BillingMode mode);

// The attributes that must be defined, as a key schema would name them.
std::vector<KeySchemaElement> DefinedAttributes(const VectorIndex& index);

// The number of attributes that the index counts against the limit on projected ones: those that
// the user names, the vector and each inline filter.
int64_t ProjectedAttributes(const VectorIndex& index);
// The same for an existing index of any kind.
int64_t ProjectedAttributes(const IndexSchema& index);

// Requires: checked by CheckVectorIndex.
IndexSchema BuildVectorIndex(const VectorIndex& index,
                             const std::vector<AttributeDefinition>& definitions);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_VECTOR_DEFINITION_H_
