#include "tools/proxy/answer_difference.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/proxy/call_texts.h"

namespace dynolith::proxy {
namespace {

using Differences = std::vector<AnswerDifference>;

bool IsIgnored(std::string_view member) {
  constexpr std::string_view kIgnored[] = {"ConsumedCapacity", "ItemCollectionMetrics",
                                           "NextToken"};
  return std::find(std::begin(kIgnored), std::end(kIgnored), member) != std::end(kIgnored);
}

// Whether it is an attribute's value: {"S": "x"}.
bool IsValue(const JsonTree& tree) {
  constexpr std::string_view kTypes[] = {"S", "N", "B", "SS", "NS", "BS", "M", "L", "BOOL", "NULL"};
  return tree.kind == JsonTree::Kind::kMap && tree.members.size() == 1 &&
         std::find(std::begin(kTypes), std::end(kTypes), tree.members[0].name) != std::end(kTypes);
}

bool IsSet(std::string_view type) { return type == "SS" || type == "NS" || type == "BS"; }

// A text that is the same for trees that mean the same: members in order, and elements, too, where
// they have none.
std::string CanonicalText(const JsonTree& tree, bool is_unordered);

JsonTree Sorted(const JsonTree& tree, bool is_unordered) {
  JsonTree sorted;
  sorted.kind = tree.kind;
  sorted.text = tree.text;
  for (const JsonTree& element : tree.elements) {
    sorted.elements.push_back(Sorted(element, false));
  }
  if (is_unordered) {
    std::sort(sorted.elements.begin(), sorted.elements.end(),
              [](const JsonTree& left, const JsonTree& right) {
                return PrintJson(left) < PrintJson(right);
              });
  }
  for (const auto& [name, value] : tree.members) {
    sorted.members.push_back({name, Sorted(value, IsSet(name) && tree.members.size() == 1)});
  }
  std::sort(sorted.members.begin(), sorted.members.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return sorted;
}

std::string CanonicalText(const JsonTree& tree, bool is_unordered) {
  return PrintJson(Sorted(tree, is_unordered));
}

void AddDifference(std::string path, const JsonTree* target, const JsonTree* shadow,
                   Differences* differences) {
  if (differences->size() >= kDifferencesMax) return;
  differences->push_back({.path = std::move(path),
                          .target = target != nullptr ? PrintJson(*target) : "",
                          .shadow = shadow != nullptr ? PrintJson(*shadow) : ""});
}

void Compare(const std::string& path, const JsonTree& target, const JsonTree& shadow,
             Differences* differences);

void CompareMaps(const std::string& path, const JsonTree& target, const JsonTree& shadow,
                 Differences* differences) {
  const auto inner = [&path](std::string_view name) {
    return path.empty() ? std::string(name) : Concat(path, ".", name);
  };
  for (const auto& [name, value] : target.members) {
    if (path.empty() && IsIgnored(name)) continue;
    const JsonTree* const other = shadow.Find(name);
    if (other == nullptr) {
      AddDifference(inner(name), &value, nullptr, differences);
    } else {
      Compare(inner(name), value, *other, differences);
    }
  }
  for (const auto& [name, value] : shadow.members) {
    if (path.empty() && IsIgnored(name)) continue;
    if (target.Find(name) == nullptr) AddDifference(inner(name), nullptr, &value, differences);
  }
}

void Compare(const std::string& path, const JsonTree& target, const JsonTree& shadow,
             Differences* differences) {
  // An attribute's value is shown as a whole.
  const bool are_maps = target.kind == JsonTree::Kind::kMap && shadow.kind == JsonTree::Kind::kMap;
  if (are_maps && !(IsValue(target) && IsValue(shadow))) {
    return CompareMaps(path, target, shadow, differences);
  }
  if (target.kind == JsonTree::Kind::kList && shadow.kind == JsonTree::Kind::kList) {
    for (size_t i = 0; i < std::max(target.elements.size(), shadow.elements.size()); ++i) {
      const std::string place = Concat(path, "[", i, "]");
      const JsonTree* const left = i < target.elements.size() ? &target.elements[i] : nullptr;
      const JsonTree* const right = i < shadow.elements.size() ? &shadow.elements[i] : nullptr;
      if (left != nullptr && right != nullptr) {
        Compare(place, *left, *right, differences);
      } else {
        AddDifference(place, left, right, differences);
      }
    }
    return;
  }
  if (CanonicalText(target, false) != CanonicalText(shadow, false)) {
    AddDifference(path, &target, &shadow, differences);
  }
}

// Gives lists without an order one that both sides share.
void OrderItems(std::string_view operation, JsonTree* answer) {
  const auto order = [](JsonTree* list) { *list = Sorted(*list, /*is_unordered=*/true); };
  JsonTree* const items = operation == "Scan" ? answer->Find("Items") : nullptr;
  if (items != nullptr) order(items);
  JsonTree* const responses = operation == "BatchGetItem" ? answer->Find("Responses") : nullptr;
  if (responses == nullptr) return;
  for (auto& [_, list] : responses->members) order(&list);
}

// Of an error only the kind counts.
JsonTree KindTree(std::string_view body) {
  JsonTree kind;
  kind.kind = JsonTree::Kind::kString;
  const std::optional<JsonTree> tree = ParseJson(body, kBodyDepthMax);
  const JsonTree* const type = tree ? tree->Find("__type") : nullptr;
  if (type != nullptr) kind.text = type->text.substr(type->text.find('#') + 1);
  return kind;
}

JsonTree StatusTree(int status) {
  JsonTree tree;
  tree.text = std::to_string(status);
  return tree;
}

}  // namespace

std::optional<Differences> CompareAnswers(std::string_view operation, const ComparedAnswer& target,
                                          const ComparedAnswer& shadow) {
  Differences differences;
  if (target.status != shadow.status) {
    const JsonTree left = StatusTree(target.status);
    const JsonTree right = StatusTree(shadow.status);
    AddDifference("status", &left, &right, &differences);
  }
  if (target.status != 200 || shadow.status != 200) {
    const JsonTree left = KindTree(target.body);
    const JsonTree right = KindTree(shadow.body);
    if (left.text != right.text) AddDifference("__type", &left, &right, &differences);
    return differences;
  }
  std::optional<JsonTree> left = ParseJson(target.body, kBodyDepthMax);
  std::optional<JsonTree> right = ParseJson(shadow.body, kBodyDepthMax);
  if (!left || !right) {
    if (target.body == shadow.body) return differences;
    differences.push_back({"", std::string(target.body), std::string(shadow.body)});
    return differences;
  }
  constexpr const char* kMore = "LastEvaluatedKey";
  const bool is_page = left->Find(kMore) != nullptr || right->Find(kMore) != nullptr;
  if (operation == "Scan" && is_page) return std::nullopt;
  OrderItems(operation, &*left);
  OrderItems(operation, &*right);
  Compare("", *left, *right, &differences);
  return differences;
}

}  // namespace dynolith::proxy
