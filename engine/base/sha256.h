// SHA-256 (FIPS 180-4).
#ifndef DYNOLITH_ENGINE_BASE_SHA256_H_
#define DYNOLITH_ENGINE_BASE_SHA256_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace dynolith {

inline constexpr size_t kSha256Bytes = 32;

// By OpenSSL; by code of its own in a library that is built without it
// (engine/store/without_folders).
std::array<unsigned char, kSha256Bytes> Sha256(std::string_view bytes);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_SHA256_H_
