// A condition runs once per row of a page, so evaluating one must not allocate. This program's
// operator new counts.
#include <cstdlib>
#include <new>
#include <string_view>

#include "gtest/gtest.h"
#include "tests/unit/expr/sample_request.h"

namespace {
thread_local int allocations = 0;
}  // namespace

// Inlined, new would pair with free in the compiler's eyes.
[[gnu::noinline]] void* operator new(size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
// What std::stable_sort asks for; a sanitizer's own would not pair with the free below.
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

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
    const int before = allocations;
    condition->Matches(item.view());
    condition->Matches(ItemView());
    EXPECT_EQ(allocations, before) << text;
  }
  const int before = allocations;
  const Item copy = item;
  EXPECT_GT(allocations, before) << "the counter does not count";
}

}  // namespace
}  // namespace dynolith
