#include "api/coding/http_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace dynolith::http {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// Converts eight characters at once: adding the distance from 'A', or from behind 'Z', to 0x80 sets
// a byte's top bit.
uint64_t LowerEach(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kTops = 0x80 * kOnes;
  const uint64_t without_tops = bytes & ~kTops;
  const uint64_t from_a = without_tops + (0x80 - 'A') * kOnes;
  const uint64_t behind_z = without_tops + (0x80 - 'Z' - 1) * kOnes;
  const uint64_t upper = from_a & ~behind_z & ~bytes & kTops;
  return bytes | (upper >> 2);
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

bool SameLettersIgnoreCase(const char* left, const char* right, size_t size) {
  if (size < sizeof(uint64_t)) {
    for (size_t i = 0; i < size; ++i) {
      if (left[i] != right[i] && Lower(left[i]) != Lower(right[i])) return false;
    }
    return true;
  }
  // The last word may overlap the one before it.
  const size_t last = size - sizeof(uint64_t);
  for (size_t i = 0;; i = std::min(i + sizeof(uint64_t), last)) {
    uint64_t words[2];
    std::memcpy(&words[0], left + i, sizeof(uint64_t));
    std::memcpy(&words[1], right + i, sizeof(uint64_t));
    if (words[0] != words[1] && LowerEach(words[0]) != LowerEach(words[1])) return false;
    if (i == last) return true;
  }
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace dynolith::http
