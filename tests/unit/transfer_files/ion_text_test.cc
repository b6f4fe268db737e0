// Ion text as the service's guide describes it, both ways; and that no bytes can harm its reader.
#include "api/transfer/files/ion_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/errors.h"
#include "engine/base/limits.h"

namespace dynolith {
namespace {

Value N(std::string_view text) { return *Value::ParseN(text); }

// An item with a value of every kind.
Item Everything() {
  return Item({{"s", Value::S("a \"quoted\" \\ text\n\x01 \xc3\xa4")},
               {"n", N("600")},
               {"small", N("-0.0125")},
               {"b", Value::B(std::string("\0\xff", 2))},
               {"yes", Value::Bool(true)},
               {"none", Value::Null()},
               {"l", Value::L({Value::S(""), N("0"), Value::L({})})},
               {"m", Value::M(Item({{"not an identifier", Value::Bool(false)},
                                    {"null", Value::S("x")},
                                    {"it's", N("103")}}))},
               {"ss", Value::SS({"x", "y"})},
               {"ns", Value::NS({Number::FromInt64(1), Number::FromInt64(20)})},
               {"bs", Value::BS({"z"})}});
}

Item Read(std::string_view text) {
  const auto item = ReadIonItem(text);
  EXPECT_TRUE(item.ok()) << text << ": " << item.status();
  return item.ok() ? *item : Item();
}

// {Item:{a:…}} with that value.
Item A(const Value& value) { return Item({{"a", value}}); }
Item ReadA(std::string_view value) { return Read("{Item:{a:" + std::string(value) + "}}"); }

TEST(IonText, WhatIsWritten) {
  std::string line;
  const Item everything = Everything();
  AppendIonItem(everything.view(), &line);
  EXPECT_EQ(
      line,
      "$ion_1_0 {Item:{b:{{AP8=}},bs:$dynamodb_BS::[{{eg==}}],l:[\"\",0.,[]],"
      "m:{'it\\'s':103.,'not an identifier':false,'null':\"x\"},n:6d2,none:null,"
      "ns:$dynamodb_NS::[1.,2d1],s:\"a \\\"quoted\\\" \\\\ text\\n\\x01 \xc3\xa4\",small:-0.0125,"
      "ss:$dynamodb_SS::[\"x\",\"y\"],yes:true}}\n");
}

TEST(IonText, WhatIsWrittenIsReadBack) {
  std::string line;
  const Item item = Everything();
  AppendIonItem(item.view(), &line);
  EXPECT_EQ(Read(line), item);
}

TEST(IonText, Changes) {
  const Item key({{"k", Value::S("a")}});
  const Item image({{"k", Value::S("a")}, {"n", N("1")}});
  std::string line;
  AppendIonChange({.written = absl::FromUnixMicros(1684374845117899),
                   .key = key.view(),
                   .old_image = std::nullopt,
                   .new_image = image.view()},
                  &line);
  EXPECT_EQ(line,
            "$ion_1_0 {Record:{Keys:{k:\"a\"},Metadata:{WriteTimestampMicros:1684374845117899.},"
            "NewImage:{k:\"a\",n:1.}}}\n");
}

TEST(IonText, Numbers) {
  for (const auto& [text, number] :
       std::vector<std::pair<std::string, std::string>>{{"103.", "103"},
                                                        {"6d2", "600"},
                                                        {"2.5D-1", "0.25"},
                                                        {"1e3", "1000"},
                                                        {"6.d1", "60"},
                                                        {"-7", "-7"},
                                                        {"1_000", "1000"},
                                                        {"0x1F", "31"},
                                                        {"-0b101", "-5"},
                                                        {"0xde", "222"}}) {
    EXPECT_EQ(ReadA(text), A(N(number))) << text;
  }
}

TEST(IonText, Texts) {
  EXPECT_EQ(ReadA(R"("\u00e4\x41\U0001F600\ud83d\ude00\a\0\/\?")"),
            A(Value::S(std::string("\xc3\xa4"
                                   "A\xf0\x9f\x98\x80\xf0\x9f\x98\x80\a\0/?",
                                   15))));
  EXPECT_EQ(ReadA("'''one\r\n''' /* and */ '''two'''"), A(Value::S("one\ntwo")));
  EXPECT_EQ(ReadA("\"a\\\nb\""), A(Value::S("ab")));
}

TEST(IonText, LayoutAndAnnotations) {
  EXPECT_EQ(
      Read("$ion_1_0\n$ion_1_0 // twice\n{ 'Item' : { \"a\" : note::'other note'::[ 1 , ] } , "
           "x: null.int }\n"),
      A(Value::L({N("1")})));
  EXPECT_EQ(ReadA("'$dynamodb_SS' :: [ \"x\" ]"), A(Value::SS({"x"})));
  EXPECT_EQ(ReadA("{{ A A\n== }}"), A(Value::B(std::string(1, '\0'))));
}

TEST(IonText, WhatIsNoItem) {
  for (const std::string_view text : {"",
                                      "$ion_1_0",
                                      "{}",
                                      "{Item:1}",
                                      "[1]",
                                      "{Item:{a:1}} x",
                                      "{Item:{a:2007-01-01T}}",
                                      "{Item:{a:2007-02-23T12:14Z}}",
                                      "{Item:{a:symbol}}",
                                      "{Item:{a:'symbol'}}",
                                      "{Item:{a:(1)}}",
                                      "{Item:{a:{{\"clob\"}}}}",
                                      "{Item:{a:{{A}}}}",
                                      "{Item:{a:nan}}",
                                      "{Item:{a:+inf}}",
                                      "{Item:{'':1}}",
                                      "{Item:{a:$dynamodb_SS::[]}}",
                                      "{Item:{a:$dynamodb_SS::[1]}}",
                                      "{Item:{a:$dynamodb_SS::[\"x\",\"x\"]}}",
                                      "{Item:{a:$dynamodb_N::[1]}}",
                                      "{Item:{a:\"\\ud800\"}}",
                                      "{Item:{a:\"\\q\"}}",
                                      "{Item:{a:\"\n\"}}",
                                      "{Item:{a:1 b:2}}",
                                      "{Item:{a::1}}",
                                      "{Item:{a:1d200}}",
                                      "{Item:{a:null.}}",
                                      "{Item:{a:--1}}",
                                      "{Item:{a:0x10000000000000000}}",
                                      "\xEF\xBB"}) {
    EXPECT_EQ(KindOf(ReadIonItem(text).status()), ErrorKind::kValidation) << text;
  }
}

TEST(IonText, Nesting) {
  const auto nested = [](int depth) {
    return "{Item:{a:" + std::string(depth, '[') + "1" + std::string(depth, ']') + "}}";
  };
  EXPECT_TRUE(ReadIonItem(nested(kNestingDepthMax)).ok());
  EXPECT_FALSE(ReadIonItem(nested(kNestingDepthMax + 1)).ok());
  EXPECT_FALSE(ReadIonItem(nested(1'000'000)).ok());
}

TEST(IonText, TruncatedAtEveryLength) {
  std::string line;
  const Item everything = Everything();
  AppendIonItem(everything.view(), &line);
  line.pop_back();
  for (size_t size = 0; size < line.size(); ++size) {
    EXPECT_FALSE(ReadIonItem(std::string_view(line).substr(0, size)).ok()) << size;
  }
}

TEST(IonText, RecordsOfExports) {
  const Item everything = Everything();
  const Item key({{"pk", Value::S("a")}});
  ExportedChange change{.written = absl::FromUnixMicros(7),
                        .key = key.view(),
                        .old_image = key.view(),
                        .new_image = everything.view()};
  std::string line;
  AppendIonItem(everything.view(), &line);
  absl::StatusOr<IonRecord> record = ReadIonRecord(line);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->item, everything);
  EXPECT_FALSE(record->is_change || record->is_deletion);
  line.clear();
  AppendIonChange(change, &line);
  record = ReadIonRecord(line);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->item, everything);
  EXPECT_TRUE(record->is_change && !record->is_deletion);
  change.new_image.reset();
  line.clear();
  AppendIonChange(change, &line);
  record = ReadIonRecord(line);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->item, key);
  EXPECT_TRUE(record->is_change && record->is_deletion);
  const std::string deep = std::string(kNestingDepthMax, '[') + std::string(kNestingDepthMax, ']');
  EXPECT_TRUE(ReadIonRecord("{Record:{Keys:{a:1},NewImage:{a:" + deep + "}}}").ok());
  for (const std::string_view wrong :
       {"1", "{}", "{Record:1}", "{Record:{}}", "{Record:{Keys:1}}",
        "{Record:{Keys:{a:1},NewImage:1}}", "{Item:{a:1},Item:{a:2}}", "{Item:{a:1,b:2,a:1}}",
        "{Item:{a:1,b:[{c:2,c:3}]}}"}) {
    EXPECT_EQ(KindOf(ReadIonRecord(wrong).status()), ErrorKind::kValidation) << wrong;
  }
}

TEST(IonText, RecordsOfBulkPuts) {
  const std::string_view text =
      "{Item:{pk:\"a\"},ConditionExpression:\"#n > :v\",ExpressionAttributeNames:{'#n':\"n\"},"
      "ExpressionAttributeValues:{':v':1},more:[]}";
  const auto put = ReadIonPut(text);
  ASSERT_TRUE(put.ok()) << put.status();
  EXPECT_EQ(put->item.view().Find("pk")->string(), "a");
  EXPECT_EQ(put->condition_expression, "#n > :v");
  EXPECT_EQ(*put->expression_attribute_names, (AttributeNames{{"#n", "n"}}));
  EXPECT_TRUE(put->expression_attribute_values->view().Find(":v"));
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(ReadIonPut(text.substr(0, size)).ok()) << size;
  }
  const auto plain = ReadIonPut("{Item:{pk:1}}");
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_FALSE(plain->condition_expression || plain->expression_attribute_names ||
               plain->expression_attribute_values);
  for (const std::string_view wrong :
       {"{ConditionExpression:\"a\"}", "{Item:{},ConditionExpression:1}",
        "{Item:{},ExpressionAttributeNames:[]}", "{Item:{},ExpressionAttributeNames:{'#n':1}}",
        "{Item:{},ExpressionAttributeValues:1}"}) {
    EXPECT_FALSE(ReadIonPut(wrong).ok()) << wrong;
  }
}

TEST(IonText, GarbageIsAnItemOrAFault) {
  std::string line;
  const Item everything = Everything();
  AppendIonItem(everything.view(), &line);
  constexpr std::string_view kBytes = "{}[]()\"'\\:,.-+_$/*x0deEnT \n\xff";
  std::mt19937 random(20261122);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = line;
    for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          text.insert(at, 1, kBytes[random() % kBytes.size()]);
          break;
        default:
          text.erase(at, 1);
      }
    }
    const auto item = ReadIonItem(text);
    if (item.ok()) {
      EXPECT_TRUE(ItemView::Parse(item->bytes()).ok()) << text;
    } else {
      EXPECT_EQ(KindOf(item.status()), ErrorKind::kValidation) << text;
    }
  }
}

}  // namespace
}  // namespace dynolith
