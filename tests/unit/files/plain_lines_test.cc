// Lines are read on another thread, batch by batch, and still come in their order and all of them.
#include "tools/files/items/plain_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dynolith::designs {
namespace {

std::string MakeLine(size_t i) {
  const std::string item = R"({"pk":{"S":")" + std::to_string(i) + std::string(100, 'x') + "\"}}";
  return i % 10 == 0 ? item : "{\"Item\":" + item + "}";
}

constexpr size_t kLines = 30'000;  // of some batches

TEST(PlainLines, ComeInTheirOrder) {
  PlainLines lines;
  size_t next = 0;
  const auto take = [&](const PlainLines::Line& line) {
    EXPECT_EQ(line.number, next);
    EXPECT_EQ(line.text, MakeLine(next));
    EXPECT_EQ(line.item.has_value(), next % 10 != 0);
    ++next;
    return absl::OkStatus();
  };
  for (size_t i = 0; i < kLines; ++i) {
    std::string text = MakeLine(i);
    ASSERT_TRUE(lines.Add(text, i, take).ok());
    text.assign(text.size(), '?');  // it is borrowed for the call
  }
  EXPECT_GT(next, 0U);
  EXPECT_LT(next, kLines);
  EXPECT_TRUE(lines.Finish(take).ok());
  EXPECT_EQ(next, kLines);
}

TEST(PlainLines, OfNone) {
  PlainLines lines;
  EXPECT_TRUE(lines.Finish([](const PlainLines::Line&) { return absl::CancelledError(); }).ok());
}

TEST(PlainLines, EndWithTheFirstFailure) {
  PlainLines lines;
  size_t taken = 0;
  const auto take = [&](const PlainLines::Line& line) {
    ++taken;
    return line.number == 7 ? absl::CancelledError() : absl::OkStatus();
  };
  absl::Status status;
  for (size_t i = 0; i < kLines && status.ok(); ++i) status = lines.Add(MakeLine(i), i, take);
  EXPECT_TRUE(absl::IsCancelled(status));
  EXPECT_EQ(taken, 8U);
}

}  // namespace
}  // namespace dynolith::designs
