// The lines of the log as programs read them, and that nobody outside can write a line of their
// own.
#include "tools/dynolith/log.h"

#include <gtest/gtest.h>

namespace dynolith {
namespace {

const absl::Time kTime = absl::FromUnixMillis(1'700'000'000'123);

TEST(LogLine, Text) {
  EXPECT_EQ(LogLine(false, kTime, LogLevel::kWarning, "a b", {}),
            "2023-11-14T22:13:20.123Z warning a b");
  EXPECT_EQ(LogLine(false, kTime, LogLevel::kError, "x",
                    {{"n", -5}, {"word", "a-b"}, {"two", "a b"}, {"none", ""}, {"eq", "a=b"}}),
            R"(2023-11-14T22:13:20.123Z error x n=-5 word=a-b two="a b" eq="a=b")");
}

TEST(LogLine, Json) {
  EXPECT_EQ(LogLine(true, kTime, LogLevel::kInfo, "say \"x\"", {{"n", 5}, {"cause", "a\\b"}}),
            R"({"time":"2023-11-14T22:13:20.123Z","level":"info","message":"say \"x\"","n":5,)"
            R"("cause":"a\\b"})");
  EXPECT_EQ(LogLine(true, kTime, LogLevel::kInfo, "", {}),
            R"({"time":"2023-11-14T22:13:20.123Z","level":"info","message":""})");
}

TEST(LogLine, NoLinesOfOthers) {
  for (const bool json : {false, true}) {
    const std::string line = LogLine(json, kTime, LogLevel::kError, "a\nb\x1b[0m\xff",
                                     {{"cause", "c\r\nd\x7f\xc3"}, {"good", "\xc3\xa4"}});
    EXPECT_EQ(line.find_first_of("\n\r\x1b\x7f\xff"), std::string::npos) << line;
    EXPECT_NE(line.find("a?b?[0m?"), std::string::npos) << line;
    EXPECT_NE(line.find("c??d??"), std::string::npos) << line;
    EXPECT_NE(line.find("\xc3\xa4"), std::string::npos) << line;
  }
}

TEST(Log, Levels) {
  const Log log({.level = LogLevel::kWarning});
  EXPECT_TRUE(log.Shows(LogLevel::kError));
  EXPECT_TRUE(log.Shows(LogLevel::kWarning));
  EXPECT_FALSE(log.Shows(LogLevel::kInfo));
}

}  // namespace
}  // namespace dynolith
