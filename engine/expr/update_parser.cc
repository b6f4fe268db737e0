// The grammar of UpdateExpression (api/facts/expressions.md §3, §7).
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/expr/bound_terms.h"
#include "engine/expr/expression.h"
#include "engine/expr/messages.h"
#include "engine/expr/selection.h"
#include "engine/expr/term_parser.h"
#include "engine/expr/text_cache.h"

namespace dynolith {
namespace {

struct Section {
  std::string_view keyword;
  ActionKind kind;
};

constexpr Section kSections[] = {
    {"SET", ActionKind::kSet},
    {"REMOVE", ActionKind::kRemove},
    {"ADD", ActionKind::kAdd},
    {"DELETE", ActionKind::kDelete},
};

// The names of types in messages about ADD and DELETE. Sets have no such name, since both accept
// them.
std::string_view OperandTypeWord(Type type) {
  switch (type) {
    case Type::kString:
      return "STRING";
    case Type::kNumber:
      return "NUMBER";
    case Type::kBinary:
      return "BINARY";
    case Type::kNull:
      return "NULL";
    case Type::kBool:
      return "BOOLEAN";
    case Type::kList:
      return "LIST";
    case Type::kMap:
      return "MAP";
    default:
      return TypeName(type);
  }
}

// The terms of one action: its target path and its value, if it has one.
struct ActionTerms {
  ActionKind kind;
  uint32_t target;
  uint32_t value = kNoTerm;
};

// The parse of a valid text, without its placeholders.
struct UpdateText {
  UpdateText(std::string_view text, ExpressionKind kind) : terms(text, kind), plan({}) {}

  ParsedTerms terms;
  std::vector<ActionTerms> actions;
  Update::Plan plan;               // right if no placeholder stands for a name
  bool has_apart_targets = false;  // true if they are, whatever the placeholders stand for
};

class UpdateParser {
 public:
  explicit UpdateParser(UpdateText* text) : text_(*text), parser_(&text->terms) {}

  absl::Status Parse() {
    DYNOLITH_RETURN_IF_ERROR(parser_.CheckText());
    while (!seen_any_ || !parser_.At(TokenKind::kEnd)) DYNOLITH_RETURN_IF_ERROR(ParseSection());
    return Check();
  }

 private:
  absl::Status ParseSection();
  absl::Status ParseAction(ActionKind kind);
  absl::StatusOr<uint32_t> ParseSetValue();
  absl::StatusOr<uint32_t> ParseOperator(uint32_t left);
  // Finds errors that do not depend on the placeholders.
  absl::Status Check() const;

  UpdateText& text_;
  TermParser parser_;
  bool seen_any_ = false;
  bool seen_[std::size(kSections)] = {};
  std::string_view repeated_section_;
};

absl::Status UpdateParser::ParseSection() {
  const Section* found = nullptr;
  for (const Section& section : kSections) {
    if (parser_.AtKeyword(section.keyword)) found = &section;
  }
  if (found == nullptr) return parser_.SyntaxErrorHere();
  seen_any_ = true;
  bool& seen = seen_[found - kSections];
  if (seen && repeated_section_.empty()) repeated_section_ = found->keyword;
  seen = true;
  for (;;) {
    parser_.Advance();
    DYNOLITH_RETURN_IF_ERROR(ParseAction(found->kind));
    if (!parser_.At(TokenKind::kComma)) return absl::OkStatus();
  }
}

absl::Status UpdateParser::ParseAction(ActionKind kind) {
  DYNOLITH_ASSIGN_OR_RETURN(const uint32_t target, parser_.ParsePath());
  ActionTerms action = {kind, target};
  if (kind == ActionKind::kSet) {
    DYNOLITH_RETURN_IF_ERROR(parser_.Expect(TokenKind::kEqual));
    DYNOLITH_ASSIGN_OR_RETURN(action.value, ParseSetValue());
  } else if (kind != ActionKind::kRemove) {
    DYNOLITH_ASSIGN_OR_RETURN(action.value, parser_.ParseValue());
  }
  text_.actions.push_back(action);
  return absl::OkStatus();
}

// A leading parenthesis may enclose an operand or the whole sum; the closing one shows which.
absl::StatusOr<uint32_t> UpdateParser::ParseSetValue() {
  size_t open = 0;
  for (; parser_.At(TokenKind::kOpenParenthesis); parser_.Advance()) ++open;
  bool parenthesized = false;
  bool has_operator = false;
  DYNOLITH_ASSIGN_OR_RETURN(uint32_t term, parser_.ParseOperand());
  for (;;) {
    const bool at_operator = parser_.At(TokenKind::kPlus) || parser_.At(TokenKind::kMinus);
    if (at_operator && !has_operator) {
      DYNOLITH_ASSIGN_OR_RETURN(term, ParseOperator(term));
      has_operator = true;
      parenthesized = false;
    } else if (open > 0) {
      DYNOLITH_RETURN_IF_ERROR(parser_.Expect(TokenKind::kCloseParenthesis));
      if (parenthesized) parser_.NoteRedundantParentheses();
      parenthesized = true;
      --open;
      DYNOLITH_RETURN_IF_ERROR(parser_.ContinuePath(term, &parenthesized));
    } else {
      return term;
    }
  }
}

absl::StatusOr<uint32_t> UpdateParser::ParseOperator(uint32_t left) {
  const Token token = parser_.token();
  parser_.CountOperator();
  parser_.Advance();
  DYNOLITH_ASSIGN_OR_RETURN(const uint32_t right, parser_.ParseOperand());
  const TermKind kind = token.kind == TokenKind::kPlus ? TermKind::kPlus : TermKind::kMinus;
  return parser_.AddOperator(kind, token.text, left, right);
}

absl::Status UpdateParser::Check() const {
  DYNOLITH_RETURN_IF_ERROR(parser_.CheckShape());
  DYNOLITH_RETURN_IF_ERROR(parser_.CheckReservedWords());
  DYNOLITH_RETURN_IF_ERROR(parser_.CheckFunctionNames());
  if (!repeated_section_.empty()) {
    return parser_.Invalid(messages::SectionUsedTwice(repeated_section_));
  }
  return parser_.CheckPathDepth();
}

// Finds errors that depend on the values of the placeholders, and those that the service reports
// after them.
class UpdateChecker {
 public:
  UpdateChecker(const UpdateText& text, const BoundTerms& terms) : text_(text), terms_(terms) {}

  absl::Status Check() const;

 private:
  absl::Status CheckTargets() const;
  absl::Status CheckOperandTypes() const;
  absl::Status CheckOperation(const Term& term) const;
  absl::Status CheckOperandTypeIs(const Term& term, Type required) const;
  const Term& TermAt(uint32_t index) const { return terms_.terms()[index]; }

  const UpdateText& text_;
  const BoundTerms& terms_;
};

absl::Status UpdateChecker::Check() const {
  DYNOLITH_RETURN_IF_ERROR(terms_.CheckNames(0, terms_.term_count()));
  DYNOLITH_RETURN_IF_ERROR(terms_.CheckValues(0, terms_.term_count()));
  DYNOLITH_RETURN_IF_ERROR(CheckTargets());
  DYNOLITH_RETURN_IF_ERROR(CheckOperandTypes());
  for (const Term& term : terms_.terms()) DYNOLITH_RETURN_IF_ERROR(CheckOperation(term));
  return absl::OkStatus();
}

absl::Status UpdateChecker::CheckTargets() const {
  if (text_.has_apart_targets) return absl::OkStatus();
  std::vector<Path> targets;
  targets.reserve(text_.actions.size());
  for (const ActionTerms& action : text_.actions) {
    targets.push_back(terms_.paths()[TermAt(action.target).index]);
  }
  if (const auto pair = FindOverlap(targets)) {
    return terms_.Invalid(
        messages::PathsOverlap(targets[pair->first].ToString(), targets[pair->second].ToString()));
  }
  if (const auto pair = FindConflict(targets)) {
    return terms_.Invalid(
        messages::PathsConflict(targets[pair->first].ToString(), targets[pair->second].ToString()));
  }
  return absl::OkStatus();
}

// ADD takes a number or a set, DELETE a set.
absl::Status UpdateChecker::CheckOperandTypes() const {
  for (const ActionTerms& action : text_.actions) {
    if (action.kind != ActionKind::kAdd && action.kind != ActionKind::kDelete) continue;
    const Type type = terms_.values()[TermAt(action.value).index].type();
    if (IsSet(type) || (action.kind == ActionKind::kAdd && type == Type::kNumber)) continue;
    return terms_.Invalid(messages::WrongUpdateOperandType(
        action.kind == ActionKind::kAdd ? "ADD" : "DELETE", OperandTypeWord(type)));
  }
  return absl::OkStatus();
}

absl::Status UpdateChecker::CheckOperation(const Term& term) const {
  if (term.kind == TermKind::kPlus || term.kind == TermKind::kMinus) {
    return CheckOperandTypeIs(term, Type::kNumber);
  }
  if (term.kind != TermKind::kFunction) return absl::OkStatus();
  const bool appends = term.function == Function::kListAppend;
  if (!appends && term.function != Function::kIfNotExists) {
    return terms_.Invalid(messages::FunctionNotAllowedHere(term.text));
  }
  if (appends && term.position == Position::kArgument) {
    return terms_.Invalid(messages::FunctionNotAllowedHere(term.text));
  }
  if (term.operand_count != 2) {
    return terms_.Invalid(messages::WrongOperandCount(term.text, term.operand_count));
  }
  if (appends) return CheckOperandTypeIs(term, Type::kList);
  if (TermAt(term.first_operand).kind != TermKind::kPath) {
    return terms_.Invalid(messages::DocumentPathRequired(term.text));
  }
  return absl::OkStatus();
}

// Only literals, and list_append, have a type before the item is read.
absl::Status UpdateChecker::CheckOperandTypeIs(const Term& term, Type required) const {
  uint32_t operand = term.first_operand;
  for (uint32_t i = 0; i < term.operand_count; ++i) {
    const Term& candidate = TermAt(operand);
    operand = candidate.next_operand;
    Type type = required;
    if (candidate.kind == TermKind::kValue) type = terms_.values()[candidate.index].type();
    if (candidate.function == Function::kListAppend) type = Type::kList;
    if (type != required) {
      return terms_.Invalid(messages::WrongOperandType(term.text, TypeName(type)));
    }
  }
  return absl::OkStatus();
}

UpdateValue LowerTerm(const std::vector<Term>& terms, const Term& term) {
  if (term.kind == TermKind::kPath) return {UpdateValueKind::kPath, term.index};
  if (term.kind == TermKind::kValue) return {UpdateValueKind::kValue, term.index};
  const uint32_t left = term.first_operand;
  const uint32_t right = terms[left].next_operand;
  if (term.kind == TermKind::kPlus) return {UpdateValueKind::kPlus, left, right};
  if (term.kind == TermKind::kMinus) return {UpdateValueKind::kMinus, left, right};
  if (term.function == Function::kListAppend) return {UpdateValueKind::kListAppend, left, right};
  return {UpdateValueKind::kIfNotExists, terms[left].index, right};
}

// Node i of the result is term i. Requires: UpdateChecker has found nothing.
UpdateActions Lower(const UpdateText& text, const std::vector<Path>& paths) {
  const std::vector<Term>& terms = text.terms.terms;
  UpdateActions lowered;
  lowered.nodes.reserve(terms.size());
  for (const Term& term : terms) lowered.nodes.push_back(LowerTerm(terms, term));
  for (const ActionTerms& action : text.actions) {
    uint32_t value = 0;
    if (action.kind == ActionKind::kSet) value = action.value;
    if (action.kind == ActionKind::kAdd || action.kind == ActionKind::kDelete) {
      value = terms[action.value].index;
    }
    lowered.actions.push_back({action.kind, terms[action.target].index, value});
  }
  lowered.paths = paths;
  return lowered;
}

}  // namespace

// A text is cached after it was valid once: later checks depend on its placeholders' types, or on
// their names.
absl::StatusOr<Update> Update::Parse(std::string_view text, Placeholders* placeholders) {
  TextCache<UpdateText>& cache = TextCache<UpdateText>::OfThread();
  std::shared_ptr<const UpdateText> parsed = cache.Find(text, ExpressionKind::kUpdate);
  std::shared_ptr<UpdateText> fresh;
  if (parsed == nullptr) {
    fresh = std::make_shared<UpdateText>(text, ExpressionKind::kUpdate);
    DYNOLITH_RETURN_IF_ERROR(UpdateParser(fresh.get()).Parse());
    parsed = fresh;
  }
  BoundTerms terms(parsed->terms, placeholders);
  DYNOLITH_RETURN_IF_ERROR(UpdateChecker(*parsed, terms).Check());
  if (fresh != nullptr) {
    fresh->has_apart_targets = fresh->terms.names.empty() || fresh->actions.size() == 1;
    fresh->plan = Plan(Lower(*fresh, fresh->terms.paths));
    cache.Add(fresh);
  }
  std::shared_ptr<const Plan> plan(parsed, &parsed->plan);
  if (!parsed->terms.names.empty()) {
    plan = std::make_shared<const Plan>(Lower(*parsed, terms.TakeOwnPaths()));
  }
  Update update(std::move(plan), terms.TakeValues());
  update.text_ = std::move(parsed);
  return update;
}

}  // namespace dynolith
