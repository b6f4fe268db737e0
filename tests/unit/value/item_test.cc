// Items are read in place and compared bytewise, so everything rests on their one canonical form:
// whatever builds them must agree, and Parse must refuse every other form.
#include "engine/value/item.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "engine/base/errors.h"
#include "engine/value/dissect.h"
#include "engine/value/messages.h"
#include "engine/value/set_members.h"
#include "gtest/gtest.h"

namespace {
// Allocations of this program so far.
size_t allocations = 0;
}  // namespace

// Not inlined: g++ would see a free() of what a new returned, and warn.
__attribute__((noinline)) void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace dynolith {
namespace {

constexpr uint32_t kSeed = 20260823;

// A dull tree of values, the model of what is encoded.
struct Tree {
  Type type = Type::kNull;
  std::string scalar;  // BOOL "0"/"1", N text, S, B
  std::vector<std::string> members;
  std::vector<Tree> elements;
  struct Attribute;
  std::vector<Attribute> attributes;  // in order of arrival, names may repeat
};

struct Tree::Attribute {
  std::string name;
  Tree value;
};

size_t Below(std::mt19937* random, size_t bound) { return (*random)() % bound; }

std::string RandomText(std::mt19937* random) {
  // Names of more than eight equal bytes look past the builder's prefixes.
  constexpr std::string_view kAlphabet("ab\0\xff", 4);
  std::string text(Below(random, 3) == 0 ? "longprefix" : "");
  for (size_t size = Below(random, 5); size > 0; --size) {
    text.push_back(kAlphabet[Below(random, kAlphabet.size())]);
  }
  return text;
}

std::string RandomNumber(std::mt19937* random) {
  return std::to_string(static_cast<int>(Below(random, 4000)) - 2000) + "." +
         std::to_string(Below(random, 100));
}

Tree RandomTree(std::mt19937* random, int depth) {
  Tree tree;
  const size_t kinds = depth == 0 ? 8 : 12;
  switch (Below(random, kinds)) {
    case 0:
      break;
    case 1:
      tree.type = Type::kBool;
      tree.scalar = Below(random, 2) == 0 ? "0" : "1";
      break;
    case 2:
    case 3:
      tree.type = Type::kNumber;
      tree.scalar = RandomNumber(random);
      break;
    case 4:
    case 5:
      tree.type = Below(random, 2) == 0 ? Type::kString : Type::kBinary;
      tree.scalar = RandomText(random);
      if (Below(random, 20) == 0) tree.scalar.append(Below(random, 70'000), 'x');
      break;
    case 6:
      tree.type = Below(random, 2) == 0 ? Type::kStringSet : Type::kBinarySet;
      for (size_t i = 0; i <= Below(random, 6); ++i) tree.members.push_back(RandomText(random));
      break;
    case 7:
      tree.type = Type::kNumberSet;
      for (size_t i = 0; i <= Below(random, 6); ++i) tree.members.push_back(RandomNumber(random));
      break;
    case 8:
    case 9:
      tree.type = Type::kList;
      for (size_t i = Below(random, 5); i > 0; --i) {
        tree.elements.push_back(RandomTree(random, depth - 1));
      }
      break;
    default:
      tree.type = Type::kMap;
      for (size_t i = Below(random, Below(random, 10) == 0 ? 60 : 6); i > 0; --i) {
        tree.attributes.push_back({RandomText(random), RandomTree(random, depth - 1)});
      }
  }
  return tree;
}

Tree RandomMap(std::mt19937* random, int depth) {
  Tree tree;
  do {
    tree = RandomTree(random, depth);
  } while (tree.type != Type::kMap);
  return tree;
}

std::vector<Number> Numbers(const std::vector<std::string>& texts) {
  std::vector<Number> numbers;
  for (const std::string& text : texts) numbers.push_back(*Number::Parse(text));
  return numbers;
}

// The value by the constructors of Value.
Value ByValues(const Tree& tree);

Item ItemByValues(const Tree& tree) {
  Item item;
  for (const auto& [name, child] : tree.attributes) item.Set(name, ByValues(child));
  return item;
}

Value ByValues(const Tree& tree) {
  switch (tree.type) {
    case Type::kNull:
      return Value();
    case Type::kBool:
      return Value::Bool(tree.scalar == "1");
    case Type::kNumber:
      return *Value::ParseN(tree.scalar);
    case Type::kString:
      return Value::S(tree.scalar);
    case Type::kBinary:
      return Value::B(tree.scalar);
    case Type::kStringSet:
      return Value::SS(tree.members);
    case Type::kBinarySet:
      return Value::BS(tree.members);
    case Type::kNumberSet:
      return Value::NS(Numbers(tree.members));
    case Type::kMap:
      return Value::M(ItemByValues(tree));
    case Type::kList:
      break;
  }
  std::vector<Value> elements;
  for (const Tree& element : tree.elements) elements.push_back(ByValues(element));
  return Value::L(elements);
}

// The same value by the events of a reader.
void Feed(const Tree& tree, ItemBuilder* builder) {
  switch (tree.type) {
    case Type::kNull:
      return builder->Null();
    case Type::kBool:
      return builder->Bool(tree.scalar == "1");
    case Type::kNumber:
      ASSERT_TRUE(builder->NumberText(tree.scalar).ok());
      return;
    case Type::kString:
      return builder->String(tree.scalar);
    case Type::kBinary:
      return builder->Binary(tree.scalar);
    case Type::kStringSet:
    case Type::kBinarySet:
    case Type::kNumberSet: {
      const Value value = ByValues(tree);
      const SetView set = value.view().set();
      std::vector<std::string_view> members;
      for (size_t i = set.size(); i > 0; --i) members.push_back(set[i - 1]);
      return builder->Set(tree.type, members);
    }
    case Type::kList:
      builder->BeginList();
      for (const Tree& element : tree.elements) Feed(element, builder);
      return builder->EndList();
    case Type::kMap:
      builder->BeginMap();
      for (const auto& [name, child] : tree.attributes) {
        builder->Key(name);
        Feed(child, builder);
      }
      return builder->EndMap();
  }
}

size_t Billed(const Tree& tree, bool is_item) {
  size_t bytes = 0;
  const auto number_bytes = [](const Number& number) {
    return NumberBilledBytes(number.Encode().view());
  };
  switch (tree.type) {
    case Type::kNull:
    case Type::kBool:
      return 1;
    case Type::kNumber:
      return number_bytes(*Number::Parse(tree.scalar));
    case Type::kString:
    case Type::kBinary:
      return tree.scalar.size();
    case Type::kStringSet:
    case Type::kBinarySet: {
      std::map<std::string, bool> distinct;
      for (const std::string& member : tree.members) distinct[member] = true;
      for (const auto& [member, unused] : distinct) bytes += member.size();
      return bytes;
    }
    case Type::kNumberSet: {
      std::map<std::string, size_t> distinct;
      for (const Number& number : Numbers(tree.members)) {
        distinct[number.ToString()] = number_bytes(number);
      }
      for (const auto& [text, size] : distinct) bytes += size;
      return bytes;
    }
    case Type::kList:
      bytes = 3;
      for (const Tree& element : tree.elements) bytes += 1 + Billed(element, false);
      return bytes;
    case Type::kMap:
      break;
  }
  std::map<std::string, const Tree*> last;
  for (const auto& [name, child] : tree.attributes) last[name] = &child;
  bytes = is_item ? 0 : 3;
  for (const auto& [name, child] : last) {
    bytes += (is_item ? 0 : 1) + name.size() + Billed(*child, false);
  }
  return bytes;
}

TEST(ItemTest, BuilderAndValuesAgreeAndParse) {
  std::mt19937 random(kSeed);
  ItemBuilder builder;
  for (int round = 0; round < 1500; ++round) {
    const Tree tree = RandomTree(&random, 4);
    Feed(tree, &builder);
    const Value built = builder.FinishValue();
    ASSERT_EQ(built, ByValues(tree)) << DebugString(built.view()) << " seed " << kSeed;
    const auto parsed = ValueView::Parse(built.bytes());
    ASSERT_TRUE(parsed.ok()) << parsed.status() << DissectValue(built.bytes());
    ASSERT_EQ(BilledBytes(*parsed), Billed(tree, false)) << DebugString(built.view());
    if (tree.type != Type::kMap) continue;
    Feed(tree, &builder);
    const ItemView view = builder.FinishItemView();
    ASSERT_TRUE(ItemView::Parse(view.bytes()).ok());
    ASSERT_EQ(view, built.view().map());
    ASSERT_EQ(BilledBytes(view), Billed(tree, true));
    ASSERT_LE(BilledBytes(view), view.bytes().size()) << DebugString(built.view());
    std::map<std::string, const Tree*> last;
    for (const auto& [name, child] : tree.attributes) last[name] = &child;
    ASSERT_EQ(view.size(), last.size());
    for (const auto& [name, child] : last) {
      ASSERT_TRUE(view.Find(name).has_value());
      const Value expected = ByValues(*child);
      ASSERT_EQ(*view.Find(name), expected.view());
      ASSERT_EQ(view.Find(name + "!"), std::nullopt);
    }
  }
}

TEST(ItemTest, ArrivalOrderDoesNotMatter) {
  std::mt19937 random(kSeed + 1);
  ItemBuilder builder;
  for (int round = 0; round < 300; ++round) {
    Tree tree = RandomMap(&random, 2);
    const Item item = ItemByValues(tree);
    std::map<std::string, Tree> last;
    for (const auto& [name, child] : tree.attributes) last[name] = child;
    tree.attributes.clear();
    for (const auto& [name, child] : last) tree.attributes.push_back({name, child});
    std::shuffle(tree.attributes.begin(), tree.attributes.end(), random);
    Feed(tree, &builder);
    ASSERT_EQ(builder.FinishItem(), item);
  }
}

TEST(ItemTest, SetAndRemoveKeepTheForm) {
  std::mt19937 random(kSeed + 2);
  for (int round = 0; round < 50; ++round) {
    Item item;
    std::map<std::string, Value> model;
    for (int step = 0; step < 40; ++step) {
      const std::string name = RandomText(&random);
      if (Below(&random, 3) == 0) {
        item.Remove(name);
        model.erase(name);
      } else {
        const Value value = ByValues(RandomTree(&random, 1));
        item.Set(name, value);
        model.insert_or_assign(name, value);
      }
      ASSERT_TRUE(ItemView::Parse(item.bytes()).ok());
      ASSERT_EQ(item.size(), model.size());
      for (const auto& [key, value] : model) ASSERT_EQ(*item.Find(key), value.view());
    }
  }
}

// Damage that Parse lets pass must be another well-formed item: nothing reads out of bounds and the
// dissector and Parse agree about it.
void CheckDamaged(const std::string& bytes) {
  const auto parsed = ItemView::Parse(bytes);
  const std::string dissected = DissectItem(bytes);
  ASSERT_EQ(dissected.find("damaged") == std::string::npos, parsed.ok()) << dissected;
  if (!parsed.ok()) {
    ASSERT_EQ(parsed.status().code(), absl::StatusCode::kDataLoss);
    return;
  }
  ItemBuilder builder;
  builder.BeginMap();
  for (size_t i = parsed->size(); i > 0; --i) {
    builder.Key(parsed->name(i - 1));
    builder.Copy(parsed->value(i - 1));
  }
  builder.EndMap();
  ASSERT_EQ(builder.FinishItem().bytes(), bytes);
  ASSERT_FALSE(DebugString(*parsed).empty());
  ASSERT_LE(BilledBytes(*parsed), parsed->bytes().size());
}

TEST(ItemTest, TruncatedItemsAreRefused) {
  std::mt19937 random(kSeed + 3);
  for (int round = 0; round < 100; ++round) {
    const std::string bytes = ItemByValues(RandomMap(&random, 2)).bytes();
    const size_t step = 1 + bytes.size() / 300;
    for (size_t size = 0; size < bytes.size(); size += step) {
      ASSERT_FALSE(ItemView::Parse(std::string_view(bytes).substr(0, size)).ok()) << size;
      CheckDamaged(bytes.substr(0, size));
    }
    ASSERT_FALSE(ItemView::Parse(bytes + '\0').ok());
  }
}

TEST(ItemTest, FlippedBitsAreRefusedOrAreAnotherItem) {
  std::mt19937 random(kSeed + 4);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    const std::string bytes = ItemByValues(RandomMap(&random, 2)).bytes();
    if (bytes.size() > 2000) continue;
    for (int flip = 0; flip < 60; ++flip) {
      std::string flipped = bytes;
      flipped[Below(&random, bytes.size())] ^= static_cast<char>(1 << Below(&random, 8));
      refused += !ItemView::Parse(flipped).ok();
      CheckDamaged(flipped);
    }
  }
  EXPECT_GT(refused, 3000);
}

TEST(ItemTest, ParseNamesTheFault) {
  const auto fault = [](std::string_view bytes) {
    return std::string(MessageOf(ValueView::Parse(bytes).status()));
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(fault(""), messages::Damaged(messages::kDamageNoTag, 0));
  EXPECT_EQ(fault("\x0b"), messages::Damaged(messages::kDamageUnknownTag, 0));
  EXPECT_EQ(fault("\0"sv), messages::Damaged(messages::kDamageUnknownTag, 0));
  EXPECT_EQ(fault("\1x"), messages::Damaged(messages::kDamageNull, 1));
  EXPECT_EQ(fault("\2"), messages::Damaged(messages::kDamageBool, 1));
  EXPECT_EQ(fault("\2\2"), messages::Damaged(messages::kDamageBool, 1));
  EXPECT_EQ(fault("\3\xc1"), messages::Damaged(messages::kDamageNumber, 1));
  EXPECT_EQ(fault("\6"), messages::Damaged(messages::kDamageWidth, 1));
  EXPECT_EQ(fault("\6\3"), messages::Damaged(messages::kDamageWidth, 1));
  EXPECT_EQ(fault("\6\1"), messages::Damaged(messages::kDamageDirectory, 2));
  EXPECT_EQ(fault("\6\1\2\2\1\1\1"), messages::Damaged(messages::kDamageEnds, 4));
  EXPECT_EQ(fault("\6\2\0\0"sv), messages::Damaged(messages::kDamageWidthNotSmallest, 1));
  EXPECT_EQ(fault("\6\1\1\1\1\1"), messages::Damaged(messages::kDamageLength, 1));
  EXPECT_EQ(fault("\6\1\1\0"sv), messages::Damaged(messages::kDamageNoTag, 4));
  EXPECT_EQ(fault("\x08\1\0"sv), messages::Damaged(messages::kDamageEmptySet, 1));
  EXPECT_EQ(fault("\x08\1\2\1\2ba"sv), messages::Damaged(messages::kDamageMemberOrder, 6));
  EXPECT_EQ(fault("\x08\1\2\1\2aa"sv), messages::Damaged(messages::kDamageMemberOrder, 6));
  EXPECT_EQ(fault("\7\1\2\1\1\2\2ba\1\1"sv), messages::Damaged(messages::kDamageNameOrder, 8));
  EXPECT_EQ(fault("\7\1\2\1\1\2\2aa\1\1"sv), messages::Damaged(messages::kDamageNameOrder, 8));
  EXPECT_EQ(fault("\7\1\2\1\1\2\2ab\1\1"sv), "");
}

// Widths change at 256 and 65,536 bytes or elements; both sides of each edge.
TEST(ItemTest, DirectoryWidths) {
  for (const size_t size : {254u, 255u, 256u, 65'534u, 65'535u, 65'536u, 300'000u}) {
    const uint8_t width = size + 1 <= 0xff ? 1 : size + 1 <= 0xffff ? 2 : 4;
    const Item item{{"a", Value::S(std::string(size, 'x'))}};
    EXPECT_EQ(static_cast<uint8_t>(item.bytes()[0]), width) << size;
    EXPECT_TRUE(ItemView::Parse(item.bytes()).ok());
    EXPECT_EQ(item.Find("a")->string().size(), size);
    ItemBuilder builder;
    builder.BeginMap();
    builder.Key("a");
    builder.String(std::string(size, 'x'));
    builder.EndMap();
    EXPECT_EQ(builder.FinishItem(), item);
    const Value list = Value::L(std::vector<Value>(size));
    EXPECT_TRUE(ValueView::Parse(list.bytes()).ok());
    EXPECT_EQ(list.view().list().size(), size);
    const Item named{{std::string(size, 'n'), Value()}};
    EXPECT_TRUE(ItemView::Parse(named.bytes()).ok());
    EXPECT_TRUE(named.Find(std::string(size, 'n')).has_value());
  }
}

// A hostile request may nest as deep as its size allows.
TEST(ItemTest, DeepNestingCostsNoStack) {
  constexpr int kDepth = 20'000;
  ItemBuilder builder;
  for (int i = 0; i < kDepth; ++i) {
    if (i % 2 == 0) {
      builder.BeginMap();
      builder.Key("k");
    } else {
      builder.BeginList();
    }
  }
  EXPECT_EQ(builder.depth(), kDepth);
  builder.Null();
  for (int i = kDepth; i > 0; --i) i % 2 == 1 ? builder.EndMap() : builder.EndList();
  EXPECT_EQ(builder.depth(), 0);
  const Value value = builder.FinishValue();
  const auto parsed = ValueView::Parse(value.bytes());
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(NestingDepth(*parsed), kDepth);
  EXPECT_EQ(BilledBytes(*parsed), 3u * kDepth + kDepth + kDepth / 2 + 1);
  EXPECT_EQ(DebugString(*parsed).size(),
            0u + kDepth / 2 * (std::string("M {k: }").size() + std::string("L []").size()) + 4);
  EXPECT_FALSE(DissectValue(value.bytes()).empty());
}

TEST(ItemTest, NestingDepthCountsLevels) {
  Value value = Value::N(1);
  EXPECT_EQ(NestingDepth(value.view()), 0);
  for (int depth = 1; depth <= 150; ++depth) {
    value = depth % 2 == 0 ? Value::L({Value::S("a"), value}) : Value::M(Item{{"k", value}});
    EXPECT_EQ(NestingDepth(value.view()), depth);
    EXPECT_TRUE(ValueView::Parse(value.bytes()).ok());
  }
  const Value empty = Value::L({});
  EXPECT_EQ(NestingDepth(empty.view()), 1);
}

TEST(ItemTest, EqualityIsTheServices) {
  EXPECT_EQ(*Value::ParseN("1.0"), Value::N(1));
  EXPECT_EQ(Value::SS({"b", "a", "b"}), Value::SS({"a", "b"}));
  EXPECT_EQ(Value::NS({Number::FromInt64(2), *Number::Parse("1.0")}),
            Value::NS({Number::FromInt64(1), Number::FromInt64(2)}));
  EXPECT_NE(Value::S("a"), Value::B("a"));
  EXPECT_NE(Value::L({Value::S("a"), Value::S("b")}), Value::L({Value::S("b"), Value::S("a")}));
  EXPECT_NE(Value::S(""), Value::Null());
}

TEST(ItemTest, ScalarsCompareWithinTheirType) {
  const auto compare = [](const Value& left, const Value& right) {
    return CompareScalars(left.view(), right.view());
  };
  EXPECT_EQ(compare(Value::N(-2), Value::N(10)), -1);
  EXPECT_EQ(compare(Value::S("\xff"), Value::S("a")), 1);
  EXPECT_EQ(compare(Value::B("a"), Value::B("a")), 0);
  EXPECT_EQ(compare(Value::B("a"), Value::S("a")), std::nullopt);
  EXPECT_EQ(compare(Value::Bool(true), Value::Bool(false)), std::nullopt);
  EXPECT_EQ(compare(Value::SS({"a"}), Value::SS({"a"})), std::nullopt);
}

TEST(ItemTest, TypeNamesRoundTrip) {
  for (int i = 1; i <= 10; ++i) {
    const auto type = static_cast<Type>(i);
    EXPECT_EQ(TypeFromName(TypeName(type)), type);
  }
  EXPECT_EQ(TypeName(Type::kBool), "BOOL");
  EXPECT_EQ(TypeName(Type::kBinarySet), "BS");
  EXPECT_EQ(TypeFromName("s"), std::nullopt);
  EXPECT_EQ(TypeFromName(""), std::nullopt);
}

// The example of the service's documentation and the limits' edges (api/facts/values.md §7).
TEST(ItemTest, BilledBytesOfTheDocumentedExample) {
  const Item shirt{{"shirt-color", Value::S("R")}, {"shirt-size", Value::S("M")}};
  EXPECT_EQ(BilledBytes(shirt.view()), 23u);
  EXPECT_EQ(BilledBytes(ItemView()), 0u);
  const Item nested{{"m", Value::M(Item{{"k", Value::N(0)}})}, {"l", Value::L({})}};
  EXPECT_EQ(BilledBytes(nested.view()), 1u + 3 + 1 + 1 + 1 + 1 + 3);
}

TEST(ItemTest, SetContains) {
  const Value set = Value::SS({"b", "d", "f"});
  for (const char* member : {"b", "d", "f"}) EXPECT_TRUE(set.view().set().Contains(member));
  for (const char* member : {"", "a", "c", "e", "g", "bb"}) {
    EXPECT_FALSE(set.view().set().Contains(member));
  }
}

TEST(ItemTest, BuilderRefusesRepeatedMembersAndFailedNumbers) {
  ItemBuilder builder;
  builder.BeginMap();
  builder.Key("s");
  const std::vector<std::string_view> repeated = {"b", "a", "b"};
  EXPECT_FALSE(builder.SetIfDistinct(Type::kStringSet, repeated));
  EXPECT_EQ(MessageOf(builder.NumberText("abc")), messages::NotANumber("abc"));
  const std::vector<std::string_view> distinct = {"b", "a"};
  EXPECT_TRUE(builder.SetIfDistinct(Type::kStringSet, distinct));
  builder.EndMap();
  EXPECT_EQ(builder.FinishItem(), (Item{{"s", Value::SS({"a", "b"})}}));
  builder.BeginList();
  builder.Null();
  builder.Reset();
  builder.Bool(true);
  EXPECT_EQ(builder.FinishValue(), Value::Bool(true));
}

TEST(ItemTest, DebugStringIsReadable) {
  const Item item{{"pk", Value::S("a\"")},
                  {"n", Value::N(12)},
                  {"odd name", Value::L({Value(), Value::Bool(true)})},
                  {"b", Value::BS({"\1", "\2"})},
                  {"m", Value::M(Item{{"x", Value::SS({"y"})}})}};
  EXPECT_EQ(
      DebugString(item.view()),
      "{b: BS {0x01, 0x02}, m: M {x: SS {\"y\"}}, n: N 12, \"odd name\": L [NULL, BOOL true], "
      "pk: S \"a\\\"\"}");
  EXPECT_EQ(DebugString(ItemView()), "{}");
}

TEST(ItemTest, DissectsEachField) {
  const Item item{{"n", Value::N(12)}, {"s", Value::SS({"a", "b"})}};
  EXPECT_EQ(DissectItem(item.bytes()),
            "0: 01020103020a M of 2, offsets of 1 byte\n"
            "6: 6e name n\n"
            "7: 73 name s\n"
            "8:   03 N\n"
            "9:   c10d N 12\n"
            "11:   08 SS\n"
            "12:   01020102 SS of 2, offsets of 1 byte\n"
            "16:   61 \"a\"\n"
            "17:   62 \"b\"\n"
            "18: end\n");
  EXPECT_EQ(DissectValue("\3\xc1"),
            "0: 03 N\n1: c1 damaged bytes: not a canonical encoded number at byte 1\n");
}

TEST(SetMembersTest, DuplicateMessagesOfBothLayers) {
  const auto message = [](Type type, const std::vector<std::string_view>& members,
                          const std::vector<std::string_view>& texts, ValueLayer layer) {
    return std::string(MessageOf(CheckDistinct(type, members, texts, layer)));
  };
  using namespace std::string_view_literals;
  const std::vector<std::string_view> strings = {"b", "a", "b"};
  EXPECT_EQ(message(Type::kStringSet, strings, strings, ValueLayer::kCurrent),
            "One or more parameter values were invalid: Input collection [\"a\", \"b\", \"b\"] "
            "contains duplicates.");
  EXPECT_EQ(message(Type::kStringSet, strings, strings, ValueLayer::kOlder),
            "One or more parameter values were invalid: Input collection [b, a, b] contains "
            "duplicates.");
  const std::vector<std::string_view> bytes = {"\xff"sv, "\0"sv, "\0"sv};
  const std::vector<std::string_view> base64 = {"/w==", "AA==", "AA=="};
  EXPECT_EQ(message(Type::kBinarySet, bytes, base64, ValueLayer::kCurrent),
            "One or more parameter values were invalid: Input collection "
            "[\"AA==\",\"/w==\",\"AA==\"]of type BS contains duplicates.");
  EXPECT_EQ(message(Type::kBinarySet, bytes, base64, ValueLayer::kOlder),
            "One or more parameter values were invalid: Input collection [/w==, AA==, AA==]of type "
            "BS contains duplicates.");
  EXPECT_EQ(message(Type::kNumberSet, strings, strings, ValueLayer::kCurrent),
            "One or more parameter values were invalid: Input collection contains duplicates.");
  EXPECT_EQ(message(Type::kNumberSet, strings, strings, ValueLayer::kOlder),
            "Input collection contains duplicates");
  const std::vector<std::string_view> empty_ones = {"", ""};
  EXPECT_EQ(
      message(Type::kStringSet, empty_ones, empty_ones, ValueLayer::kOlder),
      "One or more parameter values were invalid: Input collection [, ] contains duplicates.");
  // The repeat is the first one in order of arrival; what follows it stays as sent.
  const std::vector<std::string_view> longer = {"z", "c", "a", "c", "z", "b"};
  EXPECT_EQ(FirstRepeat(longer), 3u);
  EXPECT_EQ(MessageOrder(longer, 3, ValueLayer::kCurrent), (std::vector<size_t>{2, 1, 0, 3, 4, 5}));
  const std::vector<std::string_view> distinct = {"a", "b"};
  EXPECT_EQ(FirstRepeat(distinct), std::nullopt);
  EXPECT_TRUE(CheckDistinct(Type::kStringSet, distinct, distinct, ValueLayer::kCurrent).ok());
}

TEST(AllocationTest, IterationAllocatesNothing) {
  const Item item = {{"a string that is longer than a small one", Value::N(1)},
                     {"list", Value::L({Value::S("a string that is longer than a small one")})},
                     {"set", Value::SS({"a string that is longer than a small one"})}};
  const size_t before = allocations;
  size_t bytes = 0;
  for (const auto& [name, value] : item) bytes += name.size() + value.bytes().size();
  for (const ValueView element : item.Find("list")->list()) bytes += element.bytes().size();
  for (const std::string_view member : item.Find("set")->set()) bytes += member.size();
  bytes += static_cast<size_t>(
      item.Get<int64_t>("a string that is longer than a small one").value_or(0));
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_GT(bytes, 120u);
}

// Hot paths allocate nothing per row: a warm builder only its result, views nothing.
TEST(AllocationTest, WarmBuilderAllocatesOnlyTheResult) {
  ItemBuilder builder;
  const std::vector<std::string_view> members = {"red", "green", "blue"};
  const auto feed = [&] {
    builder.BeginMap();
    builder.Key("pk");
    builder.String("a string that does not fit into a small string");
    builder.Key("n");
    ASSERT_TRUE(builder.NumberText("-12345.678").ok());
    builder.Key("m");
    builder.BeginMap();
    builder.Key("inner");
    builder.BeginList();
    builder.Null();
    builder.EndList();
    builder.EndMap();
    builder.Key("colours");
    ASSERT_TRUE(builder.SetIfDistinct(Type::kStringSet, members));
    builder.EndMap();
  };
  feed();
  static_cast<void>(builder.FinishItemView());
  size_t before = allocations;
  feed();
  const ItemView view = builder.FinishItemView();
  EXPECT_EQ(allocations - before, 0u);
  before = allocations;
  ASSERT_TRUE(ItemView::Parse(view.bytes()).ok());
  ASSERT_TRUE(view.Find("m").has_value());
  EXPECT_EQ(BilledBytes(view), 90u);
  EXPECT_EQ(NestingDepth(*view.Find("m")), 2);
  EXPECT_EQ(allocations - before, 0u);
  feed();
  before = allocations;
  const Item item = builder.FinishItem();
  EXPECT_EQ(allocations - before, 1u);
}

#ifndef NDEBUG
// A debug build breaks views that outlive their promise.
TEST(LifetimeTest, ReplacedAndReusedBytesAreOverwritten) {
  ItemBuilder builder;
  const auto feed = [&] {
    builder.BeginMap();
    builder.Key("key");
    builder.String("value");
    builder.EndMap();
  };
  feed();
  const std::string_view stale = builder.FinishItemView().bytes();
  builder.Reset();
  EXPECT_EQ(stale[0], '\xdd');
}
#endif

}  // namespace
}  // namespace dynolith
