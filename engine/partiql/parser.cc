// Recursive descent over the tokens. Conditions are lowered onto the expressions' AST while they
// are read; nesting is bounded, so that no statement can exhaust the stack.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/expressions.h"
#include "engine/base/messages/partiql.h"
#include "engine/base/messages/values.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/partiql/lexer.h"
#include "engine/partiql/statement.h"

namespace dynolith::partiql {

namespace {

constexpr int kNestingMax = 100;

absl::Status Malformed(std::string_view problem) {
  return ValidationError(messages::StatementMalformed(problem));
}

// Words that cannot be a name without quotes.
bool IsReserved(const Token& token) {
  static constexpr std::string_view kWords[] = {
      "SELECT", "FROM",   "WHERE", "AND",     "OR",     "NOT",    "IN",   "BETWEEN",
      "IS",     "ORDER",  "BY",    "SET",     "REMOVE", "INSERT", "INTO", "VALUE",
      "UPDATE", "DELETE", "NULL",  "MISSING", "TRUE",   "FALSE",  "AS",   "RETURNING"};
  if (token.kind != TokenKind::kWord) return false;
  for (const std::string_view word : kWords) {
    if (token.IsKeyword(word)) return true;
  }
  return false;
}

}  // namespace

class Parser {
 public:
  Parser(std::vector<Token> tokens, const std::vector<Value>& parameters, Statement* statement)
      : tokens_(std::move(tokens)), parameters_(parameters), statement_(*statement) {}

  absl::Status Run() {
    statement_.position = Peek().Position();
    DYNOLITH_RETURN_IF_ERROR(ParseStatement());
    if (Peek().IsSymbol(";")) Skip();
    if (Peek().kind != TokenKind::kEnd) {
      return Malformed(messages::kUnexpectedTokenAfterExpression);
    }
    if (next_parameter_ != parameters_.size()) {
      return ValidationError(messages::ParameterCountMismatch());
    }
    return absl::OkStatus();
  }

 private:
  // One side of a comparison.
  struct Side {
    std::optional<Path> path;
    std::optional<ValueView> value;
    bool is_size = false;
  };

  // --- Tokens ---

  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& Skip() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool TakeKeyword(std::string_view keyword) {
    if (!Peek().IsKeyword(keyword)) return false;
    Skip();
    return true;
  }
  bool TakeSymbol(std::string_view symbol) {
    if (!Peek().IsSymbol(symbol)) return false;
    Skip();
    return true;
  }
  absl::Status Require(bool taken, std::string_view problem) {
    return taken ? absl::OkStatus() : Malformed(problem);
  }
  std::string_view Keep(std::string text) {
    return statement_.names_.emplace_back(std::move(text));
  }

  // --- Statements ---

  absl::Status ParseStatement() {
    if (TakeKeyword("SELECT")) return ParseSelect(StatementKind::kSelect);
    if (TakeKeyword("INSERT")) return ParseInsert();
    if (TakeKeyword("UPDATE")) return ParseUpdate();
    if (TakeKeyword("DELETE")) return ParseDelete();
    if (TakeKeyword("FROM")) return ParseFromUpdate();
    if (TakeKeyword("EXISTS")) return ParseExists();
    if (IsReserved(Peek())) return Malformed(messages::kUnexpectedKeyword);
    return Malformed(Peek().kind == TokenKind::kEnd ? messages::kUnexpectedTerm
                                                    : messages::kUnexpectedTokenAfterExpression);
  }

  absl::Status ParseExists() {
    DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol("("), messages::kUnexpectedTerm));
    DYNOLITH_RETURN_IF_ERROR(Require(TakeKeyword("SELECT"), messages::kUnexpectedTerm));
    DYNOLITH_RETURN_IF_ERROR(ParseSelect(StatementKind::kExists));
    return Require(TakeSymbol(")"), messages::kUnexpectedTerm);
  }

  absl::Status ParseSelect(StatementKind kind) {
    statement_.kind = kind;
    if (!TakeSymbol("*")) {
      do {
        DYNOLITH_ASSIGN_OR_RETURN(Path column, ParsePath());
        statement_.columns.push_back(std::move(column));
        if (Peek().IsKeyword("AS")) return ValidationError(messages::AliasingNotSupported());
      } while (TakeSymbol(","));
    }
    DYNOLITH_RETURN_IF_ERROR(Require(TakeKeyword("FROM"), messages::kUnexpectedTerm));
    DYNOLITH_RETURN_IF_ERROR(ParseTable());
    DYNOLITH_RETURN_IF_ERROR(ParseWhere());
    return ParseOrderBy();
  }

  absl::Status ParseOrderBy() {
    if (!TakeKeyword("ORDER")) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(Require(TakeKeyword("BY"), messages::kUnexpectedTerm));
    do {
      DYNOLITH_ASSIGN_OR_RETURN(const std::string_view attribute, ParseName());
      OrderBy order{attribute};
      if (TakeKeyword("DESC")) {
        order.descending = true;
      } else {
        TakeKeyword("ASC");
      }
      statement_.order_by.push_back(order);
    } while (TakeSymbol(","));
    return absl::OkStatus();
  }

  absl::Status ParseInsert() {
    statement_.kind = StatementKind::kInsert;
    DYNOLITH_RETURN_IF_ERROR(Require(TakeKeyword("INTO"), messages::kUnexpectedTerm));
    DYNOLITH_RETURN_IF_ERROR(ParseTable());
    if (statement_.index) return ValidationError(messages::ManipulationOnIndex());
    DYNOLITH_RETURN_IF_ERROR(Require(TakeKeyword("VALUE"), messages::kUnexpectedTerm));
    DYNOLITH_ASSIGN_OR_RETURN(const ValueView value, ParseConstant(-1));
    if (value.type() != Type::kMap) return Malformed(messages::kUnexpectedTerm);
    statement_.item = Item::Copy(value.map());
    return absl::OkStatus();
  }

  absl::Status ParseUpdate() {
    statement_.kind = StatementKind::kUpdate;
    DYNOLITH_RETURN_IF_ERROR(ParseTable());
    if (statement_.index) return ValidationError(messages::ManipulationOnIndex());
    DYNOLITH_RETURN_IF_ERROR(ParseActions());
    DYNOLITH_RETURN_IF_ERROR(ParseWhere());
    return ParseReturning();
  }

  absl::Status ParseFromUpdate() {
    statement_.kind = StatementKind::kUpdate;
    DYNOLITH_RETURN_IF_ERROR(ParseTable());
    if (statement_.index) return ValidationError(messages::ManipulationOnIndex());
    DYNOLITH_RETURN_IF_ERROR(ParseWhere());
    DYNOLITH_RETURN_IF_ERROR(ParseActions());
    return ParseReturning();
  }

  absl::Status ParseDelete() {
    statement_.kind = StatementKind::kDelete;
    DYNOLITH_RETURN_IF_ERROR(Require(TakeKeyword("FROM"), messages::kUnexpectedTerm));
    DYNOLITH_RETURN_IF_ERROR(ParseTable());
    if (statement_.index) return ValidationError(messages::ManipulationOnIndex());
    DYNOLITH_RETURN_IF_ERROR(ParseWhere());
    return ParseReturning();
  }

  absl::Status ParseTable() {
    const Token& token = Peek();
    if (token.kind != TokenKind::kQuoted && (token.kind != TokenKind::kWord || IsReserved(token))) {
      return Malformed(token.kind == TokenKind::kWord ? messages::kUnexpectedKeyword
                                                      : messages::kUnexpectedTerm);
    }
    if (token.text.empty()) return ValidationError(messages::PathComponentEmpty());
    statement_.table = Skip().text;
    if (!TakeSymbol(".")) return CheckNoAlias();
    const Token& index = Peek();
    if (index.kind != TokenKind::kQuoted && (index.kind != TokenKind::kWord || IsReserved(index))) {
      return Malformed(messages::kInvalidPathComponent);
    }
    if (index.text.empty()) return ValidationError(messages::PathComponentEmpty());
    statement_.index = Skip().text;
    if (Peek().IsSymbol(".")) return ValidationError(messages::FromPathTooLong());
    return CheckNoAlias();
  }

  absl::Status CheckNoAlias() {
    const Token& token = Peek();
    const bool is_alias = token.IsKeyword("AS") || token.kind == TokenKind::kQuoted ||
                          (token.kind == TokenKind::kWord && !IsReserved(token));
    return is_alias ? ValidationError(messages::AliasingNotSupported()) : absl::OkStatus();
  }

  absl::Status ParseReturning() {
    if (!TakeKeyword("RETURNING")) return absl::OkStatus();
    const bool all = TakeKeyword("ALL");
    if (!all && !TakeKeyword("MODIFIED")) return Malformed(messages::kUnexpectedTerm);
    const bool old = TakeKeyword("OLD");
    if (!old && !TakeKeyword("NEW")) return Malformed(messages::kUnexpectedTerm);
    DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol("*"), messages::kUnexpectedTerm));
    if (statement_.kind == StatementKind::kDelete && !(all && old)) {
      return ValidationError(messages::InvalidReturningInDelete(
          Concat("RETURNING ", all ? "ALL" : "MODIFIED", " ", old ? "OLD" : "NEW", " *")));
    }
    statement_.returning = all ? (old ? Returning::kAllOld : Returning::kAllNew)
                               : (old ? Returning::kModifiedOld : Returning::kModifiedNew);
    return absl::OkStatus();
  }

  // --- SET and REMOVE ---

  absl::Status ParseActions() {
    bool any = false;
    while (true) {
      if (TakeKeyword("SET")) {
        do {
          DYNOLITH_RETURN_IF_ERROR(ParseAssignment());
        } while (TakeSymbol(","));
      } else if (TakeKeyword("REMOVE")) {
        do {
          DYNOLITH_ASSIGN_OR_RETURN(Path path, ParsePath());
          DYNOLITH_RETURN_IF_ERROR(AddTarget(ActionKind::kRemove, std::move(path), 0));
        } while (TakeSymbol(","));
      } else {
        break;
      }
      any = true;
    }
    return any ? absl::OkStatus() : Malformed(messages::kExpectedManipulation);
  }

  absl::Status AddTarget(ActionKind kind, Path path, uint32_t value) {
    UpdateActions& update = statement_.update;
    for (const UpdateAction& action : update.actions) {
      const Path& other = update.paths[action.path];
      if (IsPrefix(other, path) || IsPrefix(path, other)) {
        return ValidationError(messages::PathsOverlap(other.ToString(), path.ToString()));
      }
    }
    update.paths.push_back(std::move(path));
    update.actions.push_back({kind, static_cast<uint32_t>(update.paths.size() - 1), value});
    return absl::OkStatus();
  }

  static bool IsPrefix(const Path& prefix, const Path& path) {
    if (prefix.size() > path.size()) return false;
    for (size_t i = 0; i < prefix.size(); ++i) {
      if (!(prefix[i] == path[i])) return false;
    }
    return true;
  }

  absl::Status ParseAssignment() {
    DYNOLITH_ASSIGN_OR_RETURN(Path target, ParsePath());
    DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol("="), messages::kUnexpectedTerm));
    if (IsCallOf("set_add")) return ParseSetFunction("SET_ADD", ActionKind::kAdd, target);
    if (IsCallOf("set_delete")) return ParseSetFunction("SET_DELETE", ActionKind::kDelete, target);
    DYNOLITH_ASSIGN_OR_RETURN(uint32_t node, ParseUpdateValue(0));
    while (Peek().IsSymbol("+") || Peek().IsSymbol("-")) {
      const UpdateValueKind kind =
          Skip().text == "+" ? UpdateValueKind::kPlus : UpdateValueKind::kMinus;
      DYNOLITH_ASSIGN_OR_RETURN(const uint32_t right, ParseUpdateValue(0));
      node = AddNode({kind, node, right});
    }
    return AddTarget(ActionKind::kSet, std::move(target), node);
  }

  bool IsCallOf(std::string_view function) const {
    return Peek().IsKeyword(function) && Peek(1).IsSymbol("(");
  }

  absl::Status ParseSetFunction(std::string_view name, ActionKind kind, const Path& target) {
    const std::string position = Skip().Position();
    Skip();
    DYNOLITH_ASSIGN_OR_RETURN(const Path first, ParsePath());
    if (!TakeSymbol(",")) return ValidationError(messages::SetFunctionArguments(name, position));
    DYNOLITH_ASSIGN_OR_RETURN(const ValueView set, ParseConstant());
    if (!TakeSymbol(")")) return ValidationError(messages::SetFunctionArguments(name, position));
    if (!(first == target)) return ValidationError(messages::SetFunctionTarget(name, position));
    if (!IsSet(set.type())) return ValidationError(messages::SetFunctionNeedsSet(name, position));
    statement_.update.values.push_back(set);
    return AddTarget(kind, target, static_cast<uint32_t>(statement_.update.values.size() - 1));
  }

  uint32_t AddNode(UpdateValue node) {
    statement_.update.nodes.push_back(node);
    return static_cast<uint32_t>(statement_.update.nodes.size() - 1);
  }

  absl::StatusOr<uint32_t> ParseUpdateValue(int depth) {
    if (depth > kNestingMax) return Malformed(messages::kUnexpectedTerm);
    if (IsCallOf("list_append") || IsCallOf("if_not_exists")) return ParseUpdateFunction(depth);
    if (Peek().kind == TokenKind::kWord && Peek(1).IsSymbol("(")) {
      return ValidationError(messages::UnrecognizedFunction(Peek().text, Peek().Position()));
    }
    if (IsPathAhead()) {
      DYNOLITH_ASSIGN_OR_RETURN(Path path, ParsePath());
      statement_.update.paths.push_back(std::move(path));
      return AddNode(
          {UpdateValueKind::kPath, static_cast<uint32_t>(statement_.update.paths.size() - 1), 0});
    }
    DYNOLITH_ASSIGN_OR_RETURN(const ValueView value, ParseConstant());
    statement_.update.values.push_back(value);
    return AddNode(
        {UpdateValueKind::kValue, static_cast<uint32_t>(statement_.update.values.size() - 1), 0});
  }

  absl::StatusOr<uint32_t> ParseUpdateFunction(int depth) {
    const bool appends = Skip().IsKeyword("list_append");
    Skip();
    uint32_t left = 0;
    if (appends) {
      DYNOLITH_ASSIGN_OR_RETURN(left, ParseUpdateValue(depth + 1));
    } else {
      DYNOLITH_ASSIGN_OR_RETURN(Path path, ParsePath());
      statement_.update.paths.push_back(std::move(path));
      left = static_cast<uint32_t>(statement_.update.paths.size() - 1);
    }
    DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol(","), messages::kUnexpectedTerm));
    DYNOLITH_ASSIGN_OR_RETURN(const uint32_t right, ParseUpdateValue(depth + 1));
    DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol(")"), messages::kUnexpectedTerm));
    return AddNode(
        {appends ? UpdateValueKind::kListAppend : UpdateValueKind::kIfNotExists, left, right});
  }

  // --- WHERE ---

  absl::Status ParseWhere() {
    if (!TakeKeyword("WHERE")) return absl::OkStatus();
    statement_.has_where = true;
    if (Peek().kind == TokenKind::kEnd) return Malformed(messages::kUnexpectedTerm);
    return ParseOr(0);
  }

  absl::Status ParseOr(int depth) {
    if (depth > kNestingMax) return Malformed(messages::kUnexpectedTerm);
    const auto left = static_cast<uint32_t>(statement_.where.steps.size());
    const size_t conjuncts = statement_.conjuncts.size();
    DYNOLITH_RETURN_IF_ERROR(ParseAnd(depth));
    while (TakeKeyword("OR")) {
      const uint32_t step = statement_.where.BeginBinary(StepKind::kOr, left);
      DYNOLITH_RETURN_IF_ERROR(ParseAnd(depth));
      statement_.where.EndBinary(step);
      statement_.conjuncts.resize(conjuncts);
    }
    return absl::OkStatus();
  }

  absl::Status ParseAnd(int depth) {
    const auto left = static_cast<uint32_t>(statement_.where.steps.size());
    DYNOLITH_RETURN_IF_ERROR(ParseNot(depth));
    while (TakeKeyword("AND")) {
      const uint32_t step = statement_.where.BeginBinary(StepKind::kAnd, left);
      DYNOLITH_RETURN_IF_ERROR(ParseNot(depth));
      statement_.where.EndBinary(step);
    }
    return absl::OkStatus();
  }

  absl::Status ParseNot(int depth) {
    int inversions = 0;
    while (TakeKeyword("NOT")) ++inversions;
    const auto begin = static_cast<uint32_t>(statement_.where.steps.size());
    const size_t conjuncts = statement_.conjuncts.size();
    if (Peek().IsSymbol("(")) {
      Skip();
      DYNOLITH_RETURN_IF_ERROR(ParseOr(depth + 1));
      DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol(")"), messages::kUnexpectedTerm));
    } else {
      DYNOLITH_RETURN_IF_ERROR(ParseTest());
    }
    if (inversions > 0) statement_.conjuncts.resize(conjuncts);
    if (inversions % 2 == 1) statement_.where.AddNot(begin);
    return absl::OkStatus();
  }

  absl::Status ParseTest() {
    if (Peek().kind == TokenKind::kWord && Peek(1).IsSymbol("(") && !Peek().IsKeyword("size")) {
      return ParseFunctionTest();
    }
    DYNOLITH_ASSIGN_OR_RETURN(const Side left, ParseSide());
    if (TakeKeyword("IS")) return ParseIs(left);
    const bool negated = Peek().IsKeyword("NOT");
    if (negated) Skip();
    const auto begin = static_cast<uint32_t>(statement_.where.steps.size());
    if (TakeKeyword("BETWEEN")) {
      DYNOLITH_RETURN_IF_ERROR(ParseBetween(left, !negated));
    } else if (TakeKeyword("IN")) {
      DYNOLITH_RETURN_IF_ERROR(ParseIn(left, !negated));
    } else if (negated) {
      return Malformed(messages::kUnexpectedTerm);
    } else {
      return ParseComparison(left);
    }
    if (negated) statement_.where.AddNot(begin);
    return absl::OkStatus();
  }

  static std::optional<StepKind> Comparator(const Token& token) {
    if (token.kind != TokenKind::kSymbol) return std::nullopt;
    if (token.text == "=") return StepKind::kEqual;
    if (token.text == "<>" || token.text == "!=") return StepKind::kNotEqual;
    if (token.text == "<") return StepKind::kLess;
    if (token.text == "<=") return StepKind::kLessEqual;
    if (token.text == ">") return StepKind::kGreater;
    if (token.text == ">=") return StepKind::kGreaterEqual;
    return std::nullopt;
  }

  static StepKind Mirrored(StepKind comparison) {
    switch (comparison) {
      case StepKind::kLess:
        return StepKind::kGreater;
      case StepKind::kLessEqual:
        return StepKind::kGreaterEqual;
      case StepKind::kGreater:
        return StepKind::kLess;
      case StepKind::kGreaterEqual:
        return StepKind::kLessEqual;
      default:
        return comparison;
    }
  }

  // Order is defined for S, N and B only.
  static absl::Status CheckOrdered(std::string_view operation, const Side& side) {
    if (!side.value || side.is_size) return absl::OkStatus();
    const Type type = side.value->type();
    if (type == Type::kString || type == Type::kNumber || type == Type::kBinary) {
      return absl::OkStatus();
    }
    return ValidationError(messages::WrongOperandType(operation, TypeName(type)));
  }

  absl::Status ParseComparison(const Side& left) {
    const std::optional<StepKind> comparison = Comparator(Peek());
    if (!comparison) {
      return Malformed(Peek().kind == TokenKind::kSymbol ? messages::kUnexpectedOperator
                                                         : messages::kUnexpectedTerm);
    }
    const std::string text = Skip().text;
    if (Peek().kind == TokenKind::kEnd) return Malformed(messages::kMissingRightHandSide);
    DYNOLITH_ASSIGN_OR_RETURN(const Side right, ParseSide());
    if (*comparison != StepKind::kEqual && *comparison != StepKind::kNotEqual) {
      DYNOLITH_RETURN_IF_ERROR(CheckOrdered(text, left));
      DYNOLITH_RETURN_IF_ERROR(CheckOrdered(text, right));
    }
    statement_.where.AddTest(*comparison, {OperandOf(left), OperandOf(right)});
    if (*comparison == StepKind::kNotEqual) return absl::OkStatus();
    if (IsAttribute(left) && IsConstant(right)) {
      statement_.conjuncts.push_back({left.path->attribute(), *comparison, {*right.value}});
    } else if (IsAttribute(right) && IsConstant(left)) {
      statement_.conjuncts.push_back(
          {right.path->attribute(), Mirrored(*comparison), {*left.value}});
    }
    return absl::OkStatus();
  }

  absl::Status ParseBetween(const Side& left, bool conjunctive) {
    DYNOLITH_ASSIGN_OR_RETURN(const Side low, ParseSide());
    DYNOLITH_RETURN_IF_ERROR(Require(TakeKeyword("AND"), messages::kUnexpectedTerm));
    DYNOLITH_ASSIGN_OR_RETURN(const Side high, ParseSide());
    DYNOLITH_RETURN_IF_ERROR(CheckOrdered("BETWEEN", low));
    DYNOLITH_RETURN_IF_ERROR(CheckOrdered("BETWEEN", high));
    statement_.where.AddTest(StepKind::kBetween,
                             {OperandOf(left), OperandOf(low), OperandOf(high)});
    if (conjunctive && IsAttribute(left) && IsConstant(low) && IsConstant(high)) {
      statement_.conjuncts.push_back(
          {left.path->attribute(), StepKind::kBetween, {*low.value, *high.value}});
    }
    return absl::OkStatus();
  }

  // IN [a, b], IN (a, b) or IN <<a, b>>.
  absl::Status ParseIn(const Side& left, bool conjunctive) {
    const std::string_view close = Peek().IsSymbol("[")    ? "]"
                                   : Peek().IsSymbol("(")  ? ")"
                                   : Peek().IsSymbol("<<") ? ">>"
                                                           : "";
    if (close.empty()) return Malformed(messages::kUnexpectedTerm);
    Skip();
    std::vector<Operand> operands = {OperandOf(left)};
    Conjunct conjunct{{}, StepKind::kIn, {}};
    bool constants_only = true;
    do {
      DYNOLITH_ASSIGN_OR_RETURN(const Side member, ParseSide());
      operands.push_back(OperandOf(member));
      constants_only &= IsConstant(member);
      if (member.value) conjunct.values.push_back(*member.value);
    } while (TakeSymbol(","));
    DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol(close), messages::kUnexpectedTerm));
    statement_.where.AddTest(StepKind::kIn, operands);
    if (conjunctive && constants_only && IsAttribute(left)) {
      conjunct.attribute = left.path->attribute();
      statement_.conjuncts.push_back(std::move(conjunct));
    }
    return absl::OkStatus();
  }

  absl::Status ParseIs(const Side& side) {
    const bool negated = TakeKeyword("NOT");
    const auto begin = static_cast<uint32_t>(statement_.where.steps.size());
    if (!side.path) return Malformed(messages::kUnexpectedTerm);
    if (TakeKeyword("MISSING")) {
      statement_.where.AddTest(StepKind::kAttributeNotExists, {OperandOf(side)});
    } else if (TakeKeyword("NULL")) {
      statement_.where.AddTest(StepKind::kAttributeType, {OperandOf(side)}, Type::kNull);
    } else if (Peek().kind == TokenKind::kWord && !IsReserved(Peek())) {
      return ValidationError(messages::UnsupportedIsType());
    } else {
      return Malformed(messages::kExpectedTypeName);
    }
    if (negated) statement_.where.AddNot(begin);
    return absl::OkStatus();
  }

  // begins_with(a, b), contains(a, b), attribute_type(a, 'S'), attribute_exists(a),
  // attribute_not_exists(a).
  absl::Status ParseFunctionTest() {
    const Token& name = Skip();
    Skip();
    std::vector<Side> arguments;
    do {
      DYNOLITH_ASSIGN_OR_RETURN(Side argument, ParseSide());
      arguments.push_back(std::move(argument));
    } while (TakeSymbol(","));
    DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol(")"), messages::kUnexpectedTerm));
    const bool unary = name.IsKeyword("attribute_exists") || name.IsKeyword("attribute_not_exists");
    const bool binary = name.IsKeyword("begins_with") || name.IsKeyword("contains") ||
                        name.IsKeyword("attribute_type");
    if (!unary && !binary) {
      return ValidationError(messages::UnrecognizedFunction(name.text, name.Position()));
    }
    if (arguments.size() != (unary ? 1U : 2U)) {
      return ValidationError(messages::WrongOperandCount(name.text, arguments.size()));
    }
    if (name.IsKeyword("attribute_type")) return AddTypeTest(arguments[0], arguments[1]);
    const StepKind kind = name.IsKeyword("begins_with")        ? StepKind::kBeginsWith
                          : name.IsKeyword("contains")         ? StepKind::kContains
                          : name.IsKeyword("attribute_exists") ? StepKind::kAttributeExists
                                                               : StepKind::kAttributeNotExists;
    if (kind == StepKind::kBeginsWith && IsConstant(arguments[1])) {
      const Type type = arguments[1].value->type();
      if (type != Type::kString && type != Type::kBinary) {
        return ValidationError(messages::WrongOperandType(name.text, TypeName(type)));
      }
    }
    std::vector<Operand> operands;
    operands.reserve(arguments.size());
    for (const Side& argument : arguments) operands.push_back(OperandOf(argument));
    statement_.where.AddTest(kind, operands);
    if (kind == StepKind::kBeginsWith && IsAttribute(arguments[0]) && IsConstant(arguments[1])) {
      statement_.conjuncts.push_back(
          {arguments[0].path->attribute(), StepKind::kBeginsWith, {*arguments[1].value}});
    }
    return absl::OkStatus();
  }

  absl::Status AddTypeTest(const Side& side, const Side& type_name) {
    if (!side.path || !type_name.value || type_name.value->type() != Type::kString) {
      return ValidationError(messages::WrongOperandCount("attribute_type", 2));
    }
    const std::optional<Type> type = TypeFromName(type_name.value->string());
    if (!type) {
      return ValidationError(messages::InvalidAttributeTypeName(type_name.value->string()));
    }
    statement_.where.AddTest(StepKind::kAttributeType, {OperandOf(side)}, *type);
    return absl::OkStatus();
  }

  static bool IsConstant(const Side& side) { return side.value && !side.is_size; }
  static bool IsAttribute(const Side& side) {
    return side.path && side.path->is_top_level() && !side.is_size;
  }

  Operand OperandOf(const Side& side) {
    Ast& ast = statement_.where;
    if (side.path) {
      return side.is_size ? ast.SizeOfPathOperand(*side.path) : ast.PathOperand(*side.path);
    }
    return side.is_size ? ast.SizeOfValueOperand(*side.value) : ast.ValueOperand(*side.value);
  }

  absl::StatusOr<Side> ParseSide() {
    Side side;
    if (IsCallOf("size")) {
      Skip();
      Skip();
      if (IsCallOf("size")) return Malformed(messages::kUnexpectedTerm);
      DYNOLITH_ASSIGN_OR_RETURN(side, ParseSide());
      DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol(")"), messages::kUnexpectedTerm));
      side.is_size = true;
      return side;
    }
    if (Peek().kind == TokenKind::kWord && Peek(1).IsSymbol("(")) {
      return ValidationError(messages::UnrecognizedFunction(Peek().text, Peek().Position()));
    }
    if (IsPathAhead()) {
      DYNOLITH_ASSIGN_OR_RETURN(side.path, ParsePath());
    } else {
      DYNOLITH_ASSIGN_OR_RETURN(side.value, ParseConstant());
    }
    return side;
  }

  // --- Paths ---

  bool IsPathAhead() const {
    const Token& token = Peek();
    return token.kind == TokenKind::kQuoted ||
           (token.kind == TokenKind::kWord && !IsReserved(token));
  }

  absl::StatusOr<std::string_view> ParseName() {
    if (!IsPathAhead()) return Malformed(messages::kExpectedIdentifier);
    if (Peek().text.empty()) return ValidationError(messages::PathComponentEmpty());
    return Keep(Skip().text);
  }

  absl::StatusOr<Path> ParsePath() {
    if (IsReserved(Peek())) return Malformed(messages::kUnexpectedKeyword);
    DYNOLITH_ASSIGN_OR_RETURN(const std::string_view attribute, ParseName());
    Path path(attribute);
    while (true) {
      if (TakeSymbol(".")) {
        if (!IsPathAhead()) return Malformed(messages::kInvalidPathComponent);
        DYNOLITH_ASSIGN_OR_RETURN(const std::string_view name, ParseName());
        path.Append(PathElement::Name(name));
      } else if (Peek().IsSymbol("[")) {
        Skip();
        const Token& index = Peek();
        const bool is_integer = index.kind == TokenKind::kNumber && index.text.size() <= 9 &&
                                index.text.find_first_not_of("0123456789") == std::string::npos;
        if (!is_integer) {
          return ValidationError(messages::UnexpectedPathComponent(index.Position()));
        }
        path.Append(PathElement::Index(static_cast<uint32_t>(std::stoul(Skip().text))));
        DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol("]"), messages::kUnexpectedTerm));
      } else {
        return path;
      }
    }
  }

  // --- Constants ---

  // `depth` counts the lists and maps around the value; an item's own map does not count.
  absl::StatusOr<ValueView> ParseConstant(int depth = 0) {
    ItemBuilder builder;
    place_ = "root";
    DYNOLITH_RETURN_IF_ERROR(ParseValue(&builder, depth));
    return statement_.literals_.emplace_back(builder.FinishValue()).view();
  }

  absl::Status ParseValue(ItemBuilder* builder, int depth) {
    const Token& token = Peek();
    switch (token.kind) {
      case TokenKind::kString:
        builder->String(Skip().text);
        return absl::OkStatus();
      case TokenKind::kNumber:
        return ParseNumber("", builder);
      case TokenKind::kParameter:
        Skip();
        if (next_parameter_ == parameters_.size()) {
          return ValidationError(messages::ParameterCountMismatch());
        }
        builder->Copy(parameters_[next_parameter_++].view());
        return absl::OkStatus();
      case TokenKind::kSymbol:
        return ParseCompound(builder, depth);
      default:
        break;
    }
    if (TakeKeyword("TRUE")) {
      builder->Bool(true);
    } else if (TakeKeyword("FALSE")) {
      builder->Bool(false);
    } else if (TakeKeyword("NULL")) {
      builder->Null();
    } else {
      return Malformed(IsReserved(token) ? messages::kUnexpectedKeyword
                                         : messages::kUnexpectedTerm);
    }
    return absl::OkStatus();
  }

  absl::Status ParseCompound(ItemBuilder* builder, int depth) {
    if (Peek().IsSymbol("-") || Peek().IsSymbol("+")) {
      const std::string sign = Skip().text;
      if (Peek().kind != TokenKind::kNumber) return Malformed(messages::kUnexpectedOperator);
      return ParseNumber(sign, builder);
    }
    if (TakeSymbol("<<")) return ParseBag(builder);
    const bool is_list = Peek().IsSymbol("[");
    if (!is_list && !Peek().IsSymbol("{")) return Malformed(messages::kUnexpectedTerm);
    if (depth >= kNestingDepthMax) return ValidationError(messages::NestingTooDeep());
    Skip();
    return is_list ? ParseList(builder, depth) : ParseTuple(builder, depth);
  }

  absl::Status ParseNumber(const std::string& sign, ItemBuilder* builder) {
    const absl::Status status = builder->NumberText(sign + Skip().text, ValueLayer::kOlder);
    return status.ok() ? status : ValidationError(messages::UnderPlace(MessageOf(status), place_));
  }

  // One element of a list or map, whose place in the whole constant is `step`.
  absl::Status ParseElement(std::string_view step, ItemBuilder* builder, int depth) {
    const size_t size = place_.size();
    place_ += step;
    DYNOLITH_RETURN_IF_ERROR(ParseValue(builder, depth + 1));
    place_.resize(size);
    return absl::OkStatus();
  }

  absl::Status ParseList(ItemBuilder* builder, int depth) {
    builder->BeginList();
    if (!TakeSymbol("]")) {
      size_t position = 0;
      do {
        DYNOLITH_RETURN_IF_ERROR(ParseElement(Concat("[", position++, "]"), builder, depth));
      } while (TakeSymbol(","));
      DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol("]"), messages::kUnexpectedTerm));
    }
    builder->EndList();
    return absl::OkStatus();
  }

  absl::Status ParseTuple(ItemBuilder* builder, int depth) {
    builder->BeginMap();
    if (!TakeSymbol("}")) {
      do {
        const Token& name = Peek();
        if (name.kind != TokenKind::kString && name.kind != TokenKind::kQuoted) {
          return Malformed(messages::kUnexpectedTerm);
        }
        if (name.text.empty()) return ValidationError(messages::PathComponentEmpty());
        builder->Key(Skip().text);
        DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol(":"), messages::kUnexpectedTerm));
        DYNOLITH_RETURN_IF_ERROR(ParseElement(Concat(".", name.text), builder, depth));
      } while (TakeSymbol(","));
      DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol("}"), messages::kUnexpectedTerm));
    }
    builder->EndMap();
    return absl::OkStatus();
  }

  // <<'a', 'b'>>: a set of one scalar type.
  absl::Status ParseBag(ItemBuilder* builder) {
    if (TakeSymbol(">>")) return ValidationError(messages::EmptyBag());
    std::vector<Value> members;
    do {
      const bool is_nested = Peek().IsSymbol("[") || Peek().IsSymbol("{") || Peek().IsSymbol("<<");
      if (is_nested) return Malformed(messages::kUnexpectedTerm);
      ItemBuilder member;
      DYNOLITH_RETURN_IF_ERROR(ParseValue(&member, 0));
      members.push_back(member.FinishValue());
    } while (TakeSymbol(","));
    DYNOLITH_RETURN_IF_ERROR(Require(TakeSymbol(">>"), messages::kUnexpectedTerm));
    const Type type = members[0].type();
    const std::optional<Type> set = type == Type::kString   ? std::optional(Type::kStringSet)
                                    : type == Type::kNumber ? std::optional(Type::kNumberSet)
                                    : type == Type::kBinary ? std::optional(Type::kBinarySet)
                                                            : std::nullopt;
    if (!set) return Malformed(messages::kUnexpectedTerm);
    std::vector<std::string_view> payloads;
    for (const Value& member : members) {
      if (member.type() != type) return Malformed(messages::kUnexpectedTerm);
      for (const std::string_view other : payloads) {
        if (other == member.view().payload()) {
          return ValidationError(
              messages::DuplicateMembers(*set, ValueLayer::kOlder, TextsOf(members)));
        }
      }
      payloads.push_back(member.view().payload());
    }
    builder->Set(*set, payloads);
    return absl::OkStatus();
  }

  static std::vector<std::string_view> TextsOf(const std::vector<Value>& members) {
    std::vector<std::string_view> texts;
    texts.reserve(members.size());
    for (const Value& member : members) texts.push_back(member.view().payload());
    return texts;
  }

  const std::vector<Token> tokens_;
  const std::vector<Value>& parameters_;
  Statement& statement_;
  size_t at_ = 0;
  size_t next_parameter_ = 0;
  // Where in the constant being read: "root", "root.a[1]".
  std::string place_;
};

absl::StatusOr<std::unique_ptr<Statement>> Parse(std::string_view text,
                                                 const std::vector<Value>& parameters) {
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(text));
  auto statement = std::make_unique<Statement>();
  DYNOLITH_RETURN_IF_ERROR(Parser(std::move(tokens), parameters, statement.get()).Run());
  return statement;
}

}  // namespace dynolith::partiql
