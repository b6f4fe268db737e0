// Why: the escapes of policies and of Ion name any code point; each length has its first and its
// last.
#include "engine/text/utf8.h"

#include <gtest/gtest.h>

namespace dynolith {
namespace {

std::string Encoded(uint32_t code) {
  std::string out;
  AppendUtf8(code, &out);
  return out;
}

TEST(Utf8, FirstAndLastOfEachLength) {
  EXPECT_EQ(Encoded(0), std::string(1, '\0'));
  EXPECT_EQ(Encoded(0x7f), "\x7f");
  EXPECT_EQ(Encoded(0x80), "\xc2\x80");
  EXPECT_EQ(Encoded(0x7ff), "\xdf\xbf");
  EXPECT_EQ(Encoded(0x800), "\xe0\xa0\x80");
  EXPECT_EQ(Encoded(0xffff), "\xef\xbf\xbf");
  EXPECT_EQ(Encoded(0x10000), "\xf0\x90\x80\x80");
  EXPECT_EQ(Encoded(0x10ffff), "\xf4\x8f\xbf\xbf");
}

}  // namespace
}  // namespace dynolith
