// What a shell completes behind `dynolith`: commands, options, and words or files behind options.
#ifndef DYNOLITH_TOOLS_DYNOLITH_COMPLETION_H_
#define DYNOLITH_TOOLS_DYNOLITH_COMPLETION_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace dynolith {

inline constexpr const char* kShells = "bash|zsh|fish";

// The script for one of `kShells`, of all that `app` knows.
std::string CompletionScript(const CLI::App& app, std::string_view shell);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_COMPLETION_H_
