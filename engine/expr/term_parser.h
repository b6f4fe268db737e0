// The common part of all expression grammars: tokens with the service's syntax errors, document
// paths, operands, and the findings that the service reports after the syntax. Findings that depend
// on the values of placeholders are in bound_terms.h. Internal to engine/expr.
//
// Nested parentheses and function calls are kept on an explicit stack: 4,096 of them must not
// exhaust the thread's.
#ifndef DYNOLITH_ENGINE_EXPR_TERM_PARSER_H_
#define DYNOLITH_ENGINE_EXPR_TERM_PARSER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/expr/ast.h"
#include "engine/expr/lexer.h"
#include "engine/expr/placeholders.h"
#include "engine/value/value.h"

namespace dynolith {

inline constexpr uint32_t kNoTerm = UINT32_MAX;

enum class TermKind : uint8_t { kPath, kValue, kFunction, kPlus, kMinus };

enum class Function : uint8_t {
  kUnknown,
  kAttributeExists,
  kAttributeNotExists,
  kAttributeType,
  kBeginsWith,
  kContains,
  kSize,
  kIfNotExists,
  kListAppend,
};

// The context of a function call.
enum class Position : uint8_t { kOperand, kArgument, kCondition };

// A path, a literal, or an operation on earlier terms. Terms are numbered in text order.
struct Term {
  TermKind kind = TermKind::kPath;
  Function function = Function::kUnknown;
  Position position = Position::kOperand;
  // A value placeholder, a function's name as written, or "+" and "-".
  std::string_view text;
  // For a path, in `paths`; for a literal, in `values`.
  uint32_t index = 0;
  // For functions and operators.
  uint32_t first_operand = kNoTerm;
  uint32_t operand_count = 0;
  // The next operand of the same function or operator.
  uint32_t next_operand = kNoTerm;
};

// The position of a placeholder for a name.
struct NamePlaceholder {
  std::string_view text;
  uint32_t term;
  uint32_t path;     // in `paths`
  uint32_t element;  // of the path
};
// The position of a placeholder for a value, which is a literal.
struct ValuePlaceholder {
  std::string_view text;
  uint32_t term;
};

// The part of a text that does not depend on the values of its placeholders. The views are of its
// own text.
struct ParsedTerms {
  ParsedTerms(std::string_view text_to_parse, ExpressionKind expression_kind)
      : text(text_to_parse), kind(expression_kind) {}
  ParsedTerms(const ParsedTerms&) = delete;
  ParsedTerms& operator=(const ParsedTerms&) = delete;

  const std::string text;
  const ExpressionKind kind;
  std::vector<Term> terms;
  std::vector<Path> paths;  // in text order; a placeholder stands for itself
  std::vector<NamePlaceholder> names;
  std::vector<ValuePlaceholder> values;
};

// ValidationError with the prefix of this expression kind.
absl::Status InvalidExpressionError(ExpressionKind kind, std::string_view problem);

class TermParser {
 public:
  // Adds to `parsed`.
  explicit TermParser(ParsedTerms* parsed);

  // The checks before the first token: empty, too large.
  absl::Status CheckText() const;

  const Token& token() const { return token_; }
  bool At(TokenKind kind) const { return token_.kind == kind; }
  bool AtKeyword(std::string_view upper) const;
  void Advance();
  // Moves past the token, or fails if it is of another kind.
  absl::Status Expect(TokenKind kind);
  absl::Status SyntaxErrorHere() const;
  absl::Status Invalid(std::string_view problem) const {
    return InvalidExpressionError(parsed_.kind, problem);
  }

  // path = element { "." element | "[" digits "]" }. The new term.
  absl::StatusOr<uint32_t> ParsePath();
  // A value placeholder. The new term.
  absl::StatusOr<uint32_t> ParseValue();
  // operand = path | value | name "(" [ operand { "," operand } ] ")" | "(" operand ")"
  //           | "(" path ")" { "." element | "[" digits "]" }.
  absl::StatusOr<uint32_t> ParseOperand();
  // Like ParseOperand, and tells whether the operand stands in parentheses.
  absl::StatusOr<uint32_t> ParseOperand(bool* parenthesized);
  // After a parenthesis that encloses `term`: a path may continue there, as in (a).b.
  absl::Status ContinuePath(uint32_t term, bool* parenthesized);
  // A term for `left` + `right` or `left` - `right`.
  uint32_t AddOperator(TermKind kind, std::string_view text, uint32_t left, uint32_t right);

  void CountOperator() { ++operator_count_; }
  void NoteRedundantParentheses() { redundant_parentheses_ = true; }

  // The findings, in the order in which the service reports them.
  absl::Status CheckShape() const;  // redundant parentheses, too many operators
  absl::Status CheckFunctionNames() const;
  absl::Status CheckReservedWords() const;
  absl::Status CheckPathDepth() const;  // also list indexes

  const std::vector<Term>& terms() const { return parsed_.terms; }
  std::vector<Term>& terms() { return parsed_.terms; }
  uint32_t term_count() const { return static_cast<uint32_t>(parsed_.terms.size()); }

 private:
  // An open parenthesis or an open function call.
  struct Frame {
    uint32_t function = kNoTerm;  // kNoTerm: a parenthesis
    uint32_t last_operand = kNoTerm;
  };

  uint32_t AddTerm(TermKind kind, std::string_view text);
  bool IsKeyword(std::string_view word) const;
  // A path, a value, or a function call without arguments; or opens a frame and returns kNoTerm.
  absl::StatusOr<uint32_t> ParsePrimary(std::vector<Frame>* open);
  // Closes frames after a finished `term`. kNoTerm: a function expects its next argument.
  absl::StatusOr<uint32_t> CloseFrames(uint32_t term, bool* parenthesized,
                                       std::vector<Frame>* open);
  absl::StatusOr<uint32_t> ParsePathFrom(Token first);
  // { "." element | "[" digits "]" }, the rest of a path's term.
  absl::Status ParseSteps(uint32_t index);
  void AppendName(Token name, uint32_t term);
  absl::Status ParseIndex(Path* path);

  ParsedTerms& parsed_;

  std::string_view rest_;  // after token_
  Token token_;
  Token previous_;

  bool redundant_parentheses_ = false;
  int operator_count_ = 0;
  std::string_view reserved_word_;
  size_t deepest_path_ = 0;
  std::string_view large_index_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_TERM_PARSER_H_
