// Scalars as JSON trees, and members of objects that were checked (schema_check.h).
#ifndef DYNOLITH_TOOLS_MCP_JSON_VALUES_H_
#define DYNOLITH_TOOLS_MCP_JSON_VALUES_H_

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::mcp {

using designs::ListTree;
using designs::MapTree;
using designs::MemberText;
using designs::SetMember;
using designs::TextTree;
using designs::WordTree;

inline JsonTree WholeTree(int64_t number) { return WordTree(Concat(number)); }
// The shortest text that reads as the same number. Requires: finite.
inline JsonTree RealTree(double number) {
  char text[32];  // the longest is -2.2250738585072014e-308
  const char* const end = std::to_chars(text, text + sizeof text, number).ptr;
  return WordTree(std::string_view(text, static_cast<size_t>(end - text)));
}
inline JsonTree BoolTree(bool value) { return WordTree(value ? "true" : "false"); }

// The text of a member that is a text; empty if it is absent.
inline std::string TextAt(const JsonTree& map, std::string_view name) {
  return std::string(MemberText(map.Find(name)));
}
inline bool IsTrueAt(const JsonTree& map, std::string_view name) {
  return MemberText(map.Find(name)) == "true";
}
inline double RealAt(const JsonTree& map, std::string_view name, double otherwise) {
  const JsonTree* const found = map.Find(name);
  return found == nullptr ? otherwise : std::strtod(found->text.c_str(), nullptr);
}
inline int64_t WholeAt(const JsonTree& map, std::string_view name, int64_t otherwise) {
  return static_cast<int64_t>(RealAt(map, name, static_cast<double>(otherwise)));
}

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_JSON_VALUES_H_
