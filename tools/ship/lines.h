// The lines of the texts that are shipped: words and numbers, separated by spaces.
#ifndef DYNOLITH_TOOLS_SHIP_LINES_H_
#define DYNOLITH_TOOLS_SHIP_LINES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynolith::ship {

// Removes the text before `mark` from the front of `text`, with the mark. nullopt: there is none.
std::optional<std::string_view> TakeUntil(char mark, std::string_view* text);
// Removes "NAME VALUE\n" from the front, and returns the value; nullopt: there is something else.
std::optional<std::string_view> TakeLine(std::string_view name, std::string_view* text);
std::optional<uint64_t> TakeNumberLine(std::string_view name, std::string_view* text);
// Of decimal digits only.
std::optional<uint64_t> ToNumber(std::string_view text);
// With zeros in front of it, so that numbers are in order as texts.
inline constexpr size_t kOrderedDigits = 20;
std::string OrderedNumber(uint64_t number);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_LINES_H_
