#include "api/request/uuid.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>

namespace dynolith {

std::string NewUuid() {
  std::random_device random;
  std::array<uint8_t, 16> bytes;
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  bytes[6] = (bytes[6] & 0x0f) | 0x40;  // version 4
  bytes[8] = (bytes[8] & 0x3f) | 0x80;  // the variant of RFC 4122
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string NewTimedId(absl::Time created) {
  // Not absl::StrFormat, which ends the process without memory.
  constexpr size_t kDigits = 14;
  const std::string millis = std::to_string(absl::ToUnixMillis(created));
  std::string id(kDigits - std::min(kDigits, millis.size()), '0');
  id += millis;
  id += '-';
  const uint32_t random = std::random_device()();
  for (int shift = 28; shift >= 0; shift -= 4) id += "0123456789abcdef"[random >> shift & 15];
  return id;
}

}  // namespace dynolith
