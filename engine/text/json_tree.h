// JSON as a tree, for rare texts: policies, and attachments of a failed status. Requests have a
// reader of their own, which is fast and above this room (api/json).
#ifndef DYNOLITH_ENGINE_TEXT_JSON_TREE_H_
#define DYNOLITH_ENGINE_TEXT_JSON_TREE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/json_string.h"

namespace dynolith {

struct JsonTree {
  enum class Kind { kString, kList, kMap, kOther };
  struct Member;

  Kind kind = Kind::kOther;
  // For a string without its escapes; for a number, true, false or null as it was written.
  std::string text;
  std::vector<JsonTree> elements;
  std::vector<Member> members;
  // Its position in the text, counted from 1.
  size_t line = 0;
  size_t column = 0;
  // For a member's value, the position of the name.
  size_t name_line = 0;
  size_t name_column = 0;

  // nullptr if absent.
  const JsonTree* Find(std::string_view name) const;
  JsonTree* Find(std::string_view name);
};

struct JsonTree::Member {
  std::string name;
  JsonTree value;
};

// A position in a text, counted from 1.
struct JsonLocation {
  size_t line = 0;
  size_t column = 0;
};

// nullopt if `text` is not one JSON value, or one with more than `depth_max` lists and maps around
// a value: the reader recurses. Half a surrogate pair reads as the replacement character. `stopped`
// always receives the position up to which the text was JSON.
std::optional<JsonTree> ParseJson(std::string_view text, int depth_max,
                                  JsonLocation* stopped = nullptr);

// Without white space. `by_letter`: see AppendJsonString.
std::string PrintJson(const JsonTree& value, std::string_view by_letter = kJsonLetterControls);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_TEXT_JSON_TREE_H_
