// When an item expires, and which row says so.
#include "engine/ttl/expiry.h"

#include <limits>

#include "engine/value/item.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

std::optional<int64_t> ExpirySeconds(std::string_view number) {
  const Item item{{"pk", Value::S("a")}, {"ttl", Value::ParseN(number).value()}};
  return ExpirySeconds(item.view(), "ttl");
}

TEST(ExpirySecondsTest, IsTheFirstWholeSecondThatIsNotBefore) {
  EXPECT_EQ(ExpirySeconds("1800000000"), 1'800'000'000);
  EXPECT_EQ(ExpirySeconds("1800000000.000001"), 1'800'000'001);
  EXPECT_EQ(ExpirySeconds("0"), 0);
  EXPECT_EQ(ExpirySeconds("0.5"), 1);
  EXPECT_EQ(ExpirySeconds("1E-100"), 1);
  EXPECT_EQ(ExpirySeconds("-0.5"), 0);
  EXPECT_EQ(ExpirySeconds("-12"), -12);
  EXPECT_EQ(ExpirySeconds("-12.5"), -12);
  EXPECT_EQ(ExpirySeconds("9223372036854775807"), std::numeric_limits<int64_t>::max());
}

TEST(ExpirySecondsTest, NumbersBeyondTimeAndOtherTypesNeverExpire) {
  EXPECT_EQ(ExpirySeconds("1E+30"), std::nullopt);
  EXPECT_EQ(ExpirySeconds("-1E+30"), std::nullopt);
  EXPECT_EQ(ExpirySeconds("12345678901234567890.5"), std::nullopt);
  const Item text{{"ttl", Value::S("1800000000")}};
  EXPECT_EQ(ExpirySeconds(text.view(), "ttl"), std::nullopt);
  EXPECT_EQ(ExpirySeconds(text.view(), "other"), std::nullopt);
}

TEST(IsExpiredTest, FromItsSecondOnAndForFiveYears) {
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000) + absl::Milliseconds(1);
  constexpr int64_t kFiveYears = int64_t{5} * 365 * 24 * 3600;
  EXPECT_TRUE(IsExpired(1'800'000'000, now));
  EXPECT_FALSE(IsExpired(1'800'000'001, now));
  EXPECT_TRUE(IsExpired(1'800'000'000 - kFiveYears, now));
  EXPECT_FALSE(IsExpired(1'800'000'000 - kFiveYears - 1, now));
}

TEST(ExpiryKeyTest, OrdersByTimeThenByRow) {
  const std::vector<int64_t> times = {std::numeric_limits<int64_t>::min(), -1, 0, 255, 256,
                                      std::numeric_limits<int64_t>::max()};
  std::string last;
  for (const int64_t seconds : times) {
    for (const std::string_view row : {"0000a", "0001b"}) {
      const std::string key = ExpiryKey(seconds, row);
      EXPECT_LT(last, key);
      last = key;
      const auto parts = ParseExpiryKey(key);
      ASSERT_TRUE(parts);
      EXPECT_EQ(parts->seconds, seconds);
      EXPECT_EQ(parts->row_key, row);
    }
  }
  EXPECT_FALSE(ParseExpiryKey(last.substr(0, 11)));
}

class MaintainExpiryTest : public ::testing::Test {
 protected:
  MaintainExpiryTest() { meta_.time_to_live = {true, "ttl", std::nullopt}; }

  static Item At(int64_t seconds) {
    return Item{{"pk", Value::S("a")}, {"ttl", Value::N(seconds)}};
  }
  // "-5 +7": which rows go and come.
  std::string Rows(const std::optional<Item>& before, const std::optional<Item>& after) {
    const auto old_view = before ? std::make_optional(before->view()) : std::nullopt;
    const auto new_view = after ? std::make_optional(after->view()) : std::nullopt;
    WriteBatch batch;
    put_ = MaintainExpiry(meta_, "0000a", old_view ? &*old_view : nullptr,
                          new_view ? &*new_view : nullptr, &batch);
    std::string rows;
    batch.ForEach([&rows](const WriteBatch::Change& change) {
      EXPECT_EQ(change.family, Family::kExpiry);
      rows += change.operation == WriteBatch::Operation::kPut ? " +" : " -";
      rows += std::to_string(ParseExpiryKey(change.key)->seconds);
    });
    return rows;
  }

  TableMeta meta_;
  std::optional<int64_t> put_;
};

TEST_F(MaintainExpiryTest, TheRowFollowsTheItem) {
  EXPECT_EQ(Rows(std::nullopt, At(7)), " +7");
  EXPECT_EQ(put_, 7);
  EXPECT_EQ(Rows(At(5), At(7)), " -5 +7");
  EXPECT_EQ(Rows(At(5), At(5)), "");
  EXPECT_EQ(put_, std::nullopt);
  EXPECT_EQ(Rows(At(5), std::nullopt), " -5");
  EXPECT_EQ(Rows(At(5), Item{{"ttl", Value::S("7")}}), " -5");
  EXPECT_EQ(Rows(Item{}, Item{}), "");
}

TEST_F(MaintainExpiryTest, NothingWithoutTimeToLive) {
  meta_.time_to_live.enabled = false;
  EXPECT_EQ(Rows(At(5), At(7)), "");
}

}  // namespace
}  // namespace dynolith
