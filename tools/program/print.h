// What a command says on its standard output.
#ifndef DYNOLITH_TOOLS_PROGRAM_PRINT_H_
#define DYNOLITH_TOOLS_PROGRAM_PRINT_H_

#include <cstdio>
#include <string_view>

namespace dynolith {

// Any bytes, as they are.
inline void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_PRINT_H_
