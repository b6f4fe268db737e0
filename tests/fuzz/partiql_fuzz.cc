// Any text as a PartiQL statement: parsing must end in an error or in a statement whose condition,
// update and item can be used, and what they make must be well-formed items again.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/expr/expression.h"
#include "engine/partiql/statement.h"
#include "engine/value/item.h"

namespace dynolith {
namespace {

struct Fixture {
  std::vector<Value> none;
  std::vector<Value> one = {Value::S("s")};
  std::vector<Value> two = {Value::N(1), Value::M({{"k", Value::SS({"s", "t"})}})};
  Item item = {{"a", Value::N(1)},
               {"b", Value::S("text")},
               {"l", Value::L({Value::N(1), Value::M({{"k", Value::L({Value::N(2)})}})})},
               {"m", Value::M({{"k", Value::M({{"x", Value::N(1)}})}, {"s", Value::SS({"s"})}})},
               {"s", Value::SS({"s", "u"})}};
};

void CheckItem(const Item& item) {
  if (!ItemView::Parse(item.bytes()).ok()) std::abort();
}

void Use(const partiql::Statement& statement, ItemView item) {
  const Condition condition = Condition::FromAst(statement.where);
  const bool matches = condition.Matches(item);
  if (matches != condition.Matches(item)) std::abort();
  condition.Matches(ItemView());
  CheckItem(statement.item);
  // A conjunct that can bound a read is one that holds of all that matches.
  for (const partiql::Conjunct& conjunct : statement.conjuncts) {
    if (conjunct.values.empty()) std::abort();
    if (matches && !item.Find(conjunct.attribute)) std::abort();
  }
  if (statement.kind != partiql::StatementKind::kUpdate) return;
  const Update update = Update::FromActions(statement.update);
  CheckItem(update.Touched(item));
  for (const bool exists : {true, false}) {
    const auto updated = update.Apply(exists ? item : ItemView(), exists);
    if (updated.ok()) CheckItem(*updated);
  }
}

void Run(const Fixture& fixture, std::string_view text) {
  for (const std::vector<Value>* parameters : {&fixture.none, &fixture.one, &fixture.two}) {
    const auto statement = partiql::Parse(text, *parameters);
    if (statement.ok()) Use(**statement, fixture.item.view());
  }
}

}  // namespace
}  // namespace dynolith

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const dynolith::Fixture fixture;
  dynolith::Run(fixture, {reinterpret_cast<const char*>(data), size});
  return 0;
}
