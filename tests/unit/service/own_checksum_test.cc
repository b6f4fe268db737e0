// The CRC-32 of a library without libdeflate is the one of all others.
#include <string>

#include "api/service/checksum.h"
#include "gtest/gtest.h"

// Under a name of its own beside libdeflate's.
#define Crc32 OwnCrc32
#include "api/without_folders/checksum.cc"
#undef Crc32

namespace dynolith {
namespace {

TEST(OwnChecksum, IsLibdeflates) {
  EXPECT_EQ(OwnCrc32("123456789"), 0xcbf43926);
  std::string text;
  for (int size = 0; size < 300; ++size) {
    EXPECT_EQ(OwnCrc32(text), Crc32(text)) << size;
    text.push_back(static_cast<char>(size * 37));
  }
}

}  // namespace
}  // namespace dynolith
