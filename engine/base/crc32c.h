// The checksum of the store's own files, and of RocksDB's logs and manifests: CRC-32C (Castagnoli),
// RFC 3720 appendix B.4.
#ifndef DYNOLITH_ENGINE_BASE_CRC32C_H_
#define DYNOLITH_ENGINE_BASE_CRC32C_H_

#include <cstdint>
#include <string_view>

namespace dynolith {

// For bytes whose checksum is `before`, followed by `bytes`.
uint32_t ExtendCrc32c(uint32_t before, std::string_view bytes);
inline uint32_t Crc32c(std::string_view bytes) { return ExtendCrc32c(0, bytes); }

// As RocksDB stores it, since a checksum of bytes that contain their own checksum is weak.
inline uint32_t MaskCrc32c(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8U; }

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_CRC32C_H_
