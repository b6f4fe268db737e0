#include "api/service/checksum.h"

#include <libdeflate.h>

namespace dynolith {

uint32_t Crc32(std::string_view bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

}  // namespace dynolith
