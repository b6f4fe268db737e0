// The texts about expressions, placeholders and the legacy parameters (api/facts/expressions.md
// §2-§9, api/facts/newest.md §1).
#ifndef DYNOLITH_ENGINE_EXPR_MESSAGES_H_
#define DYNOLITH_ENGINE_EXPR_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== Expressions, placeholders and the legacy parameters (api/facts/expressions.md §2-§9,
// api/facts/newest.md §1).

// --- All expressions

// `expression`: returned by ExpressionName, e.g. "ConditionExpression".
inline std::string InvalidExpression(std::string_view expression, std::string_view problem) {
  return Concat("Invalid ", expression, ": ", problem);
}

inline std::string ExpressionEmpty() { return "The expression can not be empty;"; }

inline std::string ExpressionTooLarge(size_t bytes) {
  return Concat("Expression size has exceeded the maximum allowed size; expression size: ", bytes);
}

inline std::string SyntaxError(std::string_view token, std::string_view near) {
  return Concat("Syntax error; token: \"", token, "\", near: \"", near, "\"");
}

// The name of the end of the text in SyntaxError.
inline constexpr std::string_view kEndOfExpression = "<EOF>";

inline std::string RedundantParentheses() { return "The expression has redundant parentheses;"; }

inline std::string TooManyOperators(int count) {
  return Concat("The expression contains too many operators; operator count: ", count);
}

inline std::string TooManyInOperands(size_t count) {
  return Concat("The IN operator is provided with too many operands; number of operands: ", count);
}

inline std::string PathTooDeep(size_t levels) {
  return Concat("The document path has too many nesting levels; nesting levels: ", levels);
}

inline std::string ListIndexOutOfRange(std::string_view index) {
  return Concat("List index is not within the allowable range; index: [", index, "]");
}

inline std::string InvalidFunctionName(std::string_view function) {
  return Concat("Invalid function name; function: ", function);
}

inline std::string FunctionNotAllowedHere(std::string_view function) {
  return Concat("The function is not allowed to be used this way in an expression; function: ",
                function);
}

inline std::string ReservedKeyword(std::string_view word) {
  return Concat("Attribute name is a reserved keyword; reserved keyword: ", word);
}

inline std::string UndefinedName(std::string_view placeholder) {
  return Concat(
      "An expression attribute name used in the document path is not defined; attribute name: ",
      placeholder);
}

inline std::string UndefinedValue(std::string_view placeholder) {
  return Concat(
      "An expression attribute value used in expression is not defined; attribute value: ",
      placeholder);
}

inline std::string WrongOperandCount(std::string_view operation, size_t count) {
  return Concat("Incorrect number of operands for operator or function; operator or function: ",
                operation, ", number of operands: ", count);
}

inline std::string OperandsNotDistinct(std::string_view operation, std::string_view path) {
  return Concat(
      "The first operand must be distinct from the remaining operands for this operator or "
      "function; operator: ",
      operation, ", first operand: ", path);
}

inline std::string WrongOperandType(std::string_view operation, std::string_view type) {
  return Concat("Incorrect operand type for operator or function; operator or function: ",
                operation, ", operand type: ", type);
}

// The type of a document path in WrongOperandType where attribute_type needs a literal.
inline constexpr std::string_view kAnyTypeOfAttributeType = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}";

inline std::string DocumentPathRequired(std::string_view operation) {
  return Concat("Operator or function requires a document path; operator or function: ", operation);
}

inline std::string InvalidAttributeTypeName(std::string_view name) {
  return Concat("Invalid attribute type name found; type: ", name,
                ", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}");
}

// A literal in the form of the two messages about BETWEEN.
inline std::string LiteralInMessage(std::string_view type, std::string_view text) {
  return Concat("AttributeValue: {", type, ":", text, "}");
}

// Binary data as the service's Java prints it.
inline std::string BinaryInMessage(size_t bytes) {
  return Concat("java.nio.HeapByteBuffer[pos=0 lim=", bytes, " cap=", bytes, "]");
}

inline std::string BetweenTypesDiffer(std::string_view lower, std::string_view upper) {
  return Concat(
      "The BETWEEN operator requires same data type for lower and upper bounds; lower bound "
      "operand: ",
      lower, ", upper bound operand: ", upper);
}

inline std::string BetweenBoundsReversed(std::string_view lower, std::string_view upper) {
  return Concat(
      "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower "
      "bound operand: ",
      lower, ", upper bound operand: ", upper);
}

// --- Paths

inline std::string PathsOverlap(std::string_view one, std::string_view two) {
  return Concat(
      "Two document paths overlap with each other; must remove or rewrite one of these paths; path "
      "one: ",
      one, ", path two: ", two);
}

inline std::string PathsConflict(std::string_view one, std::string_view two) {
  return Concat(
      "Two document paths conflict with each other; must remove or rewrite one of these paths; "
      "path one: ",
      one, ", path two: ", two);
}

inline std::string KeyMustBeScalar(std::string_view attribute) {
  return Concat(
      "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
      "Key: ",
      attribute);
}

inline std::string IndexKeyMustBeScalar(std::string_view attribute) {
  return Concat(
      "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
      "IndexKey: ",
      attribute);
}

// --- KeyConditionExpression

inline std::string InvalidKeyOperator(std::string_view operation) {
  return Concat("Invalid operator used in KeyConditionExpression: ", operation);
}

inline std::string KeyConditionNestedOperation() {
  return "KeyConditionExpressions cannot contain nested operations";
}

inline std::string KeyConditionFirstOperand(std::string_view operation) {
  return Concat("Invalid condition in KeyConditionExpression: ", operation,
                " operator must have the key attribute as its first operand");
}

inline std::string KeyConditionManyNames() {
  return "Invalid condition in KeyConditionExpression: Multiple attribute names used in one "
         "condition";
}

inline std::string KeyConditionNestedPath() {
  return "KeyConditionExpressions cannot have conditions on nested attributes";
}

inline std::string KeyConditionNoName() {
  return "Invalid condition in KeyConditionExpression: No key attribute specified";
}

inline std::string KeyConditionSameKeyTwice() {
  return "KeyConditionExpressions must only contain one condition per key";
}

inline std::string KeyConditionTypeMismatch() {
  return "One or more parameter values were invalid: Condition parameter type does not match "
         "schema type";
}

inline std::string TooManyKeyConditions(size_t conditions, size_t attributes) {
  return Concat("The number of query conditions (", conditions,
                ") exceeds the number of key attributes defined in the schema (", attributes, ")");
}

inline std::string MissedKeyElement(std::string_view attribute) {
  return Concat("Query condition missed key schema element: ", attribute);
}

inline std::string KeyConditionNotSupported() { return "Query key condition not supported"; }

inline std::string EmptyStringInQueryKey(std::string_view attribute) {
  return Concat(
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
      "contain an empty string value. Key: ",
      attribute);
}

inline std::string EmptyBinaryInQueryKey(std::string_view attribute) {
  return Concat(
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
      "contain an empty binary value. Key: ",
      attribute);
}

// Names are comma-separated.
inline std::string HashKeysNeedEquality(std::string_view names) {
  return Concat("HASH key attributes ", names,
                " must have equality conditions specified in the query");
}

inline std::string RangeKeysNeedEquality(std::string_view names, std::string_view later) {
  return Concat("RANGE key attributes ", names,
                " must have equality conditions specified in the query because a condition is "
                "present on key attribute ",
                later);
}

// --- UpdateExpression

inline std::string SectionUsedTwice(std::string_view section) {
  return Concat("The \"", section, "\" section can only be used once in an update expression;");
}

// `type` is STRING, NUMBER, BINARY, NULL, BOOLEAN, LIST or MAP.
inline std::string WrongUpdateOperandType(std::string_view section, std::string_view type) {
  return Concat("Incorrect operand type for operator or function; operator: ", section,
                ", operand type: ", type);
}

inline std::string CannotUpdateKey(std::string_view attribute) {
  return Concat("One or more parameter values were invalid: Cannot update attribute ", attribute,
                ". This attribute is part of the key");
}

inline std::string IndexKeyTypeMismatch(std::string_view attribute, std::string_view expected,
                                        std::string_view actual, std::string_view index) {
  return Concat("One or more parameter values were invalid: Type mismatch for Index Key ",
                attribute, " Expected: ", expected, " Actual: ", actual, " IndexName: ", index);
}

inline std::string AttributeDoesNotExist() {
  return "The provided expression refers to an attribute that does not exist in the item";
}

inline std::string WrongTypeInUpdate() {
  return "An operand in the update expression has an incorrect data type";
}

inline std::string InvalidUpdatePath() {
  return "The document path provided in the update expression is invalid for update";
}

// --- Placeholders

inline std::string NamesEmpty() { return "ExpressionAttributeNames must not be empty"; }
inline std::string ValuesEmpty() { return "ExpressionAttributeValues must not be empty"; }

inline std::string InvalidNamePlaceholder(std::string_view key) {
  return Concat("ExpressionAttributeNames contains invalid key: Syntax error; key: \"", key, "\"");
}

inline std::string InvalidValuePlaceholder(std::string_view key) {
  return Concat("ExpressionAttributeValues contains invalid key: Syntax error; key: \"", key, "\"");
}

inline std::string NamePlaceholderTooLong() {
  return "ExpressionAttributeNames contains invalid key: The expression attribute map contains a "
         "key "
         "that is too long";
}

inline std::string ValuePlaceholderTooLong() {
  return "ExpressionAttributeValues contains invalid key: The expression attribute map contains a "
         "key that is too long";
}

inline std::string EmptyNameBehindPlaceholder(std::string_view key) {
  return Concat("ExpressionAttributeNames contains invalid value: Empty attribute name for key ",
                key);
}

// `keys` are comma-separated.
inline std::string UnusedNames(std::string_view keys) {
  return Concat("Value provided in ExpressionAttributeNames unused in expressions: keys: {", keys,
                "}");
}

inline std::string UnusedValues(std::string_view keys) {
  return Concat("Value provided in ExpressionAttributeValues unused in expressions: keys: {", keys,
                "}");
}

// --- Legacy parameters

inline std::string WrongArgumentCount(std::string_view comparison) {
  return Concat("One or more parameter values were invalid: Invalid number of argument(s) for the ",
                comparison, " ComparisonOperator");
}

inline std::string WrongArgumentType(std::string_view comparison, std::string_view type) {
  return Concat("One or more parameter values were invalid: ComparisonOperator ", comparison,
                " is not valid for ", type, " AttributeValue type");
}

inline std::string ArgumentTypesDiffer() {
  return "One or more parameter values were invalid: AttributeValues inside AttributeValueList "
         "must be of same type";
}

inline std::string LegacyBetweenReversed() {
  return "The BETWEEN condition was provided a range where the lower bound is greater than the "
         "upper bound";
}

inline std::string LegacyKeyConditionCount() { return "Conditions can be of length 1 or 2 only"; }

inline std::string NotIndexable() {
  return "Attempted conditional constraint is not an indexable operation";
}

inline std::string DuplicateAttributeToGet(std::string_view attribute) {
  return Concat("One or more parameter values were invalid: Duplicate value in attribute name: ",
                attribute);
}

inline std::string ExpectedValueAndList(std::string_view attribute) {
  return Concat(
      "One or more parameter values were invalid: Value and AttributeValueList cannot be used "
      "together for Attribute: ",
      attribute);
}

inline std::string ExpectedExistsAndComparison(std::string_view attribute) {
  return Concat(
      "One or more parameter values were invalid: Exists and ComparisonOperator cannot be used "
      "together for Attribute: ",
      attribute);
}

inline std::string ExpectedComparisonWithoutValue(std::string_view comparison,
                                                  std::string_view attribute) {
  return Concat(
      "One or more parameter values were invalid: Value or AttributeValueList must be used with "
      "ComparisonOperator: ",
      comparison, " for Attribute: ", attribute);
}

inline std::string ExpectedListWithoutComparison(std::string_view attribute) {
  return Concat(
      "One or more parameter values were invalid: AttributeValueList can only be used with a "
      "ComparisonOperator for Attribute: ",
      attribute);
}

// `exists` is "null" or "true".
inline std::string ExpectedValueMissing(std::string_view exists, std::string_view attribute) {
  return Concat("One or more parameter values were invalid: Value must be provided when Exists is ",
                exists, " for Attribute: ", attribute);
}

inline std::string ExpectedValueForbidden(std::string_view attribute) {
  return Concat(
      "One or more parameter values were invalid: Value cannot be used when Exists is false for "
      "Attribute: ",
      attribute);
}

inline std::string OnlyDeleteWithoutValue() {
  return "One or more parameter values were invalid: Only DELETE action is allowed when no "
         "attribute value is specified";
}

inline std::string DeleteNotSupported(std::string_view type) {
  return Concat(
      "One or more parameter values were invalid: DELETE action with value is not supported for "
      "the type ",
      type);
}

inline std::string AddNotSupported(std::string_view type) {
  return Concat(
      "One or more parameter values were invalid: ADD action is not supported for the type ", type);
}

inline std::string LegacyUpdateTypeMismatch() { return "Type mismatch for attribute to update"; }

// ===== Attribute values, numbers, sizes and keys (api/facts/values.md §1-§8), and damaged bytes.

// --- Nesting and size (§6, §7) ---

// The reason of a cancelled transaction whose update creates too deep data.
inline std::string UpdatedNestingTooDeep() {
  return "Nesting Levels have exceeded supported limits";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_EXPR_MESSAGES_H_
