// Names of files, and errors, as Windows has them.
#ifndef DYNOLITH_ENGINE_BASE_WINDOWS_SYSTEM_NAMES_H_
#define DYNOLITH_ENGINE_BASE_WINDOWS_SYSTEM_NAMES_H_

#include <string>
#include <string_view>

namespace dynolith {

// A name in UTF-8. Bytes that are none become U+FFFD, which no file's name is.
std::wstring WideName(std::string_view name);

// What GetLastError() says, as a number of errno; EIO for what errno has no number for.
int ErrnoOfLastError();

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_WINDOWS_SYSTEM_NAMES_H_
