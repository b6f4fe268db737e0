// Builds and changes JSON trees.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_JSON_PARTS_H_
#define DYNOLITH_TOOLS_FILES_TABLE_JSON_PARTS_H_

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"

namespace dynolith::designs {

// The depth of files: an item of 32 levels, each of which takes two in JSON, and its surroundings.
inline constexpr int kJsonDepthMax = 128;

inline JsonTree TextTree(std::string_view text) {
  JsonTree tree;
  tree.kind = JsonTree::Kind::kString;
  tree.text = text;
  return tree;
}
// A number, true, false or null.
inline JsonTree WordTree(std::string_view text) {
  JsonTree tree;
  tree.text = text;
  return tree;
}
inline JsonTree ListTree() {
  JsonTree tree;
  tree.kind = JsonTree::Kind::kList;
  return tree;
}
inline JsonTree MapTree() {
  JsonTree tree;
  tree.kind = JsonTree::Kind::kMap;
  return tree;
}

// Adds a member, or replaces the one of that name.
inline JsonTree* SetMember(JsonTree* map, std::string_view name, JsonTree value) {
  if (JsonTree* const old = map->Find(name)) {
    *old = std::move(value);
    return old;
  }
  map->members.push_back({std::string(name), std::move(value)});
  return &map->members.back().value;
}
inline void RemoveMember(JsonTree* map, std::string_view name) {
  map->members.erase(std::remove_if(map->members.begin(), map->members.end(),
                                    [&](const auto& member) { return member.name == name; }),
                     map->members.end());
}
// Removes and returns a member; a null if it is absent.
inline JsonTree TakeMember(JsonTree* map, std::string_view name) {
  JsonTree* const found = map->Find(name);
  JsonTree taken = found == nullptr ? WordTree("null") : std::move(*found);
  RemoveMember(map, name);
  return taken;
}

// A text, a number, true or false.
inline bool IsScalar(const JsonTree& tree) {
  return tree.kind == JsonTree::Kind::kString ||
         (tree.kind == JsonTree::Kind::kOther && tree.text != "null");
}
// The first member whose map has another one of the same name, since readers disagree on which of
// them counts. nullptr: there is none.
inline const JsonTree::Member* NameTwice(const JsonTree& tree) {
  std::set<std::string_view> names;
  for (const JsonTree::Member& member : tree.members) {
    // Values with their types are maps of one member.
    if (tree.members.size() > 1 && !names.insert(member.name).second) return &member;
    if (const JsonTree::Member* const twice = NameTwice(member.value)) return twice;
  }
  for (const JsonTree& element : tree.elements) {
    if (const JsonTree::Member* const twice = NameTwice(element)) return twice;
  }
  return nullptr;
}

// The size of its texts and names, and an allowance for each node.
inline size_t TreeBytes(const JsonTree& tree) {
  size_t bytes = sizeof(JsonTree) + tree.text.size();
  for (const JsonTree& element : tree.elements) bytes += TreeBytes(element);
  for (const JsonTree::Member& member : tree.members) {
    bytes += member.name.size() + TreeBytes(member.value);
  }
  return bytes;
}

// The number of levels, the root included: 1 for a text.
inline int TreeDepth(const JsonTree& tree) {
  int inner = 0;
  for (const JsonTree& element : tree.elements) inner = std::max(inner, TreeDepth(element));
  for (const auto& [name, value] : tree.members) inner = std::max(inner, TreeDepth(value));
  return inner + 1;
}

// The text of a text, number or word; empty for other nodes and for nullptr.
inline std::string_view MemberText(const JsonTree* tree) {
  return tree == nullptr ? std::string_view() : std::string_view(tree->text);
}
// Without those around it.
inline std::string_view WithoutSpaces(std::string_view text) {
  return ToStd(absl::StripAsciiWhitespace(ToAbsl(text)));
}

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TABLE_JSON_PARTS_H_
