// The words with which CreateTable refuses a table (api/facts/operations.md §5.1). One fault each;
// the order of checks is create_table_order_test's.
#include "api/control/create_table.h"
#include "tests/unit/api/control_plane.h"

namespace dynolith {
namespace {

class CreateTableWordingTest : public ControlPlane {
 protected:
  std::string LocalOutcome(SecondaryIndex index) {
    CreateTableRequest request = WithRange();
    request.local_secondary_indexes = {std::move(index)};
    return CreateOutcome(request);
  }
  std::string GlobalOutcome(SecondaryIndex index) {
    CreateTableRequest request = WithRange();
    request.global_secondary_indexes = {std::move(index)};
    return CreateOutcome(request);
  }
};

TEST_F(CreateTableWordingTest, TableName) {
  CreateTableRequest request = OnDemand();
  request.table_name = "ab";
  EXPECT_EQ(CreateOutcome(request),
            Validation("1 validation error detected: Value 'ab' at 'tableName' failed to satisfy "
                       "constraint: Member must have length greater than or equal to 3"));
  request.table_name = "bad table!@#";
  EXPECT_EQ(CreateOutcome(request),
            Validation("1 validation error detected: Value 'bad table!@#' at 'tableName' failed to "
                       "satisfy constraint: Member must satisfy regular expression pattern: "
                       "[a-zA-Z0-9_.-]+"));
  request.table_name = std::string(256, 'a');
  EXPECT_EQ(CreateOutcome(request),
            Validation("1 validation error detected: Value '" + request.table_name +
                       "' at 'tableName' failed to satisfy constraint: Member must have length "
                       "less than or equal to 255"));
  request.table_name = std::string(255, 'a');
  EXPECT_EQ(CreateOutcome(request), "OK");
}

TEST_F(CreateTableWordingTest, MembersAreReportedTogether) {
  CreateTableRequest request = Provisioned();
  request.table_name = "ab";
  request.provisioned_throughput = {.read_capacity_units = 0, .write_capacity_units = -1};
  EXPECT_EQ(
      CreateOutcome(request),
      Validation("3 validation errors detected: "
                 "Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length "
                 "greater than or equal to 3; "
                 "Value '-1' at 'provisionedThroughput.writeCapacityUnits' failed to satisfy "
                 "constraint: Member must have value greater than or equal to 1; "
                 "Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy "
                 "constraint: Member must have value greater than or equal to 1"));
}

TEST_F(CreateTableWordingTest, IndexNamesOfGlobalIndexesComeFirst) {
  CreateTableRequest request = WithRange();
  request.local_secondary_indexes = {Index("l!o", {{"pk", kHash}, {"c", kRange}})};
  request.global_secondary_indexes = {Index("gl", {{"c", kHash}})};
  EXPECT_EQ(
      CreateOutcome(request),
      Validation(
          "2 validation errors detected: "
          "Value 'gl' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: "
          "Member must have length greater than or equal to 3; "
          "Value 'l!o' at 'localSecondaryIndexes.1.member.indexName' failed to satisfy constraint: "
          "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"));
}

TEST_F(CreateTableWordingTest, ThirdKeyElement) {
  CreateTableRequest request = WithRange();
  request.key_schema->push_back({"c", kRange});
  EXPECT_EQ(CreateOutcome(request),
            Validation("1 validation error detected: Value "
                       "'[KeySchemaElement(attributeName=pk, keyType=HASH), "
                       "KeySchemaElement(attributeName=sk, keyType=RANGE), "
                       "KeySchemaElement(attributeName=c, keyType=RANGE)]' at 'keySchema' failed "
                       "to satisfy constraint: Member must have length less than or equal to 2"));
}

TEST_F(CreateTableWordingTest, MissingMembers) {
  CreateTableRequest request;
  request.table_name = "music";
  EXPECT_EQ(CreateOutcome(request),
            Validation("2 validation errors detected: Value null at 'attributeDefinitions' failed "
                       "to satisfy constraint: Member must not be null; Value null at 'keySchema' "
                       "failed to satisfy constraint: Member must not be null"));
}

TEST_F(CreateTableWordingTest, Throughput) {
  CreateTableRequest request = OnDemand();
  request.provisioned_throughput = {.read_capacity_units = 1, .write_capacity_units = 1};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                    "BillingMode is PAY_PER_REQUEST"));
  request.billing_mode = BillingMode::kProvisioned;
  request.provisioned_throughput.reset();
  EXPECT_EQ(CreateOutcome(request),
            Invalid("ReadCapacityUnits and WriteCapacityUnits must both be specified when "
                    "BillingMode is PROVISIONED"));
  request.provisioned_throughput = {.read_capacity_units = 1'000'000'000'001,
                                    .write_capacity_units = 1};
  EXPECT_EQ(CreateOutcome(request),
            Validation("Given value 1000000000001 for ReadCapacityUnits is out of bounds"));
}

TEST_F(CreateTableWordingTest, Key) {
  CreateTableRequest request = OnDemand();
  request.key_schema = {{"pk", kHash}, {"sk", kRange}};
  EXPECT_EQ(CreateOutcome(request),
            Validation("Invalid KeySchema: Some index key attribute have no definition"));
  request.attribute_definitions = {{"pk", Type::kString}, {"x", Type::kString}};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("Some index key attributes are not defined in AttributeDefinitions. Keys: [pk, "
                    "sk], AttributeDefinitions: [pk, x]"));
  request.key_schema = {{"pk", kHash}, {"pk", kRange}};
  EXPECT_EQ(CreateOutcome(request),
            Validation("Both the Hash Key and the Range Key element in the KeySchema have the same "
                       "name"));
  request.key_schema = {{"pk", kRange}, {"x", kHash}};
  EXPECT_EQ(CreateOutcome(request),
            Validation("Invalid KeySchema: The first KeySchemaElement is not a HASH key type"));
  request.key_schema = {{"pk", kHash}, {"x", kHash}};
  EXPECT_EQ(CreateOutcome(request),
            Validation("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"));
}

TEST_F(CreateTableWordingTest, Definitions) {
  CreateTableRequest request = OnDemand();
  request.attribute_definitions = {{"pk", Type::kString}, {"x", Type::kString}};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("Number of attributes in KeySchema does not exactly match number of attributes "
                    "defined in AttributeDefinitions"));
  request.attribute_definitions = {{"pk", Type::kString}, {"pk", Type::kNumber}};
  EXPECT_EQ(CreateOutcome(request), Validation("Attribute Name is duplicated: pk"));
  request = WithRange();
  request.global_secondary_indexes = {Index("global", {{"sk", kHash}})};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("Some AttributeDefinitions are not used. AttributeDefinitions: [pk, sk, c], "
                    "keys used: [pk, sk]"));
}

TEST_F(CreateTableWordingTest, LocalIndexes) {
  CreateTableRequest request = WithRange();
  request.attribute_definitions->pop_back();
  request.local_secondary_indexes = std::vector<SecondaryIndex>();
  EXPECT_EQ(CreateOutcome(request), Invalid("List of LocalSecondaryIndexes is empty"));
  request = OnDemand();
  request.local_secondary_indexes = {Index("local", {{"pk", kHash}})};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("Table KeySchema does not have a range key, which is required when specifying "
                    "a LocalSecondaryIndex"));
  request = WithRange();
  request.attribute_definitions->pop_back();
  request.local_secondary_indexes = {Index("local", {{"pk", kHash}})};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("Index KeySchema does not have a range key for index: local"));
  EXPECT_EQ(LocalOutcome(Index("local", {{"c", kHash}, {"sk", kRange}})),
            Invalid("Index KeySchema does not have the same leading hash key as table KeySchema "
                    "for index: local. index hash key: c, table hash key: pk"));
}

TEST_F(CreateTableWordingTest, Projections) {
  SecondaryIndex index = Index("local", {{"pk", kHash}, {"c", kRange}});
  index.projection.non_key_attributes = {"x"};
  EXPECT_EQ(LocalOutcome(index),
            Invalid("ProjectionType is ALL, but NonKeyAttributes is specified"));
  index.projection.projection_type = ProjectionType::kKeysOnly;
  EXPECT_EQ(LocalOutcome(index),
            Invalid("ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified"));
  index.projection.projection_type.reset();
  EXPECT_EQ(LocalOutcome(index), Invalid("Unknown ProjectionType: null"));
  index.projection.projection_type = ProjectionType::kInclude;
  index.projection.non_key_attributes = {"x", "x"};
  EXPECT_EQ(LocalOutcome(index), Invalid("Duplicate element in NonKeyAttributes: x"));
  index.projection.non_key_attributes.reset();
  EXPECT_EQ(LocalOutcome(index),
            Invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified"));
}

TEST_F(CreateTableWordingTest, IndexNamesAreUniqueAcrossKinds) {
  CreateTableRequest request = WithRange();
  request.local_secondary_indexes = {Index("index", {{"pk", kHash}, {"c", kRange}})};
  request.global_secondary_indexes = {Index("index", {{"c", kHash}})};
  EXPECT_EQ(CreateOutcome(request), Invalid("Duplicate index name: index"));
}

TEST_F(CreateTableWordingTest, GlobalIndexes) {
  CreateTableRequest request = OnDemand();
  request.global_secondary_indexes = std::vector<SecondaryIndex>();
  EXPECT_EQ(CreateOutcome(request), Invalid("List of GlobalSecondaryIndexes is empty"));
  SecondaryIndex index = Index("global", {{"c", kHash}});
  index.provisioned_throughput = {.read_capacity_units = 1, .write_capacity_units = 1};
  EXPECT_EQ(GlobalOutcome(index),
            Invalid("ProvisionedThroughput should not be specified for index: global when "
                    "BillingMode is PAY_PER_REQUEST"));
  request = Provisioned();
  request.global_secondary_indexes = {Index("global", {{"pk", kHash}})};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("ProvisionedThroughput is not specified for index: global"));
}

TEST_F(CreateTableWordingTest, MultiAttributeKeys) {
  EXPECT_EQ(GlobalOutcome(Index("global", {{"c", kHash}, {"sk", kRange}, {"pk", kHash}})),
            Invalid("All HASH key attributes must precede RANGE key attributes in the KeySchema"));
  EXPECT_EQ(GlobalOutcome(Index("global", {{"c", kHash}, {"c", kHash}})),
            Validation("The KeySchema contains multiple key attributes with the same name"));
  CreateTableRequest request = OnDemand();
  std::vector<KeySchemaElement> key;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    request.attribute_definitions->push_back({name, Type::kString});
    key.push_back({name, kHash});
  }
  request.global_secondary_indexes = {Index("global", key)};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("The KeySchema exceeds the maximum allowed number of HASH key attributes"));
  for (KeySchemaElement& element : key) element.key_type = kRange;
  key.insert(key.begin(), {"pk", kHash});
  request.global_secondary_indexes = {Index("global", key)};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("The KeySchema exceeds the maximum allowed number of RANGE key attributes"));
}

TEST_F(CreateTableWordingTest, Streams) {
  CreateTableRequest request = OnDemand();
  request.stream_specification = {.stream_enabled = true};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("Table is being created with a stream enabled, UpdateViewType is required"));
  request.stream_specification = {.stream_enabled = false,
                                  .stream_view_type = StreamViewType::kKeysOnly};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("Table is being created with a stream disabled, UpdateViewType should not be "
                    "specified"));
}

TEST_F(CreateTableWordingTest, OnDemandMaxima) {
  CreateTableRequest request = Provisioned();
  request.on_demand_throughput = OnDemandThroughput{.max_write_units = 5};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("MaxWriteRequestUnits for OnDemandThroughput cannot be specified when the "
                    "table BillingMode is PROVISIONED"));
  request = OnDemand();
  for (const int64_t units : {int64_t{0}, int64_t{-2}}) {
    request.on_demand_throughput = OnDemandThroughput{.max_read_units = units};
    EXPECT_EQ(CreateOutcome(request), Invalid("Requested MaxReadRequestUnits for "
                                              "OnDemandThroughput for table is outside of valid "
                                              "range"));
  }
  request.on_demand_throughput = OnDemandThroughput{.max_read_units = 40001};
  EXPECT_EQ(CreateOutcome(request),
            "LimitExceededException: Subscriber limit exceeded: Requested MaxReadRequestUnits for "
            "OnDemandThroughput for table exceeds TableMaxReadCapacityUnits of the account in "
            "region us-east-1");
}

TEST_F(CreateTableWordingTest, WarmThroughput) {
  CreateTableRequest request = OnDemand();
  request.warm_throughput = {.read_units_per_second = 11999};
  EXPECT_EQ(CreateOutcome(request).find(
                Invalid("Requested ReadUnitsPerSecond for WarmThroughput for table is lower than "
                        "initial throughput for OnDemand. See: https://docs.aws.amazon.com/")),
            0u);
  request = Provisioned();
  request.warm_throughput = {.read_units_per_second = 5, .write_units_per_second = 4};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("Requested WriteUnitsPerSecond for WarmThroughput for table is lower than "
                    "WriteCapacityUnits of ProvisionedThroughput"));
}

TEST_F(CreateTableWordingTest, TableClass) {
  CreateTableRequest request = OnDemand();
  request.table_class = "GLACIER";
  EXPECT_EQ(CreateOutcome(request),
            Validation("Invalid table-class parameter provided. Please try again with a valid "
                       "table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS]."));
}

TEST_F(CreateTableWordingTest, Encryption) {
  CreateTableRequest request = OnDemand();
  request.sse_specification = SseSpecification{.enabled = false, .sse_type = "KMS"};
  EXPECT_EQ(CreateOutcome(request), Invalid("SSEType can not be specified if Enabled is false"));
  request.sse_specification = SseSpecification{.enabled = false, .kms_master_key_id = "k"};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("KMSMasterKeyId can not be specified if Enabled is false"));
  request.sse_specification = SseSpecification{.enabled = true, .kms_master_key_id = "k"};
  EXPECT_EQ(CreateOutcome(request),
            Invalid("SSEType KMS is required if KMSMasterKeyId is specified"));
  request.sse_specification = SseSpecification{.enabled = true, .sse_type = "AES256"};
  EXPECT_EQ(CreateOutcome(request), Invalid("SSEType AES256 is not supported"));
}

TEST_F(CreateTableWordingTest, Tags) {
  CreateTableRequest request = OnDemand();
  request.tags = std::vector<Tag>{{"aws:x", ""}};
  EXPECT_EQ(CreateOutcome(request), Validation("Tag Key cannot be prefixed with aws:, Key: aws:x"));
  request.tags = std::vector<Tag>{{"a#", ""}};
  EXPECT_EQ(CreateOutcome(request), Validation("The Tag Key provided is invalid, Key: a#"));
  request.tags = std::vector<Tag>{{"a", "<"}};
  EXPECT_EQ(CreateOutcome(request), Validation("The Tag Value provided is invalid, Value: <"));
  request.tags = std::vector<Tag>{{"a", "1"}, {"a", "2"}};
  EXPECT_EQ(CreateOutcome(request),
            Validation("Duplicate Tag Keys provided as input: Duplicate Tag Key found a"));
}

}  // namespace
}  // namespace dynolith
