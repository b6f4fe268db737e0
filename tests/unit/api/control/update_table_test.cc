// What UpdateTable changes, and what its answer shows of a change that is under way.
#include "api/control/update_table.h"

#include "tests/unit/api/update_requests.h"

namespace dynolith {
namespace {

class UpdateTableTest : public UpdateRequests {};

TEST_F(UpdateTableTest, ThroughputShowsOldUnitsFirst) {
  Create(Provisioned());
  const ShownTable answer = Update(Units(10, 5));
  EXPECT_EQ(answer.meta.status, TableStatus::kUpdating);
  EXPECT_EQ(answer.meta.throughput.read_units, 5);
  const TableMeta meta = Describe().meta;
  EXPECT_EQ(meta.status, TableStatus::kActive);
  EXPECT_EQ(meta.throughput.read_units, 10);
  EXPECT_EQ(meta.throughput.last_increase, clock_.Now());
  EXPECT_FALSE(meta.throughput.last_decrease);
  EXPECT_EQ(meta.warm->read_units, 10);
}

TEST_F(UpdateTableTest, WarmthStaysAtTheHighestUnitsEver) {
  Create(Provisioned());
  Update(Units(50, 5));
  Update(Units(1, 6));
  const TableMeta meta = Describe().meta;
  EXPECT_EQ(meta.throughput.read_units, 1);
  EXPECT_EQ(meta.warm->read_units, 50);
  EXPECT_EQ(meta.warm->write_units, 6);
}

TEST_F(UpdateTableTest, DecreasesAreCountedPerUtcDay) {
  Create(Provisioned());
  Update(Units(4, 5));
  Update(Units(4, 4));
  EXPECT_EQ(Describe().meta.throughput.decreases_today, 2);
  EXPECT_EQ(Describe().meta.throughput.last_decrease, clock_.Now());
  clock_.Advance(absl::Hours(24));
  EXPECT_EQ(Describe().meta.throughput.decreases_today, 0);
  Update(Units(3, 4));
  EXPECT_EQ(Describe().meta.throughput.decreases_today, 1);
}

TEST_F(UpdateTableTest, ToPayPerRequestAndBack) {
  CreateTableRequest request = Provisioned();
  request.global_secondary_indexes = {Index("global", {{"pk", kHash}})};
  request.global_secondary_indexes->back().provisioned_throughput = {.read_capacity_units = 7,
                                                                     .write_capacity_units = 7};
  Create(request);
  UpdateTableRequest update = Named();
  update.billing_mode = BillingMode::kPayPerRequest;
  EXPECT_EQ(Update(update).meta.status, TableStatus::kUpdating);
  TableMeta meta = Describe().meta;
  EXPECT_EQ(meta.billing_mode, BillingMode::kPayPerRequest);
  EXPECT_EQ(meta.last_pay_per_request, clock_.Now());
  EXPECT_EQ(meta.throughput.read_units, 0);
  EXPECT_EQ(meta.index_states[0].throughput.write_units, 0);
  EXPECT_EQ(meta.warm->read_units, 12000);
  EXPECT_EQ(meta.index_states[0].warm->write_units, 4000);

  UpdateTableRequest maxima = Named();
  maxima.on_demand_throughput = OnDemandThroughput{.max_read_units = 9};
  Update(maxima);
  update = Units(3, 3);
  update.billing_mode = BillingMode::kProvisioned;
  update.global_secondary_index_updates = {IndexUnits("global", 2, 2)};
  Update(update);
  meta = Describe().meta;
  EXPECT_EQ(meta.billing_mode, BillingMode::kProvisioned);
  EXPECT_EQ(meta.throughput.read_units, 3);
  EXPECT_EQ(meta.throughput.decreases_today, 0);
  EXPECT_EQ(meta.index_states[0].throughput.read_units, 2);
  EXPECT_FALSE(meta.on_demand);
  EXPECT_EQ(meta.warm->read_units, 12000);
}

TEST_F(UpdateTableTest, SettingTheSameBillingModeIsNoChange) {
  Create(OnDemand());
  clock_.Advance(absl::Hours(1));
  UpdateTableRequest update = Named();
  update.billing_mode = BillingMode::kPayPerRequest;
  EXPECT_EQ(UpdateOutcome(update), "OK");
  EXPECT_EQ(Describe().meta.last_pay_per_request, clock_.Now() - absl::Hours(1));
}

TEST_F(UpdateTableTest, IndexThroughputLeavesTheTableActive) {
  CreateTableRequest request = Provisioned();
  request.global_secondary_indexes = {Index("global", {{"pk", kHash}})};
  request.global_secondary_indexes->back().provisioned_throughput = {.read_capacity_units = 7,
                                                                     .write_capacity_units = 7};
  Create(request);
  UpdateTableRequest update = Named();
  update.global_secondary_index_updates = {IndexUnits("global", 2, 2)};
  const TableMeta shown = Update(update).meta;
  EXPECT_EQ(shown.status, TableStatus::kActive);
  EXPECT_EQ(shown.index_states[0].status, IndexStatus::kUpdating);
  EXPECT_EQ(shown.index_states[0].throughput.read_units, 7);
  const TableMeta meta = Describe().meta;
  EXPECT_EQ(meta.index_states[0].status, IndexStatus::kActive);
  EXPECT_EQ(meta.index_states[0].throughput.read_units, 2);
  EXPECT_EQ(meta.index_states[0].throughput.decreases_today, 1);
  EXPECT_EQ(meta.throughput.decreases_today, 0);
}

TEST_F(UpdateTableTest, OnDemandMaximaMergeMemberwise) {
  Create(OnDemand());
  const auto set = [&](std::optional<int64_t> read, std::optional<int64_t> write) {
    UpdateTableRequest update = Named();
    update.on_demand_throughput =
        OnDemandThroughput{.max_read_units = read, .max_write_units = write};
    Update(update);
    return Describe().meta.on_demand;
  };
  EXPECT_EQ(set(5, std::nullopt)->max_read_units, 5);
  auto both = set(std::nullopt, 6);
  EXPECT_EQ(both->max_read_units, 5);
  EXPECT_EQ(both->max_write_units, 6);
  auto cleared = set(-1, std::nullopt);
  EXPECT_FALSE(cleared->max_read_units);
  EXPECT_EQ(cleared->max_write_units, 6);
  EXPECT_FALSE(set(std::nullopt, -1));
}

TEST_F(UpdateTableTest, WarmThroughputOnlyGrows) {
  Create(OnDemand());
  UpdateTableRequest update = Named();
  update.warm_throughput = {.read_units_per_second = 13000};
  EXPECT_EQ(Update(update).meta.status, TableStatus::kActive);
  EXPECT_EQ(Describe().meta.warm->read_units, 13000);
  EXPECT_EQ(Describe().meta.warm->write_units, 4000);
  update.warm_throughput = {.read_units_per_second = 12999};
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("Requested ReadUnitsPerSecond for WarmThroughput for table is lower than "
                    "current WarmThroughput, decreasing WarmThroughput is not supported"));
}

TEST_F(UpdateTableTest, StreamsGetANewLabelEachTime) {
  Create(OnDemand());
  const auto stream = [&](bool on) {
    UpdateTableRequest update = Named();
    update.stream_specification = StreamSpecification{.stream_enabled = on};
    if (on) update.stream_specification->stream_view_type = StreamViewType::kOldImage;
    EXPECT_EQ(UpdateOutcome(update), "OK");
    return Describe().meta.stream;
  };
  const StreamState first = stream(true);
  EXPECT_TRUE(first.enabled);
  EXPECT_EQ(first.view_type, StreamViewType::kOldImage);
  EXPECT_EQ(first.label, "2026-10-09T00:21:34.000");
  const StreamState off = stream(false);
  EXPECT_FALSE(off.enabled);
  EXPECT_EQ(off.label, first.label);
  EXPECT_EQ(stream(true).label, "2026-10-09T00:21:34.001");
}

TEST_F(UpdateTableTest, DeletionProtectionIsSynchronous) {
  Create(OnDemand());
  const TableMeta shown = Update(Protection(true)).meta;
  EXPECT_EQ(shown.status, TableStatus::kActive);
  EXPECT_TRUE(shown.deletion_protection);
  EXPECT_EQ(UpdateOutcome(Protection(false)),
            "ThrottlingException: Deletion protection setting for table music modified within the "
            "previous 15000 milliseconds. Please try again after 2026-10-09T00:21:49.000Z");
  clock_.Advance(absl::Seconds(15));
  EXPECT_EQ(UpdateOutcome(Protection(false)), "OK");
  EXPECT_FALSE(Describe().meta.deletion_protection);
}

TEST_F(UpdateTableTest, EncryptionMustChangeSomething) {
  Create(OnDemand());
  UpdateTableRequest update = Named();
  update.sse_specification = SseSpecification{.enabled = false};
  EXPECT_EQ(UpdateOutcome(update), Invalid("Table is already encrypted by default"));
  update.sse_specification =
      SseSpecification{.enabled = true, .sse_type = "KMS", .kms_master_key_id = "k1"};
  Update(update);
  const std::string key = Describe().meta.encryption->kms_key_arn;
  EXPECT_EQ(key, "arn:aws:kms:us-east-1:000000000000:key/k1");
  EXPECT_EQ(UpdateOutcome(update), "OK");
  update.sse_specification->kms_master_key_id = key;
  EXPECT_EQ(UpdateOutcome(update),
            Invalid("Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId "
                    "parameter if you want to change Master Key"));
  update.sse_specification = SseSpecification{.enabled = false};
  Update(update);
  EXPECT_FALSE(Describe().meta.encryption);
}

TEST_F(UpdateTableTest, ANewIndexIsCreatedOnline) {
  Create(OnDemand());
  const ShownTable answer = Update(NewIndex("by-a", "a"));
  EXPECT_EQ(answer.meta.status, TableStatus::kUpdating);
  ASSERT_EQ(answer.meta.index_states.size(), 1u);
  EXPECT_EQ(answer.meta.index_states[0].status, IndexStatus::kCreating);
  EXPECT_FALSE(answer.meta.index_states[0].backfilling);
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  const TableMeta meta = Describe().meta;
  EXPECT_EQ(meta.status, TableStatus::kActive);
  EXPECT_EQ(meta.index_states[0].status, IndexStatus::kActive);
  EXPECT_FALSE(meta.index_states[0].backfilling);
  EXPECT_EQ(meta.attribute_definitions,
            (std::vector<KeyAttribute>{{"pk", Type::kString}, {"a", Type::kString}}));
}

TEST_F(UpdateTableTest, ADeletedIndexTakesItsDefinitionsAlong) {
  Create(OnDemand());
  Update(NewIndex("by-a", "a"));
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  UpdateTableRequest update = Named();
  update.global_secondary_index_updates = {{.delete_index_name = "by-a"}};
  const TableDescription shown = Update(update);
  ASSERT_EQ(shown.global_secondary_indexes.size(), 1u);
  EXPECT_EQ(shown.global_secondary_indexes[0].index_status, IndexStatus::kDeleting);
  const TableMeta meta = Describe().meta;
  EXPECT_TRUE(meta.schema.indexes.empty());
  EXPECT_TRUE(meta.index_states.empty());
  EXPECT_EQ(meta.attribute_definitions, (std::vector<KeyAttribute>{{"pk", Type::kString}}));
}

TEST_F(UpdateTableTest, ARefusedChangeChangesNothing) {
  CreateTableRequest request = Provisioned();
  request.global_secondary_indexes = {Index("global", {{"pk", kHash}})};
  request.global_secondary_indexes->back().provisioned_throughput = {.read_capacity_units = 7,
                                                                     .write_capacity_units = 7};
  Create(request);
  UpdateTableRequest update = Units(10, 10);
  update.global_secondary_index_updates = {IndexUnits("global", 7, 7)};
  EXPECT_NE(UpdateOutcome(update), "OK");
  EXPECT_EQ(Describe().meta.throughput.read_units, 5);
}

TEST_F(UpdateTableTest, TakesAnArn) {
  Create(Provisioned());
  UpdateTableRequest update = Units(6, 6);
  update.table_name = "arn:aws:dynamodb:us-east-1:000000000000:table/music";
  EXPECT_EQ(UpdateOutcome(update), "OK");
}

}  // namespace
}  // namespace dynolith
