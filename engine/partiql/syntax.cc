// Operator precedence over the tokens. The order in which things are looked for, and with it which
// error of a statement is found, is that of PartiQL's reference parser, whose words the service
// uses.
#include "engine/partiql/syntax.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/partiql/messages.h"
#include "engine/partiql/words.h"
#include "engine/value/messages.h"

namespace dynolith::partiql {
namespace {

// The height of trees, and how many brackets may be open, so that no statement exhausts the stack.
constexpr int kHeightMax = 200;

absl::Status Malformed(std::string_view problem) {
  return ValidationError(messages::StatementMalformed(problem));
}

absl::Status TooDeep() { return ValidationError(messages::NestingTooDeep()); }

constexpr int kAnyPrecedence = -1;
constexpr int kSelectPrecedence = 6;
constexpr int kNotPrecedence = 30;

// The precedence of an infix operator; 0 if the token is none.
int Precedence(const Token& token) {
  struct Entry {
    std::string_view text;
    int precedence;
  };
  static constexpr Entry kEntries[] = {
      {"union", 5},    {"except", 5},       {"intersect", 5}, {"or", 10},       {"and", 20},
      {"=", 40},       {"<>", 40},          {"is", 40},       {"is_not", 40},   {"in", 40},
      {"not_in", 40},  {"<", 50},           {"<=", 50},       {">", 50},        {">=", 50},
      {"between", 50}, {"not_between", 50}, {"like", 50},     {"not_like", 50}, {"+", 60},
      {"-", 60},       {"||", 60},          {"*", 70},        {"/", 70},        {"%", 70}};
  if (token.kind != TokenKind::kOperator && !token.Is("*")) return 0;
  for (const Entry& entry : kEntries) {
    if (token.text == entry.text) return entry.precedence;
  }
  return 0;
}

bool IsInfix(const Token& token) { return Precedence(token) > 0; }

std::string TextOfExpected(std::string_view symbol) {
  if (symbol == ")") return messages::ExpectedToken("RIGHT_PAREN");
  if (symbol == "]") return messages::ExpectedToken("RIGHT_BRACKET");
  if (symbol == "}") return messages::ExpectedToken("RIGHT_CURLY");
  if (symbol == ">>") return messages::ExpectedToken("RIGHT_DOUBLE_ANGLE_BRACKET");
  if (symbol == ":") return messages::ExpectedToken("COLON");
  if (symbol == "by") return messages::ExpectedToken("BY");
  return messages::ExpectedKeyword(absl::AsciiStrToUpper(ToAbsl(symbol)));
}

class SyntaxParser {
 public:
  explicit SyntaxParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  absl::StatusOr<Syntax> Run() {
    Syntax syntax;
    DYNOLITH_ASSIGN_OR_RETURN(syntax.root, Expression(kAnyPrecedence));
    if (Peek().Is(";") && Peek(1).kind != TokenKind::kEnd) {
      return Malformed(messages::kUnexpectedTokenAfterSemicolon);
    }
    if (!Peek().Is(";") && Peek().kind != TokenKind::kEnd) {
      return Malformed(messages::kUnexpectedTokenAfterExpression);
    }
    for (const Token& token : tokens_) syntax.parameters += token.kind == TokenKind::kParameter;
    return syntax;
  }

 private:
  // --- Tokens ---

  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& Skip() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool Take(std::string_view symbol) {
    if (!Peek().Is(symbol)) return false;
    Skip();
    return true;
  }
  absl::Status Expect(std::string_view symbol) {
    return Take(symbol) ? absl::OkStatus() : Malformed(TextOfExpected(symbol));
  }

  // --- Nodes ---

  static Node Leaf(NodeKind kind, const Token& token) {
    Node node;
    node.kind = kind;
    node.text = token.text;
    node.place = token.place;
    node.ordinal = token.ordinal;
    node.is_quoted = token.kind == TokenKind::kQuoted;
    return node;
  }

  static absl::Status AddChild(Node child, Node* node) {
    node->height = std::max(node->height, child.height + 1);
    node->children.push_back(std::move(child));
    return node->height > kHeightMax ? TooDeep() : absl::OkStatus();
  }

  // --- Expressions ---

  absl::StatusOr<Node> Expression(int precedence) {
    if (++open_ > kHeightMax) return TooDeep();
    DYNOLITH_ASSIGN_OR_RETURN(Node node, UnaryTerm());
    while (IsInfix(Peek()) && precedence < Precedence(Peek())) {
      DYNOLITH_ASSIGN_OR_RETURN(node, Infix(std::move(node)));
    }
    --open_;
    return node;
  }

  static NodeKind KindOfOperator(std::string_view text) {
    if (text == "and") return NodeKind::kAnd;
    if (text == "or") return NodeKind::kOr;
    if (text == "between" || text == "not_between") return NodeKind::kBetween;
    if (text == "in" || text == "not_in") return NodeKind::kIn;
    if (text == "is" || text == "is_not") return NodeKind::kIs;
    if (text == "like" || text == "not_like") return NodeKind::kLike;
    if (text == "=" || text == "<>" || text[0] == '<' || text[0] == '>') {
      return NodeKind::kComparison;
    }
    return NodeKind::kArithmetic;
  }

  // Requires: the next token is an infix operator.
  absl::StatusOr<Node> Infix(Node left) {
    const Token& token = Peek();
    const int precedence = Precedence(token);
    const NodeKind kind = KindOfOperator(token.text);
    // One node for a whole chain of the same connective.
    const bool extends = left.kind == kind && (kind == NodeKind::kAnd || kind == NodeKind::kOr);
    Node node;
    if (extends) {
      node = std::move(left);
    } else {
      node = Leaf(kind, token);
      node.negated = token.text.starts_with("not_") || token.text == "is_not";
      DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(left), &node));
    }
    if (kind == NodeKind::kIs) {
      Skip();
      DYNOLITH_RETURN_IF_ERROR(TypeName(&node));
      return node;
    }
    if (kind == NodeKind::kIn && Peek(1).Is("(") && !Peek(2).Is("select") &&
        !Peek(2).Is("values")) {
      Skip();
      Skip();
      Node list = Leaf(NodeKind::kList, Peek());
      DYNOLITH_RETURN_IF_ERROR(Arguments(")", &list));
      DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(list), &node));
      return node;
    }
    if (Peek(1).kind == TokenKind::kEnd) return Malformed(messages::kMissingRightHandSide);
    Skip();
    DYNOLITH_ASSIGN_OR_RETURN(Node right, Expression(precedence));
    DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(right), &node));
    if (kind == NodeKind::kBetween) {
      DYNOLITH_RETURN_IF_ERROR(Expect("and"));
      if (Peek().kind == TokenKind::kEnd) return Malformed(messages::kExpectedAfterAnd);
      DYNOLITH_ASSIGN_OR_RETURN(Node high, Expression(precedence));
      DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(high), &node));
    }
    return node;
  }

  absl::Status TypeName(Node* node) {
    const Token& token = Peek();
    const bool is_word = token.kind == TokenKind::kKeyword || token.kind == TokenKind::kIdentifier;
    if (is_word) node->text = TypeOfWord(absl::AsciiStrToLower(token.text));
    if (!is_word || node->text.empty()) return Malformed(messages::kExpectedTypeName);
    Skip();
    if (!Take("(")) return absl::OkStatus();
    Node ignored;
    return Arguments(")", &ignored);
  }

  absl::StatusOr<Node> UnaryTerm() {
    const Token& token = Peek();
    if (token.Is("not")) {
      Skip();
      Node node = Leaf(NodeKind::kNot, token);
      DYNOLITH_ASSIGN_OR_RETURN(Node child, Expression(kNotPrecedence));
      DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(child), &node));
      return node;
    }
    if (!token.Is("+") && !token.Is("-")) return PathTerm();
    if (++open_ > kHeightMax) return TooDeep();
    Skip();
    DYNOLITH_ASSIGN_OR_RETURN(Node child, UnaryTerm());
    --open_;
    if (child.kind == NodeKind::kNumber) {
      // Two signs of one number cancel each other.
      if (token.Is("-")) {
        child.text = child.text[0] == '-' ? child.text.substr(1) : "-" + child.text;
      }
      return child;
    }
    Node node = Leaf(NodeKind::kSign, token);
    DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(child), &node));
    return node;
  }

  // --- Paths ---

  absl::StatusOr<Node> PathTerm() {
    DYNOLITH_ASSIGN_OR_RETURN(Node node, Term());
    return Steps(std::move(node), messages::kInvalidPathComponent);
  }

  // A path of names and literals, as the target of a change.
  absl::StatusOr<Node> SimplePath() {
    if (!Peek().is_name()) return Malformed(messages::kExpectedIdentifier);
    Node node = Leaf(NodeKind::kName, Skip());
    return Steps(std::move(node), messages::kInvalidPathComponent);
  }

  absl::StatusOr<Node> Steps(Node root, std::string_view problem) {
    if (!Peek().Is(".") && !Peek().Is("[")) return root;
    Node path;
    path.kind = NodeKind::kPath;
    path.place = root.place;
    DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(root), &path));
    while (Peek().Is(".") || Peek().Is("[")) {
      if (Take(".")) {
        if (!Peek().is_name() && !Peek().Is("*")) return Malformed(problem);
        const NodeKind kind = Peek().is_name() ? NodeKind::kName : NodeKind::kWildcard;
        DYNOLITH_RETURN_IF_ERROR(AddChild(Leaf(kind, Skip()), &path));
        continue;
      }
      Skip();
      Node step;
      if (Peek().Is("*")) {
        step = Leaf(NodeKind::kWildcard, Skip());
      } else {
        DYNOLITH_ASSIGN_OR_RETURN(step, Expression(kAnyPrecedence));
        // A name in brackets is an expression, not a step's name.
        if (step.kind == NodeKind::kName) step.kind = NodeKind::kSign;
      }
      DYNOLITH_RETURN_IF_ERROR(Expect("]"));
      DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(step), &path));
    }
    return path;
  }

  // --- Terms ---

  absl::StatusOr<Node> Term() {
    const Token& token = Peek();
    switch (token.kind) {
      case TokenKind::kOperator:
        return Malformed(messages::kUnexpectedOperator);
      case TokenKind::kKeyword:
        return KeywordTerm();
      case TokenKind::kIdentifier:
      case TokenKind::kQuoted:
        Skip();
        return Take("(") ? Call(token) : Leaf(NodeKind::kName, token);
      case TokenKind::kString:
        return Leaf(NodeKind::kString, Skip());
      case TokenKind::kNumber:
        return Leaf(NodeKind::kNumber, Skip());
      case TokenKind::kParameter:
        return Leaf(NodeKind::kParameter, Skip());
      case TokenKind::kPunctuation:
        return Constructor();
      case TokenKind::kEnd:
        break;
    }
    return Malformed(messages::kUnexpectedTerm);
  }

  absl::StatusOr<Node> Constructor() {
    const Token& token = Peek();
    if (token.Is("(")) return Group();
    struct Form {
      std::string_view open;
      std::string_view close;
      NodeKind kind;
    };
    static constexpr Form kForms[] = {{"[", "]", NodeKind::kList}, {"<<", ">>", NodeKind::kBag}};
    for (const Form& form : kForms) {
      if (!token.Is(form.open)) continue;
      Skip();
      Node node = Leaf(form.kind, token);
      if (!Take(form.close)) DYNOLITH_RETURN_IF_ERROR(Arguments(form.close, &node));
      return node;
    }
    if (token.Is("{")) return Struct();
    return Malformed(messages::kUnexpectedTerm);
  }

  absl::StatusOr<Node> Group() {
    Node group = Leaf(NodeKind::kList, Skip());
    DYNOLITH_RETURN_IF_ERROR(Arguments(")", &group));
    if (group.children.size() > 1) return group;
    Node only = std::move(group.children[0]);
    return only;
  }

  absl::StatusOr<Node> Struct() {
    Node node = Leaf(NodeKind::kStruct, Skip());
    if (Take("}")) return node;
    do {
      DYNOLITH_ASSIGN_OR_RETURN(Node key, Expression(kAnyPrecedence));
      DYNOLITH_RETURN_IF_ERROR(Expect(":"));
      DYNOLITH_ASSIGN_OR_RETURN(Node value, Expression(kAnyPrecedence));
      DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(key), &node));
      DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(value), &node));
    } while (Take(","));
    DYNOLITH_RETURN_IF_ERROR(Expect("}"));
    return node;
  }

  // One expression or more, and what closes them.
  absl::Status Arguments(std::string_view close, Node* node) {
    do {
      DYNOLITH_ASSIGN_OR_RETURN(Node argument, Expression(kAnyPrecedence));
      DYNOLITH_RETURN_IF_ERROR(AddChild(std::move(argument), node));
    } while (Take(","));
    return Expect(close);
  }

  // Requires: the parenthesis is taken.
  absl::StatusOr<Node> Call(const Token& name) {
    Node node = Leaf(NodeKind::kCall, name);
    absl::AsciiStrToLower(&node.text);
    if (IsAggregate(name)) return Aggregate(std::move(node));
    if (Peek().Is("*")) return Malformed(messages::CallWithStar(node.text));
    if (!Take(")")) DYNOLITH_RETURN_IF_ERROR(Arguments(")", &node));
    return node;
  }

  static bool IsAggregate(const Token& name) {
    return name.Is("count") || name.Is("avg") || name.Is("max") || name.Is("min") || name.Is("sum");
  }

  absl::StatusOr<Node> Aggregate(Node node) {
    node.kind = NodeKind::kAggregate;
    if (Peek().Is(")")) return Malformed(messages::kAggregateIsUnary);
    if (Take("*")) {
      if (node.text != "count") return Malformed(messages::CallWithStar(node.text));
      DYNOLITH_RETURN_IF_ERROR(Expect(")"));
      return node;
    }
    if (!Take("distinct")) Take("all");
    DYNOLITH_RETURN_IF_ERROR(Arguments(")", &node));
    if (node.children.size() != 1) return Malformed(messages::kAggregateIsUnary);
    return node;
  }

  absl::StatusOr<Node> KeywordTerm() {
    const Token& token = Peek();
    if (token.Is("true") || token.Is("false")) return Leaf(NodeKind::kBoolean, Skip());
    if (token.Is("null")) return Leaf(NodeKind::kNull, Skip());
    if (token.Is("missing")) return Leaf(NodeKind::kMissing, Skip());
    if (token.Is("select")) return Select();
    if (token.Is("insert_into")) return Insert();
    if (token.Is("update")) return Update();
    if (token.Is("delete")) return Delete();
    if (token.Is("from")) return FromUpdate();
    if (token.Is("set") || token.Is("remove")) return BareChange();
    if (token.Is("case")) return ValidationError(messages::UnsupportedOperation("SearchedCase"));
    if (token.Is("cast")) return ValidationError(messages::UnsupportedOperation("Cast"));
    if (IsFunctionWord(token.text) && Peek(1).Is("(")) {
      Skip();
      Skip();
      return Call(token);
    }
    return Malformed(messages::kUnexpectedKeyword);
  }

  // --- SELECT ---

  absl::StatusOr<Node> Select() {
    Node node = Leaf(NodeKind::kSelect, Skip());
    node.select = std::make_unique<SelectClause>();
    SelectClause& select = *node.select;
    TakeOther("distinct", &select.other);
    Take("all");
    TakeOther("value", &select.other);
    DYNOLITH_RETURN_IF_ERROR(Columns(&select));
    DYNOLITH_RETURN_IF_ERROR(Take("from") ? absl::OkStatus() : Malformed(messages::kExpectedFrom));
    DYNOLITH_RETURN_IF_ERROR(FromSource(kSelectPrecedence, &select.source));
    DYNOLITH_RETURN_IF_ERROR(Where(kSelectPrecedence, &select.where));
    DYNOLITH_RETURN_IF_ERROR(OrderBy(&select.order_by));
    DYNOLITH_RETURN_IF_ERROR(OtherClauses(&select.other));
    return node;
  }

  void TakeOther(std::string_view word, std::optional<OtherClause>* other) {
    const Token& token = Peek();
    if (!Take(word)) return;
    if (!other->has_value()) *other = OtherClause{absl::AsciiStrToUpper(token.text), token.place};
  }

  absl::Status Columns(SelectClause* select) {
    size_t count = 0;
    do {
      ++count;
      if (Take("*")) {
        select->all_columns = true;
        continue;
      }
      DYNOLITH_ASSIGN_OR_RETURN(Node column, Expression(kAnyPrecedence));
      select->columns.push_back(std::move(column));
      DYNOLITH_RETURN_IF_ERROR(Alias(&select->aliased));
    } while (Take(","));
    return select->all_columns && count > 1 ? Malformed(messages::kAsteriskNotAlone)
                                            : absl::OkStatus();
  }

  absl::Status Alias(bool* aliased) {
    if (Take("as")) {
      if (!Peek().is_name()) return Malformed(messages::ExpectedAlias("AS"));
    } else if (!Peek().is_name()) {
      return absl::OkStatus();
    }
    Skip();
    *aliased = true;
    return absl::OkStatus();
  }

  absl::Status FromSource(int precedence, Source* source) {
    DYNOLITH_ASSIGN_OR_RETURN(source->node, Expression(precedence));
    DYNOLITH_RETURN_IF_ERROR(Aliases(source));
    while (true) {
      const Token& token = Peek();
      bool joins = Take(",");
      for (const std::string_view word : {"inner", "left", "right", "full", "outer", "cross"}) {
        joins |= Take(word);
      }
      joins |= Take("join");
      if (!joins) return absl::OkStatus();
      if (!source->joined) source->joined = token.place;
      DYNOLITH_RETURN_IF_ERROR(Expression(precedence).status());
      DYNOLITH_RETURN_IF_ERROR(Aliases(source));
      if (Take("on")) DYNOLITH_RETURN_IF_ERROR(Expression(precedence).status());
    }
  }

  // AS, AT and BY.
  absl::Status Aliases(Source* source) {
    DYNOLITH_RETURN_IF_ERROR(Alias(&source->aliased));
    for (const std::string_view word : {"at", "by"}) {
      if (!Take(word)) continue;
      if (!Peek().is_name()) {
        return Malformed(messages::ExpectedAlias(absl::AsciiStrToUpper(ToAbsl(word))));
      }
      Skip();
      source->aliased = true;
    }
    return absl::OkStatus();
  }

  absl::Status Where(int precedence, std::optional<Node>* where) {
    if (!Take("where")) return absl::OkStatus();
    DYNOLITH_ASSIGN_OR_RETURN(*where, Expression(precedence));
    return absl::OkStatus();
  }

  absl::Status OrderBy(std::vector<SortKey>* keys) {
    if (!Take("order")) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(Expect("by"));
    do {
      SortKey& key = keys->emplace_back();
      DYNOLITH_ASSIGN_OR_RETURN(key.node, Expression(kAnyPrecedence));
      key.descending = Take("desc");
      if (!key.descending) Take("asc");
    } while (Take(","));
    return absl::OkStatus();
  }

  absl::Status OtherClauses(std::optional<OtherClause>* other) {
    for (const std::string_view word : {"group", "having", "limit"}) {
      const Token& token = Peek();
      if (!Take(word)) continue;
      if (token.Is("group")) DYNOLITH_RETURN_IF_ERROR(Expect("by"));
      const SourceLocation place = Peek().place;
      do {
        DYNOLITH_RETURN_IF_ERROR(Expression(kSelectPrecedence).status());
      } while (token.Is("group") && Take(","));
      if (!other->has_value()) *other = OtherClause{absl::AsciiStrToUpper(token.text), place};
    }
    return absl::OkStatus();
  }

  // --- INSERT, UPDATE, DELETE ---

  static Node ManipulationNode(Manipulation::Kind kind, const Token& token) {
    Node node = Leaf(NodeKind::kManipulation, token);
    node.manipulation = std::make_unique<Manipulation>();
    node.manipulation->kind = kind;
    return node;
  }

  absl::StatusOr<Node> Insert() {
    Node node = ManipulationNode(Manipulation::Kind::kInsert, Skip());
    Manipulation& insert = *node.manipulation;
    DYNOLITH_ASSIGN_OR_RETURN(insert.source.node, SimplePath());
    if (!Take("value")) {
      insert.other = OtherClause{"INSERT", node.place};
      DYNOLITH_RETURN_IF_ERROR(Expression(kAnyPrecedence).status());
      return node;
    }
    DYNOLITH_ASSIGN_OR_RETURN(insert.item, Expression(kAnyPrecedence));
    const Token& token = Peek();
    if (Take("at")) {
      insert.other = OtherClause{"AT", token.place};
      DYNOLITH_RETURN_IF_ERROR(Expression(kAnyPrecedence).status());
    } else if (Take("on_conflict")) {
      return Malformed(messages::kInvalidOnConflict);
    }
    DYNOLITH_RETURN_IF_ERROR(ReturningClause(&insert.returning));
    return node;
  }

  absl::StatusOr<Node> Update() {
    Node node = ManipulationNode(Manipulation::Kind::kUpdate, Skip());
    Manipulation& update = *node.manipulation;
    DYNOLITH_ASSIGN_OR_RETURN(update.source.node, SimplePath());
    DYNOLITH_RETURN_IF_ERROR(Aliases(&update.source));
    DYNOLITH_RETURN_IF_ERROR(Changes(&update));
    DYNOLITH_RETURN_IF_ERROR(Where(kAnyPrecedence, &update.where));
    DYNOLITH_RETURN_IF_ERROR(ReturningClause(&update.returning));
    return node;
  }

  absl::StatusOr<Node> FromUpdate() {
    Node node = ManipulationNode(Manipulation::Kind::kUpdate, Skip());
    Manipulation& update = *node.manipulation;
    DYNOLITH_RETURN_IF_ERROR(FromSource(kAnyPrecedence, &update.source));
    DYNOLITH_RETURN_IF_ERROR(Where(kAnyPrecedence, &update.where));
    DYNOLITH_RETURN_IF_ERROR(Changes(&update));
    DYNOLITH_RETURN_IF_ERROR(ReturningClause(&update.returning));
    return node;
  }

  absl::StatusOr<Node> Delete() {
    Node node = ManipulationNode(Manipulation::Kind::kDelete, Skip());
    Manipulation& erase = *node.manipulation;
    if (!Take("from")) return Malformed(messages::kExpectedFromAfterDelete);
    DYNOLITH_ASSIGN_OR_RETURN(erase.source.node, SimplePath());
    DYNOLITH_RETURN_IF_ERROR(Aliases(&erase.source));
    DYNOLITH_RETURN_IF_ERROR(Where(kAnyPrecedence, &erase.where));
    DYNOLITH_RETURN_IF_ERROR(ReturningClause(&erase.returning));
    return node;
  }

  // SET or REMOVE without a table.
  absl::StatusOr<Node> BareChange() {
    Node node = ManipulationNode(Manipulation::Kind::kUpdate, Peek());
    node.manipulation->other = OtherClause{absl::AsciiStrToUpper(Peek().text), Peek().place};
    DYNOLITH_RETURN_IF_ERROR(OneChange(node.manipulation.get()));
    return node;
  }

  absl::Status Changes(Manipulation* update) {
    const auto more = [this] {
      return Peek().Is("set") || Peek().Is("remove") || Peek().Is("insert_into");
    };
    if (!more()) return Malformed(messages::kExpectedManipulation);
    while (more()) DYNOLITH_RETURN_IF_ERROR(OneChange(update));
    return absl::OkStatus();
  }

  // Requires: SET, REMOVE or INSERT INTO is next.
  absl::Status OneChange(Manipulation* update) {
    if (Peek().Is("insert_into")) {
      update->inserts_too = true;
      return Insert().status();
    }
    if (Take("remove")) {
      DYNOLITH_ASSIGN_OR_RETURN(update->changes.emplace_back().target, SimplePath());
      return absl::OkStatus();
    }
    Skip();
    do {
      Change& change = update->changes.emplace_back();
      DYNOLITH_ASSIGN_OR_RETURN(change.target, SimplePath());
      if (!Take("=")) return Malformed(messages::kExpectedAssignment);
      DYNOLITH_ASSIGN_OR_RETURN(change.value, Expression(kAnyPrecedence));
    } while (Take(","));
    return absl::OkStatus();
  }

  absl::Status ReturningClause(std::vector<ReturningElement>* returning) {
    if (!Take("returning")) return absl::OkStatus();
    do {
      const Token& mapping = Peek();
      if (!mapping.Is("all_old") && !mapping.Is("all_new") && !mapping.Is("modified_old") &&
          !mapping.Is("modified_new")) {
        return Malformed(messages::kExpectedReturning);
      }
      ReturningElement& element = returning->emplace_back();
      element.mapping = Skip().text;
      if (Take("*")) continue;
      DYNOLITH_ASSIGN_OR_RETURN(element.column, Expression(kAnyPrecedence));
    } while (Take(","));
    return absl::OkStatus();
  }

  const std::vector<Token> tokens_;
  size_t at_ = 0;
  int open_ = 0;
};

}  // namespace

absl::StatusOr<Syntax> ParseSyntax(std::string_view statement) {
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(statement));
  return SyntaxParser(std::move(tokens)).Run();
}

}  // namespace dynolith::partiql
