// The checksum of the x-amz-crc32 header.
#ifndef DYNOLITH_API_SERVICE_CHECKSUM_H_
#define DYNOLITH_API_SERVICE_CHECKSUM_H_

#include <cstdint>
#include <string_view>

namespace dynolith {

// CRC-32 as in zlib (IEEE 802.3).
uint32_t Crc32(std::string_view bytes);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_CHECKSUM_H_
