// What the tokens of a statement are, and which texts are none (api/facts/operations.md §4.1).
#include "engine/partiql/lexer.h"

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynolith::partiql {
namespace {

std::vector<std::string> TokenTexts(std::string_view statement) {
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
  EXPECT_THAT(TokenTexts("SELECT a.b[0] FROM t WHERE n>=-1.5e+3"),
              ::testing::ElementsAre("select", "a", ".", "b", "[", "0", "]", "from", "t", "where",
                                     "n", ">=", "-", "1.5e+3"));
  EXPECT_THAT(TokenTexts(".5 5. 1E9"), ::testing::ElementsAre(".5", "5.", "1E9"));
  EXPECT_THAT(TokenTexts("<<1>> <> != <= < ?;"),
              ::testing::ElementsAre("<<", "1", ">>", "<>", "<>", "<=", "<", "?", ";"));
}

TEST(Tokenize, QuotesDoubleInside) {
  EXPECT_THAT(TokenTexts("'it''s' \"a \"\"b\"\"\" ''"),
              ::testing::ElementsAre("it's", "a \"b\"", ""));
  const auto tokens = Tokenize("'select' \"select\" select");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ((*tokens)[0].kind, TokenKind::kString);
  EXPECT_EQ((*tokens)[1].kind, TokenKind::kQuoted);
  EXPECT_FALSE((*tokens)[1].Is("select"));
  EXPECT_TRUE((*tokens)[2].Is("select"));
}

TEST(Tokenize, ReservedWordsAndWordsThatBelongTogether) {
  EXPECT_THAT(TokenTexts("Insert INTO not IN is Not not  between All Old Modified new NOT Like x"),
              ::testing::ElementsAre("insert_into", "not_in", "is_not", "not_between", "all_old",
                                     "modified_new", "not_like", "x"));
  const auto tokens = Tokenize("Music VALUE AND \"not\" in");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ((*tokens)[0].kind, TokenKind::kIdentifier);
  EXPECT_EQ((*tokens)[1].kind, TokenKind::kKeyword);
  EXPECT_EQ((*tokens)[2].kind, TokenKind::kOperator);
  EXPECT_EQ((*tokens)[3].text, "not");
  EXPECT_EQ((*tokens)[4].text, "in");
}

TEST(Tokenize, CountsParameters) {
  const auto tokens = Tokenize("? '?' -- ?\n ?");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ((*tokens)[0].ordinal, 0U);
  EXPECT_EQ((*tokens)[2].ordinal, 1U);
}

TEST(Tokenize, CommentsAreBlanks) {
  EXPECT_THAT(TokenTexts("a -- b\nc /* d \n e */ f --"), ::testing::ElementsAre("a", "c", "f"));
  EXPECT_THAT(TokenTexts(" \t\n"), ::testing::IsEmpty());
}

TEST(Tokenize, UnreadableTexts) {
  for (const std::string_view text :
       {"'open", "\"open", "/* open", "# comment", "1e", "1e+", "|", "!", "\\", "`a`", "é"}) {
    const auto tokens = Tokenize(text);
    ASSERT_FALSE(tokens.ok()) << text;
    EXPECT_EQ(KindOf(tokens.status()), ErrorKind::kValidation);
    EXPECT_EQ(MessageOf(tokens.status()), "Statement wasn't well formed, can't be processed: ")
        << text;
  }
}

// Messages say where: line, column, and length of the text as written.
TEST(Tokenize, Places) {
  const auto tokens = Tokenize("ab 'c''d'\n /* \n */ x");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ((*tokens)[0].place.ToString(), "1:1:2");
  EXPECT_EQ((*tokens)[1].place.ToString(), "1:4:6");
  EXPECT_EQ((*tokens)[2].place.ToString(), "3:5:1");
}

}  // namespace
}  // namespace dynolith::partiql
