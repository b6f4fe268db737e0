// Data models of AWS's design tools as experiments: what is read, what is assumed, what is refused.
#include "tools/lab/data_model/data_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/data_model/experiment_text.h"
#include "tools/lab/experiment/experiment_doubts.h"

namespace dynolith::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A table of two entities, of which one is in each index.
constexpr std::string_view kTables = R"({
  "tables": [{
    "table_name": "shop",
    "key_schema": {"partition_key": "pk", "sort_key": "sk"},
    "attribute_definitions": [{"attribute_name": "at", "attribute_type": "N"}],
    "entities": [
      {"entity_name": "Order", "estimated_item_size_bytes": 2000, "estimated_item_count": 1000,
       "attributes": [{"name": "open", "type": "S"}, {"name": "at", "type": "S"}]},
      {"entity_name": "Line", "estimated_item_size_bytes": 500, "estimated_item_count": 3000,
       "attributes": [{"name": "sku", "type": "S"}]}],
    "gsis": [
      {"index_name": "open", "partition_key": "open", "sort_key": "at",
       "projection": {"type": "INCLUDE", "attributes": ["total"]}},
      {"index_name": "sku", "partition_key": "sku", "projection": {"type": "KEYS_ONLY"}},
      {"index_name": "none", "partition_key": "nobody"}]
  }],
  "access_patterns": [)";

std::string Model(std::string_view patterns) { return Concat(kTables, patterns, "]}"); }

std::string ReadExperimentText(std::string_view model, std::string_view benchmark = "") {
  const auto parsed = ParseDataModel("model.json", model);
  if (!parsed.ok()) return std::string(parsed.status().message());
  std::optional<BenchmarkConfig> config;
  if (!benchmark.empty()) {
    const auto read = ParseBenchmarkConfig("benchmark.json", benchmark);
    if (!read.ok()) return std::string(read.status().message());
    config = *read;
  }
  return ExperimentText("model", *parsed, config);
}

std::vector<Experiment> Experiments(std::string_view model, std::string_view benchmark = "") {
  const std::string text = ReadExperimentText(model, benchmark);
  const auto read = ParseExperiment("model.toml", text, [](const std::string&) {
    return absl::StatusOr<std::string>(absl::NotFoundError("no other file"));
  });
  EXPECT_TRUE(read.ok()) << read.status() << "\n" << text;
  if (!read.ok()) return {};
  std::vector<std::string> doubts;
  for (const Experiment& experiment : *read) AddDoubts(experiment, &doubts);
  EXPECT_THAT(doubts, IsEmpty()) << text;
  return *read;
}

// Names of the attributes that an access gives.
std::vector<std::string> Given(const Access& access) {
  std::vector<std::string> names;
  for (const auto& [attribute, source] : access.key) names.push_back(attribute);
  return names;
}

TEST(DataModel, Tables) {
  const auto read = Experiments(Model(
      R"({"pattern_id": "Q", "operation": "Query", "table": "shop", "index": "open", "peak_rps": 7,
          "items_per_request": 10})"));
  ASSERT_EQ(read.size(), 1u);
  const TableDesign& table = read[0].tables.at(0);
  EXPECT_EQ(table.partition_key.attribute, "pk");
  EXPECT_EQ(table.item.least, 875);  // (1000 × 2000 + 3000 × 500) / 4000
  EXPECT_EQ(table.bytes, 4000 * 875);
  ASSERT_EQ(table.indexes.size(), 3u);
  // What the table says of a key wins over its entities.
  EXPECT_EQ(table.indexes[0].sort_key->type, Type::kNumber);
  EXPECT_EQ(table.indexes[0].entry_bytes, 263);  // 30 %
  EXPECT_EQ(table.indexes[1].entry_bytes, 88);   // 10 %
  EXPECT_EQ(table.indexes[2].entry_bytes, 0);    // as large as the item
  const Access& query = read[0].accesses.at(0);
  EXPECT_EQ(query.index, 0u);
  EXPECT_EQ(query.items, 10);
  EXPECT_EQ(query.load->high, 7);
  // A tenth of the items, since a Query finds ten together.
  EXPECT_EQ(read[0].sources.at(query.key.at("open")).count, 400u);
}

TEST(DataModel, WritesChangeTheEntriesThatTheDescriptionSays) {
  const std::string head = R"("table": "shop", "peak_rps": 1, )";
  const auto written = [&](std::string_view pattern) {
    return Given(Experiments(Model(Concat("{\"pattern_id\": \"W\", ", head, pattern, "}")))
                     .at(0)
                     .accesses.at(0));
  };
  // Nobody says what is written: each index, and that whose key no entity has, too.
  EXPECT_THAT(written(R"("operation": "PutItem")"), ElementsAre("nobody", "open", "pk", "sku"));
  EXPECT_THAT(written(R"("operation": "PutItem", "entities_written": ["Line"])"),
              ElementsAre("nobody", "pk", "sku"));
  EXPECT_THAT(written(R"("operation": "PutItem", "attributes_written": ["open", "at"])"),
              ElementsAre("open", "pk"));
  // ALL on each change, INCLUDE when it has the attribute, KEYS_ONLY when it is a key.
  EXPECT_THAT(written(R"("operation": "UpdateItem", "attributes_written": ["note"])"),
              ElementsAre("nobody", "pk"));
  EXPECT_THAT(written(R"("operation": "UpdateItem", "attributes_written": ["total"])"),
              ElementsAre("nobody", "open", "pk"));
  EXPECT_THAT(written(R"("operation": "UpdateItem", "attributes_written": ["sku"])"),
              ElementsAre("nobody", "pk", "sku"));
}

TEST(DataModel, WritesOfSeveralItems) {
  const auto read = Experiments(Model(
      R"({"pattern_id": "W", "operation": "TransactWriteItems", "table": "shop", "peak_rps": 1,
          "entities_written": [{"entity": "Order"}, {"entity": "Line", "count": 3}]},
         {"pattern_id": "M", "operation": "UpdateItem", "table": "shop", "peak_rps": 1,
          "estimated_item_size_bytes": 100, "previous_item_size_bytes": 3000,
          "attributes_written": ["open"]},
         {"pattern_id": "B", "operation": "BatchWriteItem", "table": "shop", "peak_rps": 1,
          "item_sizes": [10, 20, 30], "write_action": "create"})"));
  ASSERT_EQ(read.size(), 1u);
  const std::vector<Access>& accesses = read[0].accesses;
  EXPECT_EQ(accesses[0].items, 4);
  EXPECT_THAT(accesses[0].item->list, ElementsAre(2000, 500, 500, 500));
  EXPECT_EQ(accesses[0].adds, false);
  EXPECT_EQ(accesses[1].item->least, 3000);  // the larger one
  EXPECT_THAT(accesses[1].index_changes,
              ElementsAre(IndexChange::kMove, IndexChange::kNone, IndexChange::kPut));
  EXPECT_EQ(accesses[2].items, 3);
  EXPECT_EQ(accesses[2].adds, true);
}

TEST(DataModel, ScansGoPageByPageAndSearchesAreLeftOut) {
  const std::string model = Model(
      R"({"pattern_id": "S", "operation": "Scan", "table": "shop", "peak_rps": 4,
          "items_per_request": 50},
         {"pattern_id": "V", "operation": "SearchVectors", "table": "shop", "index": "e",
          "description": "two\nlines", "peak_rps": 4})");
  const auto read = Experiments(model);
  ASSERT_EQ(read.size(), 1u);
  ASSERT_EQ(read[0].accesses.size(), 1u);
  EXPECT_EQ(read[0].accesses[0].page_items, 50);
  EXPECT_EQ(read[0].accesses[0].page_time, kSecond / 4);
  EXPECT_THAT(ReadExperimentText(model),
              HasSubstr("# Not simulated, SearchVectors: V: two lines\n"));
}

TEST(DataModel, ABenchmarkBecomesDesigns) {
  const std::string model = Model(
      R"({"pattern_id": "a get", "operation": "GetItem", "table": "shop", "peak_rps": 100},
         {"pattern_id": "put", "operation": "PutItem", "table": "shop", "peak_rps": 100})");
  const auto read = Experiments(model, R"({"mode": "representative", "max_rps_per_pattern": 10,
      "provisioned_capacity": {"read": 9, "write": 8}, "seed_items_per_table": 80})");
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].duration, 15 * kMinute);
  const auto keys = [&](size_t design, size_t access) {
    return read[design].sources.at(read[design].accesses[access].key.at("pk"));
  };
  EXPECT_EQ(keys(0, 0).distribution, Distribution::kUniform);
  EXPECT_EQ(keys(1, 0).distribution, Distribution::kScrambledZipfian);
  EXPECT_EQ(keys(1, 0).theta, 1.1);
  EXPECT_EQ(keys(1, 0).count, keys(0, 0).count);
  // Writes stay even, and go to the same keys.
  EXPECT_EQ(keys(1, 1).distribution, Distribution::kUniform);
  EXPECT_EQ(keys(1, 1).prefix, keys(1, 0).prefix);
  EXPECT_EQ(read[1].accesses[0].load->high, 100);
  EXPECT_EQ(read[2].duration, 2 * kMinute);
  EXPECT_EQ(read[2].accesses[0].load->high, 10);  // 15, but no more than 10
  EXPECT_EQ(keys(2, 0).count, 2u);                // 80 items, 40 together
  EXPECT_TRUE(read[1].tables[0].throughput.on_demand);
  EXPECT_EQ(read[2].tables[0].throughput.units.read, 9);

  EXPECT_EQ(Experiments(model, R"({"mode": "quick"})").size(), 2u);
  EXPECT_THAT(ReadExperimentText(model, R"({"mode": "quik"})"),
              HasSubstr("benchmark.json:1:10: mode must be standard, quick or "
                        "representative, not quik; did you mean quick?"));
}

TEST(DataModel, OfTheMcpServer) {
  const auto read = Experiments(R"({
    "tables": [{"TableName": "t", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"}],
      "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"}, {"AttributeName": "g", "AttributeType": "S"}],
      "GlobalSecondaryIndexes": [{"IndexName": "by-g", "KeySchema": [
        {"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}],
      "BillingMode": "PROVISIONED",
      "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}],
    "items": {"t": [{"PutRequest": {"Item": {"pk": {"S": "12345678"}, "sk": {"N": "1"}}}},
                    {"PutRequest": {"Item": {"pk": {"S": "12"}, "sk": {"N": "1"}}}}]},
    "access_patterns": [
      {"pattern": "1-2", "table": "t", "index": null, "dynamodb_operation": "GetItem",
       "implementation": "aws dynamodb get-item --table-name t --consistent-read"},
      {"pattern": "1-2", "table": "t", "index": "by-g", "dynamodb_operation": "Query",
       "implementation": "aws dynamodb query --no-consistent-read"},
      {"pattern": "3", "description": "mail", "reason": "no database"},
      {"pattern": "4", "table": "t", "dynamodb_operation": "TransactWrite"}]})");
  ASSERT_EQ(read.size(), 1u);
  const TableDesign& table = read[0].tables.at(0);
  EXPECT_EQ(table.sort_key->type, Type::kNumber);
  EXPECT_EQ(table.item.least, 11);  // pk 2 + 8 or 2, sk 2 + 2
  EXPECT_EQ(table.throughput.units.write, 4);
  const std::vector<Access>& accesses = read[0].accesses;
  ASSERT_EQ(accesses.size(), 3u);
  EXPECT_EQ(accesses[0].consistency, ReadMode::kStrong);
  EXPECT_EQ(accesses[0].load->high, 1);  // nobody says how often
  EXPECT_EQ(accesses[1].name, "1-2 (2)");
  EXPECT_EQ(accesses[1].consistency, ReadMode::kEventual);
  EXPECT_EQ(accesses[2].operation, Operation::kTransactWriteItems);
}

TEST(DataModel, WhatIsWrongIsSaidAtOnceWithItsPosition) {
  EXPECT_EQ(ReadExperimentText("{\"tables\": ["), "model.json:1:13: it is no JSON from here on");
  EXPECT_EQ(ReadExperimentText("[]"), "model.json:1:1: it must be an object");
  const std::string text =
      ReadExperimentText(R"({"tables": [{"table_name": "shop", "key_schema": {}},
{"table_name": "shop"}, 3], "access_patterns": [
{"pattern_id": "a", "operation": "GetItm", "table": "shp", "peak_rps": -1},
{"pattern_id": "b", "operation": "Query", "table": "shop", "index": "x"}]})");
  EXPECT_THAT(text, HasSubstr("model.json:1:50: tables[0].key_schema.partition_key is missing\n"));
  EXPECT_THAT(text, HasSubstr("model.json:2:1: tables[1].key_schema is missing\n"));
  EXPECT_THAT(text, HasSubstr("model.json:2:1: there are two tables shop\n"));
  EXPECT_THAT(text, HasSubstr("model.json:2:25: tables[2] must be an object\n"));
  EXPECT_THAT(text, HasSubstr("model.json:3:34: access_patterns[0].operation must be GetItem, "));
  EXPECT_THAT(text, HasSubstr("; did you mean GetItem?\n"));
  EXPECT_THAT(text, HasSubstr("access_patterns[0].table: there is no table shp; did you mean "
                              "shop?\n"));
  EXPECT_THAT(text, HasSubstr("access_patterns[0].peak_rps must be a number, 0 or more\n"));
  EXPECT_THAT(text, HasSubstr("access_patterns[1].peak_rps is missing\n"));
  EXPECT_THAT(text, HasSubstr("access_patterns[1].index: there is no index x"));
  EXPECT_THAT(ReadExperimentText(
                  R"({"tables": [{"table_name": "t", "key_schema": {"partition_key": "k"}}]})"),
              HasSubstr("it has no access_patterns that are calls to DynamoDB"));
  EXPECT_THAT(
      ReadExperimentText(Model(R"({"pattern_id": "a \"b\"", "operation": "GetItem", "table": "shop",
                               "peak_rps": 1})")),
      HasSubstr("name = \"a \\\"b\\\"\"\n"));
  EXPECT_THAT(text, Not(HasSubstr("[[table]]")));
}

}  // namespace
}  // namespace dynolith::lab
