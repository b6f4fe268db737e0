#include "engine/base/byte_scan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dynolith {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kTops = 0x8080808080808080;

template <typename Word>
Word WordAt(const char* begin) {
  Word word;
  std::memcpy(&word, begin, sizeof word);
  return word;
}

// What is looked for, in each byte of a word.
struct Wanted {
  Wanted(char a, char b)
      : one(kOnes * static_cast<unsigned char>(a)), other(kOnes * static_cast<unsigned char>(b)) {}

  bool IsIn(uint64_t bytes) const {
    const auto has_zero = [](uint64_t word) { return (word - kOnes) & ~word; };
    const uint64_t control = (bytes - kOnes * 0x20) & ~bytes;
    return ((control | has_zero(bytes ^ one) | has_zero(bytes ^ other)) & kTops) != 0;
  }

  uint64_t one;
  uint64_t other;
};

// Of less than sixteen bytes; some are looked at twice.
bool IsInShort(std::string_view text, const Wanted& wanted) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (text.size() >= 8) {
    return wanted.IsIn(WordAt<uint64_t>(begin)) || wanted.IsIn(WordAt<uint64_t>(end - 8));
  }
  if (text.size() >= 4) {
    return wanted.IsIn(uint64_t{WordAt<uint32_t>(begin)} << 32 | WordAt<uint32_t>(end - 4));
  }
  return std::any_of(begin, end,
                     [&](char c) { return wanted.IsIn(kOnes * static_cast<unsigned char>(c)); });
}

#if defined(__SSE2__)

class Block {
 public:
  Block(char one, char other) : one_(_mm_set1_epi8(one)), other_(_mm_set1_epi8(other)) {}

  bool IsIn(const char* begin) const {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(begin));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    const __m128i either = _mm_or_si128(_mm_cmpeq_epi8(bytes, one_), _mm_cmpeq_epi8(bytes, other_));
    return _mm_movemask_epi8(_mm_or_si128(control, either)) != 0;
  }

 private:
  const __m128i one_;
  const __m128i other_;
};

#else

class Block {
 public:
  Block(char one, char other) : wanted_(one, other) {}

  bool IsIn(const char* begin) const {
    return wanted_.IsIn(WordAt<uint64_t>(begin)) || wanted_.IsIn(WordAt<uint64_t>(begin + 8));
  }

 private:
  const Wanted wanted_;
};

#endif

}  // namespace

bool HasControlOr(std::string_view text, char one, char other) {
  constexpr size_t kBlock = 16;
  if (text.size() < kBlock) return IsInShort(text, Wanted(one, other));
  const Block block(one, other);
  const char* const last = text.data() + text.size() - kBlock;
  for (const char* at = text.data(); at < last; at += kBlock) {
    if (block.IsIn(at)) return true;
  }
  return block.IsIn(last);
}

}  // namespace dynolith
