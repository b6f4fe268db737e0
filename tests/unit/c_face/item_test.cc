// Items as bytes through the C face: what is built is what engine/value builds, what is read is
// what is there, and bytes that are no item never come further than the check.
#include "engine/value/item.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dynolith/dynolith.h"

namespace dynolith {
namespace {

// "InvalidArgument: ...", or nothing. Frees it.
std::string TakeErrorText(dynolith_error* error) {
  if (error == nullptr) return "";
  const std::string text =
      std::string(dynolith_error_kind(error)) + ": " + dynolith_error_message(error);
  dynolith_error_free(error);
  return text;
}

class CItem : public ::testing::Test {
 protected:
  CItem() : builder_(dynolith_builder_new()) {}
  ~CItem() override { dynolith_builder_free(builder_); }

  void Key(std::string_view name) { dynolith_builder_key(builder_, name.data(), name.size()); }
  void String(std::string_view text) {
    dynolith_builder_string(builder_, text.data(), text.size());
  }
  void Numeral(std::string_view text) {
    dynolith_builder_number(builder_, text.data(), text.size());
  }
  std::string Fault() { return TakeErrorText(dynolith_builder_finish(builder_, &item_)); }
  Item Built() {
    EXPECT_EQ(Fault(), "");
    return Item::FromBytes(std::string(item_.data, item_.size));
  }

  // An item with every type, and what engine/value makes of it.
  void BuildAll() {
    Key("zero"), dynolith_builder_null(builder_);
    Key("yes"), dynolith_builder_bool(builder_, 7);
    Key("s"), String("text");
    Key("b"), dynolith_builder_binary(builder_, "\0\xff", 2);
    Key("n"), Numeral("-12.50");
    Key("i"), dynolith_builder_int64(builder_, std::numeric_limits<int64_t>::min());
    Key("d"), dynolith_builder_double(builder_, 0.1);
    Key("l"), dynolith_builder_begin_list(builder_);
    String("a"), dynolith_builder_begin_map(builder_), Key("k"), Numeral("1");
    dynolith_builder_end(builder_), dynolith_builder_end(builder_);
    Key("ns"), dynolith_builder_begin_set(builder_, DYNOLITH_NUMBER_SET);
    Numeral("3"), dynolith_builder_int64(builder_, -2), dynolith_builder_end(builder_);
    Key("ss"), dynolith_builder_begin_set(builder_, DYNOLITH_STRING_SET);
    String("y"), String("x"), dynolith_builder_end(builder_);
    Key("bs"), dynolith_builder_begin_set(builder_, DYNOLITH_BINARY_SET);
    dynolith_builder_binary(builder_, "z", 1), dynolith_builder_end(builder_);
  }
  static Item All() {
    return {{"zero", Value::Null()},
            {"yes", Value::Bool(true)},
            {"s", Value::S("text")},
            {"b", Value::B(std::string_view("\0\xff", 2))},
            {"n", *Value::ParseN("-12.5")},
            {"i", Value::N(std::numeric_limits<int64_t>::min())},
            {"d", *Value::ParseN("0.1")},
            {"l", Value::L({Value::S("a"), Value::M({{"k", Value::N(1)}})})},
            {"ns", Value::NS({Number::FromInt64(-2), Number::FromInt64(3)})},
            {"ss", Value::SS({"x", "y"})},
            {"bs", Value::BS({"z"})}};
  }

  dynolith_builder* const builder_;
  dynolith_item item_ = {nullptr, 0};
};

dynolith_value Attribute(const dynolith_item& item, std::string_view name) {
  dynolith_value value = {nullptr, 0};
  EXPECT_EQ(dynolith_item_find(&item, name.data(), name.size(), &value), 1) << name;
  return value;
}

std::string Text(const dynolith_bytes& bytes) { return {bytes.data, bytes.size}; }

TEST_F(CItem, BuildsWhatTheEngineBuilds) {
  EXPECT_EQ(Built(), Item());
  for (int round = 0; round < 2; ++round) {
    BuildAll();
    EXPECT_EQ(Built(), All());
  }
  // Copies, and the later of two equal names.
  const Item all = All();
  for (const auto& [name, value] : all) {
    Key(name), String("earlier");
    Key(name);
    const dynolith_value copied = {value.bytes().data(), value.bytes().size()};
    dynolith_builder_value(builder_, &copied);
  }
  EXPECT_EQ(Built(), all);
}

TEST_F(CItem, BuildersFaultsAreToldInTheEnd) {
  const auto faults = [&](auto steps) {
    steps();
    const std::string fault = Fault();
    EXPECT_EQ(item_.data, nullptr);
    // The next item is not concerned.
    EXPECT_EQ(Built(), Item());
    return fault.substr(0, fault.find(':'));
  };
  EXPECT_EQ(faults([&] { String("a"); }), "InvalidArgument");
  EXPECT_EQ(faults([&] { Key("a"); }), "InvalidArgument");
  EXPECT_EQ(faults([&] { Key("a"), Key("b"); }), "InvalidArgument");
  EXPECT_EQ(faults([&] { dynolith_builder_end(builder_); }), "InvalidArgument");
  EXPECT_EQ(faults([&] { Key("a"), dynolith_builder_begin_list(builder_); }), "InvalidArgument");
  EXPECT_EQ(faults([&] { Key("a"), dynolith_builder_begin_list(builder_), Key("b"); }),
            "InvalidArgument");
  EXPECT_EQ(faults([&] { Key("a"), dynolith_builder_begin_set(builder_, DYNOLITH_LIST); }),
            "InvalidArgument");
  EXPECT_EQ(faults([&] { Key("a"), dynolith_builder_begin_set(builder_, 99); }), "InvalidArgument");
  EXPECT_EQ(faults([&] { Key("a"), dynolith_builder_begin_set(builder_, DYNOLITH_STRING_SET); }),
            "InvalidArgument");
  EXPECT_EQ(faults([&] {
              Key("a"), dynolith_builder_begin_set(builder_, DYNOLITH_STRING_SET), Numeral("1");
            }),
            "InvalidArgument");
  EXPECT_EQ(faults([&] { Key("a"), Numeral("one"); }), "ValidationException");
  EXPECT_EQ(faults([&] { Key("a"), dynolith_builder_double(builder_, NAN); }),
            "ValidationException");
  EXPECT_EQ(faults([&] { Key("a"), dynolith_builder_double(builder_, 1e300); }),
            "ValidationException");
  EXPECT_EQ(faults([&] {
              Key("a"), dynolith_builder_begin_set(builder_, DYNOLITH_NUMBER_SET);
              dynolith_builder_end(builder_);
            }),
            "ValidationException");
  EXPECT_EQ(faults([&] {
              Key("a"), dynolith_builder_begin_set(builder_, DYNOLITH_BINARY_SET);
              for (int i = 0; i < 2; ++i) dynolith_builder_binary(builder_, "x", 1);
              dynolith_builder_end(builder_);
            }),
            "ValidationException");
  EXPECT_EQ(faults([&] { Key("a"), String(std::string(16'777'217, 'x')); }), "ValidationException");
  EXPECT_EQ(faults([&] {
              Key("a"), dynolith_builder_begin_list(builder_);
              for (int i = 0; i < 600'000; ++i) dynolith_builder_null(builder_);
            }),
            "ValidationException");
}

TEST_F(CItem, ReadsEveryType) {
  const Item all = All();
  const dynolith_item item = {all.bytes().data(), all.bytes().size()};
  ASSERT_EQ(dynolith_item_count(&item), 11u);
  dynolith_bytes bytes;
  dynolith_value value;
  std::string names;
  for (size_t i = 0; dynolith_item_at(&item, i, &bytes, &value); ++i) names += Text(bytes) + " ";
  EXPECT_EQ(names, "b bs d i l n ns s ss yes zero ");
  EXPECT_EQ(dynolith_item_find(&item, "none", 4, &value), 0);

  EXPECT_EQ(dynolith_value_type(&(value = Attribute(item, "zero"))), DYNOLITH_NULL);
  int32_t is_true = 0;
  EXPECT_EQ(dynolith_value_bool(&(value = Attribute(item, "yes")), &is_true), 1);
  EXPECT_EQ(is_true, 1);
  EXPECT_EQ(dynolith_value_string(&(value = Attribute(item, "s")), &bytes), 1);
  EXPECT_EQ(Text(bytes), "text");
  EXPECT_EQ(dynolith_value_binary(&value, &bytes), 0);
  EXPECT_EQ(dynolith_value_binary(&(value = Attribute(item, "b")), &bytes), 1);
  EXPECT_EQ(Text(bytes), std::string("\0\xff", 2));
  int64_t whole = 0;
  double real = 0;
  EXPECT_EQ(dynolith_value_int64(&value, &whole), 0);
  EXPECT_EQ(dynolith_value_int64(&(value = Attribute(item, "i")), &whole), 1);
  EXPECT_EQ(whole, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(dynolith_value_int64(&(value = Attribute(item, "n")), &whole), 0);
  EXPECT_EQ(dynolith_value_double(&value, &real), 1);
  EXPECT_EQ(real, -12.5);
  char text[DYNOLITH_NUMBER_TEXT_MAX];
  EXPECT_EQ(std::string(text, dynolith_value_number(&value, text)), "-12.5");
  EXPECT_EQ(dynolith_value_number(&(value = Attribute(item, "s")), text), 0u);
}

TEST_F(CItem, ReadsListsMapsAndSets) {
  const Item all = All();
  const dynolith_item item = {all.bytes().data(), all.bytes().size()};
  dynolith_value value = Attribute(item, "l");
  dynolith_value element;
  dynolith_bytes bytes;
  EXPECT_EQ(dynolith_value_count(&value), 2u);
  EXPECT_EQ(dynolith_value_element(&value, 2, &element), 0);
  ASSERT_EQ(dynolith_value_element(&value, 1, &element), 1);
  dynolith_item map;
  EXPECT_EQ(dynolith_value_map(&value, &map), 0);
  ASSERT_EQ(dynolith_value_map(&element, &map), 1);
  int64_t whole = 0;
  EXPECT_EQ(dynolith_value_int64(&(value = Attribute(map, "k")), &whole), 1);
  EXPECT_EQ(whole, 1);
  EXPECT_EQ(dynolith_value_count(&value), 0u);

  value = Attribute(item, "ns");
  EXPECT_EQ(dynolith_value_count(&value), 2u);
  EXPECT_EQ(dynolith_value_member(&value, 2, &bytes), 0);
  ASSERT_EQ(dynolith_value_member(&value, 0, &bytes), 1);
  EXPECT_EQ(dynolith_number_int64(&bytes, &whole), 1);
  EXPECT_EQ(whole, -2);
  double real = 0;
  EXPECT_EQ(dynolith_number_double(&bytes, &real), 1);
  EXPECT_EQ(real, -2);
  char text[DYNOLITH_NUMBER_TEXT_MAX];
  EXPECT_EQ(std::string(text, dynolith_number_text(&bytes, text)), "-2");
  value = Attribute(item, "ss");
  ASSERT_EQ(dynolith_value_member(&value, 1, &bytes), 1);
  EXPECT_EQ(Text(bytes), "y");
  // A text is no encoded number, whatever it is handed to.
  EXPECT_EQ(dynolith_number_int64(&bytes, &whole), 0);
  EXPECT_EQ(dynolith_number_text(&bytes, text), 0u);
}

TEST_F(CItem, CheckTakesOnlyItems) {
  const std::string bytes = All().bytes();
  dynolith_item item;
  EXPECT_EQ(TakeErrorText(dynolith_item_check(bytes.data(), bytes.size(), &item)), "");
  EXPECT_EQ(item.data, bytes.data());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    EXPECT_TRUE(TakeErrorText(dynolith_item_check(cut.data(), cut.size(), &item))
                    .starts_with("InvalidArgument: "))
        << size;
  }
  // A flipped bit is refused, or makes another item that all readers can read.
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string flipped = bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << i % 8));
    if (!TakeErrorText(dynolith_item_check(flipped.data(), flipped.size(), &item)).empty())
      continue;
    EXPECT_TRUE(ItemView::Parse(flipped).ok());
  }
}

TEST_F(CItem, CheckLooksAtWhatMayBeStored) {
  const auto check = [](const Item& item) {
    dynolith_item checked;
    return TakeErrorText(dynolith_item_check(item.bytes().data(), item.bytes().size(), &checked));
  };
  EXPECT_EQ(check({{"", Value::Null()}}), "ValidationException: Empty attribute name");
  EXPECT_EQ(check({{"m", Value::M({{"", Value::Null()}})}}),
            "ValidationException: Empty attribute name");
  for (const Item& item : {Item{{"\xff", Value::Null()}}, Item{{"s", Value::S("a\x80")}},
                           Item{{"ss", Value::SS({"\xc0\x80"})}}}) {
    EXPECT_TRUE(check(item).starts_with("InvalidArgument: the text at byte ")) << check(item);
  }
  EXPECT_EQ(check({{"b", Value::B("\xff")}, {"s", Value::S("ä€😀")}}), "");
  Value deep = Value::S("x");
  for (int level = 0; level < 31; ++level) deep = Value::L({deep});
  EXPECT_EQ(check({{"l", deep}}), "");
  EXPECT_TRUE(check({{"l", Value::L({deep})}}).starts_with("ValidationException: Nesting Levels"));
}

}  // namespace
}  // namespace dynolith
