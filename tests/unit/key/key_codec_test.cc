// Row keys carry the service's order: every order, range and segment here is checked against plain
// comparison of decoded values, and the hash against what was observed on the service
// (api/facts/capacity.md §3).
#include "engine/key/key_codec.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/value/dissect.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

constexpr uint32_t kSeed = 20260822;
constexpr StorageId kId = 7;

KeySchema Schema(std::vector<KeyAttribute> hash, std::vector<KeyAttribute> range = {}) {
  return {std::move(hash), std::move(range)};
}

std::string RowKey(const KeySchema& key, const Item& item) {
  std::string row_key;
  AppendRowKey(kId, key, item.view(), &row_key);
  return row_key;
}

std::string IndexRowKey(const KeySchema& index, const KeySchema& base, const Item& item,
                        int shards = 1) {
  std::string row_key;
  AppendIndexRowKey({kId, shards}, index, base, item.view(), &row_key);
  return row_key;
}

std::string HashHex(const Value& value) {
  const std::string_view payload = value.view().payload();
  const PartitionHash hash = HashPartitionKey({&payload, 1});
  return absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

Value Num(std::string_view text) { return *Value::ParseN(text); }

// Short strings over few bytes, so that prefixes, equals, 00, 01 and FF meet often.
std::string RandomBytes(std::mt19937* random) {
  constexpr std::string_view kAlphabet("\x00\x01\x02\x61\xfe\xff", 6);
  std::string bytes(1 + (*random)() % 4, '\0');
  for (char& byte : bytes) byte = kAlphabet[(*random)() % kAlphabet.size()];
  return bytes;
}

Value RandomKeyValue(Type type, std::mt19937* random) {
  if (type == Type::kString) return Value::S(RandomBytes(random));
  if (type == Type::kBinary) return Value::B(RandomBytes(random));
  // Beside small numbers, some of twenty pairs, which have no end of their own when negative.
  const std::string sign = (*random)() % 2 == 0 ? "-" : "";
  if ((*random)() % 4 == 0) {
    const std::string digits = "1234567890123456789012345678901234567";
    return Num(sign + std::to_string(1 + (*random)() % 2) + "." + digits.substr((*random)() % 3));
  }
  const int exponent = static_cast<int>((*random)() % 4) - 2;
  return Num(sign + std::to_string((*random)() % 30) + "e" + std::to_string(exponent));
}

const std::vector<Type>& KeyTypes() {
  static const std::vector<Type> types = {Type::kString, Type::kNumber, Type::kBinary};
  return types;
}

TEST(PartitionHashTest, Vectors) {
  EXPECT_EQ(HashHex(Value::S("a")), "f6558e516275dee248591cc7cee85dae");
  EXPECT_EQ(HashHex(Value::S("b")), "6521acb651d7679794b3519559fc9a32");
  EXPECT_EQ(HashHex(Value::S("1")), "48e6ac840746deec76760dc122d230d9");
  EXPECT_EQ(HashHex(Value::S("aardman")), "b94152738e661ea0fcca23c414b53c49");
  EXPECT_EQ(HashHex(Value::N(0)), "ce212d751674ab5d7a4c2add6a1b39b8");
  EXPECT_EQ(HashHex(Value::N(1)), "c3a0310aed78739b8c9c4133f23ed717");
  EXPECT_EQ(HashHex(Value::N(12)), "70366ad03e547ddcd7ca0f8b0c8801ce");
  EXPECT_EQ(HashHex(Value::N(-1)), "0267df4c95559d50e1dd7e1e5ba71d60");
}

// One block of MD5 has room for 47 bytes behind the prefix; by Python's hashlib.
TEST(PartitionHashTest, KeysAroundABlock) {
  const std::pair<size_t, std::string_view> cases[] = {
      {46, "ed31dd6710f6638307133833cdf910f5"},   {47, "1b9678ca5368f04ebc914f75bfa2fe06"},
      {48, "9fd2a8c783020de34ab8a8612bb9333f"},   {55, "cf693db98c357639aebfe8aca52a73ac"},
      {56, "c36eface28d607c4a2dceba33443b854"},   {64, "8bf820812dbaefa3c952ad42aac24144"},
      {119, "723e1badfe152b43e70caec81f9a6f75"},  {120, "e3542669b75307ba01f60339d7d8ba72"},
      {1000, "de0d323abbe8a7b7668c0c1f4a5b586b"},
  };
  for (const auto& [size, hex] : cases) {
    const std::string key(size, 'x');
    EXPECT_EQ(HashHex(Value::S(key)), hex) << size;
    const std::string_view parts[] = {std::string_view(key).substr(0, 5),
                                      std::string_view(key).substr(5), ""};
    const std::string_view whole[] = {key};
    EXPECT_EQ(HashPartitionKey(parts), HashPartitionKey(whole)) << size;
  }
}

TEST(PartitionHashTest, SeveralAtOnceAreAsOneByOne) {
  std::mt19937 random(kSeed + 6);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> bytes;
    // Now and then one that needs more than a block.
    for (int i = 0; i < 2 * kKeysAtOnce; ++i) {
      bytes.push_back(RandomBytes(&random) +
                      std::string(random() % 4 == 0 ? random() % 60 : 0, 'x'));
    }
    KeyPayloads keys[kKeysAtOnce];
    for (int i = 0; i < kKeysAtOnce; ++i) {
      keys[i].push_back(bytes[2 * i]);
      if (random() % 2 == 0) keys[i].push_back(bytes[2 * i + 1]);
    }
    PartitionHash hashes[kKeysAtOnce];
    HashPartitionKeys(keys, hashes);
    for (int i = 0; i < kKeysAtOnce; ++i) EXPECT_EQ(hashes[i], HashPartitionKey(keys[i])) << i;
  }
}

// The hashes that a thread remembers are those of the keys: keys that come again, more of them than
// are remembered, and keys that differ in little.
TEST(PartitionHashTest, KnownHashesAreOfTheirKeys) {
  std::mt19937 random(kSeed + 7);
  std::vector<std::string> keys = {"", std::string(1, '\0'), std::string(2, '\0'), "\x80",
                                   "\x80\x80"};
  for (int i = 0; i < 2'000; ++i) keys.push_back("user#" + std::to_string(i));
  for (size_t size = 40; size < 50; ++size) {
    for (const char last : {'\0', '\x80', 'x'}) keys.push_back(std::string(size, 'x') + last);
  }
  std::vector<PartitionHash> expected;
  for (const std::string& key : keys) {
    KeyPayloads payloads[kKeysAtOnce];
    for (KeyPayloads& each : payloads) each.push_back(key);
    PartitionHash hashes[kKeysAtOnce];
    HashPartitionKeys(payloads, hashes);
    expected.push_back(hashes[0]);
  }
  for (int i = 0; i < 20'000; ++i) {
    // Often the one that was asked for last.
    const size_t pick = random() % keys.size();
    for (int times = 0; times < 2; ++times) {
      const std::string_view payload = keys[pick];
      ASSERT_EQ(HashPartitionKey({&payload, 1}), expected[pick]) << keys[pick];
    }
  }
}

// The orders in which Scan of the real service returned these partition keys.
TEST(PartitionHashTest, ObservedScanOrders) {
  const std::vector<std::string> strings = {"2", "8", "9",    "1",       "6", "hello", "0",
                                            "5", "4", "äáöü", "aardman", "7", "3",     "zapf"};
  const std::vector<std::string> numbers = {"7", "999.9", "8", "3", "2", "-999.9",   "9",
                                            "4", "-0.09", "6", "1", "0", "0.012345", "5"};
  const KeySchema string_key = Schema({{"pk", Type::kString}});
  const KeySchema number_key = Schema({{"pk", Type::kNumber}});
  std::vector<std::string> string_rows;
  for (const std::string& text : strings) {
    string_rows.push_back(RowKey(string_key, Item{{"pk", Value::S(text)}}));
  }
  std::vector<std::string> number_rows;
  for (const std::string& text : numbers) {
    number_rows.push_back(RowKey(number_key, Item{{"pk", Num(text)}}));
  }
  EXPECT_TRUE(std::is_sorted(string_rows.begin(), string_rows.end()));
  EXPECT_TRUE(std::is_sorted(number_rows.begin(), number_rows.end()));
}

TEST(SegmentTest, ObservedSegments) {
  const KeySchema string_key = Schema({{"pk", Type::kString}});
  const KeySchema number_key = Schema({{"pk", Type::kNumber}});
  const auto of_string = [&](std::string_view text) {
    return FindSegment(RowKey(string_key, Item{{"pk", Value::S(text)}}), 4096);
  };
  const auto of_number = [&](int64_t number) {
    return FindSegment(RowKey(number_key, Item{{"pk", Value::N(number)}}), 4096);
  };
  EXPECT_EQ(of_string("3635"), 0);
  EXPECT_EQ(of_string("228"), 0);
  EXPECT_EQ(of_string("1668"), 1);
  EXPECT_EQ(of_string("3435"), 4);
  EXPECT_EQ(of_number(251), 1);
  EXPECT_EQ(of_number(2388), 4095);
}

TEST(SegmentTest, SegmentsCoverTheIdOnceAndHoldTheirRows) {
  std::mt19937 random(kSeed);
  const KeySchema key = Schema({{"pk", Type::kNumber}});
  for (const int64_t total : {1, 2, 3, 4, 5, 7, 100, 1000, 4095, 4096, 4097, 8192, 1'000'000}) {
    const KeyRange all = RangeOfId(kId);
    std::string end;
    const int64_t step = total > 10'000 ? 997 : 1;
    for (int64_t segment = 0; segment < total; segment += step) {
      const KeyRange range = RangeOfSegment(kId, segment, total);
      ASSERT_LT(range.begin, range.end) << segment << " of " << total;
      if (step == 1 && segment > 0) {
        ASSERT_EQ(range.begin, end) << segment << " of " << total;
      }
      end = range.end;
    }
    EXPECT_LE(RangeOfSegment(kId, 0, total).begin.compare(RowKey(key, Item{{"pk", Num("0")}})), 0);
    EXPECT_EQ(RangeOfSegment(kId, total - 1, total).end, all.end);
    // Nothing of the id lies in front of the first segment.
    EXPECT_EQ(RangeOfSegment(kId, 0, total).begin, all.begin + std::string(4, '\0'));
    for (int round = 0; round < 300; ++round) {
      const std::string row = RowKey(key, Item{{"pk", Value::N(static_cast<int64_t>(random()))}});
      const int64_t segment = FindSegment(row, total);
      const KeyRange range = RangeOfSegment(kId, segment, total);
      ASSERT_TRUE(range.begin <= row && row < range.end) << segment << " of " << total;
      ASSERT_TRUE(all.begin <= row && row < all.end);
    }
  }
}

TEST(SegmentTest, SegmentsNest) {
  for (const int64_t total : {1, 3, 16, 1024, 2048, 4096, 100'000}) {
    for (int64_t segment = 0; segment < std::min<int64_t>(total, 64); ++segment) {
      const KeyRange outer = RangeOfSegment(kId, segment, total);
      EXPECT_EQ(outer.begin, RangeOfSegment(kId, 2 * segment, 2 * total).begin);
      EXPECT_EQ(outer.end, RangeOfSegment(kId, 2 * segment + 1, 2 * total).end);
    }
  }
}

TEST(KeyCodecTest, Bytes) {
  const auto hex_behind_hash = [](const std::string& row_key) {
    return absl::BytesToHexString(ToAbsl(std::string_view(row_key).substr(kRowPrefixBytes)));
  };
  const KeySchema key = Schema({{"pk", Type::kString}}, {{"sk", Type::kNumber}});
  const Item item{{"pk", Value::S(std::string_view("a\0b", 3))}, {"sk", Value::N(-1)}};
  const std::string row_key = RowKey(key, item);
  EXPECT_EQ(absl::BytesToHexString(row_key.substr(0, 4)), "00000007");
  EXPECT_EQ(absl::BytesToHexString(row_key.substr(4, 8)),
            HashHex(Value::S(std::string_view("a\0b", 3))).substr(0, 16));
  EXPECT_EQ(hex_behind_hash(row_key),
            "6100ff620001"
            "3e6466");
  const KeySchema only = Schema({{"pk", Type::kString}});
  EXPECT_EQ(hex_behind_hash(RowKey(only, item)), "610062");
  const KeySchema index = Schema({{"sk", Type::kNumber}});
  EXPECT_EQ(hex_behind_hash(IndexRowKey(index, key, item)),
            "3e6466"
            "6100ff620001"
            "3e6466");
  const Item positive{{"pk", Value::S("p")}, {"sk", Value::N(0)}};
  EXPECT_EQ(hex_behind_hash(IndexRowKey(index, key, positive)),
            "8000"
            "700001"
            "80");
}

TEST(KeyCodecTest, HasKeyWantsTypeAndContent) {
  const KeySchema key = Schema({{"pk", Type::kString}}, {{"sk", Type::kBinary}});
  const auto has = [&](const Item& item) { return HasKey(key, item.view()); };
  EXPECT_TRUE(has({{"pk", Value::S("a")}, {"sk", Value::B("b")}, {"x", Value()}}));
  EXPECT_FALSE(has({{"pk", Value::S("a")}}));
  EXPECT_FALSE(has({{"sk", Value::B("b")}}));
  EXPECT_FALSE(has({{"pk", Value::B("a")}, {"sk", Value::B("b")}}));
  EXPECT_FALSE(has({{"pk", Value::S("a")}, {"sk", Value::S("b")}}));
  EXPECT_FALSE(has({{"pk", Value::S("")}, {"sk", Value::B("b")}}));
  EXPECT_FALSE(has({{"pk", Value::S("a")}, {"sk", Value::B("")}}));
}

// A table row, an index row whose range attributes are followed by the base key, and an index with
// the most attributes that there are.
struct Shape {
  KeySchema key;
  std::optional<KeySchema> base;
  int shards = 1;

  const KeySchema* base_or_null() const { return base ? &*base : nullptr; }
  std::string ItemRowKey(const Item& item) const {
    return base ? IndexRowKey(key, *base, item, shards) : RowKey(key, item);
  }
  absl::StatusOr<Item> Decode(std::string_view row_key) const {
    return base ? DecodeIndexRowKey(key, *base, shards, row_key) : DecodeRowKey(key, row_key);
  }
};

std::vector<Shape> Shapes() {
  std::vector<Shape> shapes;
  for (const Type hash : KeyTypes()) {
    shapes.push_back({Schema({{"h", hash}}), std::nullopt});
    for (const Type range : KeyTypes()) {
      const KeySchema table = Schema({{"h", hash}}, {{"r", range}});
      shapes.push_back({table, std::nullopt});
      // A local index, and a global one on one attribute.
      shapes.push_back({Schema({{"h", hash}}, {{"x", range}}), table});
      shapes.push_back({Schema({{"x", range}}), Schema({{"h", hash}})});
      shapes.push_back(
          {Schema({{"x", hash}, {"y", range}}, {{"z", range}, {"r", range}, {"w", hash}}), table});
    }
  }
  return shapes;
}

// And one whose rows are not in one order, nor in one range.
std::vector<Shape> ShapesAndShards() {
  std::vector<Shape> shapes = Shapes();
  for (const Type type : KeyTypes()) {
    shapes.push_back({Schema({{"x", type}}, {{"y", type}}),
                      Schema({{"h", type}}, {{"r", Type::kNumber}}), kIndexShardsMax});
  }
  return shapes;
}

std::vector<KeyAttribute> KeyAttributesIn(const Shape& shape) {
  std::vector<KeyAttribute> attributes;
  const auto add = [&](const std::vector<KeyAttribute>& some) {
    for (const KeyAttribute& attribute : some) {
      if (std::find(attributes.begin(), attributes.end(), attribute) == attributes.end()) {
        attributes.push_back(attribute);
      }
    }
  };
  add(shape.key.hash);
  add(shape.key.range);
  if (shape.base) add(shape.base->hash);
  if (shape.base) add(shape.base->range);
  return attributes;
}

Item RandomItem(const Shape& shape, std::mt19937* random) {
  Item item;
  for (const KeyAttribute& attribute : KeyAttributesIn(shape)) {
    item.Set(attribute.name, RandomKeyValue(attribute.type, random));
  }
  return item;
}

TEST(KeyCodecTest, RowKeysRoundTrip) {
  std::mt19937 random(kSeed + 1);
  for (const Shape& shape : ShapesAndShards()) {
    for (int round = 0; round < 50; ++round) {
      const Item item = RandomItem(shape, &random);
      ASSERT_TRUE(HasKey(shape.key, item.view()));
      const auto decoded = shape.Decode(shape.ItemRowKey(item));
      ASSERT_TRUE(decoded.ok()) << decoded.status() << DebugString(item.view());
      ASSERT_EQ(*decoded, item) << DebugString(item.view());
    }
  }
}

TEST(KeyCodecTest, ManyRowKeysAreAsOneByOne) {
  std::mt19937 random(kSeed + 7);
  for (const Shape& shape : ShapesAndShards()) {
    if (shape.base) continue;
    for (int count = 0; count <= 2 * kKeysAtOnce + 1; ++count) {
      std::vector<Item> items;
      for (int i = 0; i < count; ++i) items.push_back(RandomItem(shape, &random));
      const RowKeys row_keys(kId, shape.key, items);
      for (int i = 0; i < count; ++i) EXPECT_EQ(row_keys[i], RowKey(shape.key, items[i])) << i;
    }
  }
}

// Whatever is decoded is the only item with these bytes; nothing crashes on a damaged row key.
TEST(KeyCodecTest, DamagedRowKeysAreRefusedOrAreAnotherRow) {
  std::mt19937 random(kSeed + 2);
  int refused = 0;
  for (const Shape& shape : ShapesAndShards()) {
    const auto check = [&](std::string_view row_key) {
      const auto decoded = shape.Decode(row_key);
      if (!decoded.ok()) {
        ++refused;
        ASSERT_EQ(decoded.status().code(), absl::StatusCode::kDataLoss);
      } else {
        std::string again = shape.ItemRowKey(*decoded);
        again.replace(0, sizeof(StorageId), row_key.substr(0, sizeof(StorageId)));
        ASSERT_EQ(again, row_key);
      }
      ASSERT_FALSE(DissectRowKey(&shape.key, shape.base_or_null(), row_key).empty());
    };
    for (int round = 0; round < 3; ++round) {
      const std::string row_key = shape.ItemRowKey(RandomItem(shape, &random));
      for (size_t size = 0; size < row_key.size(); ++size) check(row_key.substr(0, size));
      for (size_t byte = 0; byte < row_key.size(); ++byte) {
        std::string flipped = row_key;
        flipped[byte] ^= static_cast<char>(1 << random() % 8);
        check(flipped);
      }
      // The hash covers the partition key, so a flip of either never passes.
      std::string flipped = row_key;
      flipped[sizeof(StorageId) + random() % kRowHashBytes] ^= 1;
      ASSERT_FALSE(shape.Decode(flipped).ok());
    }
  }
  EXPECT_GT(refused, 1000);
}

// -1, 0 or 1: the service's order of two items in one partition of `shape`, by decoded values.
int CompareInPartition(const Shape& shape, const Item& left, const Item& right) {
  std::vector<KeyAttribute> attributes = shape.key.range;
  if (shape.base) {
    attributes.insert(attributes.end(), shape.base->hash.begin(), shape.base->hash.end());
    attributes.insert(attributes.end(), shape.base->range.begin(), shape.base->range.end());
  }
  for (const KeyAttribute& attribute : attributes) {
    const int order = *CompareScalars(*left.Find(attribute.name), *right.Find(attribute.name));
    if (order != 0) return order;
  }
  return 0;
}

TEST(KeyCodecTest, RowKeyOrderIsTheOrderOfDecodedKeys) {
  std::mt19937 random(kSeed + 3);
  for (const Shape& shape : Shapes()) {
    for (int round = 0; round < 100; ++round) {
      const Item left = RandomItem(shape, &random);
      Item right = RandomItem(shape, &random);
      for (const KeyAttribute& attribute : shape.key.hash) {
        right.Set(attribute.name, Value::Copy(*left.Find(attribute.name)));
      }
      // Equal values in front, so that the later components are compared too.
      for (const KeyAttribute& attribute : shape.key.range) {
        if (random() % 2 == 0) break;
        right.Set(attribute.name, Value::Copy(*left.Find(attribute.name)));
      }
      const int expected = CompareInPartition(shape, left, right);
      const int actual = shape.ItemRowKey(left).compare(shape.ItemRowKey(right));
      ASSERT_EQ(expected < 0, actual < 0)
          << DebugString(left.view()) << " " << DebugString(right.view());
      ASSERT_EQ(expected == 0, actual == 0)
          << DebugString(left.view()) << " " << DebugString(right.view());
    }
  }
}

// Why: a query that scatters finds each entry in exactly one range, and gathers by what stands
// behind the prefix.
TEST(KeyCodecTest, AShardIsTheRangeOfAnIndexElsewhere) {
  const KeySchema base = Schema({{"pk", Type::kString}}, {{"sk", Type::kNumber}});
  const KeySchema index = Schema({{"g", Type::kString}}, {{"n", Type::kNumber}});
  const Value hot = Value::S("hot");
  for (const int shards : {1, 2, 3, 7, 200}) {
    std::vector<KeyRange> ranges(static_cast<size_t>(shards),
                                 EncodeKeyRange(kId, index, &base, {.hash_equals = {hot.view()}}));
    for (int shard = 0; shard < shards; ++shard) {
      MoveToShard(shard, shards, &ranges[static_cast<size_t>(shard)].begin);
      MoveToShard(shard, shards, &ranges[static_cast<size_t>(shard)].end);
    }
    std::vector<int> entries(static_cast<size_t>(shards));
    for (int i = 0; i < 50 * shards; ++i) {
      const Item item{{"pk", Value::S("one")}, {"sk", Value::N(i)}, {"g", hot}, {"n", Value::N(1)}};
      const std::string plain = IndexRowKey(index, base, item);
      const std::string row_key = IndexRowKey(index, base, item, shards);
      EXPECT_EQ(row_key.substr(kRowPrefixBytes), plain.substr(kRowPrefixBytes));
      int found = 0;
      for (int shard = 0; shard < shards; ++shard) {
        const KeyRange& range = ranges[static_cast<size_t>(shard)];
        if (row_key < range.begin || row_key >= range.end) continue;
        ++found;
        ++entries[static_cast<size_t>(shard)];
        std::string moved = plain;
        MoveToShard(shard, shards, &moved);
        EXPECT_EQ(moved, row_key);
        MoveToFirstShard(index, &moved);
        EXPECT_EQ(moved, plain);
      }
      ASSERT_EQ(found, 1);
      EXPECT_TRUE(DecodeIndexRowKey(index, base, shards, row_key).ok());
      EXPECT_EQ(DecodeIndexRowKey(index, base, shards, plain).ok(), row_key == plain);
    }
    // 50 each on average; the hash is the same for ever, and so is the luck.
    EXPECT_GE(*std::min_element(entries.begin(), entries.end()), 20);
    EXPECT_LE(*std::max_element(entries.begin(), entries.end()), 90);
  }
}

TEST(KeyCodecTest, ShardsDivideTheSpaceEvenlyAndTheirPlacesAreOnDiskForEver) {
  const KeySchema base = Schema({{"pk", Type::kString}}, {{"sk", Type::kNumber}});
  const KeySchema index = Schema({{"g", Type::kString}});
  const Item item{{"pk", Value::S("p")}, {"sk", Value::N(7)}, {"g", Value::S("hot")}};
  const uint64_t first = RowHash(IndexRowKey(index, base, item));
  for (const int shards : {2, 4, 200}) {
    std::string row_key = IndexRowKey(index, base, item);
    MoveToShard(shards - 1, shards, &row_key);
    const uint64_t step = ~uint64_t{0} / static_cast<uint64_t>(shards);
    EXPECT_LE(first - RowHash(row_key) - step, 1u) << shards;
  }
  EXPECT_EQ(absl::BytesToHexString(IndexRowKey(index, base, item, 4).substr(0, kRowPrefixBytes)),
            "000000074bc8709b8972f7b7");
}

bool Satisfies(RangeOperator comparison, ValueView value, const std::optional<ValueView>& low,
               const std::optional<ValueView>& high) {
  switch (comparison) {
    case RangeOperator::kNone:
      return true;
    case RangeOperator::kEqual:
      return *CompareScalars(value, *low) == 0;
    case RangeOperator::kLess:
      return *CompareScalars(value, *low) < 0;
    case RangeOperator::kLessEqual:
      return *CompareScalars(value, *low) <= 0;
    case RangeOperator::kGreater:
      return *CompareScalars(value, *low) > 0;
    case RangeOperator::kGreaterEqual:
      return *CompareScalars(value, *low) >= 0;
    case RangeOperator::kBetween:
      return *CompareScalars(value, *low) >= 0 && *CompareScalars(value, *high) <= 0;
    case RangeOperator::kBeginsWith:
      return value.payload().substr(0, low->payload().size()) == low->payload();
  }
  return false;
}

// One random condition on `shape`; its operands live in `operands`.
KeyCondition RandomCondition(const Shape& shape, const Item& item, std::mt19937* random,
                             std::vector<Value>* operands) {
  KeyCondition condition;
  operands->reserve(2);
  for (const KeyAttribute& attribute : shape.key.hash) {
    condition.hash_equals.push_back(*item.Find(attribute.name));
  }
  const size_t equals = (*random)() % (shape.key.range.size() + 1);
  for (size_t i = 0; i < equals; ++i) {
    condition.range_equals.push_back(*item.Find(shape.key.range[i].name));
  }
  if (equals == shape.key.range.size()) return condition;
  const Type type = shape.key.range[equals].type;
  do {
    condition.range_operator = static_cast<RangeOperator>((*random)() % 8);
  } while (type == Type::kNumber && condition.range_operator == RangeOperator::kBeginsWith);
  operands->push_back(RandomKeyValue(type, random));
  operands->push_back(RandomKeyValue(type, random));
  condition.low = (*operands)[0].view();
  condition.high = (*operands)[1].view();
  return condition;
}

TEST(KeyCodecTest, RangesHoldExactlyTheRowsThatSatisfy) {
  std::mt19937 random(kSeed + 4);
  int inside_count = 0;
  for (const Shape& shape : Shapes()) {
    for (int round = 0; round < 60; ++round) {
      const Item anchor = RandomItem(shape, &random);
      std::vector<Value> operands;
      const KeyCondition condition = RandomCondition(shape, anchor, &random, &operands);
      const KeyRange range = EncodeKeyRange(kId, shape.key, shape.base_or_null(), condition);
      ASSERT_FALSE(range.end.empty());
      for (int row = 0; row < 20; ++row) {
        Item item = RandomItem(shape, &random);
        // Mostly of the same partition and the same equalities, otherwise little is inside.
        if (row % 5 != 0) {
          for (const KeyAttribute& attribute : shape.key.hash) {
            item.Set(attribute.name, Value::Copy(*anchor.Find(attribute.name)));
          }
          for (size_t i = 0; i < condition.range_equals.size(); ++i) {
            item.Set(shape.key.range[i].name, Value::Copy(condition.range_equals[i]));
          }
        }
        bool expected = true;
        for (size_t i = 0; i < condition.hash_equals.size(); ++i) {
          expected &= *item.Find(shape.key.hash[i].name) == condition.hash_equals[i];
        }
        const size_t equals = condition.range_equals.size();
        for (size_t i = 0; i < equals; ++i) {
          expected &= *item.Find(shape.key.range[i].name) == condition.range_equals[i];
        }
        if (equals < shape.key.range.size()) {
          expected &= Satisfies(condition.range_operator, *item.Find(shape.key.range[equals].name),
                                condition.low, condition.high);
        }
        const std::string row_key = shape.ItemRowKey(item);
        const bool actual = range.begin <= row_key && row_key < range.end;
        inside_count += actual;
        ASSERT_EQ(actual, expected)
            << "operator " << static_cast<int>(condition.range_operator) << " "
            << DebugString(item.view()) << " anchor " << DebugString(anchor.view());
      }
    }
  }
  EXPECT_GT(inside_count, 5'000);
}

TEST(KeyCodecTest, DissectsWithAndWithoutSchema) {
  const KeySchema key = Schema({{"pk", Type::kString}}, {{"sk", Type::kNumber}});
  const std::string row_key = RowKey(key, Item{{"pk", Value::S("a")}, {"sk", Value::N(12)}});
  EXPECT_EQ(DissectRowKey(&key, nullptr, row_key),
            "0: 00000007 table or index 7\n"
            "4: f6558e516275dee2 partition hash\n"
            "12: 610001 pk: S \"a\"\n"
            "15: c10d sk: N 12\n");
  EXPECT_EQ(DissectRowKey(nullptr, nullptr, row_key),
            "0: 00000007 table or index 7\n"
            "4: f6558e516275dee2 partition hash\n"
            "12: 610001c10d key, without a schema to read it by\n");
  EXPECT_EQ(DissectRowKey(&key, nullptr, "abc"),
            "0: 616263 damaged bytes: row key is shorter than its id and hash at byte 3\n");
}

TEST(SchemaTest, LooksUpByName) {
  TableSchema table;
  table.key = Schema({{"pk", Type::kString}}, {{"sk", Type::kNumber}});
  table.indexes.push_back({.name = "one"});
  table.indexes.push_back({.name = "two", .id = 2});
  EXPECT_TRUE(table.key.Contains("pk"));
  EXPECT_TRUE(table.key.Contains("sk"));
  EXPECT_FALSE(table.key.Contains("p"));
  ASSERT_NE(table.FindIndex("two"), nullptr);
  EXPECT_EQ(table.FindIndex("two")->id, 2u);
  EXPECT_EQ(table.FindIndex("three"), nullptr);
}

}  // namespace
}  // namespace dynolith
