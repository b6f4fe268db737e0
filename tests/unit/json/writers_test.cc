// Why: outputs are read by clients that know the service model, so every key must be one of the
// model's, and the bytes must be JSON whatever an item holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "absl/time/time.h"
#include "api/json/fields.h"
#include "api/json/json_writer.h"
#include "engine/base/errors.h"
#include "engine/text/json_string.h"
#include "engine/value/attachments.h"
#include "engine/value/item_json.h"
#include "tests/unit/json/in_model.h"
#include "tests/unit/json/json_texts.h"

namespace dynolith {
namespace {

// The text of an output, which must be in the model.
template <typename Output>
std::string Checked(const std::string& operation, const Output& output) {
  std::string text = Written(operation, output);
  simdjson::dom::parser parser;
  JsonValue root;
  EXPECT_EQ(parser.parse(text).get(root), simdjson::SUCCESS) << text;
  ExpectInModel(ShapeAt(FindOperation(Service::kDynamo, operation)->output), root);
  return text;
}

std::string Printed(const Value& value) {
  std::string text;
  AppendJsonValue(value.view(), &text);
  return text;
}

// The fast path looks at eight bytes at once: each byte must be found at each place.
TEST(JsonWriter, EveryByteAtEveryPlace) {
  simdjson::dom::parser parser;
  for (int byte = 0; byte < 128; ++byte) {
    for (size_t place = 0; place < 19; ++place) {
      std::string text(19, 'x');
      text[place] = static_cast<char>(byte);
      std::string out;
      AppendJsonString(text, &out);
      JsonValue root;
      ASSERT_EQ(parser.parse(out).get(root), simdjson::SUCCESS) << byte << " at " << place;
      ASSERT_EQ(AsText(root), text);
    }
  }
}

TEST(JsonWriter, Scalars) {
  std::string out;
  JsonWriter writer(&out);
  writer.BeginArray();
  writer.Double(0.5);
  writer.Double(1);
  writer.Double(0);
  writer.Double(128.5);
  writer.Integer(std::numeric_limits<int64_t>::min());
  writer.Bool(false);
  writer.Timestamp(absl::FromUnixMillis(1736000000000));
  writer.Timestamp(absl::FromUnixMillis(1736000000045));
  writer.BeginObject();
  writer.Key("a");
  writer.BeginArray();
  writer.EndArray();
  writer.Key("b");
  writer.String("c");
  writer.EndObject();
  writer.EndArray();
  EXPECT_EQ(out,
            "[0.5,1.0,0.0,128.5,-9223372036854775808,false,1736000000,1736000000.045,"
            R"({"a":[],"b":"c"}])");
}

TEST(JsonWriter, AttributeValues) {
  EXPECT_EQ(Printed(Value::S("a\"b")), R"({"S":"a\"b"})");
  EXPECT_EQ(Printed(Value::B(std::string_view("\0\1\xff", 3))), R"({"B":"AAH/"})");
  EXPECT_EQ(Printed(*Value::ParseN("-1.50E2")), R"({"N":"-150"})");
  EXPECT_EQ(Printed(Value::Bool(true)), R"({"BOOL":true})");
  EXPECT_EQ(Printed(Value::Null()), R"({"NULL":true})");
  EXPECT_EQ(Printed(Value::L({Value::S(""), Value::L({})})), R"({"L":[{"S":""},{"L":[]}]})");
  EXPECT_EQ(Printed(Value::M({{"b", Value::N(1)}, {"a", Value::M(Item())}})),
            R"({"M":{"a":{"M":{}},"b":{"N":"1"}}})");
  EXPECT_EQ(Printed(Value::SS({"b", "a"})), R"({"SS":["a","b"]})");
  EXPECT_EQ(Printed(Value::NS({Number::FromInt64(10), Number::FromInt64(-2)})),
            R"({"NS":["-2","10"]})");
  EXPECT_EQ(Printed(Value::BS({"b", "a"})), R"({"BS":["YQ==","Yg=="]})");
}

TEST(JsonWriter, ItemsReadBackAsTheyWere) {
  const Item item = {{"", Value::Null()},
                     {"a\nb", Value::L({Value::B(std::string(5, '\0')), Value::N(-7)})},
                     {"é", Value::SS({"", "\t"})}};
  std::string text;
  AppendJsonItem(item.view(), &text);
  const auto read = Read<PutItemRequest>("PutItem", R"({"TableName":"abc","Item":)" + text + "}");
  EXPECT_EQ(read->request.item, item);
}

TEST(Writers, WriteOutput) {
  EXPECT_EQ(Checked("PutItem", WriteOutput()), "{}");
  const WriteOutput output = {
      .attributes = Item{{"k", Value::S("v")}},
      .consumed_capacity =
          ConsumedCapacity{.table_name = "abc",
                           .capacity_units = 2.5,
                           .table = Capacity{.capacity_units = 1},
                           .local_secondary_indexes = {{"l", {.capacity_units = 0.5}}},
                           .global_secondary_indexes = {{"g", {.capacity_units = 1.5}}}},
      .item_collection_metrics = ItemCollectionMetrics{
          .item_collection_key = {{"k", Value::S("v")}}, .size_estimate_range_gb = {0, 1}}};
  for (const char* operation : {"PutItem", "UpdateItem", "DeleteItem"}) {
    EXPECT_EQ(Checked(operation, output),
              R"({"Attributes":{"k":{"S":"v"}},"ConsumedCapacity":{"TableName":"abc",)"
              R"("CapacityUnits":2.5,"Table":{"CapacityUnits":1.0},)"
              R"("LocalSecondaryIndexes":{"l":{"CapacityUnits":0.5}},)"
              R"("GlobalSecondaryIndexes":{"g":{"CapacityUnits":1.5}}},)"
              R"("ItemCollectionMetrics":{"ItemCollectionKey":{"k":{"S":"v"}},)"
              R"("SizeEstimateRangeGB":[0.0,1.0]}})");
  }
}

TEST(Writers, GetItem) {
  GetItemOutput output;
  EXPECT_EQ(Checked("GetItem", output), "{}");
  output.item = Item();
  EXPECT_EQ(Checked("GetItem", output), R"({"Item":{}})");
  output.item = Item{{"a", Value::N(1)}};
  output.consumed_capacity = ConsumedCapacity{.table_name = "abc", .capacity_units = 1};
  EXPECT_EQ(
      Checked("GetItem", output),
      R"({"Item":{"a":{"N":"1"}},"ConsumedCapacity":{"TableName":"abc","CapacityUnits":1.0}})");
}

// A page whose items have gone to a sink has none left, so an empty list is not written; the
// dispatcher writes the list itself (dispatch_test.cc).
TEST(Writers, Pages) {
  for (const char* operation : {"Query", "Scan"}) {
    EXPECT_EQ(Checked(operation, PageOutput()), R"({"Count":0,"ScannedCount":0})");
    const PageOutput page = {.items = {Item{{"a", Value::N(1)}}, Item()},
                             .count = 2,
                             .scanned_count = 5,
                             .last_evaluated_key = Item{{"k", Value::S("x")}}};
    EXPECT_EQ(Checked(operation, page),
              R"({"Items":[{"a":{"N":"1"}},{}],"Count":2,"ScannedCount":5,)"
              R"("LastEvaluatedKey":{"k":{"S":"x"}}})");
  }
}

TEST(Writers, Batches) {
  const BatchGetItemOutput gets = {
      .responses = {{"abc", {Item{{"k", Value::S("v")}}}}, {"def", {}}},
      .unprocessed_keys = {{"abc",
                            KeysAndAttributes{.keys = {Item{{"k", Value::S("w")}}},
                                              .attributes_to_get = std::vector<std::string>{"a"},
                                              .consistent_read = true,
                                              .projection_expression = "#p",
                                              .expression_attribute_names = {{{"#p", "p"}}}}}},
      .consumed_capacity = {{.table_name = "abc", .capacity_units = 1}}};
  EXPECT_EQ(Checked("BatchGetItem", gets),
            R"({"Responses":{"abc":[{"k":{"S":"v"}}],"def":[]},"UnprocessedKeys":{"abc":{"Keys":)"
            R"([{"k":{"S":"w"}}],"AttributesToGet":["a"],"ConsistentRead":true,)"
            R"("ProjectionExpression":"#p","ExpressionAttributeNames":{"#p":"p"}}},)"
            R"("ConsumedCapacity":[{"TableName":"abc","CapacityUnits":1.0}]})");
  BatchWriteItemOutput writes;
  EXPECT_EQ(Checked("BatchWriteItem", writes), R"({"UnprocessedItems":{}})");
  writes.unprocessed_items = {
      {"abc", {{.put = Item{{"a", Value::N(1)}}}, {.delete_key = Item{{"k", Value::N(2)}}}}}};
  writes.item_collection_metrics = {
      {"abc", {ItemCollectionMetrics{.size_estimate_range_gb = {0, 1}}}}};
  EXPECT_EQ(Checked("BatchWriteItem", writes),
            R"({"UnprocessedItems":{"abc":[{"PutRequest":{"Item":{"a":{"N":"1"}}}},)"
            R"({"DeleteRequest":{"Key":{"k":{"N":"2"}}}}]},"ItemCollectionMetrics":{"abc":)"
            R"([{"ItemCollectionKey":{},"SizeEstimateRangeGB":[0.0,1.0]}]}})");
}

TEST(Writers, StatementErrors) {
  BatchExecuteStatementOutput output;
  output.responses.resize(3);
  output.responses[0].table_name = "abc";
  output.responses[0].item = Item{{"k", Value::S("v")}};
  output.responses[1].error = MakeError(ErrorKind::kDuplicateItem, "there");
  absl::Status condition = MakeError(ErrorKind::kConditionalCheckFailed, "no");
  const Item item = {{"k", Value::S("w")}};
  AttachItem(item.view(), &condition);
  output.responses[2].error = condition;
  EXPECT_EQ(Checked("BatchExecuteStatement", output),
            R"({"Responses":[{"TableName":"abc","Item":{"k":{"S":"v"}}},)"
            R"({"Error":{"Code":"DuplicateItem","Message":"there"}},)"
            R"({"Error":{"Code":"ConditionalCheckFailed","Message":"no",)"
            R"("Item":{"k":{"S":"w"}}}}]})");
}

SecondaryIndexDescription LocalIndex() {
  SecondaryIndexDescription index;
  index.index_name = "l";
  index.key_schema = {{"h", KeyType::kHash}, {"b", KeyType::kRange}};
  index.projection.projection_type = ProjectionType::kKeysOnly;
  index.index_size_bytes = 12;
  index.item_count = 11;
  index.index_arn = "arn:t/index/l";
  return index;
}

SecondaryIndexDescription GlobalIndex() {
  SecondaryIndexDescription index;
  index.index_name = "g";
  index.key_schema = {{"r", KeyType::kHash}};
  index.projection.projection_type = ProjectionType::kInclude;
  index.projection.non_key_attributes = std::vector<std::string>{"x", "y"};
  index.index_size_bytes = 10;
  index.item_count = 9;
  index.index_arn = "arn:t/index/g";
  index.index_status = IndexStatus::kCreating;
  index.backfilling = true;
  index.provisioned_throughput = {.read_capacity_units = 3, .write_capacity_units = 4};
  index.warm_throughput = {3, 4, IndexStatus::kActive};
  return index;
}

TableDescription FullTable() {
  TableDescription table;
  table.attribute_definitions = {{"h", Type::kString}, {"r", Type::kNumber}, {"b", Type::kBinary}};
  table.table_name = "music";
  table.key_schema = {{"h", KeyType::kHash}, {"r", KeyType::kRange}};
  table.table_status = TableStatus::kActive;
  table.creation_date_time = absl::FromUnixMillis(1500);
  table.provisioned_throughput = {.last_increase_date_time = absl::FromUnixSeconds(5),
                                  .number_of_decreases_today = 6,
                                  .read_capacity_units = 1,
                                  .write_capacity_units = 2};
  table.table_size_bytes = 8;
  table.item_count = 7;
  table.table_arn = "arn:t";
  table.table_id = "id";
  table.local_secondary_indexes.push_back(LocalIndex());
  table.global_secondary_indexes.push_back(GlobalIndex());
  table.warm_throughput = {1, 2, TableStatus::kActive};
  return table;
}

TEST(Writers, TableDescription) {
  EXPECT_EQ(
      Checked("DescribeTable", FullTable()),
      R"({"Table":{"AttributeDefinitions":[{"AttributeName":"h","AttributeType":"S"},)"
      R"({"AttributeName":"r","AttributeType":"N"},{"AttributeName":"b","AttributeType":"B"}],)"
      R"("TableName":"music","KeySchema":[{"AttributeName":"h","KeyType":"HASH"},)"
      R"({"AttributeName":"r","KeyType":"RANGE"}],"TableStatus":"ACTIVE",)"
      R"("CreationDateTime":1.500,"ProvisionedThroughput":{"LastIncreaseDateTime":5,)"
      R"("NumberOfDecreasesToday":6,"ReadCapacityUnits":1,"WriteCapacityUnits":2},)"
      R"("TableSizeBytes":8,"ItemCount":7,"TableArn":"arn:t","TableId":"id",)"
      R"("LocalSecondaryIndexes":[{"IndexName":"l","KeySchema":[{"AttributeName":"h",)"
      R"("KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"}],"Projection":)"
      R"({"ProjectionType":"KEYS_ONLY"},"IndexSizeBytes":12,"ItemCount":11,)"
      R"("IndexArn":"arn:t/index/l"}],"GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":)"
      R"([{"AttributeName":"r","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE",)"
      R"("NonKeyAttributes":["x","y"]},"IndexStatus":"CREATING","Backfilling":true,)"
      R"("ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":3,)"
      R"("WriteCapacityUnits":4},"IndexSizeBytes":10,"ItemCount":9,)"
      R"("IndexArn":"arn:t/index/g","WarmThroughput":{"ReadUnitsPerSecond":3,)"
      R"("WriteUnitsPerSecond":4,"Status":"ACTIVE"}}],"DeletionProtectionEnabled":false,)"
      R"("WarmThroughput":{"ReadUnitsPerSecond":1,"WriteUnitsPerSecond":2,"Status":"ACTIVE"}}})");
}

TEST(Writers, TableDescriptionWithEverything) {
  TableDescription table = FullTable();
  table.table_status = TableStatus::kUpdating;
  table.billing_mode_summary = {BillingMode::kPayPerRequest, absl::FromUnixSeconds(3)};
  table.table_throughput_mode_summary = {BillingMode::kPayPerRequest, absl::FromUnixSeconds(3)};
  table.stream_specification = {true, StreamViewType::kNewImage};
  table.latest_stream_label = "label";
  table.latest_stream_arn = "arn:t/stream/label";
  table.restore_summary = {.source_backup_arn = "arn:b",
                           .restore_date_time = absl::FromUnixSeconds(4)};
  table.sse_description = {SseStatus::kEnabled, "KMS", "arn:k"};
  table.table_class_summary = {TableClass::kStandardInfrequentAccess, std::nullopt};
  table.deletion_protection_enabled = true;
  table.on_demand_throughput = {.max_read_units = 5};
  table.warm_throughput = {13, 14, TableStatus::kUpdating};
  table.vector_indexes = {{.index_name = "v", .vector_attribute = "e", .dimensions = 3}};
  const std::string text = Checked("CreateTable", table);
  for (const char* part :
       {R"({"TableDescription":{)", R"("TableStatus":"UPDATING")",
        R"("BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST",)"
        R"("LastUpdateToPayPerRequestDateTime":3})",
        R"("TableThroughputModeSummary":{"TableThroughputMode":"PAY_PER_REQUEST",)"
        R"("LastUpdateToPayPerRequestDateTime":3})",
        R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"},)"
        R"("LatestStreamLabel":"label","LatestStreamArn":"arn:t/stream/label")",
        R"("RestoreSummary":{"SourceBackupArn":"arn:b","RestoreDateTime":4,)"
        R"("RestoreInProgress":false})",
        R"("SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":"arn:k"})",
        R"("TableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"})",
        R"("DeletionProtectionEnabled":true)", R"("OnDemandThroughput":{"MaxReadRequestUnits":5})",
        R"("WarmThroughput":{"ReadUnitsPerSecond":13,"WriteUnitsPerSecond":14,)"
        R"("Status":"UPDATING"})",
        R"("VectorAttribute":{"AttributeName":"e"},"Dimensions":3)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(Checked("UpdateTable", table), text);
}

TEST(Writers, SmallOutputs) {
  EXPECT_EQ(Checked("ListTables",
                    ListTablesOutput{.table_names = {"a", "b"}, .last_evaluated_table_name = "b"}),
            R"({"TableNames":["a","b"],"LastEvaluatedTableName":"b"})");
  EXPECT_EQ(Checked("DescribeLimits", DescribeLimitsOutput{1, 2, 3, 4}),
            R"({"AccountMaxReadCapacityUnits":1,"AccountMaxWriteCapacityUnits":2,)"
            R"("TableMaxReadCapacityUnits":3,"TableMaxWriteCapacityUnits":4})");
}

TEST(ErrorResponses, ExtraMembers) {
  absl::Status condition = MakeError(ErrorKind::kConditionalCheckFailed, "no");
  const Item item = {{"k", Value::S("v")}};
  AttachItem(item.view(), &condition);
  EXPECT_EQ(ErrorResponse(condition).body,
            R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
            R"("message":"no","Item":{"k":{"S":"v"}}})");

  absl::Status cancelled = MakeError(ErrorKind::kTransactionCanceled, "why");
  AttachReasons({"None", "ConditionalCheckFailed"}, {absl::OkStatus(), condition}, &cancelled);
  EXPECT_EQ(ErrorResponse(cancelled).body,
            R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",)"
            R"("Message":"why","CancellationReasons":[{"Code":"None"},)"
            R"({"Code":"ConditionalCheckFailed","Message":"no","Item":{"k":{"S":"v"}}}]})");

  for (
      const auto& [kind, start] : std::initializer_list<std::pair<ErrorKind, std::string>>{
          {ErrorKind::kThrottling,
           R"({"__type":"com.amazon.coral.availability#ThrottlingException","message":"slow",)"
           R"("throttlingReasons":)"},
          {ErrorKind::kProvisionedThroughputExceeded,
           R"({"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",)"
           R"("message":"slow","ThrottlingReasons":)"}}) {
    absl::Status throttled = MakeError(kind, "slow");
    AttachThrottling({{.reason = "r", .resource = "arn"}}, &throttled);
    EXPECT_EQ(ErrorResponse(throttled).body, start + R"([{"reason":"r","resource":"arn"}]})");
  }
}

TEST(ErrorResponses, WhatHasNoKindIsInternal) {
  const JsonResponse response = ErrorResponse(absl::DataLossError("row 5"));
  EXPECT_EQ(response.http_status, 500);
  EXPECT_NE(response.body.find("#InternalServerError"), std::string::npos);
}

}  // namespace
}  // namespace dynolith
