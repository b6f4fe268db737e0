// Sizes of memory: one that is read a thousand times too small or too large would be taken.
#include "api/service/size_text.h"

#include <gtest/gtest.h>

namespace dynolith {
namespace {

TEST(ParseSize, BytesAndUnits) {
  EXPECT_EQ(ParseSize("0"), 0u);
  EXPECT_EQ(ParseSize("512"), 512u);
  EXPECT_EQ(ParseSize("7b"), 7u);
  EXPECT_EQ(ParseSize("1K"), 1u << 10);
  EXPECT_EQ(ParseSize("64MB"), 64u << 20);
  EXPECT_EQ(ParseSize("64mib"), 64u << 20);
  EXPECT_EQ(ParseSize("1.5 GB"), uint64_t{3} << 29);
}

TEST(ParseSize, WhatIsNone) {
  for (const char* const text : {"", "MB", "-1", "1X", "1 M B", "1bb", "1MBx", "1e3", "2000PB"}) {
    EXPECT_FALSE(ParseSize(text)) << text;
  }
}

}  // namespace
}  // namespace dynolith
