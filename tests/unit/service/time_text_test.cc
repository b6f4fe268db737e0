// Times as a person or a test gives them: a clock that starts elsewhere than was meant makes a test
// pass, or fail, for the wrong reason.
#include "api/service/time_text.h"

#include <gtest/gtest.h>

namespace dynolith {
namespace {

TEST(TimeTextTest, Times) {
  const auto seconds = [](std::string_view text) -> double {
    const auto time = ParseTimeText(text);
    return time ? absl::ToDoubleSeconds(*time - absl::UnixEpoch()) : -1;
  };
  EXPECT_EQ(seconds("1700000000"), 1'700'000'000);
  EXPECT_EQ(ParseTimeText("1700000000.1234"), absl::FromUnixMillis(1'700'000'000'123));
  EXPECT_EQ(seconds("1970-01-01T00:00:01Z"), 1);
  EXPECT_EQ(seconds("1970-01-01T01:00:01.5+01:00"), 1.5);
  EXPECT_EQ(seconds("0"), 0);
  for (const char* text : {"", "-1", "nan", "inf", "infinite-future", "2026-01-31", "noon",
                           "7258118401", "2200-01-01T00:00:01Z", "1969-12-31T23:59:59Z", "1e300"}) {
    EXPECT_EQ(seconds(text), -1) << text;
  }
  EXPECT_EQ(TimeText(absl::FromUnixMillis(1'700'000'000'025)), "2023-11-14T22:13:20.025Z");
}

}  // namespace
}  // namespace dynolith
