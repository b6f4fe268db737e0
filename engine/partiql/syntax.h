// The syntax tree of a statement: everything in PartiQL's grammar, whether the service supports it
// or not. lowering.cc interprets it.
#ifndef DYNOLITH_ENGINE_PARTIQL_SYNTAX_H_
#define DYNOLITH_ENGINE_PARTIQL_SYNTAX_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/partiql/lexer.h"

namespace dynolith::partiql {

struct SelectClause;
struct Manipulation;

enum class NodeKind : uint8_t {
  // Leaves; `text` is the name, the text or the number.
  kName,
  kString,
  kNumber,
  kBoolean,
  kNull,
  kMissing,
  kParameter,
  // Constructors. A struct's children are key, value, key, value …
  kList,
  kBag,
  kStruct,
  // `children[0]`, then steps: kName for .name, kWildcard for .* and [*], anything else for [it].
  kPath,
  kWildcard,
  // Operators; `text` is that of the token.
  kAnd,  // two children or more
  kOr,   // two children or more
  kNot,
  kComparison,
  kBetween,  // also "not_between"
  kIn,       // also "not_in"
  kIs,       // one child; `text` is the type; `negated` of IS NOT
  kArithmetic,
  kSign,
  kLike,
  // A function in lower case and its arguments.
  kCall,
  kAggregate,
  kSelect,
  kManipulation,
};

struct Node {
  NodeKind kind = NodeKind::kNull;
  std::string text;
  bool negated = false;
  bool is_quoted = false;  // of a kName
  size_t ordinal = 0;      // of a kParameter
  SourceLocation place;
  int height = 0;  // of the tree below
  std::vector<Node> children;
  std::unique_ptr<SelectClause> select;
  std::unique_ptr<Manipulation> manipulation;
};

// FROM: one source unless `joined`.
struct Source {
  Node node;
  bool aliased = false;
  std::optional<SourceLocation> joined;
};

struct SortKey {
  Node node;
  bool descending = false;
};

// A clause that the service does not support.
struct OtherClause {
  std::string name;
  SourceLocation place;
};

struct SelectClause {
  bool all_columns = false;
  std::vector<Node> columns;
  bool aliased = false;
  Source source;
  std::optional<Node> where;
  std::vector<SortKey> order_by;
  std::optional<OtherClause> other;  // the first one
};

struct Change {
  Node target;
  std::optional<Node> value;  // of SET; REMOVE has none
};

struct ReturningElement {
  std::string mapping;         // "all_old" …
  std::optional<Node> column;  // none: *
};

struct Manipulation {
  enum class Kind : uint8_t { kInsert, kUpdate, kDelete } kind = Kind::kUpdate;
  Source source;
  std::optional<Node> item;  // of INSERT … VALUE
  std::vector<Change> changes;
  bool inserts_too = false;  // an INSERT among the changes
  std::optional<Node> where;
  std::vector<ReturningElement> returning;
  std::optional<OtherClause> other;
};

// A statement and its number of parameters.
struct Syntax {
  Node root;
  size_t parameters = 0;
};

// Errors: ValidationError "Statement wasn't well formed" (api/facts/operations.md §4.3).
absl::StatusOr<Syntax> ParseSyntax(std::string_view statement);

}  // namespace dynolith::partiql

#endif  // DYNOLITH_ENGINE_PARTIQL_SYNTAX_H_
