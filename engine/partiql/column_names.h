// What the columns of a SELECT are called in its answer.
#ifndef DYNOLITH_ENGINE_PARTIQL_COLUMN_NAMES_H_
#define DYNOLITH_ENGINE_PARTIQL_COLUMN_NAMES_H_

#include <string>
#include <vector>

#include "engine/expr/ast.h"

namespace dynolith::partiql {

// One name for each column: the last name of its path with the indexes behind it, `m.l[0]` is
// "l[0]". Columns that would have one name, `m.x` and `n.x`, have their whole paths instead, so no
// value of an answer hides another one. Requires: each path stands once.
std::vector<std::string> NamesOfColumns(const std::vector<Path>& columns);

}  // namespace dynolith::partiql

#endif  // DYNOLITH_ENGINE_PARTIQL_COLUMN_NAMES_H_
