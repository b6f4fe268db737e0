// Which attributes of a table have a definition: those of its key, of its indexes' keys and of
// search schemas.
#ifndef DYNOLITH_API_TABLE_DEFINED_ATTRIBUTES_H_
#define DYNOLITH_API_TABLE_DEFINED_ATTRIBUTES_H_

#include <string_view>

#include "engine/key/schema.h"

namespace dynolith {

// The attributes that an index of any kind needs defined, inline filters as range attributes.
KeySchema DefinedAttributes(const IndexSchema& index);

// Whether the table's key, one of its indexes' keys or a search schema has the attribute.
bool IsKeyAttribute(const TableSchema& schema, std::string_view attribute);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_DEFINED_ATTRIBUTES_H_
