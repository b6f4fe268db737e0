#include "engine/expr/term_parser.h"

#include <charconv>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/expr/messages.h"
#include "engine/expr/reserved_words.h"

namespace dynolith {
namespace {

struct FunctionName {
  std::string_view name;
  Function function;
};

constexpr FunctionName kFunctions[] = {
    {"attribute_exists", Function::kAttributeExists},
    {"attribute_not_exists", Function::kAttributeNotExists},
    {"attribute_type", Function::kAttributeType},
    {"begins_with", Function::kBeginsWith},
    {"contains", Function::kContains},
    {"size", Function::kSize},
    {"if_not_exists", Function::kIfNotExists},
    {"list_append", Function::kListAppend},
};

Function ParseFunction(std::string_view name) {
  for (const FunctionName& entry : kFunctions) {
    if (entry.name == name) return entry.function;
  }
  return Function::kUnknown;
}

constexpr std::string_view kConditionKeywords[] = {"AND", "OR", "NOT", "BETWEEN", "IN"};
constexpr std::string_view kUpdateKeywords[] = {"SET", "REMOVE", "ADD", "DELETE"};

}  // namespace

absl::Status InvalidExpressionError(ExpressionKind kind, std::string_view problem) {
  return ValidationError(messages::InvalidExpression(ExpressionName(kind), problem));
}

TermParser::TermParser(ParsedTerms* parsed) : parsed_(*parsed), rest_(parsed->text) {
  token_ = NextToken(&rest_);
}

absl::Status TermParser::CheckText() const {
  if (parsed_.text.empty()) return Invalid(messages::ExpressionEmpty());
  if (parsed_.text.size() > kExpressionBytesMax) {
    return Invalid(messages::ExpressionTooLarge(parsed_.text.size()));
  }
  return absl::OkStatus();
}

bool TermParser::AtKeyword(std::string_view upper) const {
  return At(TokenKind::kWord) && EqualsIgnoringCase(token_.text, upper);
}

void TermParser::Advance() {
  previous_ = token_;
  token_ = NextToken(&rest_);
}

absl::Status TermParser::Expect(TokenKind kind) {
  if (!At(kind)) return SyntaxErrorHere();
  Advance();
  return absl::OkStatus();
}

absl::Status TermParser::SyntaxErrorHere() const {
  std::string_view rest = rest_;
  const Token next = NextToken(&rest);
  const char* begin = previous_.kind == TokenKind::kEnd ? token_.text.data()  // none before
                                                        : previous_.text.data();
  const Token& last = next.kind != TokenKind::kEnd     ? next
                      : token_.kind != TokenKind::kEnd ? token_
                                                       : previous_;
  std::string_view near = parsed_.text;  // of blanks only
  if (last.kind != TokenKind::kEnd) {
    near = {begin, static_cast<size_t>(last.text.data() + last.text.size() - begin)};
  }
  const bool at_end = token_.kind == TokenKind::kEnd;
  return Invalid(messages::SyntaxError(at_end ? messages::kEndOfExpression : token_.text, near));
}

bool TermParser::IsKeyword(std::string_view word) const {
  if (parsed_.kind == ExpressionKind::kProjection) return false;
  if (parsed_.kind == ExpressionKind::kUpdate) {
    for (std::string_view keyword : kUpdateKeywords) {
      if (EqualsIgnoringCase(word, keyword)) return true;
    }
    return false;
  }
  for (std::string_view keyword : kConditionKeywords) {
    if (EqualsIgnoringCase(word, keyword)) return true;
  }
  return false;
}

uint32_t TermParser::AddTerm(TermKind kind, std::string_view text) {
  Term& term = parsed_.terms.emplace_back();
  term.kind = kind;
  term.text = text;
  return static_cast<uint32_t>(parsed_.terms.size() - 1);
}

uint32_t TermParser::AddOperator(TermKind kind, std::string_view text, uint32_t left,
                                 uint32_t right) {
  const uint32_t term = AddTerm(kind, text);
  parsed_.terms[term].first_operand = left;
  parsed_.terms[term].operand_count = 2;
  parsed_.terms[left].next_operand = right;
  return term;
}

absl::StatusOr<uint32_t> TermParser::ParseValue() {
  if (!At(TokenKind::kValue)) return SyntaxErrorHere();
  const uint32_t index = AddTerm(TermKind::kValue, token_.text);
  parsed_.terms[index].index = static_cast<uint32_t>(parsed_.values.size());
  parsed_.values.push_back({token_.text, index});
  Advance();
  return index;
}

absl::StatusOr<uint32_t> TermParser::ParsePath() {
  if (!At(TokenKind::kName) && (!At(TokenKind::kWord) || IsKeyword(token_.text))) {
    return SyntaxErrorHere();
  }
  const Token first = token_;
  Advance();
  return ParsePathFrom(first);
}

void TermParser::AppendName(Token name, uint32_t term) {
  const uint32_t index = parsed_.terms[term].index;
  Path& path = parsed_.paths[index];
  if (name.kind == TokenKind::kWord) {
    if (reserved_word_.empty() && IsReservedWord(name.text)) reserved_word_ = name.text;
  } else {
    parsed_.names.push_back({name.text, term, index, static_cast<uint32_t>(path.size())});
  }
  path.Append(PathElement::Name(name.text));
}

absl::Status TermParser::ParseIndex(Path* path) {
  if (!At(TokenKind::kDigits)) return SyntaxErrorHere();
  int32_t index = 0;
  const std::string_view digits = token_.text;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (result.ec != std::errc() && large_index_.empty()) large_index_ = digits;
  path->Append(PathElement::Index(static_cast<uint32_t>(index)));
  Advance();
  return Expect(TokenKind::kCloseBracket);
}

absl::StatusOr<uint32_t> TermParser::ParsePathFrom(Token first) {
  const uint32_t index = AddTerm(TermKind::kPath, {});
  parsed_.terms[index].index = static_cast<uint32_t>(parsed_.paths.size());
  parsed_.paths.emplace_back();
  AppendName(first, index);
  DYNOLITH_RETURN_IF_ERROR(ParseSteps(index));
  return index;
}

absl::Status TermParser::ParseSteps(uint32_t index) {
  Path& path = parsed_.paths[parsed_.terms[index].index];
  for (;;) {
    if (At(TokenKind::kDot)) {
      Advance();
      if (!At(TokenKind::kWord) && !At(TokenKind::kName)) return SyntaxErrorHere();
      AppendName(token_, index);
      Advance();
    } else if (At(TokenKind::kOpenBracket)) {
      Advance();
      DYNOLITH_RETURN_IF_ERROR(ParseIndex(&path));
    } else {
      break;
    }
  }
  if (path.size() > static_cast<size_t>(kPathElementsMax) && deepest_path_ == 0) {
    deepest_path_ = path.size();
  }
  return absl::OkStatus();
}

absl::Status TermParser::ContinuePath(uint32_t term, bool* parenthesized) {
  const bool goes_on = At(TokenKind::kDot) || At(TokenKind::kOpenBracket);
  if (parsed_.terms[term].kind != TermKind::kPath || !goes_on) return absl::OkStatus();
  *parenthesized = false;
  return ParseSteps(term);
}

absl::StatusOr<uint32_t> TermParser::ParsePrimary(std::vector<Frame>* open) {
  if (At(TokenKind::kOpenParenthesis)) {
    open->push_back({});
    Advance();
    return kNoTerm;
  }
  if (At(TokenKind::kValue)) return ParseValue();
  if (!At(TokenKind::kName) && (!At(TokenKind::kWord) || IsKeyword(token_.text))) {
    return SyntaxErrorHere();
  }
  const Token first = token_;
  Advance();
  if (first.kind != TokenKind::kWord || !At(TokenKind::kOpenParenthesis)) {
    return ParsePathFrom(first);
  }
  const uint32_t call = AddTerm(TermKind::kFunction, first.text);
  parsed_.terms[call].function = ParseFunction(first.text);
  Advance();
  if (At(TokenKind::kCloseParenthesis)) {
    Advance();
    return call;
  }
  open->push_back({call, kNoTerm});
  return kNoTerm;
}

absl::StatusOr<uint32_t> TermParser::CloseFrames(uint32_t term, bool* parenthesized,
                                                 std::vector<Frame>* open) {
  while (!open->empty()) {
    Frame& frame = open->back();
    if (frame.function == kNoTerm) {
      DYNOLITH_RETURN_IF_ERROR(Expect(TokenKind::kCloseParenthesis));
      if (*parenthesized) redundant_parentheses_ = true;
      *parenthesized = true;
      open->pop_back();
      DYNOLITH_RETURN_IF_ERROR(ContinuePath(term, parenthesized));
      continue;
    }
    Term& call = parsed_.terms[frame.function];
    ++call.operand_count;
    parsed_.terms[term].position = Position::kArgument;
    (frame.last_operand == kNoTerm ? call.first_operand
                                   : parsed_.terms[frame.last_operand].next_operand) = term;
    frame.last_operand = term;
    if (At(TokenKind::kComma)) {
      Advance();
      return kNoTerm;
    }
    DYNOLITH_RETURN_IF_ERROR(Expect(TokenKind::kCloseParenthesis));
    term = frame.function;
    *parenthesized = false;
    open->pop_back();
  }
  return term;
}

absl::StatusOr<uint32_t> TermParser::ParseOperand(bool* parenthesized) {
  std::vector<Frame> open;
  for (;;) {
    *parenthesized = false;
    DYNOLITH_ASSIGN_OR_RETURN(uint32_t term, ParsePrimary(&open));
    if (term == kNoTerm) continue;
    DYNOLITH_ASSIGN_OR_RETURN(term, CloseFrames(term, parenthesized, &open));
    if (term != kNoTerm) return term;
  }
}

absl::StatusOr<uint32_t> TermParser::ParseOperand() {
  bool parenthesized = false;
  return ParseOperand(&parenthesized);
}

absl::Status TermParser::CheckShape() const {
  if (redundant_parentheses_) return Invalid(messages::RedundantParentheses());
  if (operator_count_ > kExpressionOperatorsMax) {
    return Invalid(messages::TooManyOperators(operator_count_));
  }
  return absl::OkStatus();
}

absl::Status TermParser::CheckFunctionNames() const {
  for (const Term& term : parsed_.terms) {
    if (term.kind == TermKind::kFunction && term.function == Function::kUnknown) {
      return Invalid(messages::InvalidFunctionName(term.text));
    }
  }
  return absl::OkStatus();
}

absl::Status TermParser::CheckReservedWords() const {
  if (!reserved_word_.empty()) return Invalid(messages::ReservedKeyword(reserved_word_));
  return absl::OkStatus();
}

absl::Status TermParser::CheckPathDepth() const {
  if (!large_index_.empty()) return Invalid(messages::ListIndexOutOfRange(large_index_));
  if (deepest_path_ > 0) return Invalid(messages::PathTooDeep(deepest_path_));
  return absl::OkStatus();
}

}  // namespace dynolith
