// The grammar that ConditionExpression, FilterExpression and KeyConditionExpression share
// (api/facts/expressions.md §3-§4). Internal to engine/expr.
#ifndef DYNOLITH_ENGINE_EXPR_CONDITION_PARSER_H_
#define DYNOLITH_ENGINE_EXPR_CONDITION_PARSER_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "engine/expr/ast.h"
#include "engine/expr/placeholders.h"

namespace dynolith {

// Errors: the service's, in its order and with its texts.
absl::StatusOr<BoundAst> ParseCondition(std::string_view text, ExpressionKind kind,
                                        Placeholders* placeholders);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_CONDITION_PARSER_H_
