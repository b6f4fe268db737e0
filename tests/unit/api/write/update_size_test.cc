// The rule of sizes that --update-size item and DatabaseOptions::charge_updates choose: the item
// alone counts, behind the condition (api/facts/values.md §7). The other one, of which
// tests/testdata/update_item/charge.txt has the cases, for random updates about the limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/write/messages.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/expr/expression.h"
#include "engine/expr/placeholders.h"
#include "engine/value/item.h"
#include "tests/unit/expr/random_update.h"

namespace dynolith {
namespace {

std::string SizeOutcome(Database* database, size_t bytes,
                        std::optional<std::string> condition = std::nullopt) {
  const auto updated = database->UpdateItem(
      {.table_name = "ttt",
       .key = {{"pk", Value::S("a")}},
       .update_expression = "SET v = :v",
       .condition_expression = std::move(condition),
       .expression_attribute_values = Item{{":v", Value::S(std::string(bytes, 'x'))}}});
  if (updated.ok()) return "OK";
  return std::string(InfoOf(KindOf(updated.status())).exception_name);
}

std::unique_ptr<Database> WithTable(DatabaseOptions options) {
  options.in_memory = true;
  std::unique_ptr<Database> database = Database::Open(options).value();
  EXPECT_TRUE(database
                  ->CreateTable({.table_name = "ttt",
                                 .attribute_definitions = {{{"pk"}}},
                                 .key_schema = {{{"pk"}}},
                                 .billing_mode = BillingMode::kPayPerRequest})
                  .ok());
  return database;
}

TEST(UpdateSize, IsTheItemsWhereNothingIsCharged) {
  for (const bool charges : {false, true}) {
    const std::unique_ptr<Database> database = WithTable({.charge_updates = charges});
    EXPECT_EQ(SizeOutcome(database.get(), 409'577), "OK");
    EXPECT_EQ(SizeOutcome(database.get(), 409'578), charges ? "ValidationException" : "OK");
    EXPECT_EQ(SizeOutcome(database.get(), 409'596), charges ? "ValidationException" : "OK");
    EXPECT_EQ(SizeOutcome(database.get(), 409'597), "ValidationException");
    EXPECT_EQ(SizeOutcome(database.get(), 409'597, "attribute_not_exists(pk)"),
              charges ? "ValidationException" : "ConditionalCheckFailedException");
  }
}

// The charge and the item that the update makes, of each of which nothing is left out.
bool IsTooLarge(const RandomUpdate& random) {
  Placeholders placeholders(nullptr, &random.values);
  const Update update = Update::Parse(random.text, &placeholders).value();
  if (update.ChargedBytes() > kItemBytesMax) return true;
  const absl::StatusOr<Item> updated = update.Apply(random.item.view(), true);
  return updated.ok() && BilledBytes(updated->view()) > kItemBytesMax;
}

// So many bytes more in the item, in the update or in both that one of them is at the limit, give
// or take what the rest of it has.
void Enlarge(RandomUpdate* random) {
  const auto bytes = [](size_t size) { return Value::S(std::string(size, 'x')); };
  const size_t much = kItemBytesMax - random->Below(600);
  const size_t some = random->Below(kItemBytesMax);
  std::string operand;
  switch (random->Below(4)) {
    case 0:
      random->item.Set("filling", bytes(much));
      return;
    case 1:
      operand = random->Placeholder(bytes(much));
      break;
    case 2:
      random->item.Set("filling", bytes(some));
      operand = random->Placeholder(bytes(much - std::min(some, much)));
      break;
    default:
      random->item.Set("filling", bytes(much / 2));
      operand = "filling";
  }
  const std::string action = "extra = " + operand;
  const bool sets = random->text.starts_with("SET ");
  random->text.insert(sets ? 4 : 0, sets ? action + ", " : "SET " + action + " ");
}

// Of most updates nothing is computed, as they cannot be too large. What is asked behind it tells
// the one from the other.
TEST(UpdateSize, IsWhatTheWholeComputationSays) {
  const std::unique_ptr<Database> database = WithTable({});
  int too_large = 0, fitting = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomUpdate random(seed);
    Enlarge(&random);
    if (!database->PutItem({.table_name = "ttt", .item = random.item}).ok()) continue;
    UpdateItemRequest update{.table_name = "ttt", .key = {{"pk", Value::S("a")}}};
    update.update_expression = random.text;
    update.condition_expression = "attribute_not_exists(pk)";
    if (!random.values.empty()) update.expression_attribute_values = random.values;
    const auto updated = database->UpdateItem(update);
    const bool expected = IsTooLarge(random);
    EXPECT_EQ(MessageOf(updated.status()),
              expected ? messages::UpdatedItemTooLarge() : messages::ConditionFailed())
        << seed << ": " << random.text;
    ++(expected ? too_large : fitting);
  }
  EXPECT_GT(too_large, 50);
  EXPECT_GT(fitting, 50);
}

}  // namespace
}  // namespace dynolith
