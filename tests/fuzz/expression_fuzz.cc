// Any text as any kind of expression: parsing must end in an error or in something that runs on an
// item, and what it makes must be a well-formed item again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/expr/expression.h"
#include "engine/expr/placeholders.h"
#include "engine/value/item.h"

namespace dynolith {
namespace {

struct Fixture {
  AttributeNames names = {{"#a", "a"}, {"#b", "b"}, {"#l", "l"}, {"#m", "m"}};
  Item values = {{":n", Value::N(1)},
                 {":s", Value::S("s")},
                 {":t", Value::S("S")},
                 {":b", Value::B("b")},
                 {":l", Value::L({Value::N(1)})},
                 {":m", Value::M({{"k", Value::N(1)}})},
                 {":ss", Value::SS({"s", "t"})},
                 {":null", Value::Null()}};
  Item item = {{"a", Value::N(1)},
               {"b", Value::S("text")},
               {"l", Value::L({Value::N(1), Value::M({{"k", Value::L({Value::N(2)})}})})},
               {"m", Value::M({{"k", Value::M({{"x", Value::N(1)}})}, {"s", Value::SS({"s"})}})},
               {"ss", Value::SS({"s", "u"})}};
  KeySchema key = {{{"a", Type::kNumber}}, {{"b", Type::kString}}};
};

void CheckItem(const Item& item) {
  if (!ItemView::Parse(item.bytes()).ok()) std::abort();
}

void Run(const Fixture& fixture, std::string_view text) {
  Placeholders placeholders(&fixture.names, &fixture.values);
  const ItemView item = fixture.item.view();
  for (const ExpressionKind kind : {ExpressionKind::kCondition, ExpressionKind::kFilter}) {
    const auto condition = Condition::Parse(text, kind, &placeholders);
    if (!condition.ok()) continue;
    // A condition is a function of the item.
    size_t work = 0;
    if (condition->Matches(item, &work) != condition->Matches(item)) std::abort();
    // What it takes is known before, and is no more than what the text asks for of each byte.
    const size_t bytes = item.bytes().size() + fixture.values.bytes().size();
    if (work > condition->WorkAtMost(item)) std::abort();
    if (work > text.size() * (Condition::kOperandWork + bytes)) std::abort();
    condition->Matches(ItemView());
  }
  const auto key_condition = ParsedKeyCondition::Parse(text, &placeholders);
  if (key_condition.ok()) {
    const auto bound = key_condition->Bind(fixture.key);
    if (bound.ok() && bound->hash_equals.size() != 1) std::abort();
  }
  const auto projection = Projection::Parse(text, &placeholders);
  if (projection.ok()) {
    const Item selected = projection->Apply(item);
    CheckItem(selected);
    // To select from the selected changes nothing but the places of list elements.
    if (selected.size() > fixture.item.size()) std::abort();
  }
  const auto update = Update::Parse(text, &placeholders);
  if (!update.ok()) return;
  CheckItem(update->Touched(item));
  for (const bool exists : {true, false}) {
    const auto updated = update->Apply(exists ? item : ItemView(), exists);
    if (updated.ok()) CheckItem(*updated);
  }
}

}  // namespace
}  // namespace dynolith

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const dynolith::Fixture fixture;
  dynolith::Run(fixture, {reinterpret_cast<const char*>(data), size});
  return 0;
}
