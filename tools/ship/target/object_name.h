// The names of objects: those that a folder and S3's protocol both take, and in the same order.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_OBJECT_NAME_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_OBJECT_NAME_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"

namespace dynolith::ship {

// A name is parts with a / between them. A part is 1 to 255 of the characters A-Z a-z 0-9 . _ - and
// not . or .. alone.
inline constexpr size_t kNameBytesMax = 900;      // S3 takes 1,024, of which a prefix takes some
inline constexpr size_t kNamePartBytesMax = 255;  // of a file's name

// kInvalidArgument says what is wrong.
absl::Status CheckName(std::string_view name);
// The beginning of a name: also empty, or with a / at its end.
absl::Status CheckPrefix(std::string_view prefix);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_OBJECT_NAME_H_
