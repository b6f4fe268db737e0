// What may be a table's key, an index and its projection: the rules that CreateTable and
// UpdateTable share (api/facts/operations.md §5.1 rows 4 to 16, api/facts/newest.md §1).
#ifndef DYNOLITH_API_TABLE_TABLE_DEFINITION_H_
#define DYNOLITH_API_TABLE_TABLE_DEFINITION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "dynolith/requests.h"
#include "engine/key/schema.h"

namespace dynolith {

// Rows 4 to 7 for the table's own key. All errors here are ValidationExceptions.
absl::Status CheckTableKey(const std::vector<KeySchemaElement>& key,
                           const std::vector<AttributeDefinition>& definitions);

// Row 8: no attribute is defined twice, and every definition is used by the table's key or by an
// index.
absl::Status CheckDefinitionsAreUsed(const std::vector<AttributeDefinition>& definitions,
                                     const std::vector<KeySchemaElement>& table_key,
                                     absl::Span<const SecondaryIndex* const> indexes);

// Rows 4 to 7 and 11 to 15 for one index.
absl::Status CheckLocalIndex(const SecondaryIndex& index,
                             const std::vector<KeySchemaElement>& table_key,
                             const std::vector<AttributeDefinition>& definitions);
absl::Status CheckGlobalIndex(const SecondaryIndex& index,
                              const std::vector<AttributeDefinition>& definitions);

// Rows 13 to 15.
absl::Status CheckProjection(const IndexProjection& projection);

// The limit on attributes that users project, summed over all indexes of a table.
absl::Status CheckProjectedAttributes(int64_t projected);

// Require: checked by the functions above.
KeySchema BuildKey(const std::vector<KeySchemaElement>& key,
                   const std::vector<AttributeDefinition>& definitions);
IndexSchema BuildIndex(const SecondaryIndex& index, IndexKind kind,
                       const std::vector<AttributeDefinition>& definitions);

// A key schema as a request would give it.
std::vector<KeySchemaElement> ElementsOf(const KeySchema& key);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TABLE_DEFINITION_H_
