// JSON as a tree, for texts that come rarely: policies, and what a failed status carries. Requests
// have a reader of their own, which is fast and above this room (api/json).
#ifndef DYNOLITH_ENGINE_BASE_JSON_TREE_H_
#define DYNOLITH_ENGINE_BASE_JSON_TREE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json_string.h"

namespace dynolith {

struct JsonTree {
  enum class Kind { kString, kList, kMap, kOther };
  struct Member;

  Kind kind = Kind::kOther;
  // Of a string without its escapes; of a number, true, false or null as it was written.
  std::string text;
  std::vector<JsonTree> elements;
  std::vector<Member> members;
  // Where it begins in the text, counted from 1.
  size_t line = 0;
  size_t column = 0;
  // Of a member's value, where the name begins.
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

// A place in a text, counted from 1.
struct JsonPlace {
  size_t line = 0;
  size_t column = 0;
};

// nullopt if `text` is not one JSON value, or one with more than `depth_max` lists and maps around
// a value: the reader recurses. Half a surrogate pair reads as the replacement character. `stopped`
// receives how far the text was JSON, whatever comes of it.
std::optional<JsonTree> ParseJson(std::string_view text, int depth_max,
                                  JsonPlace* stopped = nullptr);

// Without white space. `by_letter`: see AppendJsonString.
std::string PrintJson(const JsonTree& value, std::string_view by_letter = kJsonLetterControls);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_JSON_TREE_H_
