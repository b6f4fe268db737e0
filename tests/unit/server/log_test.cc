// The lines of the log as programs read them, and that nobody outside can write a line of their
// own.
#include "tools/server/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"

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

TEST(LogLine, NoLinesOfOthersBeyondAscii) {
  for (const bool json : {false, true}) {
    const std::string line =
        LogLine(json, kTime, LogLevel::kError, "a\u0080b\u0085c\u009f",
                {{"cause", "d\u2028e\u2029"}, {"good", "\u00a0\u2027\u202a\u0480"}});
    EXPECT_NE(line.find("a??b??c??"), std::string::npos) << line;
    EXPECT_NE(line.find("d???e???"), std::string::npos) << line;
    EXPECT_NE(line.find("\u00a0\u2027\u202a\u0480"), std::string::npos) << line;
  }
}

TEST(Log, Levels) {
  const Log log({.level = LogLevel::kWarning});
  EXPECT_TRUE(log.Shows(LogLevel::kError));
  EXPECT_TRUE(log.Shows(LogLevel::kWarning));
  EXPECT_FALSE(log.Shows(LogLevel::kInfo));
}

// A pipe whose reader comes when it is asked.
class Reader {
 public:
  Reader() { EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    close(ends_[0]);
    close(ends_[1]);
  }

  int file() const { return ends_[1]; }
  // What is there.
  std::string Text() {
    std::string text;
    EXPECT_EQ(fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
    std::string piece(1 << 16, '\0');
    while (true) {
      const ssize_t bytes = read(ends_[0], piece.data(), piece.size());
      if (bytes <= 0) return text;
      text.append(piece, 0, static_cast<size_t>(bytes));
    }
  }
  // The lines that are there, without their time.
  std::vector<std::string> Lines() {
    std::vector<std::string> lines = absl::StrSplit(Text(), '\n');
    EXPECT_EQ(lines.back(), "");
    lines.pop_back();
    for (std::string& line : lines) line.erase(0, line.find(' ') + 1);
    return lines;
  }

 private:
  int ends_[2];
};

constexpr char kLost[] = "warning lines of the log are lost, as nobody read them count=";

TEST(Log, WaitsForNoReader) {
  Reader reader;
  Log log({}, reader.file());
  constexpr int kLines = 20'000;
  for (int i = 0; i < kLines; ++i) log.Write(LogLevel::kError, std::to_string(i));
  const std::vector<std::string> lines = reader.Lines();
  ASSERT_GT(lines.size(), 100);
  ASSERT_LT(lines.size(), kLines);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i], "error " + std::to_string(i));
  log.Write(LogLevel::kError, "after");
  EXPECT_THAT(reader.Lines(),
              ::testing::ElementsAre(kLost + std::to_string(kLines - lines.size()), "error after"));
}

TEST(Log, ALineThatIsCutEndsBeforeTheNext) {
  Reader reader;
  {
    Log log({}, reader.file());
    log.Write(LogLevel::kError, std::string(1 << 20, 'a'));  // longer than the pipe
    const std::string cut = reader.Text();
    EXPECT_GT(cut.size(), 1000);
    EXPECT_EQ(cut.back(), 'a');
  }
  EXPECT_THAT(reader.Lines(), ::testing::ElementsAre("", kLost + std::to_string(1)));
}

}  // namespace
}  // namespace dynolith
