// Pseudorandom numbers that are the same for a seed on every machine.
#ifndef DYNOLITH_ENGINE_PARTITION_RANDOM_NUMBERS_H_
#define DYNOLITH_ENGINE_PARTITION_RANDOM_NUMBERS_H_

#include <cstdint>

namespace dynolith {

// splitmix64 (Steele, Lea and Flood: Fast Splittable Pseudorandom Number Generators).
inline uint64_t NextRandom(uint64_t* state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_RANDOM_NUMBERS_H_
