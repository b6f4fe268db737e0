// Why: a request may have 16 MB of the same thing. Whatever that thing is, looking at it takes time
// in proportion: what grows with the square of it takes minutes here, and every bound below is some
// ten times of what is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "api/json/dispatch.h"
#include "dynolith/database.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

using ::testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kPatienceSeconds = 60;
#else
constexpr double kPatienceSeconds = 8;
#endif

// `count` elements that `element` makes, as the inside of a JSON list or object.
std::string Repeated(size_t count, absl::FunctionRef<std::string(size_t)> element) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += element(i);
  }
  return text;
}

std::string Definition(size_t i) {
  return Concat(R"({"AttributeName":"a)", i, R"(","AttributeType":"S"})");
}

std::string Index(size_t i) {
  return Concat(R"({"IndexName":"index)", i, R"(","KeySchema":[{"AttributeName":"a)", i,
                R"(","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}})");
}

class HeavyRequests : public ::testing::Test {
 protected:
  HeavyRequests() {
    DatabaseOptions options;
    options.in_memory = true;
    database_ = *Database::Open(options);
    dispatcher_ = std::make_unique<Dispatcher>(database_.get(), DispatcherOptions());
    EXPECT_EQ(dispatcher_->Handle("CreateTable", MakeTable("songs", Definition(0), "")).http_status,
              200);
  }

  static std::string MakeTable(std::string_view name, std::string_view definitions,
                               std::string_view more) {
    return Concat(R"({"TableName":")", name, R"(","BillingMode":"PAY_PER_REQUEST",)",
                  R"("KeySchema":[{"AttributeName":"a0","KeyType":"HASH"}],)",
                  R"("AttributeDefinitions":[)", definitions, "]", more, "}");
  }

  // The error's message, or the whole answer.
  std::string Call(std::string_view operation, const std::string& body) {
    // Of the processor: what else the machine does takes none of it.
    const std::clock_t start = std::clock();
    const JsonResponse response = dispatcher_->Handle(operation, body);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, kPatienceSeconds) << operation;
    return response.body;
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

TEST_F(HeavyRequests, DefinitionsThatNobodyUses) {
  EXPECT_THAT(Call("CreateTable", MakeTable("many", Repeated(300'000, Definition), "")),
              HasSubstr("Number of attributes in KeySchema does not exactly match"));
}

TEST_F(HeavyRequests, DefinitionsOfManyKeys) {
  const std::string indexes =
      Concat(R"(,"GlobalSecondaryIndexes":[)", Repeated(80'000, Index), "]");
  EXPECT_THAT(Call("CreateTable", MakeTable("many", Repeated(80'000, Definition), indexes)),
              HasSubstr("GlobalSecondaryIndex count exceeds the per-table limit"));
}

TEST_F(HeavyRequests, KeyOfManyElements) {
  const auto element = [](size_t i) {
    return Concat(R"({"AttributeName":"a)", i, R"(","KeyType":"HASH"})");
  };
  const std::string indexes =
      Concat(R"(,"GlobalSecondaryIndexes":[{"IndexName":"wide","KeySchema":[)",
             Repeated(150'000, element), R"(],"Projection":{"ProjectionType":"ALL"}}])");
  EXPECT_THAT(Call("CreateTable", MakeTable("many", Repeated(150'000, Definition), indexes)),
              HasSubstr("HASH"));
}

TEST_F(HeavyRequests, VectorIndexes) {
  const auto vector = [](size_t i) {
    return Concat(R"({"IndexName":"index)", i, R"(","VectorAttribute":{"AttributeName":"v)", i,
                  R"("},"Dimensions":2,"DistanceFunction":"COSINE",)",
                  R"("Projection":{"ProjectionType":"ALL"}})");
  };
  const std::string vectors = Concat(R"(,"VectorIndexes":[)", Repeated(80'000, vector), "]");
  EXPECT_THAT(Call("CreateTable", MakeTable("many", Definition(0), vectors)),
              HasSubstr("VectorIndex"));
}

TEST_F(HeavyRequests, SearchSchemaOfManyElements) {
  const auto element = [](size_t i) {
    return Concat(R"({"AttributeName":"a)", i, R"(","ElementType":"INLINE_FILTER"})");
  };
  const std::string vectors =
      Concat(R"(,"VectorIndexes":[{"IndexName":"index","VectorAttribute":{"AttributeName":"v"},)",
             R"("Dimensions":2,"DistanceFunction":"COSINE","Projection":{"ProjectionType":"ALL"},)",
             R"("SearchSchema":[)", Repeated(120'000, element), "]}]");
  EXPECT_THAT(Call("CreateTable", MakeTable("many", Repeated(120'000, Definition), vectors)),
              HasSubstr("ValidationException"));
}

TEST_F(HeavyRequests, IndexUpdates) {
  const auto update = [](size_t i) {
    return Concat(R"({"Delete":{"IndexName":"index)", i, R"("}})");
  };
  const std::string body = Concat(R"({"TableName":"songs","GlobalSecondaryIndexUpdates":[)",
                                  Repeated(300'000, update), "]}");
  EXPECT_THAT(Call("UpdateTable", body), HasSubstr("__type"));
}

TEST_F(HeavyRequests, CsvHeaders) {
  const auto header = [](size_t i) { return Concat("\"h", i, "\""); };
  const std::string body = Concat(
      R"({"ClientToken":"token","S3BucketSource":{"S3Bucket":"bucket"},"InputFormat":"CSV",)",
      R"("InputFormatOptions":{"Csv":{"HeaderList":[)", Repeated(250, header),
      R"(]}},"TableCreationParameters":)", MakeTable("many", Repeated(200'000, Definition), ""),
      "}");
  EXPECT_THAT(Call("ImportTable", body), HasSubstr("ValidationException"));
}

TEST_F(HeavyRequests, EmptyValues) {
  const std::string body = Concat(R"({"TableName":"songs","Item":{"a0":{"S":"x"},"l":{"L":[)",
                                  Repeated(5'500'000, [](size_t) { return "{}"; }), "]}}}");
  EXPECT_THAT(Call("PutItem", body), HasSubstr("Supplied AttributeValue is empty"));
}

TEST_F(HeavyRequests, ElementsOfAnItem) {
  const std::string many = Repeated(1'000'000, [](size_t) { return R"({"NULL":true})"; });
  const std::string item = Concat(R"("a0":{"S":"x"},"l":{"L":[)", many, "]}");
  EXPECT_THAT(Call("PutItem", Concat(R"({"TableName":"songs","Item":{)", item, "}}")),
              HasSubstr("Item size has exceeded the maximum allowed size"));
  // A fault behind what is no longer built is still found.
  EXPECT_THAT(Call("PutItem", Concat(R"({"TableName":"songs","Item":{)", item, R"(,"z":{}}})")),
              HasSubstr("Supplied AttributeValue is empty"));
}

TEST_F(HeavyRequests, ElementsOfValuesThatAreNoItems) {
  Call("PutItem", R"({"TableName":"songs","Item":{"a0":{"S":"x"}}})");
  const auto list = [](size_t count) {
    return Concat(R"({"L":[)", Repeated(count, [](size_t) { return R"({"NULL":true})"; }), "]}");
  };
  const auto update = [](std::string_view first, std::string_view second) {
    return Concat(
        R"x({"TableName":"songs","Key":{"a0":{"S":"x"}},"UpdateExpression":"SET b = :z",)x",
        R"x("ConditionExpression":":a = :b","ReturnValues":"ALL_NEW",)x",
        R"x("ExpressionAttributeValues":{":a":)x", first, R"(,":b":)", second,
        R"x(,":z":{"L":[{"S":"kept"}]}}})x");
  };
  // Each value has all of its elements, whatever others have.
  EXPECT_THAT(Call("UpdateItem", update(list(300'000), list(300'000))),
              HasSubstr(R"("b":{"L":[{"S":"kept"}]})"));
  // None is looked at in part.
  const std::string many = list(1'000'000);
  const auto is_refused = HasSubstr("Item size has exceeded the maximum allowed size");
  EXPECT_THAT(Call("UpdateItem", update(many, list(1))), is_refused);
  EXPECT_THAT(
      Call("PutItem",
           Concat(R"({"TableName":"songs","Item":{"a0":{"S":"x"}},"Expected":{"b":{"Value":)", many,
                  R"(,"ComparisonOperator":"NE"}}})")),
      is_refused);
  EXPECT_THAT(
      Call("ExecuteStatement",
           Concat(R"({"Statement":"SELECT * FROM songs WHERE b <> ?","Parameters":[)", many, "]}")),
      is_refused);
}

TEST_F(HeavyRequests, TheirMemoryIsGivenBack) {
  const auto in_use = [] {
    const struct mallinfo2 memory = mallinfo2();
    return memory.uordblks + memory.hblkhd;
  };
  const std::string small = R"({"TableName":"songs","Item":{"a0":{"S":"x"}}})";
  EXPECT_EQ(Call("PutItem", small), "{}");
  const std::string body =
      Concat(R"({"TableName":"songs","Item":{"a0":{"S":"x"},"l":{"L":[)",
             Repeated(1'000'000, [](size_t) { return R"({"NULL":true})"; }), "]}}}");
  const size_t before = in_use();
  Call("PutItem", body);
  EXPECT_LT(in_use(), before + (8u << 20));
}

TEST_F(HeavyRequests, AnUpdateThatMultipliesAnItemKeepsNothing) {
  Call("PutItem", Concat(R"({"TableName":"songs","Item":{"a0":{"S":"x"},"b":{"S":")",
                         std::string(300'000, 'x'), "\"}}}"));
  const auto update = [](size_t copies) {
    return Concat(R"({"TableName":"songs","Key":{"a0":{"S":"x"}},"UpdateExpression":"SET )",
                  Repeated(copies, [](size_t i) { return Concat("c", i, " = b"); }), "\"}");
  };
  const auto in_use = [] {
    const struct mallinfo2 memory = mallinfo2();
    return memory.uordblks + memory.hblkhd;
  };
  EXPECT_THAT(Call("UpdateItem", update(1)), HasSubstr("Item size to update has exceeded"));
  const size_t before = in_use();
  EXPECT_THAT(Call("UpdateItem", update(250)), HasSubstr("Item size to update has exceeded"));
  EXPECT_LT(in_use(), before + (8u << 20));
}

TEST_F(HeavyRequests, RefusedValuesArePrintedInPart) {
  const std::string elements = Repeated(1'000'000, [](size_t) { return "{}"; });
  const std::string body =
      Concat(R"({"TableName":"many","AttributeDefinitions":[],"KeySchema":[)", elements, "]}");
  const std::string answer = Call("CreateTable", body);
  EXPECT_THAT(answer, HasSubstr("Value '[KeySchemaElement(attributeName=null, keyType=null), "));
  EXPECT_LT(answer.size(), 200'000u);
  const std::string text =
      Call("PutItem", Concat(R"({"TableName":"songs","Item":{},"ReturnValues":")",
                             std::string(10'000'000, 'x'), "\"}"));
  EXPECT_THAT(text, HasSubstr("Value 'xxxxx"));
  EXPECT_LT(text.size(), 200'000u);
  // In whole characters.
  std::string letters = "x";
  for (int i = 0; i < 100'000; ++i) letters += "é";
  const std::string request =
      Concat(R"({"TableName":"songs","Item":{},"ReturnValues":")", letters, "\"}");
  EXPECT_THAT(Call("PutItem", request), HasSubstr("é' at 'returnValues'"));
}

TEST_F(HeavyRequests, NamesToGet) {
  const auto name = [](size_t i) { return Concat("\"n", i, "\""); };
  const std::string body = Concat(R"({"TableName":"songs","AttributesToGet":[)",
                                  Repeated(1'000'000, name), R"(,"n999999"]})");
  EXPECT_THAT(Call("Scan", body), HasSubstr("1 validation error detected: Value"));
}

}  // namespace
}  // namespace dynolith
