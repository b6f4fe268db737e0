// By Knuth, Morris and Pratt, as Windows' C library has no memmem.
#include "engine/base/holds_bytes.h"

#include <cstddef>
#include <vector>

namespace dynolith {
namespace {

// How many bytes of the beginning of `part` match, where `matched` of them did and `next` follows.
size_t MatchedWith(char next, size_t matched, std::string_view part,
                   const std::vector<size_t>& borders) {
  while (matched > 0 && part[matched] != next) matched = borders[matched];
  return part[matched] == next ? matched + 1 : 0;
}

// The length of the longest beginning of the first i bytes, less than i, with which they end.
std::vector<size_t> Borders(std::string_view part) {
  std::vector<size_t> borders(part.size() + 1);
  for (size_t i = 1; i < part.size(); ++i) {
    borders[i + 1] = MatchedWith(part[i], borders[i], part, borders);
  }
  return borders;
}

}  // namespace

bool HoldsBytes(std::string_view text, std::string_view part) {
  if (part.size() > text.size()) return false;
  if (part.empty()) return true;
  const std::vector<size_t> borders = Borders(part);
  size_t matched = 0;
  for (const char next : text) {
    matched = MatchedWith(next, matched, part, borders);
    if (matched == part.size()) return true;
  }
  return false;
}

}  // namespace dynolith
