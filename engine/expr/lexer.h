// Expression text to tokens (api/facts/expressions.md §1). Internal to engine/expr.
#ifndef DYNOLITH_ENGINE_EXPR_LEXER_H_
#define DYNOLITH_ENGINE_EXPR_LEXER_H_

#include <cstdint>
#include <string_view>

namespace dynolith {

enum class TokenKind : uint8_t {
  kEnd,
  kWord,    // [A-Za-z][A-Za-z0-9_]*
  kName,    // #[A-Za-z0-9_]+
  kValue,   // :[A-Za-z0-9_]+
  kDigits,  // 0 | [1-9][0-9]*: the service shows "-0" as near the end of "2021-03"
  kOpenParenthesis,
  kCloseParenthesis,
  kOpenBracket,
  kCloseBracket,
  kComma,
  kDot,
  kPlus,
  kMinus,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kInvalid,  // any other character
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // a part of the expression; empty at the end
};

// The first token of `rest`, blanks skipped; `rest` moves past it.
Token NextToken(std::string_view* rest);

// Whether `text` is `sigil` and one or more of [A-Za-z0-9_].
bool IsPlaceholder(std::string_view text, char sigil);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_LEXER_H_
