#include "engine/expr/reserved_words.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace dynolith {
namespace {

constexpr std::string_view kReservedWords[] = {
#include "engine/expr/reserved_words.inc"
};

constexpr size_t kLongestWord = [] {
  size_t longest = 0;
  for (std::string_view word : kReservedWords) longest = std::max(longest, word.size());
  return longest;
}();

static_assert(std::size(kReservedWords) == 573);
static_assert(std::is_sorted(std::begin(kReservedWords), std::end(kReservedWords)));

constexpr char ToUpper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

}  // namespace

bool IsReservedWord(std::string_view word) {
  if (word.size() > kLongestWord) return false;
  std::array<char, kLongestWord> upper;
  std::transform(word.begin(), word.end(), upper.begin(), ToUpper);
  return std::binary_search(std::begin(kReservedWords), std::end(kReservedWords),
                            std::string_view(upper.data(), word.size()));
}

bool EqualsIgnoringCase(std::string_view word, std::string_view upper) {
  return word.size() == upper.size() && std::equal(word.begin(), word.end(), upper.begin(),
                                                   [](char c, char u) { return ToUpper(c) == u; });
}

}  // namespace dynolith
