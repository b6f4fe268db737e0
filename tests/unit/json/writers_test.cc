// Why: outputs are read by clients that know the service model, so every key must be one of the
// model's, and the bytes must be JSON whatever an item holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "absl/time/time.h"
#include "api/json/fields.h"
#include "api/json/json_writer.h"
#include "engine/base/errors.h"
#include "engine/base/json_string.h"
#include "tests/unit/json/fake_database.h"

namespace dynolith {
namespace {

// Whether a printed value has only members that the shape declares, and all that it requires.
void ExpectInModel(const Shape& shape, JsonValue value) {
  switch (shape.kind) {
    case ShapeKind::kStructure: {
      ASSERT_TRUE(value.is_object()) << shape.name;
      for (const auto field : ObjectOf(value)) {
        const int member = shape.FindMember(field.key);
        ASSERT_GE(member, 0) << shape.name << "." << field.key;
        ExpectInModel(ShapeAt(shape.members()[member].shape), field.value);
      }
      for (const ShapeMember& member : shape.members()) {
        EXPECT_TRUE(!member.required || ObjectOf(value)[member.name].error() == 0)
            << shape.name << "." << member.name;
      }
      return;
    }
    case ShapeKind::kList:
      ASSERT_TRUE(value.is_array()) << shape.name;
      for (const JsonValue element : ArrayOf(value)) ExpectInModel(ShapeAt(shape.element), element);
      return;
    case ShapeKind::kMap:
      ASSERT_TRUE(value.is_object()) << shape.name;
      for (const auto field : ObjectOf(value)) ExpectInModel(ShapeAt(shape.element), field.value);
      return;
    case ShapeKind::kEnum: {
      const auto values = shape.values();
      EXPECT_NE(std::find(values.begin(), values.end(), TextOf(value)), values.end()) << shape.name;
      return;
    }
    case ShapeKind::kString:
    case ShapeKind::kBlob:
      EXPECT_TRUE(value.is_string()) << shape.name;
      return;
    case ShapeKind::kBoolean:
      EXPECT_TRUE(value.is_bool()) << shape.name;
      return;
    default:
      EXPECT_TRUE(value.is_number()) << shape.name;
  }
}

std::string Checked(JsonFixture* json, const std::string& operation, const std::string& body) {
  const JsonResponse response = json->dispatcher.Handle(operation, body);
  EXPECT_EQ(response.http_status, 200) << response.body;
  simdjson::dom::parser parser;
  JsonValue root;
  EXPECT_EQ(parser.parse(response.body).get(root), simdjson::SUCCESS) << response.body;
  ExpectInModel(ShapeAt(FindOperation(Service::kDynamo, operation)->output), root);
  return response.body;
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
      ASSERT_EQ(TextOf(root), text);
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
  JsonFixture json;
  const Item item = {{"", Value::Null()},
                     {"a\nb", Value::L({Value::B(std::string(5, '\0')), Value::N(-7)})},
                     {"é", Value::SS({"", "\t"})}};
  std::string text;
  AppendJsonItem(item.view(), &text);
  json.Body("PutItem", R"({"TableName":"abc","Item":)" + text + "}");
  EXPECT_EQ(json.database.put_request.item, item);
}

TEST(Writers, WriteOutput) {
  JsonFixture json;
  const std::string body = R"({"TableName":"abc","Item":{}})";
  EXPECT_EQ(Checked(&json, "PutItem", body), "{}");
  json.database.write = {
      .attributes = Item{{"k", Value::S("v")}},
      .consumed_capacity = ConsumedCapacity{.table_name = "abc",
                                            .capacity_units = 2.5,
                                            .table = 1,
                                            .global_secondary_indexes = {{"g", 1.5}},
                                            .local_secondary_indexes = {{"l", 0.5}}},
      .item_collection_metrics =
          ItemCollectionMetrics{.item_collection_key = {{"k", Value::S("v")}}}};
  EXPECT_EQ(Checked(&json, "PutItem", body),
            R"({"Attributes":{"k":{"S":"v"}},"ConsumedCapacity":{"TableName":"abc",)"
            R"("CapacityUnits":2.5,"Table":{"CapacityUnits":1.0},)"
            R"("LocalSecondaryIndexes":{"l":{"CapacityUnits":0.5}},)"
            R"("GlobalSecondaryIndexes":{"g":{"CapacityUnits":1.5}}},)"
            R"("ItemCollectionMetrics":{"ItemCollectionKey":{"k":{"S":"v"}},)"
            R"("SizeEstimateRangeGB":[0.0,1.0]}})");
}

TEST(Writers, GetItem) {
  JsonFixture json;
  const std::string body = R"({"TableName":"abc","Key":{}})";
  EXPECT_EQ(Checked(&json, "GetItem", body), "{}");
  json.database.get.item = Item();
  EXPECT_EQ(Checked(&json, "GetItem", body), R"({"Item":{}})");
  json.database.get.item = Item{{"a", Value::N(1)}};
  json.database.get.consumed_capacity = ConsumedCapacity{.table_name = "abc", .capacity_units = 1};
  EXPECT_EQ(
      Checked(&json, "GetItem", body),
      R"({"Item":{"a":{"N":"1"}},"ConsumedCapacity":{"TableName":"abc","CapacityUnits":1.0}})");
}

TEST(Writers, Pages) {
  for (const char* operation : {"Query", "Scan"}) {
    JsonFixture json;
    EXPECT_EQ(Checked(&json, operation, R"({"TableName":"abc"})"),
              R"({"Items":[],"Count":0,"ScannedCount":0})");
    json.database.page = {.items = {Item{{"a", Value::N(1)}}, Item()},
                          .count = 2,
                          .scanned_count = 5,
                          .last_evaluated_key = Item{{"k", Value::S("x")}}};
    EXPECT_EQ(Checked(&json, operation, R"({"TableName":"abc"})"),
              R"({"Items":[{"a":{"N":"1"}},{}],"Count":2,"ScannedCount":5,)"
              R"("LastEvaluatedKey":{"k":{"S":"x"}}})");
    EXPECT_EQ(Checked(&json, operation, R"({"TableName":"abc","Select":"COUNT"})"),
              R"({"Count":2,"ScannedCount":5,"LastEvaluatedKey":{"k":{"S":"x"}}})");
  }
}

TEST(Writers, FailureAfterRowsGivesOnlyTheError) {
  JsonFixture json;
  json.database.page.items = {Item{{"a", Value::N(1)}}};
  json.database.failure = MakeError(ErrorKind::kResourceNotFound, "gone");
  EXPECT_EQ(json.Body("Scan", R"({"TableName":"abc"})"),
            R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",)"
            R"("message":"gone"})");
}

TEST(Writers, Batches) {
  JsonFixture json;
  json.database.batch_get = {
      .responses = {{"abc", {Item{{"k", Value::S("v")}}}}, {"def", {}}},
      .unprocessed_keys = {{"abc",
                            KeysAndAttributes{
                                .keys = {Item{{"k", Value::S("w")}}},
                                .attributes_to_get = std::vector<std::string>{"a"},
                                .consistent_read = true,
                                .projection_expression = "#p",
                                .expression_attribute_names = AttributeNames{{"#p", "p"}}}}},
      .consumed_capacity = {{.table_name = "abc", .capacity_units = 1}}};
  EXPECT_EQ(Checked(&json, "BatchGetItem", R"({"RequestItems":{"abc":{"Keys":[{}]}}})"),
            R"({"Responses":{"abc":[{"k":{"S":"v"}}],"def":[]},"UnprocessedKeys":{"abc":{"Keys":)"
            R"([{"k":{"S":"w"}}],"AttributesToGet":["a"],"ConsistentRead":true,)"
            R"("ProjectionExpression":"#p","ExpressionAttributeNames":{"#p":"p"}}},)"
            R"("ConsumedCapacity":[{"TableName":"abc","CapacityUnits":1.0}]})");
  const std::string body = R"({"RequestItems":{"abc":[{}]}})";
  EXPECT_EQ(Checked(&json, "BatchWriteItem", body), R"({"UnprocessedItems":{}})");
  json.database.batch_write.unprocessed_items = {
      {"abc", {{.put = Item{{"a", Value::N(1)}}}, {.delete_key = Item{{"k", Value::N(2)}}}}}};
  json.database.batch_write.item_collection_metrics = {{"abc", {ItemCollectionMetrics{}}}};
  EXPECT_EQ(Checked(&json, "BatchWriteItem", body),
            R"({"UnprocessedItems":{"abc":[{"PutRequest":{"Item":{"a":{"N":"1"}}}},)"
            R"({"DeleteRequest":{"Key":{"k":{"N":"2"}}}}]},"ItemCollectionMetrics":{"abc":)"
            R"([{"ItemCollectionKey":{},"SizeEstimateRangeGB":[0.0,1.0]}]}})");
}

TableDescription FullTable() {
  TableDescription table;
  TableMeta& meta = table.meta;
  meta.schema.name = "music";
  meta.schema.key = {.hash = {{"h", Type::kString}}, .range = {{"r", Type::kNumber}}};
  meta.schema.indexes = {{.name = "g",
                          .kind = IndexKind::kGlobal,
                          .key = {.hash = {{"r", Type::kNumber}}},
                          .projection = ProjectionType::kInclude,
                          .non_key_attributes = {"x", "y"}},
                         {.name = "l",
                          .kind = IndexKind::kLocal,
                          .key = {.hash = {{"h", Type::kString}}, .range = {{"b", Type::kBinary}}},
                          .projection = ProjectionType::kKeysOnly}};
  meta.index_states.resize(2);
  meta.index_states[0].status = IndexStatus::kCreating;
  meta.index_states[0].backfilling = true;
  meta.index_states[0].throughput = {.read_units = 3, .write_units = 4};
  meta.attribute_definitions = {{"h", Type::kString}, {"r", Type::kNumber}, {"b", Type::kBinary}};
  meta.uuid = "id";
  meta.created = absl::FromUnixMillis(1500);
  meta.throughput = {.read_units = 1,
                     .write_units = 2,
                     .last_increase = absl::FromUnixSeconds(5),
                     .decreases_today = 6};
  table.table_arn = "arn:t";
  table.item_count = 7;
  table.table_size_bytes = 8;
  table.index_sizes = {{9, 10}, {11, 12}};
  return table;
}

TEST(Writers, TableDescription) {
  JsonFixture json;
  json.database.table = FullTable();
  EXPECT_EQ(
      Checked(&json, "DescribeTable", R"({"TableName":"abc"})"),
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
      R"("NonKeyAttributes":["x","y"]},"IndexSizeBytes":10,"ItemCount":9,)"
      R"("IndexArn":"arn:t/index/g","IndexStatus":"CREATING","Backfilling":true,)"
      R"("ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":3,)"
      R"("WriteCapacityUnits":4},"WarmThroughput":{"ReadUnitsPerSecond":3,)"
      R"("WriteUnitsPerSecond":4,"Status":"ACTIVE"}}],"DeletionProtectionEnabled":false,)"
      R"("WarmThroughput":{"ReadUnitsPerSecond":1,"WriteUnitsPerSecond":2,"Status":"ACTIVE"}}})");
}

TEST(Writers, TableDescriptionWithEverything) {
  JsonFixture json;
  json.database.table = FullTable();
  TableMeta& meta = json.database.table.meta;
  meta.status = TableStatus::kUpdating;
  meta.billing_mode = BillingMode::kPayPerRequest;
  meta.last_pay_per_request = absl::FromUnixSeconds(3);
  meta.on_demand = OnDemandThroughput{.max_read_units = 5};
  meta.warm = WarmThroughput{13, 14};
  meta.table_class = TableClass::kStandardInfrequentAccess;
  meta.deletion_protection = true;
  meta.encryption = ServerSideEncryption{.enabled = true, .kms_key_arn = "arn:k"};
  meta.stream = {.enabled = true, .view_type = StreamViewType::kNewImage, .label = "label"};
  const std::string text =
      Checked(&json, "CreateTable", R"({"TableName":"abc","AttributeDefinitions":[],
      "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]})");
  for (const char* part :
       {R"({"TableDescription":{)", R"("TableStatus":"UPDATING")",
        R"("BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST",)"
        R"("LastUpdateToPayPerRequestDateTime":3})",
        R"("TableThroughputModeSummary":{"TableThroughputMode":"PAY_PER_REQUEST",)"
        R"("LastUpdateToPayPerRequestDateTime":3})",
        R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"},)"
        R"("LatestStreamLabel":"label","LatestStreamArn":"arn:t/stream/label")",
        R"("SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":"arn:k"})",
        R"("TableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"})",
        R"("DeletionProtectionEnabled":true)", R"("OnDemandThroughput":{"MaxReadRequestUnits":5})",
        R"("WarmThroughput":{"ReadUnitsPerSecond":13,"WriteUnitsPerSecond":14,"Status":"ACTIVE"})",
        R"("WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(Checked(&json, "UpdateTable", R"({"TableName":"abc"})"), text);
}

TEST(Writers, SmallOutputs) {
  JsonFixture json;
  json.database.tables = {.table_names = {"a", "b"}, .last_evaluated_table_name = "b"};
  EXPECT_EQ(Checked(&json, "ListTables", "{}"),
            R"({"TableNames":["a","b"],"LastEvaluatedTableName":"b"})");
  json.database.limits = {1, 2, 3, 4};
  EXPECT_EQ(Checked(&json, "DescribeLimits", "{}"),
            R"({"AccountMaxReadCapacityUnits":1,"AccountMaxWriteCapacityUnits":2,)"
            R"("TableMaxReadCapacityUnits":3,"TableMaxWriteCapacityUnits":4})");
  EXPECT_EQ(Checked(&json, "DescribeEndpoints", "{}"),
            R"({"Endpoints":[{"Address":"localhost:8000","CachePeriodInMinutes":1440}]})");
}

TEST(ErrorResponses, ExtraMembers) {
  absl::Status condition = MakeError(ErrorKind::kConditionalCheckFailed, "no");
  const Item item = {{"k", Value::S("v")}};
  AttachItem(item.bytes(), &condition);
  EXPECT_EQ(ErrorResponse(condition).body,
            R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
            R"("message":"no","Item":{"k":{"S":"v"}}})");

  absl::Status cancelled = MakeError(ErrorKind::kTransactionCanceled, "why");
  AttachReasons({{.code = "None"},
                 {.code = "ConditionalCheckFailed", .message = "m", .item_bytes = item.bytes()}},
                &cancelled);
  EXPECT_EQ(ErrorResponse(cancelled).body,
            R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",)"
            R"("Message":"why","CancellationReasons":[{"Code":"None"},)"
            R"({"Code":"ConditionalCheckFailed","Message":"m","Item":{"k":{"S":"v"}}}]})");

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
