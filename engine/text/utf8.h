// Characters as bytes, for readers of escapes.
#ifndef DYNOLITH_ENGINE_TEXT_UTF8_H_
#define DYNOLITH_ENGINE_TEXT_UTF8_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace dynolith {

// Appends one to four bytes. Requires: a code point up to U+10FFFF; half a surrogate pair is
// encoded like any other.
void AppendUtf8(uint32_t code, std::string* out);

// The text with each byte that is not of UTF-8 (RFC 3629) replaced by U+FFFD.
std::string ReplaceNonUtf8(std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_TEXT_UTF8_H_
