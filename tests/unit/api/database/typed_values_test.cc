// Values go both ways between C++ and items, or say why not.
#include "dynolith/typed_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dynolith {
namespace {

using ::testing::HasSubstr;

// The value's type, after it has been read back as what it was.
template <typename T>
Type TypeOf(const T& value) {
  const absl::StatusOr<Value> written = ToValue(value);
  EXPECT_TRUE(written.ok()) << written.status();
  if (!written.ok()) return Type::kNull;
  const absl::StatusOr<T> read = written->view().template As<T>();
  EXPECT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read.ok() && *read == value);
  return written->type();
}

template <typename T>
std::string Failure(const T& value) {
  return std::string(ToValue(value).status().message());
}

TEST(TypedValuesTest, EveryTypeReadsBack) {
  EXPECT_EQ(TypeOf(true), Type::kBool);
  EXPECT_EQ(TypeOf(std::string("\xc3\xa9")), Type::kString);
  EXPECT_EQ(TypeOf(std::vector<std::byte>{std::byte{0}, std::byte{200}}), Type::kBinary);
  EXPECT_EQ(TypeOf(std::numeric_limits<int64_t>::min()), Type::kNumber);
  EXPECT_EQ(TypeOf(std::numeric_limits<uint64_t>::max()), Type::kNumber);
  EXPECT_EQ(TypeOf(int8_t{-128}), Type::kNumber);
  EXPECT_EQ(TypeOf(0.1), Type::kNumber);
  EXPECT_EQ(TypeOf(-1e-100), Type::kNumber);
  EXPECT_EQ(TypeOf(std::numeric_limits<float>::max()), Type::kNumber);
  EXPECT_EQ(TypeOf(*Number::Parse("1.5")), Type::kNumber);
  EXPECT_EQ(TypeOf(std::set<std::string>{"b", "a"}), Type::kStringSet);
  EXPECT_EQ(TypeOf(std::set<int>{3, -1, 20}), Type::kNumberSet);
  EXPECT_EQ(TypeOf(std::set<double>{0.5, -1e10}), Type::kNumberSet);
  EXPECT_EQ(TypeOf(std::set<std::vector<std::byte>>{{std::byte{1}}, {}}), Type::kBinarySet);
  EXPECT_EQ(TypeOf(std::vector<std::vector<int>>{{1}, {}, {2, 3}}), Type::kList);
  EXPECT_EQ(TypeOf(std::map<std::string, std::vector<bool>>{{"a", {}}}), Type::kMap);
  EXPECT_EQ(TypeOf(std::optional<int>(7)), Type::kNumber);
  EXPECT_EQ(TypeOf(Item{{"a", Value::N(1)}}), Type::kMap);
  EXPECT_EQ(TypeOf(Value::Null()), Type::kNull);
}

TEST(TypedValuesTest, WhatIsAbsentInAMapIsLeftOut) {
  const std::map<std::string, std::optional<int>> some = {{"a", 1}, {"b", std::nullopt}};
  EXPECT_EQ(ToValue(some).value(), Value::M(Item{{"a", Value::N(1)}}));
}

TEST(TypedValuesTest, ErrorsNameThePlace) {
  EXPECT_THAT(Failure(std::optional<int>()), HasSubstr("has no attribute value"));
  EXPECT_THAT(Failure(std::set<int>()), HasSubstr("has no attribute value"));
  EXPECT_THAT(Failure(std::vector<std::optional<int>>{1, std::nullopt}), HasSubstr("element 1: "));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(Failure(std::map<std::string, double>{{"a", infinity}}), HasSubstr("attribute a: "));
  EXPECT_FALSE(ToValue(1e200).ok());
  EXPECT_FALSE(ToValue(std::set<double>{infinity}).ok());
}

TEST(TypedValuesTest, OtherTypesAreNotRead) {
  const auto code = [](const Value& value, auto as) {
    return value.view().As<decltype(as)>().status().code();
  };
  EXPECT_EQ(code(*Value::ParseN("1e100"), float()), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(code(Value::S("1"), float()), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Value::L({Value::N(1)}), std::set<int>()), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Value::SS({"a"}), std::set<int>()), absl::StatusCode::kInvalidArgument);
  const Value map = Value::M(Item{{"a", Value::S("x")}});
  const auto read = map.view().As<std::map<std::string, int>>();
  EXPECT_THAT(std::string(read.status().message()), HasSubstr("attribute a: "));
}

}  // namespace
}  // namespace dynolith
