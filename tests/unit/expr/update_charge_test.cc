// What an update is charged by its text (api/facts/values.md §7): each part alone, then together.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

size_t ChargeOf(std::string_view text) {
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
    EXPECT_EQ(ChargeOf(text), bytes) << text;
  }
}

TEST(UpdateCharge, OfSeveralActions) {
  // A value that stands twice counts twice.
  EXPECT_EQ(ChargeOf("SET a = :map, b = :map"), 3 + 2 * (19 + 1 + 7u));
  EXPECT_EQ(ChargeOf("SET a = :s REMOVE b, cd ADD e :n DELETE f :ss"),
            3 + (19 + 1 + 1) + (1 + 1) + (1 + 2) + (19 + 1 + 2) + (1 + 1 + 2u));
}

}  // namespace
}  // namespace dynolith
