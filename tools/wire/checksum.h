// The checksum of the x-amz-crc32 header.
#ifndef DYNOLITH_TOOLS_WIRE_CHECKSUM_H_
#define DYNOLITH_TOOLS_WIRE_CHECKSUM_H_

#include <cstdint>
#include <string_view>

namespace dynolith::http {

// CRC-32 as in zlib (IEEE 802.3).
uint32_t Crc32(std::string_view bytes);

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_WIRE_CHECKSUM_H_
