// The standard output of a command.
#ifndef DYNOLITH_TOOLS_PROGRAM_PRINT_H_
#define DYNOLITH_TOOLS_PROGRAM_PRINT_H_

#include <cstdio>
#include <string_view>

namespace dynolith {

// Any bytes, unchanged.
inline void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_PRINT_H_
