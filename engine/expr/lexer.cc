#include "engine/expr/lexer.h"

#include <algorithm>

namespace dynolith {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsWordPart(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

// Returns the end of the run of characters, from `from` on, that satisfy `predicate`.
template <typename Predicate>
size_t RunEnd(std::string_view text, size_t from, Predicate predicate) {
  while (from < text.size() && predicate(text[from])) ++from;
  return from;
}

// Returns the length of the UTF-8 character at the start of `text`, so that an error contains whole
// characters.
size_t CharacterBytes(std::string_view text) {
  return RunEnd(text, 1, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; });
}

TokenKind SymbolKind(char c) {
  switch (c) {
    case '(':
      return TokenKind::kOpenParenthesis;
    case ')':
      return TokenKind::kCloseParenthesis;
    case '[':
      return TokenKind::kOpenBracket;
    case ']':
      return TokenKind::kCloseBracket;
    case ',':
      return TokenKind::kComma;
    case '.':
      return TokenKind::kDot;
    case '+':
      return TokenKind::kPlus;
    case '-':
      return TokenKind::kMinus;
    case '=':
      return TokenKind::kEqual;
    case '<':
      return TokenKind::kLess;
    case '>':
      return TokenKind::kGreater;
    default:
      return TokenKind::kInvalid;
  }
}

struct Extent {
  TokenKind kind;
  size_t bytes;
};

Extent Measure(std::string_view text) {
  const char first = text[0];
  if (IsLetter(first)) return {TokenKind::kWord, RunEnd(text, 1, IsWordPart)};
  if (first == '0') return {TokenKind::kDigits, 1};
  if (IsDigit(first)) return {TokenKind::kDigits, RunEnd(text, 1, IsDigit)};
  if (first == '#' || first == ':') {
    const size_t end = RunEnd(text, 1, IsWordPart);
    if (end == 1) return {TokenKind::kInvalid, 1};
    return {first == '#' ? TokenKind::kName : TokenKind::kValue, end};
  }
  if (text.substr(0, 2) == "<>") return {TokenKind::kNotEqual, 2};
  if (text.substr(0, 2) == "<=") return {TokenKind::kLessEqual, 2};
  if (text.substr(0, 2) == ">=") return {TokenKind::kGreaterEqual, 2};
  const TokenKind kind = SymbolKind(first);
  return {kind, kind == TokenKind::kInvalid ? CharacterBytes(text) : 1};
}

}  // namespace

Token NextToken(std::string_view* rest) {
  rest->remove_prefix(RunEnd(*rest, 0, IsBlank));
  if (rest->empty()) return {TokenKind::kEnd, *rest};
  const Extent extent = Measure(*rest);
  const Token token = {extent.kind, rest->substr(0, extent.bytes)};
  rest->remove_prefix(extent.bytes);
  return token;
}

bool IsPlaceholder(std::string_view text, char sigil) {
  return text.size() >= 2 && text[0] == sigil &&
         std::all_of(text.begin() + 1, text.end(), IsWordPart);
}

}  // namespace dynolith
