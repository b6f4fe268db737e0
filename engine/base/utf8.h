// Characters as bytes, for those who read escapes.
#ifndef DYNOLITH_ENGINE_BASE_UTF8_H_
#define DYNOLITH_ENGINE_BASE_UTF8_H_

#include <cstdint>
#include <string>

namespace dynolith {

// Appends one to four bytes. Requires: a code point up to U+10FFFF; half a surrogate pair is
// encoded like any other.
void AppendUtf8(uint32_t code, std::string* out);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_UTF8_H_
