// What a statement's tree means, as a Statement: conditions, columns and changes on the
// expressions' AST. What the grammar allows and the service does not do ends here, before any table
// is looked up.
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/expr/messages.h"
#include "engine/partiql/column_names.h"
#include "engine/partiql/messages.h"
#include "engine/partiql/statement.h"
#include "engine/partiql/syntax.h"
#include "engine/value/item.h"
#include "engine/value/messages.h"

namespace dynolith::partiql {
namespace {

// The grammar's own names of what a node does.
std::string_view NameOfOperator(std::string_view text) {
  struct Entry {
    std::string_view text;
    std::string_view name;
  };
  static constexpr Entry kEntries[] = {
      {"=", "Eq"},        {"<>", "Ne"},         {"<", "Lt"},
      {"<=", "Lte"},      {">", "Gt"},          {">=", "Gte"},
      {"+", "Plus"},      {"-", "Minus"},       {"*", "Times"},
      {"/", "Divide"},    {"%", "Modulo"},      {"||", "Concat"},
      {"union", "Union"}, {"except", "Except"}, {"intersect", "Intersect"}};
  for (const Entry& entry : kEntries) {
    if (text == entry.text) return entry.name;
  }
  return "";
}

std::string_view NodeName(const Node& node) {
  switch (node.kind) {
    case NodeKind::kName:
      return "Id";
    case NodeKind::kString:
    case NodeKind::kNumber:
    case NodeKind::kBoolean:
    case NodeKind::kNull:
      return "Lit";
    case NodeKind::kMissing:
      return "Missing";
    case NodeKind::kParameter:
      return "Parameter";
    case NodeKind::kList:
      return "List";
    case NodeKind::kBag:
      return "Bag";
    case NodeKind::kStruct:
      return "Struct";
    case NodeKind::kPath:
    case NodeKind::kWildcard:
      return "Path";
    case NodeKind::kAnd:
      return "And";
    case NodeKind::kOr:
      return "Or";
    case NodeKind::kNot:
      return "Not";
    case NodeKind::kComparison:
    case NodeKind::kArithmetic:
      return NameOfOperator(node.text);
    case NodeKind::kBetween:
      return "Between";
    case NodeKind::kIn:
      return "InCollection";
    case NodeKind::kIs:
      return "IsType";
    case NodeKind::kSign:
      return node.text == "-" ? "Neg" : "Pos";
    case NodeKind::kLike:
      return "Like";
    case NodeKind::kCall:
      return "Call";
    case NodeKind::kAggregate:
      return "CallAgg";
    case NodeKind::kSelect:
      return "Select";
    case NodeKind::kManipulation:
      return "Dml";
  }
  return "";
}

absl::Status Unsupported(const Node& node) {
  return ValidationError(messages::UnsupportedOperation(NodeName(node)));
}

absl::Status Unsupported(const OtherClause& clause) {
  return ValidationError(messages::UnsupportedClause(clause.name, clause.place.ToString()));
}

absl::Status Unrecognized(const Node& call) {
  return ValidationError(messages::UnrecognizedFunction(call.text, call.place.ToString()));
}

bool IsPathNode(const Node& node) {
  return node.kind == NodeKind::kName || node.kind == NodeKind::kPath;
}

bool IsFunctionCall(const Node& node, std::string_view function) {
  return node.kind == NodeKind::kCall && node.text == function;
}

// A function that is true or false.
bool IsTestCall(const Node& node) {
  return IsFunctionCall(node, "attribute_exists") || IsFunctionCall(node, "attribute_not_exists") ||
         IsFunctionCall(node, "attribute_type") || IsFunctionCall(node, "begins_with") ||
         IsFunctionCall(node, "contains");
}

// What IS asks for; nullopt: MISSING, or a type that no value has.
std::optional<Type> ParseValueType(std::string_view word) {
  struct Entry {
    std::string_view word;
    Type type;
  };
  static constexpr Entry kEntries[] = {{"null", Type::kNull},      {"boolean", Type::kBool},
                                       {"blob", Type::kBinary},    {"string", Type::kString},
                                       {"numeric", Type::kNumber}, {"struct", Type::kMap},
                                       {"tuple", Type::kMap},      {"list", Type::kList}};
  for (const Entry& entry : kEntries) {
    if (word == entry.word) return entry.type;
  }
  return std::nullopt;
}

// Tests, connectives and functions of a WHERE clause; a negated IS, IN or BETWEEN is two.
int CountOperators(const Node& node) {
  int operators = 0;
  switch (node.kind) {
    case NodeKind::kAnd:
    case NodeKind::kOr:
      operators = static_cast<int>(node.children.size()) - 1;
      break;
    case NodeKind::kNot:
    case NodeKind::kComparison:
    case NodeKind::kCall:
    case NodeKind::kBetween:
    case NodeKind::kIn:
    case NodeKind::kIs:
      operators = node.negated ? 2 : 1;
      break;
    default:
      break;
  }
  for (const Node& child : node.children) operators += CountOperators(child);
  return operators;
}

// The attributes that stand in NOT or `<>`.
void AddLoosened(const Node& node, bool negated, std::vector<std::string>* names) {
  negated |= node.negated || node.kind == NodeKind::kNot ||
             (node.kind == NodeKind::kComparison && node.text == "<>");
  if (negated && node.kind == NodeKind::kName) names->push_back(node.text);
  for (const Node& child : node.children) AddLoosened(child, negated, names);
}

// Of what the parser takes for a comparison.
StepKind ParseComparison(std::string_view text) {
  if (text == "=") return StepKind::kEqual;
  if (text == "<>") return StepKind::kNotEqual;
  if (text == "<") return StepKind::kLess;
  if (text == "<=") return StepKind::kLessEqual;
  return text == ">" ? StepKind::kGreater : StepKind::kGreaterEqual;
}

StepKind Mirrored(StepKind comparison) {
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

bool IsPrefix(const Path& prefix, const Path& path) {
  if (prefix.size() > path.size()) return false;
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (!(prefix[i] == path[i])) return false;
  }
  return true;
}

}  // namespace

// Each method lowers one kind of node into the statement.
class Lowering {
 public:
  Lowering(const std::vector<Value>& parameters, Statement* statement)
      : parameters_(parameters), statement_(*statement) {}

  absl::Status Run(const Node& root) {
    statement_.position = root.place.ToString();
    if (root.kind == NodeKind::kSelect) return Select(*root.select, StatementKind::kSelect);
    if (root.kind == NodeKind::kManipulation) return Manipulate(*root.manipulation);
    if (IsFunctionCall(root, "exists") && root.children.size() == 1 &&
        root.children[0].kind == NodeKind::kSelect) {
      return Select(*root.children[0].select, StatementKind::kExists);
    }
    return root.kind == NodeKind::kCall ? Unrecognized(root) : Unsupported(root);
  }

 private:
  // One side of a comparison.
  struct Side {
    std::optional<Path> path;
    std::optional<ValueView> value;
    bool is_size = false;
  };

  std::string_view Keep(const std::string& text) { return statement_.names_.emplace_back(text); }

  // --- Statements ---

  absl::Status Select(const SelectClause& select, StatementKind kind) {
    statement_.kind = kind;
    if (select.other) return Unsupported(*select.other);
    if (select.aliased) return ValidationError(messages::AliasingNotSupported());
    std::set<Path> known;
    for (const Node& column : select.columns) {
      if (column.kind == NodeKind::kCall || column.kind == NodeKind::kAggregate) {
        return ValidationError(messages::UnexpectedPathComponent(column.place.ToString()));
      }
      DYNOLITH_ASSIGN_OR_RETURN(Path path, LowerPath(column));
      if (known.insert(path).second) statement_.columns.push_back(std::move(path));
    }
    statement_.column_names = NamesOfColumns(statement_.columns);
    if (select.source.joined) return ValidationError(messages::OneSourceOnly());
    DYNOLITH_RETURN_IF_ERROR(From(select.source));
    DYNOLITH_RETURN_IF_ERROR(Where(select.where));
    for (const SortKey& key : select.order_by) {
      if (key.node.kind != NodeKind::kName) return Unsupported(key.node);
      statement_.order_by.push_back({Keep(key.node.text), key.descending});
    }
    return absl::OkStatus();
  }

  absl::Status Manipulate(const Manipulation& manipulation) {
    if (manipulation.other) return Unsupported(*manipulation.other);
    if (manipulation.source.joined) {
      return ValidationError(
          messages::OneTableToManipulate(manipulation.source.joined->ToString()));
    }
    DYNOLITH_RETURN_IF_ERROR(From(manipulation.source));
    if (statement_.index) {
      return ValidationError(
          manipulation.kind == Manipulation::Kind::kInsert
              ? messages::OneTableToManipulate(manipulation.source.node.place.ToString())
              : messages::ManipulationOnIndex());
    }
    switch (manipulation.kind) {
      case Manipulation::Kind::kInsert:
        statement_.kind = StatementKind::kInsert;
        DYNOLITH_RETURN_IF_ERROR(InsertedItem(*manipulation.item));
        break;
      case Manipulation::Kind::kUpdate:
        statement_.kind = StatementKind::kUpdate;
        if (manipulation.inserts_too) {
          return ValidationError(messages::UnsupportedOperation("Dml"));
        }
        for (const Change& change : manipulation.changes) DYNOLITH_RETURN_IF_ERROR(Apply(change));
        break;
      case Manipulation::Kind::kDelete:
        statement_.kind = StatementKind::kDelete;
        break;
    }
    DYNOLITH_RETURN_IF_ERROR(Where(manipulation.where));
    return Return(manipulation.returning);
  }

  friend std::optional<SourceNames> FindSource(std::string_view text);

  absl::Status From(const Source& source) {
    if (source.aliased) return ValidationError(messages::AliasingNotSupported());
    if (!IsPathNode(source.node)) return ValidationError(messages::OneSourceOnly());
    if (source.node.kind == NodeKind::kName) return TableName(source.node, &statement_.table);
    const std::vector<Node>& steps = source.node.children;
    if (steps.size() > 2) return ValidationError(messages::FromPathTooLong());
    for (const Node& step : steps) {
      if (step.kind == NodeKind::kName) continue;
      return ValidationError(messages::UnexpectedPathComponent(step.place.ToString()));
    }
    DYNOLITH_RETURN_IF_ERROR(TableName(steps[0], &statement_.table));
    return TableName(steps[1], &statement_.index.emplace());
  }

  static absl::Status TableName(const Node& name, std::string* result) {
    if (name.text.empty()) return ValidationError(messages::PathComponentEmpty());
    *result = name.text;
    return absl::OkStatus();
  }

  absl::Status InsertedItem(const Node& node) {
    // An item's own map does not count as nesting.
    DYNOLITH_ASSIGN_OR_RETURN(const ValueView value, Constant(node, -1));
    if (value.type() != Type::kMap) {
      return ValidationError(messages::StatementMalformed(messages::kUnexpectedTerm));
    }
    statement_.item = Item::Copy(value.map());
    return absl::OkStatus();
  }

  absl::Status Return(const std::vector<ReturningElement>& returning) {
    if (returning.empty()) return absl::OkStatus();
    const ReturningElement& first = returning[0];
    std::string text = "RETURNING " + absl::AsciiStrToUpper(first.mapping);
    text[text.rfind('_')] = ' ';
    text += first.column ? " " + first.column->text : " *";
    const bool is_whole = returning.size() == 1 && !first.column;
    switch (statement_.kind) {
      case StatementKind::kInsert:
        return ValidationError(messages::InvalidReturningInInsert(text));
      case StatementKind::kDelete:
        if (is_whole && first.mapping == "all_old") break;
        return ValidationError(messages::InvalidReturningInDelete(text));
      default:
        if (is_whole) break;
        return ValidationError(messages::InvalidReturningInUpdate(text));
    }
    statement_.returning = first.mapping == "all_old"        ? Returning::kAllOld
                           : first.mapping == "all_new"      ? Returning::kAllNew
                           : first.mapping == "modified_old" ? Returning::kModifiedOld
                                                             : Returning::kModifiedNew;
    return absl::OkStatus();
  }

  // --- SET and REMOVE ---

  absl::Status Apply(const Change& change) {
    DYNOLITH_ASSIGN_OR_RETURN(Path target, LowerPath(change.target));
    if (!change.value) return AddTarget(ActionKind::kRemove, std::move(target), 0);
    if (IsFunctionCall(*change.value, "set_add")) {
      return SetFunction("SET_ADD", ActionKind::kAdd, *change.value, target);
    }
    if (IsFunctionCall(*change.value, "set_delete")) {
      return SetFunction("SET_DELETE", ActionKind::kDelete, *change.value, target);
    }
    DYNOLITH_ASSIGN_OR_RETURN(const uint32_t value, LowerUpdateValue(*change.value));
    return AddTarget(ActionKind::kSet, std::move(target), value);
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

  absl::Status SetFunction(std::string_view name, ActionKind kind, const Node& call,
                           const Path& target) {
    if (call.children.size() != 2) {
      return ValidationError(messages::SetFunctionArguments(name, call.place.ToString()));
    }
    const auto wrong_target = [&] {
      return ValidationError(messages::SetFunctionTarget(name, call.place.ToString()));
    };
    // The service names the first argument's place for what is wrong with the second one.
    const auto no_set = [&] {
      return ValidationError(
          messages::SetFunctionNeedsSet(name, call.children[0].place.ToString()));
    };
    if (!IsPathNode(call.children[0])) return wrong_target();
    DYNOLITH_ASSIGN_OR_RETURN(const Path path, LowerPath(call.children[0]));
    if (!(path == target)) return wrong_target();
    if (IsPathNode(call.children[1])) return no_set();
    DYNOLITH_ASSIGN_OR_RETURN(const ValueView set, Constant(call.children[1]));
    if (!IsSet(set.type())) return no_set();
    statement_.update.values.push_back(set);
    return AddTarget(kind, target, static_cast<uint32_t>(statement_.update.values.size() - 1));
  }

  uint32_t AddNode(UpdateValue node) {
    statement_.update.nodes.push_back(node);
    return static_cast<uint32_t>(statement_.update.nodes.size() - 1);
  }

  absl::StatusOr<uint32_t> UpdatePath(const Node& node) {
    DYNOLITH_ASSIGN_OR_RETURN(Path path, LowerPath(node));
    statement_.update.paths.push_back(std::move(path));
    return static_cast<uint32_t>(statement_.update.paths.size() - 1);
  }

  absl::StatusOr<uint32_t> LowerUpdateValue(const Node& node) {
    if (node.kind == NodeKind::kArithmetic && (node.text == "+" || node.text == "-")) {
      DYNOLITH_ASSIGN_OR_RETURN(const uint32_t left, LowerUpdateValue(node.children[0]));
      DYNOLITH_ASSIGN_OR_RETURN(const uint32_t right, LowerUpdateValue(node.children[1]));
      return AddNode(
          {node.text == "+" ? UpdateValueKind::kPlus : UpdateValueKind::kMinus, left, right});
    }
    if (node.kind == NodeKind::kCall) return UpdateFunction(node);
    if (IsPathNode(node)) {
      DYNOLITH_ASSIGN_OR_RETURN(const uint32_t path, UpdatePath(node));
      return AddNode({UpdateValueKind::kPath, path, 0});
    }
    DYNOLITH_ASSIGN_OR_RETURN(const ValueView value, Constant(node));
    statement_.update.values.push_back(value);
    return AddNode(
        {UpdateValueKind::kValue, static_cast<uint32_t>(statement_.update.values.size() - 1), 0});
  }

  absl::StatusOr<uint32_t> UpdateFunction(const Node& call) {
    const bool appends = call.text == "list_append";
    if (!appends && call.text != "if_not_exists") return Unrecognized(call);
    if (call.children.size() != 2) {
      return ValidationError(messages::WrongOperandCount(call.text, call.children.size()));
    }
    uint32_t left = 0;
    if (appends) {
      DYNOLITH_ASSIGN_OR_RETURN(left, LowerUpdateValue(call.children[0]));
    } else {
      DYNOLITH_ASSIGN_OR_RETURN(left, UpdatePath(call.children[0]));
    }
    DYNOLITH_ASSIGN_OR_RETURN(const uint32_t right, LowerUpdateValue(call.children[1]));
    return AddNode(
        {appends ? UpdateValueKind::kListAppend : UpdateValueKind::kIfNotExists, left, right});
  }

  // --- WHERE ---

  absl::Status Where(const std::optional<Node>& where) {
    if (!where) return absl::OkStatus();
    statement_.has_where = true;
    if (const int operators = CountOperators(*where); operators > kExpressionOperatorsMax) {
      return ValidationError(messages::TooManyOperators(operators));
    }
    return Test(*where, /*conjunctive=*/true);
  }

  // `conjunctive`: whether it must hold of every answer.
  absl::Status Test(const Node& node, bool conjunctive) {
    const auto begin = static_cast<uint32_t>(statement_.where.steps.size());
    switch (node.kind) {
      case NodeKind::kAnd:
      case NodeKind::kOr:
        return Connective(node, conjunctive);
      case NodeKind::kNot:
        DYNOLITH_RETURN_IF_ERROR(Test(node.children[0], /*conjunctive=*/false));
        statement_.where.AddNot(begin);
        return absl::OkStatus();
      case NodeKind::kComparison:
        return Comparison(node, conjunctive);
      case NodeKind::kBetween:
        DYNOLITH_RETURN_IF_ERROR(Between(node, conjunctive && !node.negated));
        break;
      case NodeKind::kIn:
        DYNOLITH_RETURN_IF_ERROR(In(node, conjunctive && !node.negated));
        break;
      case NodeKind::kIs:
        DYNOLITH_RETURN_IF_ERROR(Is(node));
        break;
      case NodeKind::kCall:
        return FunctionTest(node, conjunctive);
      default:
        return Unsupported(node);
    }
    if (node.negated) statement_.where.AddNot(begin);
    return absl::OkStatus();
  }

  absl::Status Connective(const Node& node, bool conjunctive) {
    const bool is_and = node.kind == NodeKind::kAnd;
    const auto left = static_cast<uint32_t>(statement_.where.steps.size());
    const size_t conjuncts = statement_.conjuncts.size();
    std::vector<Alternative> alternatives;
    bool one_each = true;
    for (size_t i = 0; i < node.children.size(); ++i) {
      const size_t before = statement_.conjuncts.size();
      std::optional<uint32_t> step;
      if (i > 0) {
        step = statement_.where.BeginBinary(is_and ? StepKind::kAnd : StepKind::kOr, left);
      }
      DYNOLITH_RETURN_IF_ERROR(Test(node.children[i], conjunctive));
      if (step) statement_.where.EndBinary(*step);
      one_each &= statement_.conjuncts.size() == before + 1;
      if (is_and || !conjunctive) continue;
      Alternative& alternative = alternatives.emplace_back();
      alternative.conjuncts.assign(statement_.conjuncts.begin() + before,
                                   statement_.conjuncts.end());
      AddLoosened(node.children[i], /*negated=*/false, &alternative.loosened);
    }
    if (is_and || !conjunctive) return absl::OkStatus();
    statement_.alternatives.push_back(std::move(alternatives));
    JoinAlternatives(conjuncts, one_each);
    return absl::OkStatus();
  }

  // `a = 1 OR a = 2` is `a IN [1, 2]`, up to as many values as IN takes of a key; the conjuncts of
  // any other alternatives do not hold of every answer. Requires: those from `begin` on are the
  // alternatives', `joins` if each has one.
  void JoinAlternatives(size_t begin, bool joins) {
    std::vector<Conjunct>& all = statement_.conjuncts;
    joins &= all.size() - begin <= kStatementPartitionKeysMax;
    Conjunct joined{{}, StepKind::kIn, {}};
    for (size_t i = begin; joins && i < all.size(); ++i) {
      if (i == begin) joined.attribute = all[i].attribute;
      joins = all[i].test == StepKind::kEqual && all[i].attribute == joined.attribute;
      joined.values.push_back(all[i].values[0]);
    }
    all.resize(begin);
    if (joins) all.push_back(std::move(joined));
  }

  // A test whose first operand is none of the others.
  absl::Status AddTest(StepKind kind, absl::Span<const Side> sides) {
    std::vector<Operand> operands;
    operands.reserve(sides.size());
    for (const Side& side : sides) {
      const bool is_first_again = !operands.empty() && side.path && !side.is_size &&
                                  !sides[0].is_size && side.path == sides[0].path;
      if (is_first_again) {
        return ValidationError(
            messages::OperandsNotDistinct(OperationName(kind), side.path->ToString()));
      }
      operands.push_back(AddOperand(side));
    }
    statement_.where.AddTest(kind, operands);
    return absl::OkStatus();
  }

  // Order is defined for S, N and B only.
  static absl::Status CheckOrdered(std::string_view operation, const Side& side) {
    if (!side.value || side.is_size || IsOrdered(side.value->type())) {
      return absl::OkStatus();
    }
    return ValidationError(messages::WrongOperandType(operation, TypeName(side.value->type())));
  }

  absl::Status Comparison(const Node& node, bool conjunctive) {
    const StepKind comparison = ParseComparison(node.text);
    if (comparison == StepKind::kEqual || comparison == StepKind::kNotEqual) {
      for (const size_t i : {0, 1}) {
        const Node& call = node.children[i];
        const Node& truth = node.children[1 - i];
        if (!IsTestCall(call) || truth.kind != NodeKind::kBoolean) continue;
        return TestAgainstTruth(call, truth, comparison, conjunctive);
      }
    }
    DYNOLITH_ASSIGN_OR_RETURN(const Side left, LowerSide(node.children[0]));
    DYNOLITH_ASSIGN_OR_RETURN(const Side right, LowerSide(node.children[1]));
    if (comparison != StepKind::kEqual && comparison != StepKind::kNotEqual) {
      DYNOLITH_RETURN_IF_ERROR(CheckOrdered(node.text, left));
      DYNOLITH_RETURN_IF_ERROR(CheckOrdered(node.text, right));
    }
    DYNOLITH_RETURN_IF_ERROR(AddTest(comparison, {left, right}));
    if (!conjunctive || comparison == StepKind::kNotEqual) return absl::OkStatus();
    if (IsAttribute(left) && IsConstant(right)) {
      statement_.conjuncts.push_back({left.path->attribute(), comparison, {*right.value}});
    } else if (IsAttribute(right) && IsConstant(left)) {
      statement_.conjuncts.push_back(
          {right.path->attribute(), Mirrored(comparison), {*left.value}});
    }
    return absl::OkStatus();
  }

  absl::Status Between(const Node& node, bool conjunctive) {
    DYNOLITH_ASSIGN_OR_RETURN(const Side side, LowerSide(node.children[0]));
    DYNOLITH_ASSIGN_OR_RETURN(const Side low, LowerSide(node.children[1]));
    DYNOLITH_ASSIGN_OR_RETURN(const Side high, LowerSide(node.children[2]));
    for (const Side* bound : {&side, &low, &high}) {
      DYNOLITH_RETURN_IF_ERROR(CheckOrdered("BETWEEN", *bound));
    }
    DYNOLITH_RETURN_IF_ERROR(AddTest(StepKind::kBetween, {side, low, high}));
    if (conjunctive && IsAttribute(side) && IsConstant(low) && IsConstant(high)) {
      statement_.conjuncts.push_back(
          {side.path->attribute(), StepKind::kBetween, {*low.value, *high.value}});
    }
    return absl::OkStatus();
  }

  absl::Status In(const Node& node, bool conjunctive) {
    const Node& right = node.children[1];
    if (right.kind != NodeKind::kList && right.kind != NodeKind::kBag) return Unsupported(right);
    std::vector<Side> sides(1);
    DYNOLITH_ASSIGN_OR_RETURN(sides[0], LowerSide(node.children[0]));
    const size_t members = right.children.size();
    // IN of one value is `=`.
    Conjunct conjunct{{}, members == 1 ? StepKind::kEqual : StepKind::kIn, {}};
    bool constants_only = true;
    for (const Node& child : right.children) {
      DYNOLITH_ASSIGN_OR_RETURN(Side member, LowerSide(child));
      constants_only &= IsConstant(member);
      if (member.value) conjunct.values.push_back(*member.value);
      sides.push_back(std::move(member));
    }
    if (members > kInOperandsMax) return ValidationError(messages::TooManyInOperands(members));
    DYNOLITH_RETURN_IF_ERROR(AddTest(StepKind::kIn, sides));
    if (conjunctive && constants_only && IsAttribute(sides[0]) && members > 0) {
      conjunct.attribute = sides[0].path->attribute();
      statement_.conjuncts.push_back(std::move(conjunct));
    }
    return absl::OkStatus();
  }

  absl::Status Is(const Node& node) {
    // What the grammar got later than the service did.
    if (node.text == "integer4" || node.text == "integer8") return Unsupported(node);
    const std::optional<Type> type = ParseValueType(node.text);
    if (!type && node.text != "missing") {
      return ValidationError(
          messages::UnsupportedTypeForIs(absl::AsciiStrToUpper(ToAbsl(node.text))));
    }
    DYNOLITH_ASSIGN_OR_RETURN(const Side side, LowerSide(node.children[0]));
    if (!side.path || side.is_size) return Unsupported(node);
    if (type) {
      statement_.where.AddTest(StepKind::kAttributeType, {AddOperand(side)}, *type);
    } else {
      statement_.where.AddTest(StepKind::kAttributeNotExists, {AddOperand(side)});
    }
    return absl::OkStatus();
  }

  // attribute_exists(a) = true, and so on for each function that is a test; `truth` is the other
  // side.
  absl::Status TestAgainstTruth(const Node& call, const Node& truth, StepKind comparison,
                                bool conjunctive) {
    const auto begin = static_cast<uint32_t>(statement_.where.steps.size());
    const bool holds = (truth.text == "true") == (comparison == StepKind::kEqual);
    DYNOLITH_RETURN_IF_ERROR(FunctionTest(call, conjunctive && holds));
    if (!holds) statement_.where.AddNot(begin);
    return absl::OkStatus();
  }

  // begins_with(a, b), contains(a, b), attribute_type(a, 'S'), attribute_exists(a),
  // attribute_not_exists(a).
  absl::Status FunctionTest(const Node& call, bool conjunctive) {
    const bool unary = call.text == "attribute_exists" || call.text == "attribute_not_exists";
    const bool binary =
        call.text == "begins_with" || call.text == "contains" || call.text == "attribute_type";
    if (!unary && !binary) return Unrecognized(call);
    if (call.children.size() != (unary ? 1U : 2U)) {
      return ValidationError(messages::WrongOperandCount(call.text, call.children.size()));
    }
    std::vector<Side> arguments;
    for (const Node& child : call.children) {
      DYNOLITH_ASSIGN_OR_RETURN(Side argument, LowerSide(child));
      arguments.push_back(std::move(argument));
    }
    if (unary && (!arguments[0].path || arguments[0].is_size)) {
      return ValidationError(messages::DocumentPathRequired(call.text));
    }
    if (call.text == "attribute_type") return TypeTest(arguments[0], arguments[1]);
    const StepKind kind = call.text == "begins_with"        ? StepKind::kBeginsWith
                          : call.text == "contains"         ? StepKind::kContains
                          : call.text == "attribute_exists" ? StepKind::kAttributeExists
                                                            : StepKind::kAttributeNotExists;
    if (kind == StepKind::kBeginsWith && IsConstant(arguments[1])) {
      const Type type = arguments[1].value->type();
      if (type != Type::kString && type != Type::kBinary) {
        return ValidationError(messages::WrongOperandType(call.text, TypeName(type)));
      }
    }
    DYNOLITH_RETURN_IF_ERROR(AddTest(kind, arguments));
    if (conjunctive && kind == StepKind::kBeginsWith && IsAttribute(arguments[0]) &&
        IsConstant(arguments[1])) {
      statement_.conjuncts.push_back(
          {arguments[0].path->attribute(), StepKind::kBeginsWith, {*arguments[1].value}});
    }
    return absl::OkStatus();
  }

  absl::Status TypeTest(const Side& side, const Side& type_name) {
    if (!side.path || !type_name.value || type_name.value->type() != Type::kString) {
      return ValidationError(messages::WrongOperandCount("attribute_type", 2));
    }
    const std::optional<Type> type = TypeFromName(type_name.value->string());
    if (!type) {
      return ValidationError(messages::InvalidAttributeTypeName(type_name.value->string()));
    }
    statement_.where.AddTest(StepKind::kAttributeType, {AddOperand(side)}, *type);
    return absl::OkStatus();
  }

  static bool IsConstant(const Side& side) { return side.value && !side.is_size; }
  static bool IsAttribute(const Side& side) {
    return side.path && side.path->is_top_level() && !side.is_size;
  }

  Operand AddOperand(const Side& side) {
    Ast& ast = statement_.where;
    if (side.path) {
      return side.is_size ? ast.SizeOfPathOperand(*side.path) : ast.PathOperand(*side.path);
    }
    return side.is_size ? ast.SizeOfValueOperand(*side.value) : ast.ValueOperand(*side.value);
  }

  absl::StatusOr<Side> LowerSide(const Node& node) {
    Side side;
    if (node.kind == NodeKind::kCall) {
      if (node.text != "size") return Unrecognized(node);
      if (node.children.size() != 1) {
        return ValidationError(messages::WrongOperandCount(node.text, node.children.size()));
      }
      DYNOLITH_ASSIGN_OR_RETURN(side, LowerSide(node.children[0]));
      // A size is a number, and numbers have none.
      if (side.is_size) {
        return ValidationError(messages::WrongOperandType(node.text, TypeName(Type::kNumber)));
      }
      side.is_size = true;
      return side;
    }
    if (IsPathNode(node)) {
      DYNOLITH_ASSIGN_OR_RETURN(side.path, LowerPath(node));
    } else {
      DYNOLITH_ASSIGN_OR_RETURN(side.value, Constant(node));
    }
    return side;
  }

  // --- Paths ---

  absl::StatusOr<Path> LowerPath(const Node& node) {
    if (!IsPathNode(node)) return Unsupported(node);
    const Node& root = node.kind == NodeKind::kName ? node : node.children[0];
    if (root.kind != NodeKind::kName) return Unsupported(root);
    if (root.text.empty()) return ValidationError(messages::PathComponentEmpty());
    Path path(Keep(root.text));
    for (size_t i = 1; i < node.children.size(); ++i) {
      const Node& step = node.children[i];
      const bool is_index = step.kind == NodeKind::kNumber && step.text.size() <= 9 &&
                            step.text.find_first_not_of("0123456789") == std::string::npos;
      if (step.kind == NodeKind::kName) {
        if (step.text.empty()) return ValidationError(messages::PathComponentEmpty());
        path.Append(PathElement::Name(Keep(step.text)));
      } else if (is_index) {
        path.Append(PathElement::Index(static_cast<uint32_t>(std::stoul(step.text))));
      } else {
        return ValidationError(messages::UnexpectedPathComponent(step.place.ToString()));
      }
    }
    return path;
  }

  // --- Constants ---

  // `depth` counts the lists and maps around the value.
  absl::StatusOr<ValueView> Constant(const Node& node, int depth = 0) {
    ItemBuilder builder;
    place_ = "root";
    DYNOLITH_RETURN_IF_ERROR(Build(node, depth, &builder));
    return statement_.literals_.emplace_back(builder.FinishValue()).view();
  }

  absl::Status Build(const Node& node, int depth, ItemBuilder* builder) {
    switch (node.kind) {
      case NodeKind::kString:
        builder->String(node.text);
        return absl::OkStatus();
      case NodeKind::kNumber:
        return Number(node, builder);
      case NodeKind::kBoolean:
        builder->Bool(node.text == "true");
        return absl::OkStatus();
      case NodeKind::kNull:
        builder->Null();
        return absl::OkStatus();
      case NodeKind::kParameter:
        builder->Copy(parameters_[node.ordinal].view());
        return absl::OkStatus();
      case NodeKind::kBag:
        return Set(node, builder);
      case NodeKind::kList:
      case NodeKind::kStruct:
        if (depth >= kNestingDepthMax) return ValidationError(messages::NestingTooDeep());
        return node.kind == NodeKind::kList ? List(node, depth, builder)
                                            : Map(node, depth, builder);
      case NodeKind::kCall:
        if (!IsFunctionCall(node, "set_add") && !IsFunctionCall(node, "set_delete"))
          return Unrecognized(node);
        return ValidationError(
            messages::UnsupportedDataType(node.text, place_, node.place.ToString()));
      default:
        return Unsupported(node);
    }
  }

  absl::Status Number(const Node& node, ItemBuilder* builder) {
    const absl::Status status = builder->NumberText(node.text, ValueLayer::kOlder);
    return status.ok() ? status : ValidationError(messages::UnderPlace(MessageOf(status), place_));
  }

  // One element of a list or map, whose place in the whole constant is `step`.
  absl::Status Element(std::string_view step, const Node& node, int depth, ItemBuilder* builder) {
    const size_t size = place_.size();
    place_ += step;
    DYNOLITH_RETURN_IF_ERROR(Build(node, depth + 1, builder));
    place_.resize(size);
    return absl::OkStatus();
  }

  absl::Status List(const Node& node, int depth, ItemBuilder* builder) {
    builder->BeginList();
    for (size_t i = 0; i < node.children.size(); ++i) {
      DYNOLITH_RETURN_IF_ERROR(Element(Concat("[", i, "]"), node.children[i], depth, builder));
    }
    builder->EndList();
    return absl::OkStatus();
  }

  absl::Status Map(const Node& node, int depth, ItemBuilder* builder) {
    builder->BeginMap();
    std::set<std::string_view> names;
    for (size_t i = 0; i < node.children.size(); i += 2) {
      const Node& key = node.children[i];
      if (key.kind != NodeKind::kString && !(key.kind == NodeKind::kName && key.is_quoted)) {
        return Unsupported(key);
      }
      if (key.text.empty()) return ValidationError(messages::PathComponentEmpty());
      if (!names.insert(key.text).second) {
        return ValidationError(messages::UnderPlace(messages::DuplicateField(key.text), place_));
      }
      builder->Key(key.text);
      // Each attribute of an item is a root of its own.
      const std::string step = depth < 0 ? "" : Concat(".", key.text);
      DYNOLITH_RETURN_IF_ERROR(Element(step, node.children[i + 1], depth, builder));
    }
    builder->EndMap();
    return absl::OkStatus();
  }

  // <<'a', 'b'>>: a set of one scalar type.
  absl::Status Set(const Node& node, ItemBuilder* builder) {
    if (node.children.empty()) return ValidationError(messages::EmptyBag());
    std::vector<Value> members;
    for (const Node& child : node.children) {
      ItemBuilder member;
      DYNOLITH_RETURN_IF_ERROR(Build(child, 0, &member));
      members.push_back(member.FinishValue());
    }
    const Type type = members[0].type();
    const std::optional<Type> set = type == Type::kString   ? std::optional(Type::kStringSet)
                                    : type == Type::kNumber ? std::optional(Type::kNumberSet)
                                    : type == Type::kBinary ? std::optional(Type::kBinarySet)
                                                            : std::nullopt;
    const auto refused = [] {
      return ValidationError(messages::StatementMalformed(messages::kUnexpectedTerm));
    };
    if (!set) return refused();
    std::vector<std::string_view> payloads;
    for (const Value& member : members) {
      if (member.type() != type) return refused();
      for (const std::string_view other : payloads) {
        if (other == member.view().payload()) {
          return ValidationError(
              messages::DuplicateMembers(*set, ValueLayer::kOlder, MemberTexts(members)));
        }
      }
      payloads.push_back(member.view().payload());
    }
    builder->Set(*set, payloads);
    return absl::OkStatus();
  }

  static std::vector<std::string_view> MemberTexts(const std::vector<Value>& members) {
    std::vector<std::string_view> texts;
    texts.reserve(members.size());
    for (const Value& member : members) texts.push_back(member.view().payload());
    return texts;
  }

  const std::vector<Value>& parameters_;
  Statement& statement_;
  // Where in the constant being read, an item's attribute or another one: "root", "root.a[1]".
  std::string place_;
};

absl::StatusOr<std::unique_ptr<Statement>> Parse(std::string_view text,
                                                 const std::vector<Value>& parameters) {
  DYNOLITH_ASSIGN_OR_RETURN(const Syntax syntax, ParseSyntax(text));
  if (syntax.parameters > parameters.size()) {
    return ValidationError(messages::ParameterCountMismatch());
  }
  auto statement = std::make_unique<Statement>();
  DYNOLITH_RETURN_IF_ERROR(Lowering(parameters, statement.get()).Run(syntax.root));
  return statement;
}

std::optional<SourceNames> FindSource(std::string_view text) {
  const absl::StatusOr<Syntax> syntax = ParseSyntax(text);
  if (!syntax.ok()) return std::nullopt;
  const Node& root = syntax->root;
  const Source* source = nullptr;
  if (root.kind == NodeKind::kSelect) source = &root.select->source;
  if (root.kind == NodeKind::kManipulation) source = &root.manipulation->source;
  if (source == nullptr) return std::nullopt;
  Statement statement;
  if (!Lowering({}, &statement).From(*source).ok()) return std::nullopt;
  return SourceNames{statement.table, statement.index};
}

}  // namespace dynolith::partiql
