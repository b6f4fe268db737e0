// The names of a SELECT's columns in its answer.
#ifndef DYNOLITH_ENGINE_PARTIQL_COLUMN_NAMES_H_
#define DYNOLITH_ENGINE_PARTIQL_COLUMN_NAMES_H_

#include <string>
#include <vector>

#include "engine/expr/ast.h"

namespace dynolith::partiql {

// One name for each column: the last name of its path with the indexes after it, `m.l[0]` is
// "l[0]". Columns that would have one name, `m.x` and `n.x`, have their whole paths instead, so no
// value of an answer hides another one. Requires: the paths are distinct.
std::vector<std::string> NamesOfColumns(const std::vector<Path>& columns);

}  // namespace dynolith::partiql

#endif  // DYNOLITH_ENGINE_PARTIQL_COLUMN_NAMES_H_
