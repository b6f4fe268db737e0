// Adapts std::string_view to Debian's Abseil, which is built with its own absl::string_view and
// neither accepts nor returns the standard one in StrCat, in Status constructors or in
// heterogeneous look-ups.
#ifndef DYNOLITH_ENGINE_BASE_STRINGS_H_
#define DYNOLITH_ENGINE_BASE_STRINGS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/strings/string_view.h"

namespace dynolith {

// The same bytes as Abseil's view. The result borrows from `text`.
inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

// The same bytes as the standard view. The result borrows from `text`.
inline std::string_view ToStd(absl::string_view text) { return {text.data(), text.size()}; }

namespace strings_internal {
inline std::string_view Piece(std::string_view text) { return text; }
inline std::string Piece(char c) { return std::string(1, c); }
template <typename Integer>
requires std::is_integral_v<Integer> std::string Piece(Integer number) {
  return std::to_string(number);
}

template <typename... Texts>
std::string Joined(const Texts&... texts) {
  std::string result;
  result.reserve((size_t{0} + ... + texts.size()));
  (result.append(texts), ...);
  return result;
}
}  // namespace strings_internal

// Concatenates strings, characters and integers, like absl::StrCat, but takes std::string_view.
template <typename... Pieces>
std::string Concat(const Pieces&... pieces) {
  return strings_internal::Joined(strings_internal::Piece(pieces)...);
}

// Hash and equality for look-ups by std::string_view in Abseil's hash maps keyed by std::string.
struct StringViewHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_STRINGS_H_
