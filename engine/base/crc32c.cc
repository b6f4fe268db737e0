#include "engine/base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace dynolith {
namespace {

// Castagnoli's polynomial with its bits reversed.
constexpr uint32_t kPolynomial = 0x82f63b78U;

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ kPolynomial : crc >> 1;
    table[i] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = MakeTable();

uint32_t ExtendByTable(uint32_t crc, std::string_view bytes) {
  for (const char byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xff];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ExtendByInstruction(uint32_t crc,
                                                               std::string_view bytes) {
  uint64_t wide = crc;
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    wide = _mm_crc32_u64(wide, word);
    bytes.remove_prefix(sizeof word);
  }
  crc = static_cast<uint32_t>(wide);
  for (const char byte : bytes) crc = _mm_crc32_u8(crc, static_cast<uint8_t>(byte));
  return crc;
}

bool HasInstruction() { return __builtin_cpu_supports("sse4.2") != 0; }
#elif defined(__aarch64__)
// What getauxval calls the instructions (Linux, asm/hwcap.h); every processor since ARMv8.1 has
// them.
constexpr uint64_t kHasCrc32 = 1 << 7;

// Not arm_acle.h, whose functions want the whole file compiled for such a processor.
uint32_t ExtendByInstruction(uint32_t crc, std::string_view bytes) {
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    asm(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
    bytes.remove_prefix(sizeof word);
  }
  for (const char byte : bytes) {
    asm(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1"
        : "+r"(crc)
        : "r"(static_cast<uint32_t>(static_cast<uint8_t>(byte))));
  }
  return crc;
}

bool HasInstruction() { return (getauxval(AT_HWCAP) & kHasCrc32) != 0; }
#endif

}  // namespace

uint32_t ExtendCrc32c(uint32_t before, std::string_view bytes) {
#if defined(__x86_64__) || defined(__aarch64__)
  static const bool has_instruction = HasInstruction();
  if (has_instruction) return ~ExtendByInstruction(~before, bytes);
#endif
  return ~ExtendByTable(~before, bytes);
}

}  // namespace dynolith
