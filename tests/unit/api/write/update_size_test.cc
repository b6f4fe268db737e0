// The rule of sizes that --update-size item and DatabaseOptions::charge_updates choose: the item
// alone counts, behind the condition (api/facts/values.md §7). The other one:
// tests/testdata/update_item/charge.txt.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dynolith/database.h"
#include "engine/base/errors.h"

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

TEST(UpdateSize, IsTheItemsWhereNothingIsCharged) {
  for (const bool charges : {false, true}) {
    const auto database = Database::Open({.in_memory = true, .charge_updates = charges}).value();
    ASSERT_TRUE(database
                    ->CreateTable({.table_name = "ttt",
                                   .attribute_definitions = {{{"pk"}}},
                                   .key_schema = {{{"pk"}}},
                                   .billing_mode = BillingMode::kPayPerRequest})
                    .ok());
    EXPECT_EQ(SizeOutcome(database.get(), 409'577), "OK");
    EXPECT_EQ(SizeOutcome(database.get(), 409'578), charges ? "ValidationException" : "OK");
    EXPECT_EQ(SizeOutcome(database.get(), 409'596), charges ? "ValidationException" : "OK");
    EXPECT_EQ(SizeOutcome(database.get(), 409'597), "ValidationException");
    EXPECT_EQ(SizeOutcome(database.get(), 409'597, "attribute_not_exists(pk)"),
              charges ? "ValidationException" : "ConditionalCheckFailedException");
  }
}

}  // namespace
}  // namespace dynolith
