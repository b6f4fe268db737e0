#include "engine/text/byte_scan.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace dynolith {
namespace {

#if !defined(__SSE2__) && !defined(__aarch64__)
constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kTops = 0x8080808080808080;
#endif

template <typename Word>
Word WordAt(const char* begin) {
  Word word;
  std::memcpy(&word, begin, sizeof word);
  return word;
}

#if defined(__SSE2__)

// Sixteen bytes that are looked at together.
class Block {
 public:
  static Block At(const char* begin) {
    return Block(_mm_loadu_si128(reinterpret_cast<const __m128i*>(begin)));
  }
  Block(uint64_t low, uint64_t high)
      : bytes_(_mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low))) {}

  void CopyTo(char* to) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes_); }

 private:
  friend class ByteMatcher;
  explicit Block(__m128i bytes) : bytes_(bytes) {}
  __m128i bytes_;
};

// Bytes below 0x20, and two more.
class ByteMatcher {
 public:
  ByteMatcher(char one, char other) : one_(_mm_set1_epi8(one)), other_(_mm_set1_epi8(other)) {}

  // Looks at a block; Found tells of all of them.
  void LookAt(const Block& block) {
    const __m128i bytes = block.bytes_;
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    const __m128i either = _mm_or_si128(_mm_cmpeq_epi8(bytes, one_), _mm_cmpeq_epi8(bytes, other_));
    found_ = _mm_or_si128(found_, _mm_or_si128(control, either));
  }
  bool Found() const { return _mm_movemask_epi8(found_) != 0; }

 private:
  const __m128i one_;
  const __m128i other_;
  __m128i found_ = _mm_setzero_si128();
};

#elif defined(__aarch64__)

class Block {
 public:
  static Block At(const char* begin) {
    return Block(vld1q_u8(reinterpret_cast<const uint8_t*>(begin)));
  }
  Block(uint64_t low, uint64_t high)
      : bytes_(vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)))) {}

  void CopyTo(char* to) const { vst1q_u8(reinterpret_cast<uint8_t*>(to), bytes_); }

 private:
  friend class ByteMatcher;
  explicit Block(uint8x16_t bytes) : bytes_(bytes) {}
  uint8x16_t bytes_;
};

class ByteMatcher {
 public:
  ByteMatcher(char one, char other)
      : one_(vdupq_n_u8(static_cast<uint8_t>(one))),
        other_(vdupq_n_u8(static_cast<uint8_t>(other))) {}

  void LookAt(const Block& block) {
    const uint8x16_t control = vcltq_u8(block.bytes_, vdupq_n_u8(0x20));
    const uint8x16_t either =
        vorrq_u8(vceqq_u8(block.bytes_, one_), vceqq_u8(block.bytes_, other_));
    found_ = vorrq_u8(found_, vorrq_u8(control, either));
  }
  bool Found() const { return vmaxvq_u8(found_) != 0; }

 private:
  const uint8x16_t one_;
  const uint8x16_t other_;
  uint8x16_t found_ = vdupq_n_u8(0);
};

#else

class Block {
 public:
  static Block At(const char* begin) {
    return {WordAt<uint64_t>(begin), WordAt<uint64_t>(begin + 8)};
  }
  Block(uint64_t low, uint64_t high) : words_{low, high} {}

  void CopyTo(char* to) const { std::memcpy(to, words_, sizeof words_); }

 private:
  friend class ByteMatcher;
  uint64_t words_[2];
};

class ByteMatcher {
 public:
  ByteMatcher(char one, char other)
      : one_(kOnes * static_cast<unsigned char>(one)),
        other_(kOnes * static_cast<unsigned char>(other)) {}

  void LookAt(const Block& block) {
    for (const uint64_t word : block.words_) {
      const auto has_zero = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes; };
      const uint64_t control = (word - kOnes * 0x20) & ~word;
      found_ |= control | has_zero(word ^ one_) | has_zero(word ^ other_);
    }
  }
  bool Found() const { return (found_ & kTops) != 0; }

 private:
  const uint64_t one_;
  const uint64_t other_;
  uint64_t found_ = 0;
};

#endif

// A text of 1 to 15 bytes, of which some stand there twice.
Block BlockOfShort(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (text.size() >= 8) return {WordAt<uint64_t>(begin), WordAt<uint64_t>(end - 8)};
  uint64_t word = 0;
  if (text.size() >= 4) {
    word = uint64_t{WordAt<uint32_t>(begin)} | uint64_t{WordAt<uint32_t>(end - 4)} << 32;
  } else {
    const auto byte_at = [begin](size_t i) {
      return uint64_t{static_cast<unsigned char>(begin[i])};
    };
    word = byte_at(0) | byte_at(text.size() / 2) << 8 | byte_at(text.size() - 1) << 16;
    word |= word << 32 | byte_at(0) << 24 | byte_at(0) << 56;
  }
  return {word, word};
}

// Of less than sixteen bytes.
void CopyShort(std::string_view text, char* to) {
  const char* const begin = text.data();
  const size_t size = text.size();
  const auto copy_ends = [&](auto word) {
    const auto last = WordAt<decltype(word)>(begin + size - sizeof word);
    word = WordAt<decltype(word)>(begin);
    std::memcpy(to, &word, sizeof word);
    std::memcpy(to + size - sizeof word, &last, sizeof word);
  };
  if (size >= 8) {
    copy_ends(uint64_t{});
  } else if (size >= 4) {
    copy_ends(uint32_t{});
  } else if (size > 0) {
    to[0] = begin[0];
    to[size / 2] = begin[size / 2];
    to[size - 1] = begin[size - 1];
  }
}

constexpr size_t kBlock = 16;

}  // namespace

bool HasControlOr(std::string_view text, char one, char other) {
  if (text.empty()) return false;
  ByteMatcher wanted(one, other);
  if (text.size() < kBlock) {
    wanted.LookAt(BlockOfShort(text));
    return wanted.Found();
  }
  const char* const last = text.data() + text.size() - kBlock;
  for (const char* at = text.data(); at < last; at += kBlock) {
    wanted.LookAt(Block::At(at));
    if (wanted.Found()) return true;
  }
  wanted.LookAt(Block::At(last));
  return wanted.Found();
}

bool CopyUnlessControlOr(std::string_view text, char one, char other, char* to) {
  if (text.empty()) return true;
  ByteMatcher wanted(one, other);
  if (text.size() < kBlock) {
    wanted.LookAt(BlockOfShort(text));
    CopyShort(text, to);
    return !wanted.Found();
  }
  const size_t last = text.size() - kBlock;
  for (size_t at = 0; at < last; at += kBlock) {
    const Block block = Block::At(text.data() + at);
    wanted.LookAt(block);
    block.CopyTo(to + at);
  }
  const Block block = Block::At(text.data() + last);
  wanted.LookAt(block);
  block.CopyTo(to + last);
  return !wanted.Found();
}

}  // namespace dynolith
