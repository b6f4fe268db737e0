// Tokens of PartiQL statements.
#ifndef DYNOLITH_ENGINE_PARTIQL_LEXER_H_
#define DYNOLITH_ENGINE_PARTIQL_LEXER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dynolith::partiql {

enum class TokenKind : uint8_t {
  kWord,    // unquoted: a keyword or an identifier
  kQuoted,  // "identifier", without its quotes
  kString,  // 'text', without its quotes
  kNumber,
  kParameter,  // ?
  kSymbol,     // an operator or a bracket
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;   // of quoted ones, with doubled quotes resolved
  size_t offset = 0;  // in the statement
  size_t length = 0;  // as written

  // Keywords are case-insensitive. `keyword` is upper-case.
  bool IsKeyword(std::string_view keyword) const;
  bool IsSymbol(std::string_view symbol) const {
    return kind == TokenKind::kSymbol && text == symbol;
  }
  // "1:c:l" as messages say it.
  std::string Position() const;
};

// All tokens and a kEnd. Errors: ValidationError for characters and literals that cannot be read.
absl::StatusOr<std::vector<Token>> Tokenize(std::string_view statement);

}  // namespace dynolith::partiql

#endif  // DYNOLITH_ENGINE_PARTIQL_LEXER_H_
