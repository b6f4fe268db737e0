// The words with which UpdateTable refuses a change (api/facts/operations.md §5.3, §5.7).
#include "tests/unit/api/update_requests.h"

namespace dynolith {
namespace {

class UpdateTableWordingTest : public UpdateRequests {
 protected:
  static CreateTableRequest ProvisionedWithIndex() {
    CreateTableRequest request = Provisioned();
    request.global_secondary_indexes = {Index("global", {{"pk", kHash}})};
    request.global_secondary_indexes->back().provisioned_throughput = {.read_capacity_units = 7,
                                                                       .write_capacity_units = 7};
    return request;
  }
  static CreateTableRequest WithBothKinds() {
    CreateTableRequest request = WithRange();
    request.local_secondary_indexes = {Index("local", {{"pk", kHash}, {"c", kRange}})};
    request.global_secondary_indexes = {Index("global", {{"c", kHash}})};
    return request;
  }
  static UpdateTableRequest Updates(std::vector<GlobalSecondaryIndexUpdate> updates) {
    UpdateTableRequest request = Named();
    request.global_secondary_index_updates = std::move(updates);
    return request;
  }
};

TEST_F(UpdateTableWordingTest, TableName) {
  UpdateTableRequest update = Units(1, 1);
  EXPECT_EQ(UpdateOutcome(update),
            "ResourceNotFoundException: Requested resource not found: Table: music not found");
  update.table_name = "ab";
  EXPECT_EQ(UpdateOutcome(update),
            Validation("1 validation error detected: Value 'ab' at 'tableName' failed to satisfy "
                       "constraint: Member must have length greater than or equal to 3"));
}

TEST_F(UpdateTableWordingTest, NothingToDo) {
  EXPECT_EQ(
      UpdateOutcome(Named()),
      Validation("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                 "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, "
                 "MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
                 "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass "
                 "is required"));
}

TEST_F(UpdateTableWordingTest, Combinations) {
  UpdateTableRequest update = Units(1, 1);
  update.warm_throughput = {.read_units_per_second = 20000};
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("WarmThroughput must be the only operation in the request"));
  update.deletion_protection_enabled = true;
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("DeletionProtection modification must be the only operation in the request"));
  update.table_class = "STANDARD";
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("TableClass modification must be the only operation in the request"));
  update.sse_specification = SseSpecification{.enabled = true};
  EXPECT_EQ(UpdateOutcome(update), Invalid("Server-Side Encryption modification must be the only "
                                           "operation in the request"));
  update = Units(1, 1);
  update.on_demand_throughput = OnDemandThroughput{.max_read_units = 1};
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("OnDemandThroughput can only be combined with BillingMode in an UpdateTable "
                    "request"));
  update = Units(1, 1);
  update.stream_specification = StreamSpecification{.stream_enabled = false};
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("You cannot modify stream status while updating table IOPS"));
  update = NewIndex("by-a", "a");
  update.stream_specification = StreamSpecification{.stream_enabled = false};
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("You cannot create or delete index while changing stream status"));
  update = NewIndex("by-a", "a");
  update.provisioned_throughput = Units(1, 1).provisioned_throughput;
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("You cannot create or delete index while updating table IOPS"));
  update = NewIndex("by-a", "a");
  update.warm_throughput = {.read_units_per_second = 20000};
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("Create global secondary index cannot be specified when updating "
                    "WarmThroughput"));
}

TEST_F(UpdateTableWordingTest, ReplicasAreRefused) {
  UpdateTableRequest update = Named();
  update.replica_updates.emplace().push_back({.create = CreateReplicationGroupMemberAction{}});
  EXPECT_EQ(UpdateOutcome(update).find("ValidationException: "), 0u);
  update.provisioned_throughput = Units(1, 1).provisioned_throughput;
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("Requests that modify replicas or witnesses must not also modify other "
                    "fields"));
}

TEST_F(UpdateTableWordingTest, AllowedPairs) {
  Create(Provisioned());
  UpdateTableRequest update = Named();
  update.billing_mode = BillingMode::kPayPerRequest;
  update.stream_specification =
      StreamSpecification{.stream_enabled = true, .stream_view_type = StreamViewType::kKeysOnly};
  EXPECT_EQ(UpdateOutcome(update), "OK");
  update = Named();
  update.billing_mode = BillingMode::kPayPerRequest;
  update.on_demand_throughput = OnDemandThroughput{.max_read_units = 1};
  EXPECT_EQ(UpdateOutcome(update), "OK");
}

TEST_F(UpdateTableWordingTest, UnchangedThroughput) {
  Create(ProvisionedWithIndex());
  EXPECT_EQ(
      UpdateOutcome(Units(5, 5)),
      Validation("The provisioned throughput for the table will not change. The requested "
                 "value equals the current value. Current ReadCapacityUnits provisioned for "
                 "the table: 5. Requested ReadCapacityUnits: 5. Current WriteCapacityUnits "
                 "provisioned for the table: 5. Requested WriteCapacityUnits: 5. Refer to the "
                 "Amazon DynamoDB Developer Guide for current limits and how to request "
                 "higher limits."));
  EXPECT_EQ(UpdateOutcome(Updates({IndexUnits("global", 7, 7)}))
                .find(Validation("The provisioned throughput for the index global will not "
                                 "change. ")),
            0u);
}

TEST_F(UpdateTableWordingTest, BillingModeAndUnits) {
  Create(ProvisionedWithIndex());
  UpdateTableRequest update = Units(9, 9);
  update.billing_mode = BillingMode::kPayPerRequest;
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                    "BillingMode is PAY_PER_REQUEST"));
  update.provisioned_throughput.reset();
  Update(update);
  EXPECT_EQ(UpdateOutcome(Units(9, 9)),
            Invalid("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                    "BillingMode is PAY_PER_REQUEST"));
  update.billing_mode = BillingMode::kProvisioned;
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED"));
  update.provisioned_throughput = Units(9, 9).provisioned_throughput;
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("ProvisionedThroughput must be specified for index: global"));
}

TEST_F(UpdateTableWordingTest, IndexUnitsOnDemand) {
  Create(WithBothKinds());
  EXPECT_EQ(UpdateOutcome(Updates({IndexUnits("global", 1, 1)})),
            Invalid("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: "
                    "global when BillingMode is PAY_PER_REQUEST"));
  GlobalSecondaryIndexUpdate empty = IndexUnits("global", 1, 1);
  empty.update->provisioned_throughput.reset();
  EXPECT_EQ(UpdateOutcome(Updates({empty})),
            Invalid("The only Updates for index: global when TableThroughputMode is "
                    "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"));
}

TEST_F(UpdateTableWordingTest, IndexUnitsMissing) {
  Create(ProvisionedWithIndex());
  GlobalSecondaryIndexUpdate empty = IndexUnits("global", 1, 1);
  empty.update->provisioned_throughput.reset();
  EXPECT_EQ(UpdateOutcome(Updates({empty})),
            Invalid("Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: "
                    "global"));
}

TEST_F(UpdateTableWordingTest, OnDemandMaxima) {
  Create(OnDemand());
  for (const int64_t units : {int64_t{0}, int64_t{-2}}) {
    UpdateTableRequest update = Named();
    update.on_demand_throughput = OnDemandThroughput{.max_write_units = units};
    EXPECT_EQ(UpdateOutcome(update), Invalid("Requested MaxWriteRequestUnits for "
                                             "OnDemandThroughput for table is outside of valid "
                                             "range"));
  }
}

TEST_F(UpdateTableWordingTest, IndexUpdateList) {
  // An empty list is nothing to do.
  EXPECT_EQ(UpdateOutcome(Updates({})), UpdateOutcome(Named()));
  EXPECT_EQ(UpdateOutcome(Updates({{}})),
            Invalid("One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                    "GlobalSecondaryIndexUpdate.Delete must not be null"));
  GlobalSecondaryIndexUpdate two = IndexUnits("global", 1, 1);
  two.delete_index_name = "global";
  EXPECT_EQ(UpdateOutcome(Updates({two})),
            Invalid("Only one global secondary index action is allowed per "
                    "GlobalSecondaryIndexUpdate object"));
  EXPECT_EQ(UpdateOutcome(Updates({IndexUnits("global", 1, 1), IndexUnits("global", 2, 2)})),
            Invalid("Only one global secondary index update per index is allowed simultaneously. "
                    "Index: global"));
  EXPECT_EQ(UpdateOutcome(Updates({{.delete_index_name = "one"}, {.delete_index_name = "two"}})),
            "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created "
            "or deleted simultaneously per table");
}

TEST_F(UpdateTableWordingTest, IndexesThatAreNotThere) {
  Create(WithBothKinds());
  EXPECT_EQ(UpdateOutcome(Updates({{.delete_index_name = "none"}})),
            "ResourceNotFoundException: Requested resource not found: Index none for table music");
  EXPECT_EQ(UpdateOutcome(Updates({{.delete_index_name = "local"}})),
            Validation("Cannot delete an index that is not a GlobalSecondaryIndex: local"));
  EXPECT_EQ(UpdateOutcome(Updates({IndexUnits("local", 1, 1)})),
            Validation("Cannot update an index that is not a GlobalSecondaryIndex: local"));
  EXPECT_EQ(UpdateOutcome(Updates({IndexUnits("none", 1, 1)})),
            "ResourceNotFoundException: Requested resource not found: Index none for table music");
}

TEST_F(UpdateTableWordingTest, NewIndexes) {
  Create(WithBothKinds());
  UpdateTableRequest update = NewIndex("by-a", "a");
  update.attribute_definitions.reset();
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("AttributeDefinitions is not specified for index: by-a"));
  EXPECT_EQ(UpdateOutcome(NewIndex("global", "a")),
            Validation("Attempting to create an index which already exists"));
  update = NewIndex("by-a", "a");
  update.attribute_definitions = {{"b", Type::kString}};
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("Some index key attributes are not defined in AttributeDefinitions. Keys: [a], "
                    "AttributeDefinitions: [b]"));
  update.attribute_definitions = {{"a", Type::kString}, {"a", Type::kString}};
  EXPECT_EQ(UpdateOutcome(update), Validation("Attribute Name is duplicated: a"));
}

TEST_F(UpdateTableWordingTest, RedefinedAttribute) {
  Create(OnDemand());
  UpdateTableRequest update = NewIndex("by-pk", "pk");
  update.attribute_definitions = {{"pk", Type::kNumber}};
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("Attributes cannot be redefined. Please check that your attribute has the same "
                    "type as previously defined. Existing schema: Schema:[SchemaElement: "
                    "key{pk:S:HASH}] New schema: Schema:[SchemaElement: key{pk:N:HASH}]"));
}

TEST_F(UpdateTableWordingTest, Streams) {
  Create(OnDemand());
  UpdateTableRequest update = Named();
  update.stream_specification = StreamSpecification{.stream_enabled = true};
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("If stream is being enabled then UpdateViewType is required"));
  update.stream_specification->stream_view_type = StreamViewType::kKeysOnly;
  Update(update);
  EXPECT_EQ(UpdateOutcome(update),
            Validation("Table already has an enabled stream: TableName: music"));
  update.stream_specification->stream_enabled = false;
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("If stream is being disabled, then UpdateViewType must not be specified"));
  update.stream_specification->stream_view_type.reset();
  Update(update);
  EXPECT_EQ(UpdateOutcome(update), Validation("Table has no stream to disable: TableName: music"));
}

TEST_F(UpdateTableWordingTest, WhileAnIndexIsBeingCreated) {
  Create(ProvisionedWithIndex());
  SetIndexStatus("music", 0, IndexStatus::kCreating);
  EXPECT_EQ(UpdateOutcome(NewIndex("by-a", "a")),
            "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created "
            "or deleted simultaneously per table");
  EXPECT_EQ(UpdateOutcome(Units(6, 6)),
            "ResourceInUseException: Attempt to change a resource which is still in use: Can't "
            "change table IOPS when an index is being created. Table: music Indexes: [global]");
  EXPECT_EQ(UpdateOutcome(Updates({{.delete_index_name = "global"}})), "OK");
}

TEST_F(UpdateTableWordingTest, BusyTables) {
  Create(Provisioned());
  const auto set = [&](TableStatus status) {
    return catalog_->Modify(catalog_->Find("music").get(), [status](TableMeta* meta) {
      meta->status = status;
      return absl::OkStatus();
    });
  };
  ASSERT_TRUE(set(TableStatus::kCreating).ok());
  EXPECT_EQ(UpdateOutcome(Units(6, 6)),
            "ResourceInUseException: Attempt to change a resource which is still in use: Table is "
            "being created: music");
  ASSERT_TRUE(set(TableStatus::kDeleting).ok());
  EXPECT_EQ(UpdateOutcome(Units(6, 6)),
            "ResourceInUseException: Attempt to change a resource which is still in use: Table is "
            "being deleted: music");
}

}  // namespace
}  // namespace dynolith
