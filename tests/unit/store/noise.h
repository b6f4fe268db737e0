// Bytes that no compression makes small.
#ifndef DYNOLITH_TESTS_UNIT_STORE_NOISE_H_
#define DYNOLITH_TESTS_UNIT_STORE_NOISE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace dynolith::testing {

// Others for each seed. Eight at a time: tests make megabytes of it, and are not optimized.
inline std::string MakeNoise(uint64_t seed, size_t bytes) {
  std::string noise(bytes, '\0');
  uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15;
  for (size_t at = 0; at < bytes; at += sizeof state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(noise.data() + at, &state, std::min(sizeof state, bytes - at));
  }
  return noise;
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STORE_NOISE_H_
