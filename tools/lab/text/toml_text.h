// Writes names and texts in TOML.
#ifndef DYNOLITH_TOOLS_LAB_TEXT_TOML_TEXT_H_
#define DYNOLITH_TOOLS_LAB_TEXT_TOML_TEXT_H_

#include <string>
#include <string_view>

namespace dynolith::lab {

// In quotes.
std::string TomlText(std::string_view text);
// A bare key if TOML allows it, otherwise in quotes.
std::string TomlKey(std::string_view name);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_TEXT_TOML_TEXT_H_
