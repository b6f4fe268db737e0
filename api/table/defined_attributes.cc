#include "api/table/defined_attributes.h"

#include <algorithm>
#include <vector>

namespace dynolith {

KeySchema DefinedAttributes(const IndexSchema& index) {
  KeySchema defined = index.key;
  if (!index.vector) return defined;
  const std::vector<KeyAttribute>& filters = index.vector->inline_filters;
  defined.range.insert(defined.range.end(), filters.begin(), filters.end());
  return defined;
}

bool IsKeyAttribute(const TableSchema& schema, std::string_view attribute) {
  return schema.key.Contains(attribute) ||
         std::any_of(schema.indexes.begin(), schema.indexes.end(), [&](const IndexSchema& index) {
           return DefinedAttributes(index).Contains(attribute);
         });
}

}  // namespace dynolith
