// The CRC-32 of the header x-amz-crc32 (ISO 3309, as zip's), eight bytes at a time by tables.
#include "api/service/checksum.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace dynolith {
namespace {

constexpr uint32_t kPolynomial = 0xedb88320;
constexpr size_t kTables = 8;
using Tables = std::array<std::array<uint32_t, 256>, kTables>;

constexpr Tables MakeTables() {
  Tables tables = {};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ kPolynomial : crc >> 1;
    tables[0][i] = crc;
  }
  for (size_t table = 1; table < kTables; ++table) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t before = tables[table - 1][i];
      tables[table][i] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
constexpr Tables kByte = MakeTables();

}  // namespace

uint32_t Crc32(std::string_view bytes) {
  uint32_t crc = ~uint32_t{0};
  while (bytes.size() >= kTables) {
    uint32_t low;
    uint32_t high;
    std::memcpy(&low, bytes.data(), sizeof low);
    std::memcpy(&high, bytes.data() + sizeof low, sizeof high);
    low ^= crc;
    crc = kByte[7][low & 0xff] ^ kByte[6][low >> 8 & 0xff] ^ kByte[5][low >> 16 & 0xff] ^
          kByte[4][low >> 24] ^ kByte[3][high & 0xff] ^ kByte[2][high >> 8 & 0xff] ^
          kByte[1][high >> 16 & 0xff] ^ kByte[0][high >> 24];
    bytes.remove_prefix(kTables);
  }
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kByte[0][(crc ^ static_cast<uint8_t>(byte)) & 0xff];
  }
  return ~crc;
}

}  // namespace dynolith
