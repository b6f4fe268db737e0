// A JSON object as a file's text, with a checksum as its last member.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_CHECKED_JSON_H_
#define DYNOLITH_TOOLS_FILES_TABLE_CHECKED_JSON_H_

#include <optional>
#include <string>
#include <string_view>

#include "engine/text/json_tree.h"

namespace dynolith::designs {

// One line: {…,"checksum":N}, where N is the CRC-32C of everything before its comma. Requires: a
// map with a member.
std::string PrintChecked(const JsonTree& tree);
// The object without its checksum, still as text; nullopt: the text is damaged.
std::optional<std::string> WithoutChecksum(std::string_view text);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TABLE_CHECKED_JSON_H_
