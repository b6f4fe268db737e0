#include "tools/files/item_record.h"

#include <algorithm>
#include <iterator>

#include "tools/files/attribute_values.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

constexpr std::string_view kConditionMembers[] = {"Expected", "ConditionalOperator",
                                                  "ConditionExpression", "ExpressionAttributeNames",
                                                  "ExpressionAttributeValues"};
constexpr std::string_view kAnswerMembers[] = {"ReturnValues", "ReturnConsumedCapacity",
                                               "ReturnItemCollectionMetrics",
                                               "ReturnValuesOnConditionCheckFailure"};
constexpr std::string_view kChangeMembers[] = {"Metadata", "Keys", "OldImage", "NewImage"};

template <size_t count>
bool Holds(const std::string_view (&names)[count], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// The member, if it is an item in the service's JSON.
const JsonTree* ItemAt(const JsonTree& tree, std::string_view name) {
  const JsonTree* const item = tree.Find(name);
  return item != nullptr && IsTypedItem(*item) && !IsTypedValue(*item) ? item : nullptr;
}

// The name in an ARN, too.
std::string_view TableNameIn(const JsonTree& tree) {
  const JsonTree* const name = tree.Find("TableName");
  if (name == nullptr || name->kind != Kind::kString) return "";
  const std::string_view text = name->text;
  return text.starts_with("arn:") ? text.substr(text.rfind('/') + 1) : text;
}

bool IsPutInput(const JsonTree& tree) {
  return !TableNameIn(tree).empty() && ItemAt(tree, "Item") != nullptr &&
         std::all_of(tree.members.begin(), tree.members.end(), [](const JsonTree::Member& member) {
           return member.name == "TableName" || member.name == "Item" ||
                  Holds(kConditionMembers, member.name) || Holds(kAnswerMembers, member.name);
         });
}

bool IsChange(const JsonTree& tree) {
  const JsonTree* const metadata = tree.Find("Metadata");
  const JsonTree* const keys = ItemAt(tree, "Keys");
  return metadata != nullptr && metadata->Find("WriteTimestampMicros") != nullptr &&
         keys != nullptr && !keys->members.empty() &&
         std::all_of(tree.members.begin(), tree.members.end(), [](const JsonTree::Member& member) {
           return Holds(kChangeMembers, member.name);
         });
}

ItemRecord PutOf(const JsonTree& tree) {
  ItemRecord record{ItemAt(tree, "Item"), {}, TableNameIn(tree)};
  record.write.conditions = MapTree();
  for (const JsonTree::Member& member : tree.members) {
    if (Holds(kConditionMembers, member.name)) record.write.conditions.members.push_back(member);
  }
  return record;
}

ItemRecord ChangeOf(const JsonTree& tree) {
  ItemRecord record{ItemAt(tree, "NewImage")};
  record.is_change = true;
  record.write.is_deletion = record.item == nullptr;
  if (record.write.is_deletion) record.item = ItemAt(tree, "Keys");
  return record;
}

}  // namespace

ItemRecord RecordOf(const JsonTree& tree) {
  if (tree.kind != Kind::kMap) return {&tree};
  if (IsPutInput(tree)) return PutOf(tree);
  if (IsChange(tree)) return ChangeOf(tree);
  const bool is_alone = tree.members.size() == 1;
  if (const JsonTree* const item = ItemAt(tree, "Item")) {
    if (is_alone || tree.Find("ConsumedCapacity") != nullptr) return {item};
  }
  const JsonTree* const put = is_alone ? tree.Find("PutRequest") : nullptr;
  if (put != nullptr && put->Find("Item") != nullptr) return {put->Find("Item")};
  const JsonTree* const deletion = is_alone ? tree.Find("DeleteRequest") : nullptr;
  if (deletion != nullptr && ItemAt(*deletion, "Key") != nullptr) {
    return {ItemAt(*deletion, "Key"), {.is_deletion = true}};
  }
  return {&tree};
}

}  // namespace dynolith::designs
