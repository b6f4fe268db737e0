// Tokens of PartiQL statements.
#ifndef DYNOLITH_ENGINE_PARTIQL_LEXER_H_
#define DYNOLITH_ENGINE_PARTIQL_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dynolith::partiql {

enum class TokenKind : uint8_t {
  kIdentifier,
  kQuoted,       // "identifier", without its quotes
  kKeyword,      // a reserved word, or several that belong together: "insert_into"
  kOperator,     // also those that are words, and several of them: "not_in"
  kPunctuation,  // brackets, comma, dot, colon, semicolon, star
  kString,       // 'text', without its quotes
  kNumber,
  kParameter,  // ?
  kEnd,
};

// The position of a token: the line and the column of its first character, from 1, and its length.
struct SourceLocation {
  size_t line = 1;
  size_t column = 1;
  size_t length = 0;

  // "1:8:3", as in messages.
  std::string ToString() const;
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // words in lower case unless identifiers; doubled quotes resolved
  SourceLocation place;
  size_t ordinal = 0;  // a parameter's position among the parameters, from 0

  // Keywords, operators and punctuation are identified by their text.
  bool Is(std::string_view symbol) const {
    return text == symbol && (kind == TokenKind::kKeyword || kind == TokenKind::kOperator ||
                              kind == TokenKind::kPunctuation);
  }
  bool is_name() const { return kind == TokenKind::kIdentifier || kind == TokenKind::kQuoted; }
};

// All tokens and a kEnd. Errors: ValidationError for invalid characters and literals.
absl::StatusOr<std::vector<Token>> Tokenize(std::string_view statement);

}  // namespace dynolith::partiql

#endif  // DYNOLITH_ENGINE_PARTIQL_LEXER_H_
