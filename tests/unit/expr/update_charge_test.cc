// What an update is charged by its text (api/facts/values.md §7): each part alone, then together.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/unit/expr/random_update.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

size_t UpdateCharge(std::string_view text) {
  const SampleRequest request;
  const absl::StatusOr<Update> update = request.ParseUpdate(text);
  EXPECT_TRUE(update.ok()) << text << ": " << update.status();
  return update.ok() ? update->ChargedBytes() : 0;
}

struct ChargeCase {
  std::string_view text;
  size_t bytes;
};

TEST(UpdateCharge, OfEachPart) {
  constexpr size_t kSet = 3 + 19;
  for (const auto& [text, bytes] : {
           ChargeCase{"SET abc = :s", kSet + 3 + 1},
           {"SET abc = :empty", kSet + 3},
           {"SET a = :map", kSet + 1 + (3 + 1 + 1 + 2)},
           // Targets: names by their bytes, indexes by their digits, 4 for each behind the first.
           {"SET a.bc = :s", kSet + 1 + (4 + 2) + 1},
           {"SET a[0] = :s", kSet + 1 + (4 + 1) + 1},
           {"SET a[120].b = :s", kSet + 1 + (4 + 3) + (4 + 1) + 1},
           {"SET #1 = :s", kSet + 5 + 1},
           // Paths as operands: 14 for each element.
           {"SET a = bcd", kSet + 1 + (1 + 14 + 3)},
           {"SET a = bcd.e[12]", kSet + 1 + (1 + 14 + 3 + 14 + 1 + 14 + 2)},
           {"SET a = :n + :m", kSet + 1 + 34 + 2 + 2},
           {"SET a = bc - :n", kSet + 1 + 37 + (1 + 14 + 2) + 2},
           {"SET a = if_not_exists(bc, :s)", kSet + 1 + 39 + (1 + 14 + 2) + 1},
           {"SET a = list_append(a, :l)", kSet + 1 + 37 + (1 + 14 + 1) + (3 + 1 + 3)},
           {"SET a = if_not_exists(b, :n) + :m", kSet + 1 + 34 + (39 + (1 + 14 + 1) + 2) + 2},
           {"ADD a :n", kSet + 1 + 2},
           {"ADD abc :ss", kSet + 3 + 2},
           {"REMOVE abc", 3 + 1 + 3},
           {"REMOVE a[10]", 3 + 1 + 1 + 4 + 2},
           {"DELETE abc :ss", 3 + 1 + 3 + 2},
       }) {
    EXPECT_EQ(UpdateCharge(text), bytes) << text;
  }
}

TEST(UpdateCharge, OfSeveralActions) {
  // A value that stands twice counts twice.
  EXPECT_EQ(UpdateCharge("SET a = :map, b = :map"), 3 + 2 * (19 + 1 + 7u));
  EXPECT_EQ(UpdateCharge("SET a = :s REMOVE b, cd ADD e :n DELETE f :ss"),
            3 + (19 + 1 + 1) + (1 + 1) + (1 + 2) + (19 + 1 + 2) + (1 + 1 + 2u));
}

// A writer leaves out what can exceed no limit (api/write/row_write.cc). Close enough, too: of what
// is not in the item nothing counts but the text and the values.
TEST(UpdateCharge, NothingExceedsItsBound) {
  int applied = 0;
  for (uint32_t seed = 0; seed < 2'000; ++seed) {
    const RandomUpdate random(seed);
    Placeholders placeholders(nullptr, &random.values);
    const absl::StatusOr<Update> update = Update::Parse(random.text, &placeholders);
    ASSERT_TRUE(update.ok()) << random.text << ": " << update.status();
    const size_t bound = update->BytesAtMost(random.item.view());
    EXPECT_LE(update->ChargedBytes(), bound) << seed << ": " << random.text;
    const absl::StatusOr<Item> updated = update->Apply(random.item.view(), true);
    if (!updated.ok()) continue;
    ++applied;
    EXPECT_LE(BilledBytes(updated->view()), bound) << seed << ": " << random.text;
  }
  EXPECT_GT(applied, 1'000);
}

TEST(UpdateCharge, TheBoundIsOfBytesNotOfWork) {
  const SampleRequest request;
  const Item large = {{"a", Value::S(std::string(300'000, 'a'))}};
  const size_t bytes = large.view().bytes().size();
  EXPECT_EQ(request.ParseUpdate("SET b = :s")->BytesAtMost(large.view()), bytes + 3 + 19 + 1 + 2);
  EXPECT_EQ(request.ParseUpdate("REMOVE b")->BytesAtMost(large.view()), bytes + 3 + 1 + 1);
  EXPECT_GT(request.ParseUpdate("SET b = a")->BytesAtMost(large.view()), 2 * bytes);
}

}  // namespace
}  // namespace dynolith
