#include "engine/text/utf8.h"

#include <algorithm>
#include <cstddef>

namespace dynolith {
namespace {

// Returns how many bytes the first character has, or 0 if it is invalid.
size_t CharacterBytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  // Rejects continuation bytes, overlong forms, and characters beyond U+10FFFF.
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool is_wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return is_wrong ? 0 : size;
}

}  // namespace

void AppendUtf8(uint32_t code, std::string* out) {
  const auto add = [out](uint32_t byte) { *out += static_cast<char>(byte); };
  const auto tail = [&](int shift) { add(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    add(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    add(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string ReplaceNonUtf8(std::string_view text) {
  constexpr uint32_t kReplacement = 0xfffd;
  std::string replaced;
  while (!text.empty()) {
    const size_t size = CharacterBytes(text);
    if (size == 0) {
      AppendUtf8(kReplacement, &replaced);
    } else {
      replaced.append(text.substr(0, size));
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return replaced;
}

}  // namespace dynolith
