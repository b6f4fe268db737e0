// Sizes of memory as users write them.
#ifndef DYNOLITH_API_SERVICE_SIZE_TEXT_H_
#define DYNOLITH_API_SERVICE_SIZE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace dynolith {

// Bytes, or a number with a unit: "512", "64MB", "1.5 GiB", where an MB is 1024 KB. nullopt if it
// is invalid, or more than any machine has.
std::optional<uint64_t> ParseSize(std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_SIZE_TEXT_H_
