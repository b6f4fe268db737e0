// Conditions, updates and projections of the dull model: structures that it evaluates in the most
// obvious way and that print themselves as the service's expression texts.
#ifndef DYNOLITH_TESTS_MODEL_EXPRESSION_H_
#define DYNOLITH_TESTS_MODEL_EXPRESSION_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/model/value.h"

namespace dynolith::model {

// A name or a list index after a name: a.b[2] is {"a", "b", 2}.
using Path = std::vector<std::variant<std::string, size_t>>;

// nullptr if there is nothing at the path.
const Value* Find(const Item& item, const Path& path);

// The parts of the item at the paths, in their structure, list elements packed.
Item Project(const Item& item, const std::vector<Path>& paths);

// What an expression text needs besides itself. Shared by all expressions of one request.
class Placeholders {
 public:
  // In a statement of PartiQL names are quoted, and each literal is a "?".
  enum class Language { kExpressions, kPartiQl };
  explicit Placeholders(Language language = Language::kExpressions) : language_(language) {}

  std::string Name(const std::string& name);
  std::string Literal(const Value& value);
  std::string PathText(const Path& path);

  const std::map<std::string, std::string>& names() const { return names_; }
  const std::map<std::string, Value>& values() const { return values_; }
  // Of the "?", in their order.
  const std::vector<Value>& parameters() const { return parameters_; }

 private:
  Language language_;
  std::map<std::string, std::string> names_;  // "#n0" -> name
  std::map<std::string, Value> values_;       // ":v0" -> value
  std::vector<Value> parameters_;
};

struct Operand {
  enum class Kind { kPath, kLiteral, kSize } kind = Kind::kPath;
  Path path;      // of kPath and kSize
  Value literal;  // of kLiteral
};

struct Condition {
  enum class Kind {
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kBetween,
    kIn,
    kExists,
    kNotExists,
    kType,
    kBeginsWith,
    kContains,
    kAnd,
    kOr,
    kNot
  } kind = Kind::kExists;
  std::vector<Operand> operands;
  std::vector<Condition> parts;  // of kAnd, kOr (two) and kNot (one)
};

bool Holds(const Condition& condition, const Item& item);
std::string Print(const Condition& condition, Placeholders* placeholders);

// The right-hand side of SET.
struct SetValue {
  enum class Kind { kOperand, kAdd, kSubtract, kIfNotExists, kListAppend } kind = Kind::kOperand;
  std::vector<Operand> operands;  // one of kOperand, else two; kIfNotExists begins with a path
};

struct Update {
  std::vector<std::pair<Path, SetValue>> set;
  std::vector<Path> remove;
  std::vector<std::pair<Path, Value>> add;
  std::vector<std::pair<Path, Value>> del;  // top-level only

  std::vector<Path> Touched() const;
};

// The updated item; nullopt where the service reports a ValidationException. An absent item is an
// empty `old` with `exists` false; `old` has the key attributes otherwise.
std::optional<Item> Apply(const Update& update, const Item& old, bool exists);
std::string Print(const Update& update, Placeholders* placeholders);
// SET and REMOVE as clauses of a statement. Requires: no ADD, no DELETE, not empty.
std::string PrintClauses(const Update& update, Placeholders* placeholders);

std::string Print(const std::vector<Path>& projection, Placeholders* placeholders);

}  // namespace dynolith::model

#endif  // DYNOLITH_TESTS_MODEL_EXPRESSION_H_
