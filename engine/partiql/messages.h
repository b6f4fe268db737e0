// The texts about PartiQL statements, without their tables (api/facts/operations.md §4).
#ifndef DYNOLITH_ENGINE_PARTIQL_MESSAGES_H_
#define DYNOLITH_ENGINE_PARTIQL_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Statements that cannot be parsed. `problem`: a text below, or empty for an invalid literal
// ---

inline std::string StatementMalformed(std::string_view problem) {
  return Concat("Statement wasn't well formed, can't be processed: ", problem);
}
inline constexpr std::string_view kUnexpectedTokenAfterExpression =
    "Unexpected token after expression";
inline constexpr std::string_view kUnexpectedTokenAfterSemicolon =
    "Unexpected token after semicolon. (Only one query is allowed.)";
inline constexpr std::string_view kUnexpectedTerm = "Unexpected term";
inline constexpr std::string_view kMissingRightHandSide =
    "Missing right-hand side expression of infix operator";
inline constexpr std::string_view kExpectedAfterAnd = "Expected expression after AND";
inline constexpr std::string_view kUnexpectedKeyword = "Unexpected keyword";
inline constexpr std::string_view kExpectedTypeName = "Expected type name";
inline constexpr std::string_view kUnexpectedOperator = "Unexpected operator";
inline constexpr std::string_view kExpectedIdentifier = "Expected identifier for simple path";
inline constexpr std::string_view kInvalidPathComponent = "Invalid path dot component";
inline constexpr std::string_view kExpectedManipulation = "Expected data manipulation";
inline constexpr std::string_view kExpectedAssignment = "Expected '='";
inline constexpr std::string_view kExpectedFrom = "Expected FROM after SELECT list";
inline constexpr std::string_view kExpectedFromAfterDelete = "Expected FROM after DELETE";
inline constexpr std::string_view kAggregateIsUnary = "Aggregate functions are always unary";
inline constexpr std::string_view kInvalidOnConflict = "invalid ON CONFLICT syntax";
inline constexpr std::string_view kExpectedReturning =
    "Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.";
inline constexpr std::string_view kAsteriskNotAlone =
    "Other expressions may not be present in the select list when '*' is used without dot "
    "notation.";
// `token`: its name in the grammar: "RIGHT_PAREN".
inline std::string ExpectedToken(std::string_view token) {
  return Concat("Expected token of type ", token);
}
inline std::string ExpectedKeyword(std::string_view keyword) {
  return Concat("Expected keyword ", keyword);
}
inline std::string ExpectedAlias(std::string_view keyword) {
  return Concat("Expected identifier for ", keyword, "-alias");
}
inline std::string CallWithStar(std::string_view function) {
  return Concat(function, "(*) is not allowed");
}

// --- Statements that can be parsed, but that the service does not have ---

// `operation`: the grammar's name of the unsupported operation: "IsType", "Like".
inline std::string UnsupportedOperation(std::string_view operation) {
  return Concat("Unsupported operation: ", operation);
}
// The end of the service's text is unknown.
inline std::string UnsupportedTypeForIs(std::string_view type) {
  return Concat("Unsupported data type for IS operator: ", type);
}
inline std::string UnsupportedClause(std::string_view clause, std::string_view position) {
  return Concat("Unsupported clause: ", clause, " at ", position);
}
// `position` is "l:c:n": line and column of the first character, and the length.
inline std::string UnrecognizedFunction(std::string_view function, std::string_view position) {
  return Concat("Unrecognized function: ", function, " at ", position);
}
inline std::string UnexpectedPathComponent(std::string_view position) {
  return Concat("Unexpected path component at ", position);
}
inline std::string AliasingNotSupported() { return "Aliasing is not supported"; }
inline std::string FromPathTooLong() {
  return "A path may contain at most 2 components in the FROM clause";
}
inline std::string PathComponentEmpty() { return "Path component cannot be an empty string"; }
// Ours: the service's behaviour is unknown, and one of the values would be lost.
inline std::string DuplicateField(std::string_view name) {
  return Concat("Duplicate field ", name);
}
// A problem of a value, with the value's path in its constant: "root", "root.a[1]".
inline std::string UnderPlace(std::string_view problem, std::string_view place) {
  return Concat(problem, " under ", place);
}
inline std::string UnsupportedDataType(std::string_view function, std::string_view place,
                                       std::string_view position) {
  return Concat("Unsupported data type: ", function, " under key ", place, " at ", position);
}
inline std::string EmptyBag() { return "Empty bags are not supported"; }
inline std::string SetFunctionTarget(std::string_view function, std::string_view position) {
  return Concat("The first argument to ", function, " must equal the assignment value at ",
                position);
}
inline std::string SetFunctionNeedsSet(std::string_view function, std::string_view position) {
  return Concat("The second argument to ", function, " must be a value with type SET at ",
                position);
}
inline std::string SetFunctionArguments(std::string_view function, std::string_view position) {
  return Concat(function, " must have exactly two arguments at ", position);
}
inline std::string InvalidReturningInDelete(std::string_view returning) {
  return Concat("Invalid returning clause: ", returning,
                ". Only RETURNING ALL OLD * is allowed in DELETE statements.");
}
inline std::string InvalidReturningInUpdate(std::string_view returning) {
  return Concat("Invalid returning clause: ", returning,
                ". Only RETURNING (ALL | MODIFIED) (OLD | NEW) * is allowed in UPDATE statements.");
}
inline std::string InvalidReturningInInsert(std::string_view returning) {
  return Concat("Invalid returning clause: ", returning,
                ". RETURNING is not allowed in INSERT statements.");
}
inline std::string ManipulationOnIndex() { return "This operation is not supported on an index"; }
inline std::string OneSourceOnly() {
  return "Only select from a single table or index is supported.";
}
inline std::string OneTableToManipulate(std::string_view position) {
  return Concat(
      "FROM clause may only contain a single table name in data manipulation statements at ",
      position);
}
inline std::string ParameterCountMismatch() {
  return "Number of parameters in request and statement don't match.";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_PARTIQL_MESSAGES_H_
