// Scans several bytes of a text at once.
#ifndef DYNOLITH_ENGINE_TEXT_BYTE_SCAN_H_
#define DYNOLITH_ENGINE_TEXT_BYTE_SCAN_H_

#include <string_view>

namespace dynolith {

// Whether `text` has a byte below 0x20, or `one`, or `other`. Requires: these are below 0x80.
bool HasControlOr(std::string_view text, char one, char other);

// Copies `text` to `to`, which has room for it and does not overlap, in the same pass as the scan
// of HasControlOr, and returns the opposite.
bool CopyUnlessControlOr(std::string_view text, char one, char other, char* to);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_TEXT_BYTE_SCAN_H_
