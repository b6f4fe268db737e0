#include "engine/partiql/lexer.h"

#include <array>

#include "absl/strings/ascii.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/partiql/messages.h"
#include "engine/partiql/words.h"
#include "engine/value/number_exponent.h"

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
      token.place.line = line_;
      token.place.column = at_ - line_begin_ + 1;
      if (at_ == text_.size()) return tokens;
      const size_t begin = at_;
      DYNOLITH_RETURN_IF_ERROR(Read(&token));
      token.place.length = at_ - begin;
      if (token.kind == TokenKind::kParameter) token.ordinal = parameters_++;
    }
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void Advance() {
    if (text_[at_++] != '\n') return;
    ++line_;
    line_begin_ = at_;
  }

  absl::Status SkipBlanks() {
    while (at_ < text_.size()) {
      if (absl::ascii_isspace(Peek())) {
        Advance();
      } else if (Peek() == '-' && Peek(1) == '-') {
        while (at_ < text_.size() && Peek() != '\n') ++at_;
      } else if (Peek() == '/' && Peek(1) == '*') {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return Unreadable();
        while (at_ < end + 2) Advance();
      } else {
        break;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Read(Token* token) {
    const char c = Peek();
    if (IsWordStart(c)) {
      ReadWord(token);
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

  void ReadWord(Token* token) {
    while (IsWordPart(Peek())) token->text.push_back(text_[at_++]);
    std::string lower = token->text;
    absl::AsciiStrToLower(&lower);
    if (!IsReservedWord(lower)) {
      token->kind = TokenKind::kIdentifier;
      return;
    }
    token->kind = IsOperatorWord(lower) ? TokenKind::kOperator : TokenKind::kKeyword;
    token->text = std::move(lower);
  }

  absl::Status ReadQuoted(char quote, Token* token) {
    token->kind = quote == '"' ? TokenKind::kQuoted : TokenKind::kString;
    for (++at_; at_ < text_.size(); Advance()) {
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
    token->text = std::string(text_.substr(begin, at_ - begin));
    return HasWideExponent(token->text) ? Unreadable() : absl::OkStatus();
  }

  absl::Status ReadSymbol(Token* token) {
    static constexpr std::array<std::string_view, 15> kOperators = {
        "<=", ">=", "<>", "!=", "||", "=", "<", ">", "+", "-", "/", "%", "^", "@", "|"};
    static constexpr std::array<std::string_view, 13> kPunctuation = {
        "<<", ">>", "(", ")", "[", "]", "{", "}", ",", ".", ":", ";", "*"};
    const auto take = [&](const auto& symbols, TokenKind kind) {
      for (const std::string_view symbol : symbols) {
        if (text_.substr(at_, symbol.size()) != symbol) continue;
        token->kind = kind;
        token->text = std::string(symbol == "!=" ? "<>" : symbol);
        at_ += symbol.size();
        return true;
      }
      return false;
    };
    if (take(kPunctuation, TokenKind::kPunctuation)) return absl::OkStatus();
    return take(kOperators, TokenKind::kOperator) && token->text != "|" ? absl::OkStatus()
                                                                        : Unreadable();
  }

  const std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 1;
  size_t line_begin_ = 0;
  size_t parameters_ = 0;
};

// Words that belong together: what two tokens become, as an operator or as a keyword.
struct JoinedTokens {
  std::string_view first;
  std::string_view second;
  std::string_view joined;
  TokenKind kind;
};
constexpr JoinedTokens kJoinedTokens[] = {
    {"not", "in", "not_in", TokenKind::kOperator},
    {"is", "not", "is_not", TokenKind::kOperator},
    {"not", "between", "not_between", TokenKind::kOperator},
    {"not", "like", "not_like", TokenKind::kOperator},
    {"union", "all", "union", TokenKind::kOperator},
    {"except", "all", "except", TokenKind::kOperator},
    {"intersect", "all", "intersect", TokenKind::kOperator},
    {"character", "varying", "character_varying", TokenKind::kKeyword},
    {"double", "precision", "double_precision", TokenKind::kKeyword},
    {"insert", "into", "insert_into", TokenKind::kKeyword},
    {"on", "conflict", "on_conflict", TokenKind::kKeyword},
    {"modified", "old", "modified_old", TokenKind::kKeyword},
    {"modified", "new", "modified_new", TokenKind::kKeyword},
    {"all", "old", "all_old", TokenKind::kKeyword},
    {"all", "new", "all_new", TokenKind::kKeyword},
};

const JoinedTokens* FindPair(const Token& first, const Token& second) {
  for (const JoinedTokens& pair : kJoinedTokens) {
    if (first.Is(pair.first) && second.Is(pair.second)) return &pair;
  }
  return nullptr;
}

std::vector<Token> JoinPairs(std::vector<Token> tokens) {
  std::vector<Token> joined;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const JoinedTokens* pair = i + 1 < tokens.size() ? FindPair(tokens[i], tokens[i + 1]) : nullptr;
    joined.push_back(std::move(tokens[i]));
    if (pair == nullptr) continue;
    joined.back().kind = pair->kind;
    joined.back().text = std::string(pair->joined);
    ++i;
  }
  return joined;
}

}  // namespace

std::string SourceLocation::ToString() const { return Concat(line, ":", column, ":", length); }

absl::StatusOr<std::vector<Token>> Tokenize(std::string_view statement) {
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<Token> tokens, Lexer(statement).Run());
  return JoinPairs(std::move(tokens));
}

}  // namespace dynolith::partiql
