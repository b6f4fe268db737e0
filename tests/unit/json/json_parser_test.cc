// What becomes of a parser that gets no memory.
#include "api/json/json_parser.h"

#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <string>

#include "simdjson.h"
#include "tests/unit/allocation_counter.h"

namespace dynolith {
namespace {

std::string MakeList(int elements) {
  std::string text = "[0";
  for (int i = 1; i < elements; ++i) text.append(", 1");
  return text.append("]");
}

// Why: such texts were "not JSON", and the next one was written past the end of the old memory.
TEST(JsonParser, WithoutMemoryNothingIsSaidOfTheText) {
  const std::string large = MakeList(100'000), medium = MakeList(50'000), small = MakeList(3);
  int allocations = 0;
  for (bool has_room = false; !has_room; ++allocations) {
    JsonParser parser;
    ASSERT_TRUE(parser.Parse(small));
    thread_allocations_left = allocations;
    try {
      has_room = parser.Parse(large).has_value();
      thread_allocations_left = -1;
      EXPECT_TRUE(has_room) << "with " << allocations << " allocations";
    } catch (const std::bad_alloc&) {
      thread_allocations_left = -1;
    }
    const std::optional<JsonValue> next = parser.Parse(medium);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->get_array().value_unsafe().size(), 50'000u);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(allocations, 3);
}

}  // namespace
}  // namespace dynolith
