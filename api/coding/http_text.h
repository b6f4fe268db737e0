// The texts of HTTP's heads: names and tokens in any case, and the blanks around values.
#ifndef DYNOLITH_API_CODING_HTTP_TEXT_H_
#define DYNOLITH_API_CODING_HTTP_TEXT_H_

#include <cstddef>
#include <string_view>

namespace dynolith::http {

// Whether texts of the same length are equal apart from the case of letters.
bool SameLettersIgnoreCase(const char* left, const char* right, size_t size);
// For ASCII, of which header names and tokens consist. Most differ in length or in the last letter.
inline bool EqualsIgnoreCase(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  if (left.empty()) return true;
  constexpr int kCaseBit = 'a' - 'A';
  return ((left.back() ^ right.back()) & ~kCaseBit) == 0 &&
         SameLettersIgnoreCase(left.data(), right.data(), left.size());
}
// Removes spaces and tabs at both ends. Borrows from `text`.
std::string_view Trim(std::string_view text);

}  // namespace dynolith::http

#endif  // DYNOLITH_API_CODING_HTTP_TEXT_H_
