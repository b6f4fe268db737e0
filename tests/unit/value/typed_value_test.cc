// A user of the C++ face reads attributes as C++ types. What is absent, of another type or does not
// fit must be told apart, and a number must never be changed on its way without a word.
#include "engine/value/typed_value.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/value/item.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

Item Song() {
  return {{"artist", Value::S("Ray")},
          {"blob", Value::B(std::string_view("\0\xff", 2))},
          {"flags", Value::SS({"new", "live"})},
          {"live", Value::Bool(true)},
          {"none", Value::Null()},
          {"plays", Value::N(70)},
          {"scores", Value::L({Value::N(3), Value::N(1)})},
          {"mixed", Value::L({Value::N(3), Value::S("x")})},
          {"studio", Value::M(Item{{"city", Value::S("Paris")}})},
          {"years", Value::NS({Number::FromInt64(1999), Number::FromInt64(-4)})}};
}

Value N(const std::string& text) { return *Value::ParseN(text); }

template <typename T>
absl::Status GetFailure(const Item& item, std::string_view name) {
  return item.Get<T>(name).status();
}

TEST(TypedValueTest, EveryTypeIsRead) {
  const Item song = Song();
  EXPECT_EQ(song.Get<std::string>("artist").value(), "Ray");
  EXPECT_EQ(song.Get<std::string_view>("artist").value(), "Ray");
  EXPECT_EQ(song.Get<int64_t>("plays").value(), 70);
  EXPECT_EQ(song.Get<int>("plays").value(), 70);
  EXPECT_EQ(song.Get<uint8_t>("plays").value(), 70);
  EXPECT_EQ(song.Get<double>("plays").value(), 70.0);
  EXPECT_EQ(song.Get<Number>("plays").value(), Number::FromInt64(70));
  EXPECT_TRUE(song.Get<bool>("live").value());
  EXPECT_EQ(song.Get<std::vector<std::byte>>("blob").value(),
            (std::vector<std::byte>{std::byte{0}, std::byte{0xff}}));
  EXPECT_EQ(song.Get<std::vector<int>>("scores").value(), (std::vector<int>{3, 1}));
  EXPECT_EQ(song.Get<std::vector<int>>("years").value(), (std::vector<int>{-4, 1999}));
  EXPECT_EQ(song.Get<std::vector<std::string>>("flags").value(),
            (std::vector<std::string>{"live", "new"}));
  EXPECT_EQ(song.Get<std::vector<std::string_view>>("flags").value(),
            (std::vector<std::string_view>{"live", "new"}));
  EXPECT_EQ(song.Get<Item>("studio").value(), (Item{{"city", Value::S("Paris")}}));
  EXPECT_EQ(song.Get<ItemView>("studio")->Get<std::string>("city").value(), "Paris");
  EXPECT_EQ(song.Get<ListView>("scores")->size(), 2u);
  EXPECT_EQ(song.Get<SetView>("years")->size(), 2u);
  EXPECT_EQ(song.Get<Value>("none").value(), Value::Null());
  EXPECT_EQ(song.Get<ValueView>("none")->type(), Type::kNull);
}

TEST(TypedValueTest, AbsentAndOfAnotherTypeAreToldApart) {
  const Item song = Song();
  EXPECT_EQ(GetFailure<int>(song, "price"), absl::NotFoundError("there is no attribute price"));
  EXPECT_EQ(GetFailure<int>(song, "artist"),
            absl::InvalidArgumentError("attribute artist: the value is of type S, not N"));
  EXPECT_EQ(GetFailure<std::string>(song, "none"),
            absl::InvalidArgumentError("attribute none: the value is of type NULL, not S"));
  EXPECT_EQ(GetFailure<std::string>(song, "blob"),
            absl::InvalidArgumentError("attribute blob: the value is of type B, not S"));
  EXPECT_EQ(
      GetFailure<SetView>(song, "scores"),
      absl::InvalidArgumentError("attribute scores: the value is of type L, not SS, NS or BS"));
  EXPECT_EQ(
      GetFailure<std::vector<int>>(song, "mixed"),
      absl::InvalidArgumentError("attribute mixed: element 1: the value is of type S, not N"));
  EXPECT_EQ(
      GetFailure<std::vector<int>>(song, "flags"),
      absl::InvalidArgumentError("attribute flags: element 0: the value is of type S, not N"));
  EXPECT_EQ(GetFailure<std::vector<std::string_view>>(song, "years"),
            absl::InvalidArgumentError("attribute years: the value is of type NS, not SS"));
}

TEST(TypedValueTest, AbsenceOfWhatIsOptionalIsNoError) {
  const Item song = Song();
  EXPECT_EQ(song.Get<std::optional<int>>("price").value(), std::nullopt);
  EXPECT_EQ(song.Get<std::optional<int>>("plays").value(), 70);
  EXPECT_TRUE(absl::IsInvalidArgument(GetFailure<std::optional<int>>(song, "artist")));
}

TEST(TypedValueTest, NumbersFitOrSaySo) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr uint64_t kGreatest = std::numeric_limits<uint64_t>::max();
  const Item item = {{"least", Value::N(kLeast)},
                     {"greatest", N(std::to_string(kGreatest))},
                     {"beyond", N("18446744073709551616")},
                     {"third", N("0.333")},
                     {"minus", N("-1")},
                     {"huge", N("9e125")},
                     {"tiny", N("-1e-130")}};
  EXPECT_EQ(item.Get<int64_t>("least").value(), kLeast);
  EXPECT_EQ(item.Get<uint64_t>("greatest").value(), kGreatest);
  EXPECT_EQ(item.Get<int8_t>("minus").value(), -1);
  EXPECT_EQ(GetFailure<int64_t>(item, "third"),
            absl::OutOfRangeError("attribute third: the number 0.333 is no integer from "
                                  "-9223372036854775808 to 9223372036854775807"));
  EXPECT_EQ(GetFailure<uint8_t>(item, "minus"),
            absl::OutOfRangeError("attribute minus: the number -1 is no integer from 0 to 255"));
  EXPECT_TRUE(absl::IsOutOfRange(GetFailure<int32_t>(item, "least")));
  EXPECT_TRUE(absl::IsOutOfRange(GetFailure<int64_t>(item, "greatest")));
  EXPECT_TRUE(absl::IsOutOfRange(GetFailure<uint64_t>(item, "beyond")));
  EXPECT_TRUE(absl::IsOutOfRange(GetFailure<uint64_t>(item, "third")));
  EXPECT_EQ(item.Get<double>("third").value(), 0.333);
  EXPECT_EQ(item.Get<double>("huge").value(), 9e125);
  EXPECT_EQ(item.Get<double>("tiny").value(), -1e-130);
}

TEST(TypedValueTest, ElementsIterate) {
  const Item song = Song();
  std::string names;
  for (const auto& [name, value] : song) names.append(name).append(TypeName(value.type())) += ' ';
  EXPECT_EQ(names,
            "artistS blobB flagsSS liveBOOL mixedL noneNULL playsN scoresL studioM yearsNS ");
  int sum = 0;
  for (const ValueView score : song.Find("scores")->list()) sum += score.As<int>().value();
  EXPECT_EQ(sum, 4);
  std::string flags;
  for (const std::string_view flag : song.Find("flags")->set()) flags += flag;
  EXPECT_EQ(flags, "livenew");
  for (const auto& [name, value] : song.Find("studio")->map()) EXPECT_EQ(value.string(), "Paris");
  for (const auto& attribute : Item()) FAIL() << attribute.name;
  static_assert(std::forward_iterator<ItemView::Iterator>);
  static_assert(std::forward_iterator<ListView::Iterator>);
  static_assert(std::forward_iterator<SetView::Iterator>);
}

// A view of a temporary item would dangle.
template <typename T, typename Owner>
concept CanGet = requires(Owner&& item) {
  std::forward<Owner>(item).template Get<T>("a");
};
static_assert(CanGet<std::string, Item> && CanGet<std::vector<int>, Item>);
static_assert(CanGet<std::string_view, const Item&> && !CanGet<std::string_view, Item>);
static_assert(!CanGet<ItemView, Item> && !CanGet<std::optional<ItemView>, Item>);
static_assert(!CanGet<std::vector<std::string_view>, Item>);

}  // namespace
}  // namespace dynolith
