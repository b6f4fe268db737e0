// Which of two faults CreateTable reports: the earlier row of api/facts/operations.md §5.1.
#include "tests/unit/api/control_plane.h"

namespace dynolith {
namespace {

class CreateTableOrderTest : public ControlPlane {};

// A request is broken from the last rule to the first; each new fault hides the ones before it.
TEST_F(CreateTableOrderTest, EarlierRulesHideLaterOnes) {
  CreateTableRequest request = WithRange();
  request.local_secondary_indexes = {Index("local", {{"pk", kHash}, {"c", kRange}})};
  request.global_secondary_indexes = {Index("global", {{"c", kHash}})};
  const auto expect = [&](std::string_view part) {
    const std::string outcome = CreateOutcome(request);
    EXPECT_NE(outcome.find(part), std::string::npos) << outcome << "\nshould say: " << part;
  };
  request.sse_specification = SseSpecification{.enabled = true, .sse_type = "AES256"};
  expect("SSEType AES256 is not supported");
  request.table_class = "GLACIER";
  expect("table-class");
  request.warm_throughput = {.read_units_per_second = 1};
  expect("lower than initial throughput");
  request.on_demand_throughput = OnDemandThroughput{.max_read_units = 0};
  expect("outside of valid range");
  request.stream_specification = {.stream_enabled = true};
  expect("UpdateViewType is required");
  request.global_secondary_indexes->back().provisioned_throughput = {.read_capacity_units = 1,
                                                                     .write_capacity_units = 1};
  expect("ProvisionedThroughput should not be specified for index: global");
  request.global_secondary_indexes->back().index_name = "local";
  expect("Duplicate index name: local");
  request.local_secondary_indexes->back().projection.non_key_attributes = {"x"};
  expect("ProjectionType is ALL, but NonKeyAttributes is specified");
  request.local_secondary_indexes->back().key_schema[0].attribute_name = "sk";
  expect("the same leading hash key");
  request.attribute_definitions->push_back({"unused", Type::kString});
  expect("Some AttributeDefinitions are not used");
  request.key_schema->at(0).key_type = kRange;
  expect("The first KeySchemaElement is not a HASH key type");
  request.key_schema->at(1).attribute_name = "pk";
  expect("have the same name");
  request.key_schema->at(1).attribute_name = "y";
  expect("Some index key attributes are not defined");
  request.attribute_definitions->resize(1);
  expect("Some index key attribute have no definition");
  request.provisioned_throughput = {.read_capacity_units = 1, .write_capacity_units = 1};
  expect("Neither ReadCapacityUnits nor WriteCapacityUnits");
  request.table_name = "ab";
  expect("'tableName'");
}

TEST_F(CreateTableOrderTest, RulesComeBeforeTheExistingTable) {
  Create(OnDemand());
  CreateTableRequest request = OnDemand();
  request.table_class = "GLACIER";
  EXPECT_NE(CreateOutcome(request).find("table-class"), std::string::npos);
}

TEST_F(CreateTableOrderTest, TheExistingTableComesBeforeQuotas) {
  Create(OnDemand());
  CreateTableRequest request = Provisioned();
  request.provisioned_throughput->read_capacity_units = 40001;
  EXPECT_EQ(CreateOutcome(request), "ResourceInUseException: Table already exists: music");
}

}  // namespace
}  // namespace dynolith
