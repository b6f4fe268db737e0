// JSON texts in one canonical form, so that two texts of the same meaning compare equal.
#ifndef DYNOLITH_TESTS_DATADRIVEN_JSON_TEXT_H_
#define DYNOLITH_TESTS_DATADRIVEN_JSON_TEXT_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dynolith::datadriven {

// The canonical form of a JSON text: members sorted by name, members of SS, NS and BS sorted,
// numbers in their shortest form, volatile members (TableId) replaced by their name, two blanks of
// indentation, short arrays and objects on one line. nullopt if `text` is not JSON.
std::optional<std::string> Canonical(std::string_view text);

// The top-level members of a JSON object as canonical texts; strings unquoted. nullopt if `text` is
// no object.
std::optional<std::map<std::string, std::string>> Members(std::string_view text);

}  // namespace dynolith::datadriven

#endif  // DYNOLITH_TESTS_DATADRIVEN_JSON_TEXT_H_
