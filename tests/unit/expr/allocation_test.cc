// A condition and a projection run once per row of a page, so neither may allocate for each row;
// and a text that is known is not parsed again.
#include <string>
#include <string_view>

#include "engine/expr/text_cache.h"
#include "gtest/gtest.h"
#include "tests/unit/allocation_counter.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

TEST(ConditionAllocations, EvaluationAllocatesNothing) {
  const SampleRequest request;
  const Item item = {{"a", Value::S("a text that is longer than any short string's buffer")},
                     {"l1", Value::L({Value::N(1), Value::M({{"k", Value::N(2)}})})},
                     {"ss1", Value::SS({"p", "q", "r"})}};
  for (const std::string_view text :
       {"a = :s OR NOT l1[1].k BETWEEN :m AND :n5 OR contains(ss1, :t) OR size(ss1) > :n5",
        "begins_with(a, :s) OR contains(a, :t) AND a IN (:s, :t, l1[0]) OR l1[1] = :map",
        "attribute_exists(b.c.d) OR attribute_type(a, :type_s) AND attribute_not_exists(z)"}) {
    const auto condition = request.ParseCondition(text);
    ASSERT_TRUE(condition.ok()) << condition.status();
    const int before = thread_allocations;
    condition->Matches(item.view());
    condition->Matches(ItemView());
    EXPECT_EQ(thread_allocations, before) << text;
  }
  const int before = thread_allocations;
  const Item copy = item;
  EXPECT_GT(thread_allocations, before) << "the counter does not count";
}

TEST(ProjectionAllocations, ApplyAllocatesNothingAfterTheFirstItem) {
  const SampleRequest request;
  const std::string_view long_text = "a text that is longer than any short string's buffer";
  const Item item = {{"a", Value::S(long_text)},
                     {"b", Value::S(long_text)},
                     {"l1", Value::L({Value::N(1), Value::M({{"k", Value::S(long_text)}})})}};
  for (const std::string_view text : {"b, a", "l1[1].k, b", "absent, l1[7]"}) {
    const auto projection = request.ParseProjection(text);
    ASSERT_TRUE(projection.ok()) << projection.status();
    ItemBuilder builder;
    const auto apply = [&] {
      projection->Apply(item.view(), &builder);
      return builder.FinishItemView().size();
    };
    const size_t size = apply();
    const int before = thread_allocations;
    const size_t again = apply();
    EXPECT_EQ(thread_allocations, before) << text;
    EXPECT_EQ(again, size);
  }
}

TEST(TextCacheAllocations, AKnownTextCostsFewAllocations) {
  const SampleRequest request;
  const auto allocations = [&](const std::string& text) {
    Placeholders placeholders = request.placeholders();
    const int before = thread_allocations;
    EXPECT_TRUE(Condition::Parse(text, ExpressionKind::kCondition, &placeholders).ok());
    return thread_allocations - before;
  };
  const std::string text = "attribute_exists(known) AND (b = :s OR c BETWEEN :m AND :n5)";
  EXPECT_GT(allocations(text), 5);
  EXPECT_LE(allocations(text), 1);
  // A text that is too long for the cache is parsed each time.
  std::string longer = text;
  while (longer.size() <= TextCache<int>::kTextBytesMax) longer += " AND a = :s";
  EXPECT_GT(allocations(longer), 5);
  EXPECT_GT(allocations(longer), 5);
}

}  // namespace
}  // namespace dynolith
