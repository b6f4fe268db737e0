#include "tools/mcp/service_input.h"

#include <utility>

#include "engine/base/status_macros.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/plain_value.h"

namespace dynolith::mcp {
namespace {

struct SameMember {
  std::string_view argument;
  std::string_view member;
};
constexpr SameMember kSameMembers[] = {{"table", "TableName"},
                                       {"index", "IndexName"},
                                       {"key_condition", "KeyConditionExpression"},
                                       {"filter", "FilterExpression"},
                                       {"projection", "ProjectionExpression"},
                                       {"condition", "ConditionExpression"},
                                       {"update", "UpdateExpression"},
                                       {"names", "ExpressionAttributeNames"},
                                       {"consistent", "ConsistentRead"},
                                       {"statement", "Statement"}};

absl::StatusOr<JsonTree> TypedParameters(const JsonTree& arguments, const JsonTree& parameters) {
  if (!IsPlain(arguments)) return parameters;
  JsonTree typed = ListTree();
  for (const JsonTree& each : parameters.elements) {
    DYNOLITH_ASSIGN_OR_RETURN(JsonTree value, TypedValue(each, "parameters"));
    typed.elements.push_back(std::move(value));
  }
  return typed;
}

}  // namespace

bool IsPlain(const JsonTree& arguments) { return TextAt(arguments, "format") != "dynamodb"; }

absl::StatusOr<JsonTree> TypedArgument(const JsonTree& arguments, const JsonTree& item,
                                       const std::string& name) {
  return IsPlain(arguments) ? TypedItem(item, name) : item;
}

JsonTree ShownItem(const JsonTree& arguments, const JsonTree& typed_item) {
  return IsPlain(arguments) ? PlainItem(typed_item) : typed_item;
}

absl::StatusOr<JsonTree> ServiceInput(const JsonTree& arguments) {
  JsonTree input = MapTree();
  for (const SameMember& each : kSameMembers) {
    if (const JsonTree* const given = arguments.Find(each.argument)) {
      SetMember(&input, each.member, *given);
    }
  }
  if (const JsonTree* const key = arguments.Find("key")) {
    DYNOLITH_ASSIGN_OR_RETURN(JsonTree typed, TypedArgument(arguments, *key, "key"));
    SetMember(&input, "Key", std::move(typed));
  }
  if (const JsonTree* const values = arguments.Find("values")) {
    DYNOLITH_ASSIGN_OR_RETURN(JsonTree typed, TypedArgument(arguments, *values, "values"));
    SetMember(&input, "ExpressionAttributeValues", std::move(typed));
  }
  const JsonTree* const parameters = arguments.Find("parameters");
  if (parameters != nullptr && !parameters->elements.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(JsonTree typed, TypedParameters(arguments, *parameters));
    SetMember(&input, "Parameters", std::move(typed));
  }
  if (IsTrueAt(arguments, "backward")) SetMember(&input, "ScanIndexForward", BoolTree(false));
  return input;
}

double ConsumedUnits(const JsonTree& answer) {
  const JsonTree* const consumed = answer.Find("ConsumedCapacity");
  return consumed == nullptr ? 0 : RealAt(*consumed, "CapacityUnits", 0);
}

}  // namespace dynolith::mcp
