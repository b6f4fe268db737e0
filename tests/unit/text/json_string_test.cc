// Why: whatever a text holds, what is printed is one JSON string that means it, in the words that
// the service's clients see. tests/unit/json reads every byte at every place back with a library.
#include "engine/text/json_string.h"

#include <gtest/gtest.h>

namespace dynolith {
namespace {

std::string Printed(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

TEST(JsonString, PlainTextIsQuoted) {
  EXPECT_EQ(Printed(""), R"("")");
  EXPECT_EQ(Printed("plain"), R"("plain")");
}

TEST(JsonString, QuotesAndBackslashes) {
  EXPECT_EQ(Printed("a\"b\\c/d"), R"("a\"b\\c/d")");
  // Behind the first eight bytes, which are looked at together.
  EXPECT_EQ(Printed("0123456789\"\\"), R"("0123456789\"\\")");
}

TEST(JsonString, ControlCharacters) {
  EXPECT_EQ(Printed("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(Printed(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
}

TEST(JsonString, ControlCharactersByNumber) {
  std::string out;
  AppendJsonString("\b\n\t\"\\", &out, "\n");
  EXPECT_EQ(out, R"("\u0008\n\u0009\"\\")");
  out.clear();
  AppendJsonString("\b\f\n\r\t", &out, "");
  EXPECT_EQ(out, R"("\u0008\u000c\u000a\u000d\u0009")");
}

// Bytes are looked at several at a time, the last ones in another way than the first.
TEST(JsonString, WhatIsPlainIsFoundOutAtEachPlace) {
  for (size_t size = 0; size <= 40; ++size) {
    EXPECT_TRUE(IsPlainInJson(std::string(size, 'x'))) << size;
    EXPECT_TRUE(IsPlainInJson(std::string(size, '\xff'))) << size;
    for (size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, ' ');
        text[at] = static_cast<char>(byte);
        const bool plain = byte >= 0x20 && byte != '"' && byte != '\\';
        ASSERT_EQ(IsPlainInJson(text), plain) << byte << " at " << at << " of " << size;
        std::string copy(size + 1, '|');
        ASSERT_EQ(CopyIfPlainInJson(text, copy.data()), plain) << byte << " at " << at;
        ASSERT_EQ(copy, text + '|') << byte << " at " << at << " of " << size;
      }
    }
  }
}

TEST(JsonString, Utf8IsCopied) { EXPECT_EQ(Printed("héé€😀"), "\"héé€😀\""); }

TEST(JsonString, AppendsToWhatIsThere) {
  std::string out = "[";
  AppendJsonString("a", &out);
  EXPECT_EQ(out, "[\"a\"");
}

}  // namespace
}  // namespace dynolith
