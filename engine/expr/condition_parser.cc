#include "engine/expr/condition_parser.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/expr/bound_terms.h"
#include "engine/expr/literal_text.h"
#include "engine/expr/messages.h"
#include "engine/expr/term_parser.h"
#include "engine/expr/text_cache.h"

namespace dynolith {
namespace {

std::optional<StepKind> ToComparator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual:
      return StepKind::kEqual;
    case TokenKind::kNotEqual:
      return StepKind::kNotEqual;
    case TokenKind::kLess:
      return StepKind::kLess;
    case TokenKind::kLessEqual:
      return StepKind::kLessEqual;
    case TokenKind::kGreater:
      return StepKind::kGreater;
    case TokenKind::kGreaterEqual:
      return StepKind::kGreaterEqual;
    default:
      return std::nullopt;
  }
}

// The test that a function is when it stands as a condition.
StepKind ToTestStep(Function function) {
  switch (function) {
    case Function::kAttributeNotExists:
      return StepKind::kAttributeNotExists;
    case Function::kAttributeType:
      return StepKind::kAttributeType;
    case Function::kBeginsWith:
      return StepKind::kBeginsWith;
    case Function::kContains:
      return StepKind::kContains;
    default:
      return StepKind::kAttributeExists;
  }
}

uint32_t OperandCount(Function function) {
  switch (function) {
    case Function::kAttributeExists:
    case Function::kAttributeNotExists:
    case Function::kSize:
      return 1;
    default:
      return 2;
  }
}

// A test, its terms [first_term, end_term), and its function call or kNoTerm.
struct TestTerms {
  uint32_t step;
  uint32_t first_term;
  uint32_t end_term;
  uint32_t call;
};

// What a text says by itself, once that has been found right.
struct ConditionText {
  ConditionText(std::string_view text, ExpressionKind kind) : terms(text, kind) {}

  ParsedTerms terms;
  Ast ast;  // values are missing; the steps for attribute_type are as in the text, with two
            // operands
  std::vector<uint32_t> operand_terms;  // the terms that are ast.operands
  std::vector<TestTerms> tests;
};

class ConditionParser {
 public:
  explicit ConditionParser(ConditionText* text) : text_(*text), parser_(&text->terms) {}

  absl::Status Parse() {
    DYNOLITH_RETURN_IF_ERROR(parser_.CheckText());
    DYNOLITH_RETURN_IF_ERROR(ParseText());
    DYNOLITH_RETURN_IF_ERROR(Check());
    Lower();
    return absl::OkStatus();
  }

 private:
  // A parenthesis or an operator whose right side is not finished.
  enum class PendingKind : uint8_t { kParenthesis, kNot, kAnd, kOr };
  struct PendingOperator {
    PendingKind kind;
    uint32_t step;  // of AND and OR itself; of the others the first one inside
  };

  absl::Status ParseText();
  absl::Status ParsePrimary();
  absl::Status ParseTest(uint32_t first_term, uint32_t operand);
  absl::Status ParseBetween(uint32_t first_term, uint32_t operand);
  absl::Status ParseIn(uint32_t first_term, uint32_t operand);
  void AddTest(StepKind kind, uint32_t first_term, const std::vector<uint32_t>& operands,
               uint32_t call = kNoTerm);
  // After a complete condition: closes what ends here. Sets `done` at the end of the text.
  absl::Status ParseConnective(bool* done);
  void Begin(PendingKind kind, StepKind step_kind);
  void CloseUpTo(PendingKind loosest);
  bool TopIs(PendingKind kind) const { return !open_.empty() && open_.back().kind == kind; }

  // Whatever the placeholders stand for.
  absl::Status Check() const;
  absl::Status CheckMisuse() const;
  void Lower();
  Operand LowerOperand(const Term& term) const;

  const Term& TermAt(uint32_t index) const { return parser_.terms()[index]; }

  ConditionText& text_;
  TermParser parser_;
  std::vector<PendingOperator> open_;
  // The condition that has just been completed: its first step, and whether parentheses enclose it.
  uint32_t begin_ = 0;
  bool parenthesized_ = false;
};

absl::Status ConditionParser::ParseText() {
  for (bool done = false; !done;) {
    DYNOLITH_RETURN_IF_ERROR(ParsePrimary());
    DYNOLITH_RETURN_IF_ERROR(ParseConnective(&done));
  }
  return absl::OkStatus();
}

// A leading parenthesis may enclose a condition or an operand; which one shows when it closes.
absl::Status ConditionParser::ParsePrimary() {
  begin_ = static_cast<uint32_t>(text_.ast.steps.size());
  for (;;) {
    if (parser_.AtKeyword("NOT")) {
      open_.push_back({PendingKind::kNot, begin_});
      parser_.CountOperator();
    } else if (parser_.At(TokenKind::kOpenParenthesis)) {
      open_.push_back({PendingKind::kParenthesis, begin_});
    } else {
      break;
    }
    parser_.Advance();
  }
  const uint32_t first_term = parser_.term_count();
  DYNOLITH_ASSIGN_OR_RETURN(const uint32_t operand, parser_.ParseOperand(&parenthesized_));
  while (parser_.At(TokenKind::kCloseParenthesis) && TopIs(PendingKind::kParenthesis)) {
    if (parenthesized_) parser_.NoteRedundantParentheses();
    parenthesized_ = true;
    open_.pop_back();
    parser_.Advance();
    DYNOLITH_RETURN_IF_ERROR(parser_.ContinuePath(operand, &parenthesized_));
  }
  return ParseTest(first_term, operand);
}

absl::Status ConditionParser::ParseTest(uint32_t first_term, uint32_t operand) {
  if (const auto comparator = ToComparator(parser_.token().kind)) {
    parser_.CountOperator();
    parser_.Advance();
    DYNOLITH_ASSIGN_OR_RETURN(const uint32_t right, parser_.ParseOperand());
    AddTest(*comparator, first_term, {operand, right});
    return absl::OkStatus();
  }
  if (parser_.AtKeyword("BETWEEN")) return ParseBetween(first_term, operand);
  if (parser_.AtKeyword("IN")) return ParseIn(first_term, operand);
  Term& call = parser_.terms()[operand];
  if (call.kind != TermKind::kFunction) return parser_.SyntaxErrorHere();
  call.position = Position::kCondition;
  std::vector<uint32_t> operands;
  for (uint32_t i = call.first_operand; i != kNoTerm; i = TermAt(i).next_operand) {
    operands.push_back(i);
  }
  const bool parenthesized = parenthesized_;
  AddTest(ToTestStep(call.function), first_term, operands, operand);
  parenthesized_ = parenthesized;
  return absl::OkStatus();
}

absl::Status ConditionParser::ParseBetween(uint32_t first_term, uint32_t operand) {
  parser_.CountOperator();
  parser_.Advance();
  DYNOLITH_ASSIGN_OR_RETURN(const uint32_t low, parser_.ParseOperand());
  if (!parser_.AtKeyword("AND")) return parser_.SyntaxErrorHere();
  parser_.Advance();
  DYNOLITH_ASSIGN_OR_RETURN(const uint32_t high, parser_.ParseOperand());
  AddTest(StepKind::kBetween, first_term, {operand, low, high});
  return absl::OkStatus();
}

absl::Status ConditionParser::ParseIn(uint32_t first_term, uint32_t operand) {
  parser_.CountOperator();
  parser_.Advance();
  DYNOLITH_RETURN_IF_ERROR(parser_.Expect(TokenKind::kOpenParenthesis));
  std::vector<uint32_t> operands = {operand};
  for (;;) {
    DYNOLITH_ASSIGN_OR_RETURN(const uint32_t member, parser_.ParseOperand());
    operands.push_back(member);
    if (!parser_.At(TokenKind::kComma)) break;
    parser_.Advance();
  }
  DYNOLITH_RETURN_IF_ERROR(parser_.Expect(TokenKind::kCloseParenthesis));
  AddTest(StepKind::kIn, first_term, operands);
  return absl::OkStatus();
}

void ConditionParser::AddTest(StepKind kind, uint32_t first_term,
                              const std::vector<uint32_t>& operands, uint32_t call) {
  const auto begin = static_cast<uint32_t>(text_.operand_terms.size());
  text_.operand_terms.insert(text_.operand_terms.end(), operands.begin(), operands.end());
  text_.tests.push_back(
      {static_cast<uint32_t>(text_.ast.steps.size()), first_term, parser_.term_count(), call});
  text_.ast.steps.push_back(
      {kind, Type::kNull, begin, static_cast<uint32_t>(begin + operands.size())});
  parenthesized_ = false;
}

absl::Status ConditionParser::ParseConnective(bool* done) {
  for (;;) {
    if (parser_.AtKeyword("AND")) {
      CloseUpTo(PendingKind::kAnd);
      Begin(PendingKind::kAnd, StepKind::kAnd);
      return absl::OkStatus();
    }
    if (parser_.AtKeyword("OR")) {
      CloseUpTo(PendingKind::kOr);
      Begin(PendingKind::kOr, StepKind::kOr);
      return absl::OkStatus();
    }
    CloseUpTo(PendingKind::kOr);
    if (open_.empty() && parser_.At(TokenKind::kEnd)) {
      *done = true;
      return absl::OkStatus();
    }
    if (open_.empty()) return parser_.SyntaxErrorHere();
    DYNOLITH_RETURN_IF_ERROR(parser_.Expect(TokenKind::kCloseParenthesis));
    if (parenthesized_) parser_.NoteRedundantParentheses();
    parenthesized_ = true;
    begin_ = open_.back().step;
    open_.pop_back();
  }
}

void ConditionParser::Begin(PendingKind kind, StepKind step_kind) {
  open_.push_back({kind, text_.ast.BeginBinary(step_kind, begin_)});
  parser_.CountOperator();
  parser_.Advance();
}

// Finishes the operators at the top of the stack that bind as `loosest`, AND or OR, or tighter.
void ConditionParser::CloseUpTo(PendingKind loosest) {
  while (!open_.empty()) {
    const PendingOperator top = open_.back();
    if (top.kind == PendingKind::kNot) {
      text_.ast.AddNot(top.step);
      begin_ = top.step;
    } else if (top.kind == PendingKind::kAnd ||
               (top.kind == PendingKind::kOr && loosest == PendingKind::kOr)) {
      text_.ast.EndBinary(top.step);
      begin_ = text_.ast.steps[top.step].begin;
    } else {
      return;
    }
    parenthesized_ = false;
    open_.pop_back();
  }
}

absl::Status ConditionParser::Check() const {
  DYNOLITH_RETURN_IF_ERROR(parser_.CheckShape());
  DYNOLITH_RETURN_IF_ERROR(parser_.CheckFunctionNames());
  DYNOLITH_RETURN_IF_ERROR(CheckMisuse());
  DYNOLITH_RETURN_IF_ERROR(parser_.CheckReservedWords());
  return parser_.CheckPathDepth();
}

absl::Status ConditionParser::CheckMisuse() const {
  for (const Term& term : parser_.terms()) {
    if (term.kind != TermKind::kFunction) continue;
    bool allowed = term.position == Position::kCondition;
    if (term.function == Function::kSize) allowed = term.position != Position::kCondition;
    if (term.function == Function::kIfNotExists || term.function == Function::kListAppend) {
      allowed = false;
    }
    if (!allowed) return parser_.Invalid(messages::FunctionNotAllowedHere(term.text));
  }
  return absl::OkStatus();
}

Operand ConditionParser::LowerOperand(const Term& term) const {
  if (term.kind == TermKind::kPath) return {OperandKind::kPath, term.index};
  if (term.kind == TermKind::kValue) return {OperandKind::kValue, term.index};
  const Term& measured = TermAt(term.first_operand);
  const bool is_literal = measured.kind == TermKind::kValue;
  return {is_literal ? OperandKind::kSizeOfValue : OperandKind::kSizeOfPath, measured.index};
}

// A call with a wrong number of operands is refused later, by what the placeholders stand for; it
// must be lowered until then.
void ConditionParser::Lower() {
  Ast& ast = text_.ast;
  ast.operands.reserve(text_.operand_terms.size());
  for (const uint32_t term : text_.operand_terms) {
    const bool is_call_of_nothing =
        TermAt(term).kind == TermKind::kFunction && TermAt(term).first_operand == kNoTerm;
    ast.operands.push_back(is_call_of_nothing ? Operand() : LowerOperand(TermAt(term)));
  }
  ast.paths = text_.terms.paths;
}

// What is wrong with a condition only once it is known what its placeholders stand for, and what
// the service reports behind that.
class ConditionChecker {
 public:
  ConditionChecker(const ConditionText& text, const BoundTerms& terms)
      : text_(text), terms_(terms) {}

  absl::Status Check() const {
    for (const TestTerms& test : text_.tests) DYNOLITH_RETURN_IF_ERROR(CheckTest(test));
    return absl::OkStatus();
  }

 private:
  absl::Status CheckTest(const TestTerms& test) const;
  absl::Status CheckOperandCounts(const TestTerms& test) const;
  absl::Status CheckDistinct(const TestTerms& test) const;
  absl::Status CheckTypes(const TestTerms& test) const;
  absl::Status CheckCallTypes(const Term& call) const;
  absl::Status CheckAttributeType(const Term& call) const;
  absl::Status CheckOrdered(const Step& step) const;
  absl::Status CheckBounds(const Step& step) const;

  const Term& TermAt(uint32_t index) const { return terms_.terms()[index]; }
  const Term& OperandAt(const Step& step, uint32_t i) const {
    return TermAt(text_.operand_terms[step.begin + i]);
  }
  const Step& TestStep(const TestTerms& test) const { return text_.ast.steps[test.step]; }
  bool IsLiteral(const Term& term) const { return term.kind == TermKind::kValue; }
  ValueView Literal(const Term& term) const { return terms_.values()[term.index]; }
  // What is known before the item is: a literal's type, a size's N.
  std::optional<Type> StaticType(const Term& term) const {
    if (term.kind == TermKind::kFunction) return Type::kNumber;
    if (term.kind == TermKind::kValue) return Literal(term).type();
    return std::nullopt;
  }

  const ConditionText& text_;
  const BoundTerms& terms_;
};

absl::Status ConditionChecker::CheckTest(const TestTerms& test) const {
  DYNOLITH_RETURN_IF_ERROR(terms_.CheckNames(test.first_term, test.end_term));
  DYNOLITH_RETURN_IF_ERROR(terms_.CheckValues(test.first_term, test.end_term));
  DYNOLITH_RETURN_IF_ERROR(CheckOperandCounts(test));
  DYNOLITH_RETURN_IF_ERROR(CheckDistinct(test));
  return CheckTypes(test);
}

absl::Status ConditionChecker::CheckOperandCounts(const TestTerms& test) const {
  for (uint32_t i = test.first_term; i < test.end_term; ++i) {
    const Term& term = TermAt(i);
    if (term.kind == TermKind::kFunction && term.operand_count != OperandCount(term.function)) {
      return terms_.Invalid(messages::WrongOperandCount(term.text, term.operand_count));
    }
  }
  const Step& step = TestStep(test);
  const size_t count = step.end - step.begin - 1;  // without the operand in front of IN
  if (step.kind == StepKind::kIn && count > kInOperandsMax) {
    return terms_.Invalid(messages::TooManyInOperands(count));
  }
  return absl::OkStatus();
}

absl::Status ConditionChecker::CheckDistinct(const TestTerms& test) const {
  const Step& step = TestStep(test);
  if (step.end - step.begin != 2 || step.kind == StepKind::kIn) return absl::OkStatus();
  const Term& first = OperandAt(step, 0);
  const Term& second = OperandAt(step, 1);
  if (first.kind != TermKind::kPath || second.kind != TermKind::kPath) return absl::OkStatus();
  const Path& path = terms_.paths()[first.index];
  if (path != terms_.paths()[second.index]) return absl::OkStatus();
  return terms_.Invalid(messages::OperandsNotDistinct(OperationName(step.kind), path.ToString()));
}

absl::Status ConditionChecker::CheckTypes(const TestTerms& test) const {
  for (uint32_t i = test.first_term; i < test.end_term; ++i) {
    if (TermAt(i).kind == TermKind::kFunction) DYNOLITH_RETURN_IF_ERROR(CheckCallTypes(TermAt(i)));
  }
  const Step& step = TestStep(test);
  switch (step.kind) {
    case StepKind::kLess:
    case StepKind::kLessEqual:
    case StepKind::kGreater:
    case StepKind::kGreaterEqual:
      return CheckOrdered(step);
    case StepKind::kBetween:
      DYNOLITH_RETURN_IF_ERROR(CheckOrdered(step));
      return CheckBounds(step);
    default:
      return absl::OkStatus();
  }
}

absl::Status ConditionChecker::CheckCallTypes(const Term& call) const {
  const Term& first = TermAt(call.first_operand);
  const std::optional<Type> type = StaticType(first);
  switch (call.function) {
    case Function::kAttributeExists:
    case Function::kAttributeNotExists:
      if (first.kind == TermKind::kPath) return absl::OkStatus();
      return terms_.Invalid(messages::DocumentPathRequired(call.text));
    case Function::kAttributeType:
      return CheckAttributeType(call);
    case Function::kSize:
      if (type == Type::kNumber || type == Type::kBool || type == Type::kNull) {
        return terms_.Invalid(messages::WrongOperandType(call.text, TypeName(*type)));
      }
      return absl::OkStatus();
    case Function::kBeginsWith:
      for (uint32_t i = call.first_operand; i != kNoTerm; i = TermAt(i).next_operand) {
        const std::optional<Type> operand = StaticType(TermAt(i));
        if (operand && operand != Type::kString && operand != Type::kBinary) {
          return terms_.Invalid(messages::WrongOperandType(call.text, TypeName(*operand)));
        }
      }
      return absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

absl::Status ConditionChecker::CheckAttributeType(const Term& call) const {
  const Term& second = TermAt(TermAt(call.first_operand).next_operand);
  const std::optional<Type> type = StaticType(second);
  if (!type) {
    return terms_.Invalid(messages::WrongOperandType(call.text, messages::kAnyTypeOfAttributeType));
  }
  if (!IsLiteral(second) || type != Type::kString) {
    return terms_.Invalid(messages::WrongOperandType(call.text, TypeName(*type)));
  }
  const std::string_view name = Literal(second).string();
  if (!TypeFromName(name)) return terms_.Invalid(messages::InvalidAttributeTypeName(name));
  return absl::OkStatus();
}

absl::Status ConditionChecker::CheckOrdered(const Step& step) const {
  for (uint32_t i = 0; i < step.end - step.begin; ++i) {
    const std::optional<Type> type = StaticType(OperandAt(step, i));
    if (type && !IsOrdered(*type)) {
      return terms_.Invalid(messages::WrongOperandType(OperationName(step.kind), TypeName(*type)));
    }
  }
  return absl::OkStatus();
}

absl::Status ConditionChecker::CheckBounds(const Step& step) const {
  if (!IsLiteral(OperandAt(step, 1)) || !IsLiteral(OperandAt(step, 2))) return absl::OkStatus();
  const ValueView low = Literal(OperandAt(step, 1));
  const ValueView high = Literal(OperandAt(step, 2));
  if (low.type() != high.type()) {
    return terms_.Invalid(messages::BetweenTypesDiffer(LiteralText(low), LiteralText(high)));
  }
  if (low.payload() > high.payload()) {
    return terms_.Invalid(messages::BetweenBoundsReversed(LiteralText(low), LiteralText(high)));
  }
  return absl::OkStatus();
}

// Finds the parsed text in this thread's cache, or parses it.
absl::StatusOr<std::shared_ptr<const ConditionText>> GetConditionText(std::string_view text,
                                                                      ExpressionKind kind) {
  TextCache<ConditionText>& cache = TextCache<ConditionText>::OfThread();
  std::shared_ptr<const ConditionText> known = cache.Find(text, kind);
  if (known != nullptr) return known;
  const auto parsed = std::make_shared<ConditionText>(text, kind);
  DYNOLITH_RETURN_IF_ERROR(ConditionParser(parsed.get()).Parse());
  cache.Add(parsed);
  return std::shared_ptr<const ConditionText>(parsed);
}

// The conditions of a text for one request, if its types of attribute_type are not in the text.
std::shared_ptr<const Ast> WithTypes(const std::shared_ptr<const ConditionText>& text,
                                     const std::vector<ValueView>& values) {
  struct TypedCondition {
    Ast ast;
    std::shared_ptr<const ConditionText> text;  // from which the names are borrowed
  };
  const auto typed = std::make_shared<TypedCondition>(TypedCondition{text->ast, text});
  for (Step& step : typed->ast.steps) {
    if (step.kind != StepKind::kAttributeType) continue;
    const Operand name = typed->ast.operands[step.begin + 1];
    step.type = *TypeFromName(values[name.index].string());
    step.end = step.begin + 1;
  }
  return {typed, &typed->ast};
}

}  // namespace

absl::StatusOr<BoundAst> ParseCondition(std::string_view text, ExpressionKind kind,
                                        Placeholders* placeholders) {
  absl::StatusOr<std::shared_ptr<const ConditionText>> found = GetConditionText(text, kind);
  if (!found.ok()) return std::move(found).status();
  const std::shared_ptr<const ConditionText>& parsed = *found;
  BoundTerms terms(parsed->terms, placeholders);
  DYNOLITH_RETURN_IF_ERROR(ConditionChecker(*parsed, terms).Check());
  BoundAst bound;
  bound.own_paths = terms.TakeOwnPaths();
  bound.values = terms.TakeValues();
  const bool has_types =
      std::any_of(parsed->ast.steps.begin(), parsed->ast.steps.end(),
                  [](const Step& step) { return step.kind == StepKind::kAttributeType; });
  bound.ast = has_types ? WithTypes(parsed, bound.values)
                        : std::shared_ptr<const Ast>(parsed, &parsed->ast);
  return bound;
}

}  // namespace dynolith
