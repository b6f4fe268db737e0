#include "engine/base/json_string.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dynolith {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kTops = 0x8080808080808080;

// Whether one of eight bytes is a quote, a backslash or below 0x20.
bool NeedsEscape(uint64_t bytes) {
  const auto has_zero = [](uint64_t word) { return (word - kOnes) & ~word & kTops; };
  const uint64_t quote = has_zero(bytes ^ (kOnes * '"'));
  const uint64_t backslash = has_zero(bytes ^ (kOnes * '\\'));
  const uint64_t control = (bytes - kOnes * 0x20) & ~bytes & kTops;
  return (quote | backslash | control) != 0;
}

bool NeedsEscape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

// Of four to seven bytes, the middle ones twice.
uint64_t FewBytes(std::string_view text) {
  uint32_t first;
  uint32_t last;
  std::memcpy(&first, text.data(), sizeof first);
  std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
  return uint64_t{last} << 32 | first;
}

uint64_t EightBytesAt(const char* begin) {
  uint64_t bytes;
  std::memcpy(&bytes, begin, sizeof bytes);
  return bytes;
}

// The first byte at or after `at` that cannot stand in a JSON string as it is.
size_t FindEscape(std::string_view text, size_t at) {
  while (at + sizeof(uint64_t) <= text.size() && !NeedsEscape(EightBytesAt(text.data() + at))) {
    at += sizeof(uint64_t);
  }
  while (at < text.size() && !NeedsEscape(text[at])) ++at;
  return at;
}

void AppendEscape(char c, std::string_view by_letter, std::string* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kLetters = "bfnrt";  // as in kJsonLetterControls
  out->push_back('\\');
  if (c == '"' || c == '\\') {
    out->push_back(c);
  } else if (by_letter.find(c) != std::string_view::npos) {
    out->push_back(kLetters[kJsonLetterControls.find(c)]);
  } else {
    out->append("u00");
    out->push_back(kHex[static_cast<unsigned char>(c) >> 4]);
    out->push_back(kHex[static_cast<unsigned char>(c) & 15]);
  }
}

}  // namespace

bool IsPlainInJson(std::string_view text) {
  constexpr size_t kStep = sizeof(uint64_t);
  if (text.size() < kStep) {
    if (text.size() >= sizeof(uint32_t)) return !NeedsEscape(FewBytes(text));
    return std::none_of(text.begin(), text.end(), [](char c) { return NeedsEscape(c); });
  }
  for (size_t at = 0; at + kStep <= text.size(); at += kStep) {
    if (NeedsEscape(EightBytesAt(text.data() + at))) return false;
  }
  return !NeedsEscape(EightBytesAt(text.data() + text.size() - kStep));
}

void AppendJsonString(std::string_view text, std::string* out, std::string_view by_letter) {
  out->push_back('"');
  if (IsPlainInJson(text)) {  // nearly always
    out->append(text);
    out->push_back('"');
    return;
  }
  for (size_t at = 0;;) {
    const size_t stop = FindEscape(text, at);
    out->append(text.data() + at, stop - at);
    if (stop == text.size()) break;
    AppendEscape(text[stop], by_letter, out);
    at = stop + 1;
  }
  out->push_back('"');
}

}  // namespace dynolith
