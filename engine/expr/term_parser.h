// What all expression grammars share: tokens with the service's syntax errors, document paths,
// operands, and the findings that the service reports after the syntax. Internal to engine/expr.
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

// Where a function call stands.
enum class Position : uint8_t { kOperand, kArgument, kCondition };

// A path, a literal, or an operation on earlier terms. Terms are numbered in text order.
struct Term {
  TermKind kind = TermKind::kPath;
  Function function = Function::kUnknown;
  Position position = Position::kOperand;
  // A value placeholder, a function's name as written, or "+" and "-".
  std::string_view text;
  // Of a path, in paths(); of a literal that is defined, in values().
  uint32_t index = 0;
  // The first undefined placeholder in a path, or this literal if it is undefined.
  std::string_view undefined;
  // Of functions and operators.
  uint32_t first_operand = kNoTerm;
  uint32_t operand_count = 0;
  // The next operand of the same function or operator.
  uint32_t next_operand = kNoTerm;
};

class TermParser {
 public:
  TermParser(std::string_view text, ExpressionKind kind, Placeholders* placeholders);

  // The checks before the first token: empty, too large.
  absl::Status CheckText() const;

  const Token& token() const { return token_; }
  bool At(TokenKind kind) const { return token_.kind == kind; }
  bool AtKeyword(std::string_view upper) const;
  void Advance();
  // Moves behind the token, or fails if it is of another kind.
  absl::Status Expect(TokenKind kind);
  absl::Status SyntaxErrorHere() const;
  // An error with the prefix of this expression kind.
  absl::Status Invalid(std::string_view problem) const;

  // path = element { "." element | "[" digits "]" }. The new term.
  absl::StatusOr<uint32_t> ParsePath();
  // A value placeholder. The new term.
  absl::StatusOr<uint32_t> ParseValue();
  // operand = path | value | name "(" [ operand { "," operand } ] ")" | "(" operand ")"
  //           | "(" path ")" { "." element | "[" digits "]" }.
  absl::StatusOr<uint32_t> ParseOperand();
  // Like ParseOperand, and tells whether the operand stands in parentheses.
  absl::StatusOr<uint32_t> ParseOperand(bool* parenthesized);
  // Behind a parenthesis that encloses `term`: a path may go on there, as in (a).b.
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
  // Of the terms [begin, end).
  absl::Status CheckNames(uint32_t begin, uint32_t end) const;
  absl::Status CheckValues(uint32_t begin, uint32_t end) const;

  const std::vector<Term>& terms() const { return terms_; }
  std::vector<Term>& terms() { return terms_; }
  uint32_t term_count() const { return static_cast<uint32_t>(terms_.size()); }
  // In text order.
  std::vector<Path>& paths() { return paths_; }
  const std::vector<Path>& paths() const { return paths_; }
  std::vector<ValueView>& values() { return values_; }
  const std::vector<ValueView>& values() const { return values_; }

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
  // Closes frames behind a finished `term`. kNoTerm: a function expects its next argument.
  absl::StatusOr<uint32_t> CloseFrames(uint32_t term, bool* parenthesized,
                                       std::vector<Frame>* open);
  absl::StatusOr<uint32_t> ParsePathFrom(Token first);
  // { "." element | "[" digits "]" }, the rest of a path's term.
  absl::Status ParseSteps(uint32_t index);
  void AppendName(Token name, Path* path, Term* term);
  absl::Status ParseIndex(Path* path);

  std::string_view text_;
  ExpressionKind kind_;
  Placeholders* placeholders_;

  std::string_view rest_;  // behind token_
  Token token_;
  Token previous_;

  std::vector<Term> terms_;
  std::vector<Path> paths_;
  std::vector<ValueView> values_;

  bool redundant_parentheses_ = false;
  int operator_count_ = 0;
  std::string_view reserved_word_;
  size_t deepest_path_ = 0;
  std::string_view large_index_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_TERM_PARSER_H_
