// Why: each member of a request must reach the operation as the typed request has it; an
// unread member would be ignored silently.
#include <gtest/gtest.h>

#include "tests/unit/json/json_texts.h"

namespace dynolith {
namespace {

TEST(Readers, PutItem) {
  const auto read = Read<PutItemRequest>(
      "PutItem", R"({"TableName":"abc","Item":{"k":{"S":"1"}},"ReturnValues":"ALL_OLD",
      "ReturnConsumedCapacity":"INDEXES","ReturnItemCollectionMetrics":"SIZE",
      "ConditionExpression":"#a = :a","ExpressionAttributeNames":{"#b":"x","#a":"y"},
      "ExpressionAttributeValues":{":a":{"N":"1"}},
      "ReturnValuesOnConditionCheckFailure":"ALL_OLD"})");
  const PutItemRequest& request = read->request;
  EXPECT_EQ(request.table_name, "abc");
  EXPECT_EQ(request.item.Find("k")->string(), "1");
  EXPECT_EQ(request.return_values, ReturnValues::kAllOld);
  EXPECT_EQ(request.return_consumed_capacity, ReturnConsumedCapacity::kIndexes);
  EXPECT_EQ(request.return_item_collection_metrics, ReturnItemCollectionMetrics::kSize);
  EXPECT_EQ(request.condition_expression, "#a = :a");
  EXPECT_EQ(request.expression_attribute_names,
            (std::vector<std::pair<std::string, std::string>>{{"#b", "x"}, {"#a", "y"}}));
  EXPECT_TRUE(request.expression_attribute_values->Find(":a"));
  EXPECT_EQ(request.return_values_on_condition_check_failure,
            ReturnValuesOnConditionCheckFailure::kAllOld);
  EXPECT_FALSE(request.expected);
}

TEST(Readers, AbsentAndNullMembersAreAbsent) {
  const auto read =
      Read<PutItemRequest>("PutItem", R"({"TableName":"abc","Item":{},"ConditionExpression":null,
      "ExpressionAttributeNames":null,"ReturnValues":null,"Expected":null})");
  const PutItemRequest& request = read->request;
  EXPECT_EQ(request.table_name, "abc");
  EXPECT_FALSE(request.condition_expression);
  EXPECT_FALSE(request.expression_attribute_names);
  EXPECT_FALSE(request.expression_attribute_values);
  EXPECT_EQ(request.return_values, ReturnValues::kNone);
}

TEST(Readers, LaterOfTwoEqualMembersCounts) {
  const auto read = Read<PutItemRequest>(
      "PutItem", R"({"TableName":"abc","TableName":"def","Item":{"k":{"S":"1"},"k":{"S":"2"}},
      "ReturnValues":"ALL_OLD","ReturnValues":null})");
  EXPECT_EQ(read->request.table_name, "def");
  EXPECT_EQ(read->request.item.Find("k")->string(), "2");
  EXPECT_EQ(read->request.return_values, ReturnValues::kNone);
}

TEST(Readers, UpdateItem) {
  const auto read = Read<UpdateItemRequest>(
      "UpdateItem", R"({"TableName":"abc","Key":{"k":{"S":"1"}},"ReturnValues":"UPDATED_NEW",
      "UpdateExpression":"SET a = :a","ConditionExpression":"k <> k",
      "ExpressionAttributeValues":{
    ":a" : { "S" : "v" }}
})");
  const UpdateItemRequest& request = read->request;
  EXPECT_EQ(request.key.size(), 1U);
  EXPECT_EQ(request.update_expression, "SET a = :a");
  EXPECT_EQ(request.condition_expression, "k <> k");
  EXPECT_EQ(request.return_values, ReturnValues::kUpdatedNew);
}

TEST(Readers, DeleteItemAndGetItem) {
  const auto removal = Read<DeleteItemRequest>(
      "DeleteItem", R"({"TableName":"abc","Key":{"k":{"S":"1"}},"ConditionExpression":"c"})");
  EXPECT_EQ(removal->request.key.size(), 1U);
  EXPECT_EQ(removal->request.condition_expression, "c");
  const auto read = Read<GetItemRequest>(
      "GetItem", R"({"TableName":"abc","Key":{"k":{"S":"1"}},"AttributesToGet":["b","a"],
      "ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL","ProjectionExpression":"#a",
      "ExpressionAttributeNames":{"#a":"x"}})");
  const GetItemRequest& request = read->request;
  EXPECT_EQ(request.attributes_to_get, (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(request.consistent_read);
  EXPECT_EQ(request.return_consumed_capacity, ReturnConsumedCapacity::kTotal);
  EXPECT_EQ(request.projection_expression, "#a");
  EXPECT_EQ(request.expression_attribute_names->size(), 1U);
}

TEST(Readers, Batches) {
  const auto gets = Read<BatchGetItemRequest>("BatchGetItem", R"({"RequestItems":{
      "tab":{"Keys":[{"k":{"S":"1"}},{"k":{"S":"2"}}],"ConsistentRead":true,
             "ProjectionExpression":"k"},
      "arn:aws:dynamodb:us-east-1:000000000000:table/other":{"Keys":[{"k":{"N":"x"}}]}},
      "ReturnConsumedCapacity":"TOTAL"})");
  const BatchGetItemRequest& get = gets->request;
  ASSERT_EQ(get.request_items.size(), 2U);
  EXPECT_EQ(get.request_items[0].first, "tab");
  EXPECT_EQ(get.request_items[0].second.keys.size(), 2U);
  EXPECT_TRUE(get.request_items[0].second.consistent_read);
  EXPECT_TRUE(gets->violations.Of(&get.request_items[0].second).values.ok());
  // An ARN stays one: the answer uses it, too.
  EXPECT_EQ(get.request_items[1].first, "arn:aws:dynamodb:us-east-1:000000000000:table/other");
  EXPECT_FALSE(gets->violations.Of(&get.request_items[1].second).values.ok());

  const auto batch = Read<BatchWriteItemRequest>("BatchWriteItem", R"({"RequestItems":{"tab":[
      {"PutRequest":{"Item":{"k":{"S":"1"}}}},{"DeleteRequest":{"Key":{"k":{"S":"2"}}}},{},
      {"PutRequest":{"Item":{}},"DeleteRequest":{"Key":{}}}]},
      "ReturnItemCollectionMetrics":"SIZE"})");
  const auto& writes = batch->request.request_items.at(0).second;
  ASSERT_EQ(writes.size(), 4U);
  EXPECT_TRUE(writes[0].put && !writes[0].delete_key);
  EXPECT_TRUE(writes[1].delete_key && !writes[1].put);
  EXPECT_FALSE(writes[2].put || writes[2].delete_key);
  EXPECT_TRUE(writes[3].put && writes[3].delete_key);
}

TEST(Readers, Query) {
  const auto read = Read<QueryRequest>(
      "Query", R"({"TableName":"abc","IndexName":"idx","Select":"SPECIFIC_ATTRIBUTES",
      "Limit":7,"ConsistentRead":true,"ScanIndexForward":false,
      "ExclusiveStartKey":{"k":{"S":"1"}},"ProjectionExpression":"p","FilterExpression":"f",
      "KeyConditionExpression":"c","ConditionalOperator":"AND",
      "KeyConditions":{"k":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"1"},
      {"N":"2"}]}},"QueryFilter":{"x":{"ComparisonOperator":"NOT_NULL"}}})");
  const QueryRequest& request = read->request;
  EXPECT_EQ(request.index_name, "idx");
  EXPECT_EQ(request.select, Select::kSpecificAttributes);
  EXPECT_EQ(request.limit, 7);
  EXPECT_TRUE(request.consistent_read);
  EXPECT_FALSE(request.scan_index_forward);
  EXPECT_EQ(request.exclusive_start_key->size(), 1U);
  EXPECT_EQ(request.projection_expression, "p");
  EXPECT_EQ(request.filter_expression, "f");
  EXPECT_EQ(request.key_condition_expression, "c");
  EXPECT_EQ(request.conditional_operator, ConditionalOperator::kAnd);
  EXPECT_EQ(request.key_conditions->at(0).second.comparison_operator, ComparisonOperator::kBetween);
  EXPECT_EQ(request.key_conditions->at(0).second.attribute_value_list->size(), 2U);
  EXPECT_EQ(request.query_filter->at(0).second.comparison_operator, ComparisonOperator::kNotNull);
  EXPECT_FALSE(request.query_filter->at(0).second.attribute_value_list);
}

TEST(Readers, Scan) {
  const auto read = Read<ScanRequest>(
      "Scan", R"({"TableName":"abc","Segment":1,"TotalSegments":4,"Select":"COUNT",
      "FilterExpression":"f","ScanFilter":{}})");
  const ScanRequest& request = read->request;
  EXPECT_EQ(request.segment, 1);
  EXPECT_EQ(request.total_segments, 4);
  EXPECT_EQ(request.select, Select::kCount);
  EXPECT_EQ(request.filter_expression, "f");
  EXPECT_TRUE(request.scan_filter && request.scan_filter->empty());
}

TEST(Readers, CreateTable) {
  const auto read = Read<CreateTableRequest>("CreateTable", R"({"TableName":"abc",
      "AttributeDefinitions":[{"AttributeName":"h","AttributeType":"S"},
                              {"AttributeName":"r","AttributeType":"N"}],
      "KeySchema":[{"AttributeName":"h","KeyType":"HASH"},{"AttributeName":"r","KeyType":"RANGE"}],
      "LocalSecondaryIndexes":[{"IndexName":"lsi","KeySchema":[{"AttributeName":"h",
        "KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
      "GlobalSecondaryIndexes":[{"IndexName":"gsi","KeySchema":[{"AttributeName":"r",
        "KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]},
        "ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4},
        "OnDemandThroughput":{"MaxReadRequestUnits":5},
        "WarmThroughput":{"WriteUnitsPerSecond":6}}],
      "BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":1,
      "WriteCapacityUnits":2},"StreamSpecification":{"StreamEnabled":true,
      "StreamViewType":"NEW_AND_OLD_IMAGES"},"SSESpecification":{"Enabled":true,"SSEType":"KMS",
      "KMSMasterKeyId":"key"},"Tags":[{"Key":"t","Value":"v"}],
      "TableClass":"STANDARD_INFREQUENT_ACCESS","DeletionProtectionEnabled":true,
      "WarmThroughput":{"ReadUnitsPerSecond":7},"OnDemandThroughput":{"MaxWriteRequestUnits":8},
      "ResourcePolicy":"{}"})");
  const CreateTableRequest& request = read->request;
  EXPECT_EQ(request.attribute_definitions->at(1).attribute_type, Type::kNumber);
  EXPECT_EQ(request.key_schema->at(1).key_type, KeyType::kRange);
  EXPECT_EQ(request.local_secondary_indexes->at(0).projection.projection_type,
            ProjectionType::kKeysOnly);
  const SecondaryIndex& index = request.global_secondary_indexes->at(0);
  EXPECT_EQ(index.index_name, "gsi");
  EXPECT_EQ(index.key_schema.at(0).attribute_name, "r");
  EXPECT_EQ(index.projection.non_key_attributes, std::vector<std::string>{"x"});
  EXPECT_EQ(index.provisioned_throughput->write_capacity_units, 4);
  EXPECT_EQ(index.on_demand_throughput->max_read_units, 5);
  EXPECT_FALSE(index.on_demand_throughput->max_write_units);
  EXPECT_EQ(index.warm_throughput->write_units_per_second, 6);
  EXPECT_EQ(request.billing_mode, BillingMode::kProvisioned);
  EXPECT_EQ(request.provisioned_throughput->read_capacity_units, 1);
  EXPECT_EQ(request.stream_specification->stream_view_type, StreamViewType::kNewAndOldImages);
  EXPECT_EQ(request.sse_specification->kms_master_key_id, "key");
  EXPECT_EQ(request.tags->at(0).value, "v");
  EXPECT_EQ(request.table_class, "STANDARD_INFREQUENT_ACCESS");
  EXPECT_EQ(request.deletion_protection_enabled, true);
  EXPECT_EQ(request.warm_throughput->read_units_per_second, 7);
  EXPECT_EQ(request.on_demand_throughput->max_write_units, 8);
  EXPECT_EQ(request.resource_policy, "{}");
}

TEST(Readers, UpdateTable) {
  const auto read =
      Read<UpdateTableRequest>("UpdateTable", R"({"TableName":"abc","BillingMode":"PAY_PER_REQUEST",
      "GlobalSecondaryIndexUpdates":[
        {"Create":{"IndexName":"new","KeySchema":[{"AttributeName":"r","KeyType":"HASH"}],
                   "Projection":{}}},
        {"Update":{"IndexName":"old","ProvisionedThroughput":{"ReadCapacityUnits":1,
                   "WriteCapacityUnits":2}}},
        {"Delete":{"IndexName":"bad"}},{}],"DeletionProtectionEnabled":false,
      "ReplicaUpdates":[{"Create":{"RegionName":"x"}}]})");
  const UpdateTableRequest& request = read->request;
  EXPECT_EQ(request.billing_mode, BillingMode::kPayPerRequest);
  const auto& updates = *request.global_secondary_index_updates;
  ASSERT_EQ(updates.size(), 4U);
  EXPECT_EQ(updates[0].create->index_name, "new");
  EXPECT_FALSE(updates[0].create->projection.projection_type);
  EXPECT_EQ(updates[1].update->provisioned_throughput->read_capacity_units, 1);
  EXPECT_EQ(updates[2].delete_index_name, "bad");
  EXPECT_FALSE(updates[3].create || updates[3].update || updates[3].delete_index_name);
  EXPECT_EQ(request.deletion_protection_enabled, false);
  EXPECT_TRUE(request.replica_updates->front().create);
}

TEST(Readers, OtherTableOperations) {
  const auto describe = Read<DescribeTableRequest>("DescribeTable", R"({"TableName":"abc"})");
  EXPECT_EQ(describe->request.table_name, "abc");
  const auto removal = Read<DeleteTableRequest>("DeleteTable", R"({"TableName":"def"})");
  EXPECT_EQ(removal->request.table_name, "def");
  const auto list =
      Read<ListTablesRequest>("ListTables", R"({"Limit":5,"ExclusiveStartTableName":"ghi"})");
  EXPECT_EQ(list->request.limit, 5);
  EXPECT_EQ(list->request.exclusive_start_table_name, "ghi");
}

}  // namespace
}  // namespace dynolith
