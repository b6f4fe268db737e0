// Writes names and texts in TOML.
#ifndef DYNOLITH_TOOLS_FILES_TOML_TOML_TEXT_H_
#define DYNOLITH_TOOLS_FILES_TOML_TOML_TEXT_H_

#include <string>
#include <string_view>

namespace dynolith {

// In quotes.
std::string TomlText(std::string_view text);
// A bare key if TOML allows it, otherwise in quotes.
std::string TomlKey(std::string_view name);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_FILES_TOML_TOML_TEXT_H_
