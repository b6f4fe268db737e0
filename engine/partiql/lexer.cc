#include "engine/partiql/lexer.h"

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "engine/base/errors.h"
#include "engine/base/messages/partiql.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith::partiql {
namespace {

absl::Status Unreadable() { return ValidationError(messages::StatementMalformed("")); }

bool IsWordStart(char c) { return absl::ascii_isalpha(c) || c == '_' || c == '$'; }
bool IsWordPart(char c) { return IsWordStart(c) || absl::ascii_isdigit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    while (true) {
      DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
      Token& token = tokens.emplace_back();
      token.offset = at_;
      if (at_ == text_.size()) return tokens;
      DYNOLITH_RETURN_IF_ERROR(Read(&token));
      token.length = at_ - token.offset;
    }
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  absl::Status SkipBlanks() {
    while (at_ < text_.size()) {
      if (absl::ascii_isspace(Peek())) {
        ++at_;
      } else if (Peek() == '-' && Peek(1) == '-') {
        while (at_ < text_.size() && Peek() != '\n') ++at_;
      } else if (Peek() == '/' && Peek(1) == '*') {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return Unreadable();
        at_ = end + 2;
      } else {
        break;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Read(Token* token) {
    const char c = Peek();
    if (IsWordStart(c)) {
      token->kind = TokenKind::kWord;
      while (IsWordPart(Peek())) token->text.push_back(text_[at_++]);
      return absl::OkStatus();
    }
    if (c == '"' || c == '\'') return ReadQuoted(c, token);
    if (absl::ascii_isdigit(c) || (c == '.' && absl::ascii_isdigit(Peek(1)))) {
      return ReadNumber(token);
    }
    if (c == '?') {
      ++at_;
      token->kind = TokenKind::kParameter;
      token->text.assign(1, c);
      return absl::OkStatus();
    }
    return ReadSymbol(token);
  }

  absl::Status ReadQuoted(char quote, Token* token) {
    token->kind = quote == '"' ? TokenKind::kQuoted : TokenKind::kString;
    for (++at_; at_ < text_.size(); ++at_) {
      if (Peek() != quote) {
        token->text.push_back(Peek());
      } else if (Peek(1) == quote) {
        token->text.push_back(quote);
        ++at_;
      } else {
        ++at_;
        return absl::OkStatus();
      }
    }
    return Unreadable();
  }

  absl::Status ReadNumber(Token* token) {
    token->kind = TokenKind::kNumber;
    const size_t begin = at_;
    while (absl::ascii_isdigit(Peek())) ++at_;
    if (Peek() == '.') {
      ++at_;
      while (absl::ascii_isdigit(Peek())) ++at_;
    }
    if (Peek() == 'e' || Peek() == 'E') {
      const size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
      if (!absl::ascii_isdigit(Peek(1 + sign))) return Unreadable();
      at_ += 1 + sign;
      while (absl::ascii_isdigit(Peek())) ++at_;
    }
    if (IsWordStart(Peek())) return Unreadable();
    token->text = std::string(text_.substr(begin, at_ - begin));
    return absl::OkStatus();
  }

  absl::Status ReadSymbol(Token* token) {
    static constexpr std::array<std::string_view, 22> kSymbols = {
        "<<", ">>", "<=", ">=", "<>", "!=", "||", "=", "<", ">", "(",
        ")",  "[",  "]",  "{",  "}",  ",",  ".",  ":", "*", "+", "-"};
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(at_, symbol.size()) != symbol) continue;
      token->kind = TokenKind::kSymbol;
      token->text = std::string(symbol);
      at_ += symbol.size();
      return absl::OkStatus();
    }
    if (Peek() == ';' && at_ + 1 == text_.size()) {
      token->kind = TokenKind::kSymbol;
      token->text.assign(1, Peek());
      ++at_;
      return absl::OkStatus();
    }
    return Unreadable();
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

bool Token::IsKeyword(std::string_view keyword) const {
  return kind == TokenKind::kWord && absl::EqualsIgnoreCase(ToAbsl(text), ToAbsl(keyword));
}

std::string Token::Position() const { return Concat("1:", offset + 1, ":", length); }

absl::StatusOr<std::vector<Token>> Tokenize(std::string_view statement) {
  return Lexer(statement).Run();
}

}  // namespace dynolith::partiql
