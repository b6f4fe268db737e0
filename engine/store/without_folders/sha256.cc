// SHA-256 as FIPS 180-4 describes it, for a library without OpenSSL: for tokens of transactions and
// for long keys, never for a secret.
#include "engine/base/sha256.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "engine/base/big_endian.h"

namespace dynolith {
namespace {

constexpr size_t kBlockBytes = 64;
constexpr size_t kRounds = 64;

// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
constexpr uint32_t kBeginning[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
// Of the cube roots of the first 64.
constexpr uint32_t kConstants[kRounds] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void AddBlock(const char* block, uint32_t (&state)[8]) {
  uint32_t words[kRounds];
  for (size_t i = 0; i < 16; ++i) {
    uint32_t word = 0;
    for (size_t byte = 0; byte < sizeof word; ++byte) {
      word = word << 8 | static_cast<uint8_t>(block[i * sizeof word + byte]);
    }
    words[i] = word;
  }
  for (size_t i = 16; i < kRounds; ++i) {
    const uint32_t w2 = words[i - 2];
    const uint32_t w15 = words[i - 15];
    words[i] = words[i - 16] + words[i - 7] + (std::rotr(w15, 7) ^ std::rotr(w15, 18) ^ w15 >> 3) +
               (std::rotr(w2, 17) ^ std::rotr(w2, 19) ^ w2 >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < kRounds; ++i) {
    const uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                         ((e & f) ^ (~e & g)) + kConstants[i] + words[i];
    const uint32_t two =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + two;
  }
  const uint32_t added[8] = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state[i] += added[i];
}

}  // namespace

std::array<unsigned char, kSha256Bytes> Sha256(std::string_view bytes) {
  std::string message(bytes);
  message.push_back(static_cast<char>(0x80));
  const size_t end = message.size() + sizeof(uint64_t);
  message.resize((end + kBlockBytes - 1) / kBlockBytes * kBlockBytes - sizeof(uint64_t));
  AppendBigEndian(uint64_t{8} * bytes.size(), &message);
  uint32_t state[8];
  std::memcpy(state, kBeginning, sizeof state);
  for (size_t at = 0; at < message.size(); at += kBlockBytes) AddBlock(message.data() + at, state);
  std::array<unsigned char, kSha256Bytes> digest;
  for (size_t i = 0; i < kSha256Bytes; ++i) {
    digest[i] = static_cast<unsigned char>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

}  // namespace dynolith
