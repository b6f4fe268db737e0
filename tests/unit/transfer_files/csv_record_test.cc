// What the service's guide says of CSV: quotes, columns, and the types of keys.
#include "api/transfer/files/csv_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/base/errors.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;

TEST(CsvRecord, Fields) {
  EXPECT_THAT(*ParseCsvRecord("", ','), ElementsAre(""));
  EXPECT_THAT(*ParseCsvRecord("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(*ParseCsvRecord("a,b", ';'), ElementsAre("a,b"));
  EXPECT_THAT(*ParseCsvRecord("a\tb", '\t'), ElementsAre("a", "b"));
  EXPECT_THAT(*ParseCsvRecord("\"a,b\",\"\",\"x\ny\"", ','), ElementsAre("a,b", "", "x\ny"));
  // The guide's example.
  EXPECT_THAT(*ParseCsvRecord("id,\"value \"\"123\"\"\",Women's Full Length Dress", ','),
              ElementsAre("id", "value \"123\"", "Women's Full Length Dress"));
}

TEST(CsvRecord, QuotesAtAnotherPlaceAreFaults) {
  for (const std::string_view record :
       {"id,value \"123\",Women's", "\"a", "\"a\"b", "\"a\" ,b", "a\"", "\"\"\""}) {
    const auto fields = ParseCsvRecord(record, ',');
    EXPECT_EQ(KindOf(fields.status()), ErrorKind::kValidation) << record;
  }
}

TEST(CsvRecord, EveryTruncationIsFieldsOrAFault) {
  const std::string record = "a,\"b,\"\"c\"\"\",,\"\nd\",e";
  for (size_t size = 0; size <= record.size(); ++size) {
    const auto fields = ParseCsvRecord(std::string_view(record).substr(0, size), ',');
    EXPECT_TRUE(!fields.ok() || !fields->empty()) << size;
  }
}

TEST(CsvRecord, RandomFieldsComeBack) {
  std::mt19937 random(20261122);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> fields(1 + random() % 5);
    std::string record;
    for (std::string& field : fields) {
      for (size_t bytes = random() % 6; bytes > 0; --bytes) field += "a\",\n; "[random() % 6];
      if (&field != &fields[0]) record += ',';
      const bool quoted = field.find_first_of("\",\n") != std::string::npos || random() % 2 == 0;
      std::string text;
      for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
      record += quoted ? "\"" + text + "\"" : text;
    }
    const auto parsed = ParseCsvRecord(record, ',');
    ASSERT_TRUE(parsed.ok()) << record << ": " << parsed.status();
    EXPECT_EQ(*parsed, fields) << record;
  }
}

TEST(CsvItem, KeysHaveTheirTypesAllElseIsText) {
  const std::vector<AttributeDefinition> definitions = {
      {"pk", Type::kString}, {"n", Type::kNumber}, {"b", Type::kBinary}};
  const auto item =
      CsvItem({"pk", "n", "b", "x", "y"}, {"a", "1.50", "AAE=", "7", ""}, definitions);
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_EQ(*item, Item({{"pk", Value::S("a")},
                         {"n", *Value::ParseN("1.5")},
                         {"b", Value::B(std::string("\0\1", 2))},
                         {"x", Value::S("7")},
                         {"y", Value::S("")}}));
  EXPECT_FALSE(CsvItem({"pk", "n"}, {"a", "one"}, definitions).ok());
  EXPECT_FALSE(CsvItem({"pk", "n"}, {"a", ""}, definitions).ok());
  EXPECT_FALSE(CsvItem({"pk", "b"}, {"a", "*"}, definitions).ok());
  EXPECT_FALSE(CsvItem({"pk", "n"}, {"a"}, definitions).ok());
  EXPECT_FALSE(CsvItem({"pk"}, {"a", "1"}, definitions).ok());
}

TEST(CsvHeaders, HaveNamesOfTheirOwn) {
  EXPECT_TRUE(CheckCsvHeaders({"a", "b"}).ok());
  EXPECT_FALSE(CheckCsvHeaders({"a", "a"}).ok());
  EXPECT_FALSE(CheckCsvHeaders({"a", ""}).ok());
}

}  // namespace
}  // namespace dynolith
