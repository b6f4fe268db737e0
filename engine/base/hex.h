// Keys and other bytes in a form for people.
#ifndef DYNOLITH_ENGINE_BASE_HEX_H_
#define DYNOLITH_ENGINE_BASE_HEX_H_

#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "engine/base/strings.h"

namespace dynolith {

// Two lower-case digits for each byte.
inline std::string Hex(std::string_view bytes) { return absl::BytesToHexString(ToAbsl(bytes)); }

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_HEX_H_
