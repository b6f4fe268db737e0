// What the tokens of a statement are, and which texts are none (facts/operations.md §4.1).
#include "engine/partiql/lexer.h"

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynolith::partiql {
namespace {

std::vector<std::string> TextsOf(std::string_view statement) {
  const auto tokens = Tokenize(statement);
  EXPECT_TRUE(tokens.ok()) << statement << ": " << tokens.status();
  std::vector<std::string> texts;
  if (!tokens.ok()) return texts;
  for (const Token& token : *tokens) texts.push_back(token.text);
  EXPECT_EQ(tokens->back().kind, TokenKind::kEnd);
  texts.pop_back();
  return texts;
}

TEST(Tokenize, WordsNumbersAndSymbols) {
  EXPECT_THAT(TextsOf("SELECT a.b[0] FROM t WHERE n>=-1.5e+3"),
              testing::ElementsAre("SELECT", "a", ".", "b", "[", "0", "]", "FROM", "t", "WHERE",
                                   "n", ">=", "-", "1.5e+3"));
  EXPECT_THAT(TextsOf(".5 5. 1E9"), testing::ElementsAre(".5", "5.", "1E9"));
  EXPECT_THAT(TextsOf("<<1>> <> != <= < ?;"),
              testing::ElementsAre("<<", "1", ">>", "<>", "!=", "<=", "<", "?", ";"));
}

TEST(Tokenize, QuotesDoubleInside) {
  EXPECT_THAT(TextsOf("'it''s' \"a \"\"b\"\"\" ''"), testing::ElementsAre("it's", "a \"b\"", ""));
  const auto tokens = Tokenize("'select' \"select\" select");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ((*tokens)[0].kind, TokenKind::kString);
  EXPECT_EQ((*tokens)[1].kind, TokenKind::kQuoted);
  EXPECT_FALSE((*tokens)[1].IsKeyword("SELECT"));
  EXPECT_TRUE((*tokens)[2].IsKeyword("SELECT"));
}

TEST(Tokenize, CommentsAreBlanks) {
  EXPECT_THAT(TextsOf("a -- b\nc /* d \n e */ f --"), testing::ElementsAre("a", "c", "f"));
  EXPECT_THAT(TextsOf(" \t\n"), testing::IsEmpty());
}

TEST(Tokenize, UnreadableTexts) {
  for (const std::string_view text :
       {"'open", "\"open", "/* open", "# comment", "1e", "1e+", "1x", "a ; b", "@", "\\", "é"}) {
    const auto tokens = Tokenize(text);
    ASSERT_FALSE(tokens.ok()) << text;
    EXPECT_EQ(KindOf(tokens.status()), ErrorKind::kValidation);
    EXPECT_EQ(MessageOf(tokens.status()), "Statement wasn't well formed, can't be processed: ")
        << text;
  }
}

// Messages say where: column and length of the text as written.
TEST(Tokenize, Positions) {
  const auto tokens = Tokenize("ab 'c''d'");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ((*tokens)[0].Position(), "1:1:2");
  EXPECT_EQ((*tokens)[1].Position(), "1:4:6");
}

}  // namespace
}  // namespace dynolith::partiql
