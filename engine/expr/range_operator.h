// Conditions as conditions on a sort key, for turning them into key ranges.
#ifndef DYNOLITH_ENGINE_EXPR_RANGE_OPERATOR_H_
#define DYNOLITH_ENGINE_EXPR_RANGE_OPERATOR_H_

#include <optional>

#include "engine/expr/ast.h"
#include "engine/key/key_codec.h"

namespace dynolith {

// The range operator of a test whose first operand is the key; nullopt if no range has that form.
std::optional<RangeOperator> ToRangeOperator(StepKind test);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_RANGE_OPERATOR_H_
