// The rules for a table's key, an index and its projection that CreateTable and UpdateTable share
// (api/facts/operations.md §5.1 rows 4 to 16, api/facts/newest.md §1).
#ifndef DYNOLITH_API_TABLE_TABLE_DEFINITION_H_
#define DYNOLITH_API_TABLE_TABLE_DEFINITION_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "dynolith/requests.h"
#include "engine/base/strings.h"
#include "engine/key/schema.h"

namespace dynolith {

// The attribute definitions of a request by name, without a linear search: a request may have as
// many indexes as definitions. Borrows them.
class DefinitionsByName {
 public:
  // Not explicit: callers with one or two look-ups need not name it.
  DefinitionsByName(const std::vector<AttributeDefinition>& definitions);  // NOLINT

  // The first one of that name; nullptr if there is none.
  const AttributeDefinition* Find(std::string_view name) const;
  const std::vector<AttributeDefinition>& all() const { return definitions_; }

 private:
  const std::vector<AttributeDefinition>& definitions_;
  std::unordered_map<std::string_view, const AttributeDefinition*, StringViewHash> by_name_;
};

// Rows 4 to 7 for the table's own key. All errors here are ValidationExceptions.
absl::Status CheckTableKey(const std::vector<KeySchemaElement>& key,
                           const DefinitionsByName& definitions);

// Row 8: no attribute is defined twice, and, only of a new table, every definition is used by the
// table's key or by an index.
absl::Status CheckDefinedOnce(const std::vector<AttributeDefinition>& definitions);
absl::Status CheckDefinitionsAreUsed(const std::vector<AttributeDefinition>& definitions,
                                     const std::vector<KeySchemaElement>& table_key,
                                     absl::Span<const SecondaryIndex* const> indexes);

// Rows 4 to 7 and 11 for one index; CheckLocalIndex and CheckGlobalIndex also rows 12 to 15.
absl::Status CheckLocalIndexKey(const SecondaryIndex& index, const DefinitionsByName& definitions);
absl::Status CheckGlobalIndexKey(const SecondaryIndex& index, const DefinitionsByName& definitions);
absl::Status CheckLocalIndex(const SecondaryIndex& index,
                             const std::vector<KeySchemaElement>& table_key,
                             const DefinitionsByName& definitions);
absl::Status CheckGlobalIndex(const SecondaryIndex& index, const DefinitionsByName& definitions);

// Rows 13 to 15.
absl::Status CheckProjection(const IndexProjection& projection);

// The limit on attributes that users project, summed over all indexes of a table.
absl::Status CheckProjectedAttributes(int64_t projected);

// Require: checked by the functions above.
KeySchema BuildKey(const std::vector<KeySchemaElement>& key,
                   const std::vector<AttributeDefinition>& definitions);
IndexSchema BuildIndex(const SecondaryIndex& index, IndexKind kind,
                       const std::vector<AttributeDefinition>& definitions);

// A key schema in the form of a request.
std::vector<KeySchemaElement> ToKeySchemaElements(const KeySchema& key);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TABLE_DEFINITION_H_
