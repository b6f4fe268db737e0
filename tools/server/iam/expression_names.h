// What an expression of a request names, from its text alone. An expression that is none is refused
// by its operation.
#ifndef DYNOLITH_TOOLS_SERVER_IAM_EXPRESSION_NAMES_H_
#define DYNOLITH_TOOLS_SERVER_IAM_EXPRESSION_NAMES_H_

#include <set>
#include <string>
#include <string_view>

#include "engine/text/json_tree.h"

namespace dynolith::iam {

// Adds the top-level attributes that it names. `names`: ExpressionAttributeNames; nullptr: none.
void AddExpressionNames(std::string_view expression, const JsonTree* names,
                        std::set<std::string>* attributes);

// The value that a key condition demands of an attribute by `=`: an element of `values`,
// ExpressionAttributeValues; nullptr: it demands none.
const JsonTree* EqualValueIn(std::string_view expression, const JsonTree* names,
                             const JsonTree* values, std::string_view attribute);

}  // namespace dynolith::iam

#endif  // DYNOLITH_TOOLS_SERVER_IAM_EXPRESSION_NAMES_H_
