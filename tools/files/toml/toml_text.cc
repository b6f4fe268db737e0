#include "tools/files/toml/toml_text.h"

#include <algorithm>

#include "engine/text/json_string.h"

namespace dynolith {

std::string TomlText(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, &quoted);
  return quoted;
}

std::string TomlKey(std::string_view name) {
  const bool is_bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  return is_bare ? std::string(name) : TomlText(name);
}

}  // namespace dynolith
