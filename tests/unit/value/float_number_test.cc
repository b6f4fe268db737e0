// Numbers become floats exactly as IEEE 754 rounds them, at both ends of the range too: a vector
// that the service takes must not be refused, and the other way round.
#include "engine/value/float_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace dynolith {
namespace {

NumberBytes Encoded(std::string_view text) { return *EncodeNumber(text); }

float Nearest(std::string_view text) { return NearestFloat(Encoded(text).view()); }
bool Fits(std::string_view text) { return FitsFloat(Encoded(text).view()); }

TEST(FloatNumberTest, RoundsToTheNearest) {
  EXPECT_EQ(Nearest("0"), 0.0f);
  EXPECT_EQ(Nearest("1"), 1.0f);
  EXPECT_EQ(Nearest("-0.1"), -0.1f);
  EXPECT_EQ(Nearest("16777217"), 16777216.0f);
  EXPECT_EQ(Nearest("16777219"), 16777220.0f);
  EXPECT_EQ(Nearest("16777217.00000000000000000000000000001"), 16777218.0f);
  EXPECT_EQ(Nearest("1E-130"), 0.0f);
  EXPECT_EQ(Nearest("1E-45"), std::numeric_limits<float>::denorm_min());
}

TEST(FloatNumberTest, FitsUpToWhatRoundsToTheLargestFloat) {
  constexpr float kMost = std::numeric_limits<float>::max();
  for (const std::string text :
       {"3.4028234663852886E38", "340282356779733661637539395458142568440"}) {
    EXPECT_TRUE(Fits(text)) << text;
    EXPECT_EQ(Nearest(text), kMost) << text;
    EXPECT_TRUE(Fits("-" + text)) << text;
    EXPECT_EQ(Nearest("-" + text), -kMost) << text;
  }
  for (const std::string text : {"340282356779733661637539395458142568450", "1E39", "9E125"}) {
    EXPECT_FALSE(Fits(text)) << text;
    EXPECT_FALSE(Fits("-" + text)) << text;
  }
}

TEST(FloatNumberTest, EveryFloatComesBack) {
  std::mt19937 random(20261121);
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = static_cast<uint32_t>(random());
    float number = 0;
    static_assert(sizeof number == sizeof bits);
    std::memcpy(&number, &bits, sizeof number);
    if (!std::isfinite(number)) continue;
    const NumberBytes encoded = EncodeFloat(number);
    ASSERT_TRUE(FitsFloat(encoded.view())) << number;
    ASSERT_EQ(NearestFloat(encoded.view()), number) << number;
  }
}

}  // namespace
}  // namespace dynolith
