#include "tools/files/items/item_record.h"

#include <algorithm>
#include <iterator>

#include "tools/files/items/attribute_values.h"
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

// The table's name, also from an ARN.
std::string_view TableNameIn(const JsonTree& tree) {
  const JsonTree* const name = tree.Find("TableName");
  if (name == nullptr || name->kind != Kind::kString) return "";
  const std::string_view text = name->text;
  return text.starts_with("arn:") ? text.substr(text.rfind('/') + 1) : text;
}

// The item, if the tree is an input of put-item.
const JsonTree* PutInputItem(const JsonTree& tree) {
  const bool is_input =
      !TableNameIn(tree).empty() &&
      std::all_of(tree.members.begin(), tree.members.end(), [](const JsonTree::Member& member) {
        return member.name == "TableName" || member.name == "Item" ||
               Holds(kConditionMembers, member.name) || Holds(kAnswerMembers, member.name);
      });
  return is_input ? ItemAt(tree, "Item") : nullptr;
}

// The key, if the tree is a change of an incremental export.
const JsonTree* ChangedKey(const JsonTree& tree) {
  const JsonTree* const metadata = tree.Find("Metadata");
  const JsonTree* const keys = ItemAt(tree, "Keys");
  const bool is_change =
      metadata != nullptr && metadata->Find("WriteTimestampMicros") != nullptr && keys != nullptr &&
      !keys->members.empty() &&
      std::all_of(tree.members.begin(), tree.members.end(), [](const JsonTree::Member& member) {
        return Holds(kChangeMembers, member.name);
      });
  return is_change ? keys : nullptr;
}

ItemRecord PutRecord(const JsonTree& tree, const JsonTree& item) {
  ItemRecord record{&item, {}, TableNameIn(tree)};
  record.write.conditions = MapTree();
  for (const JsonTree::Member& member : tree.members) {
    if (Holds(kConditionMembers, member.name)) record.write.conditions.members.push_back(member);
  }
  return record;
}

ItemRecord ChangeRecord(const JsonTree& tree, const JsonTree& key) {
  const JsonTree* const image = ItemAt(tree, "NewImage");
  if (image == nullptr) return {&key, {.is_deletion = true}, {}, /*is_change=*/true};
  return {image, {}, {}, /*is_change=*/true};
}

}  // namespace

ItemRecord ToItemRecord(const JsonTree& tree) {
  if (tree.kind != Kind::kMap) return {&tree};
  if (const JsonTree* const item = PutInputItem(tree)) return PutRecord(tree, *item);
  if (const JsonTree* const key = ChangedKey(tree)) return ChangeRecord(tree, *key);
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
