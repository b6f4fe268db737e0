// SHA-256: vectors, and that the code of a library without OpenSSL is the same function.
#include "engine/base/sha256.h"

#include <string>
#include <string_view>

#include "engine/base/big_endian.h"
#include "engine/base/hex.h"
#include "gtest/gtest.h"

// Under a name of its own beside OpenSSL's.
#define Sha256 OwnSha256
#include "engine/store/without_folders/sha256.cc"
#undef Sha256

namespace dynolith {
namespace {

std::string HexOf(const std::array<unsigned char, kSha256Bytes>& digest) {
  return Hex(std::string(digest.begin(), digest.end()));
}

// NIST's examples for FIPS 180-4.
TEST(Sha256Test, Vectors) {
  constexpr std::string_view kAbc =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(HexOf(Sha256("abc")), kAbc);
  EXPECT_EQ(HexOf(OwnSha256("abc")), kAbc);
}

TEST(Sha256Test, BothAreOneFunction) {
  std::string text;
  for (int size = 0; size < 300; ++size) {
    EXPECT_EQ(OwnSha256(text), Sha256(text)) << size;
    text.push_back(static_cast<char>(size * 37));
  }
}

}  // namespace
}  // namespace dynolith
