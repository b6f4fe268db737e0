// A parsed PartiQL statement: its kind, its target and its condition. Grammar:
// api/facts/operations.md §4.1.
#ifndef DYNOLITH_ENGINE_PARTIQL_STATEMENT_H_
#define DYNOLITH_ENGINE_PARTIQL_STATEMENT_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/expr/ast.h"
#include "engine/value/item.h"

namespace dynolith::partiql {

enum class StatementKind : uint8_t { kSelect, kInsert, kUpdate, kDelete, kExists };
enum class Returning : uint8_t { kNone, kAllOld, kAllNew, kModifiedOld, kModifiedNew };

// One test that must hold for every result: a term of the WHERE clause's outermost conjunction that
// compares one top-level attribute with constants.
struct Conjunct {
  std::string_view attribute;
  StepKind test = StepKind::kEqual;  // kEqual, kLess … kGreaterEqual, kBetween, kIn, kBeginsWith
  std::vector<ValueView> values;
};

// One side of an OR among the outermost conjuncts.
struct Alternative {
  std::vector<Conjunct> conjuncts;
  std::vector<std::string> loosened;  // attributes that it names in NOT or `<>`
};

struct OrderBy {
  std::string_view attribute;
  bool descending = false;
};

// Owns its texts and literals; its parts borrow from them and from the parameters, so it cannot be
// moved.
class Statement {
 public:
  Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  StatementKind kind = StatementKind::kSelect;
  std::string position;  // of its first word, as in messages
  std::string table;
  std::optional<std::string> index;

  // SELECT: the columns, and their names in an answer; empty for *. Paths and names are distinct.
  std::vector<Path> columns;
  std::vector<std::string> column_names;
  std::vector<OrderBy> order_by;

  // SELECT, UPDATE, DELETE, EXISTS: the WHERE clause as a condition, and its outermost conjuncts.
  bool has_where = false;
  Ast where;
  std::vector<Conjunct> conjuncts;
  std::vector<std::vector<Alternative>> alternatives;

  // INSERT.
  Item item;

  // UPDATE.
  UpdateActions update;
  Returning returning = Returning::kNone;

  bool is_read() const { return kind == StatementKind::kSelect; }

 private:
  friend class Lowering;
  std::deque<std::string> names_;
  std::deque<Value> literals_;
};

// Parses a statement with its positional parameters, which must outlive it. Errors:
// api/facts/operations.md §4.3.
absl::StatusOr<std::unique_ptr<Statement>> Parse(std::string_view text,
                                                 const std::vector<Value>& parameters);

// The table and index of a statement that Parse may refuse; nullopt if the text is no statement or
// names neither a table nor a table and an index.
struct SourceNames {
  std::string table;
  std::optional<std::string> index;
};
std::optional<SourceNames> FindSource(std::string_view text);

}  // namespace dynolith::partiql

#endif  // DYNOLITH_ENGINE_PARTIQL_STATEMENT_H_
