// Attribute values as plain JSON and back, without loss.
//
//   S, BOOL, NULL, L, M   text, true, null, list, object
//   N                     a number, if it has at most 15 digits, which every reader of JSON keeps;
//   else
//                         {"$number": "12345678901234567890"}
//   B                     {"$binary": "AAEC"}, in Base64
//   SS, NS, BS            {"$string_set": ["a"]}, {"$number_set": ["1.5"]}, {"$binary_set":
//   ["AAEC"]} an M of one member    {"$map": {"$binary": "AAEC"}} whose name begins with $
#ifndef DYNOLITH_TOOLS_MCP_PLAIN_VALUE_H_
#define DYNOLITH_TOOLS_MCP_PLAIN_VALUE_H_

#include <string>

#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"

namespace dynolith::mcp {

// `typed`: {"S": "a"}, as the service prints it.
JsonTree PlainValue(const JsonTree& typed);
JsonTree PlainItem(const JsonTree& typed_item);

// `path`: of the value, for errors. Errors: kInvalidArgument for an object that has a $ and is none
// of the forms above.
absl::StatusOr<JsonTree> TypedValue(const JsonTree& plain, const std::string& path);
// The same for each member.
absl::StatusOr<JsonTree> TypedItem(const JsonTree& plain_item, const std::string& path);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_PLAIN_VALUE_H_
