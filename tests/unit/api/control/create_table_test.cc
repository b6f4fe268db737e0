// What a new table is: its description, its defaults, and that it can be used at once.
#include "api/control/create_table.h"

#include "tests/unit/api/control_plane.h"

namespace dynolith {
namespace {

class CreateTableTest : public ControlPlane {};

TEST_F(CreateTableTest, AnswersCreatingAndIsActive) {
  const ShownTable created = Create(OnDemand());
  EXPECT_EQ(created.meta.status, TableStatus::kCreating);
  EXPECT_EQ(created.table_arn, "arn:aws:dynamodb:us-east-1:000000000000:table/music");
  EXPECT_EQ(created.item_count, 0);
  EXPECT_EQ(created.table_size_bytes, 0);
  EXPECT_EQ(created.meta.created, clock_.Now());

  const ShownTable described = Describe();
  EXPECT_EQ(described.meta.status, TableStatus::kActive);
  EXPECT_EQ(described.meta.uuid, created.meta.uuid);
}

TEST_F(CreateTableTest, EveryTableHasItsOwnUuid) {
  const std::string first = Create(OnDemand()).meta.uuid;
  CreateTableRequest other = OnDemand();
  other.table_name = "other";
  const std::string second = Create(other).meta.uuid;
  EXPECT_NE(first, second);
  ASSERT_EQ(first.size(), 36u);
  EXPECT_EQ(first[14], '4');
  EXPECT_NE(std::string("89ab").find(first[19]), std::string::npos);
}

TEST_F(CreateTableTest, OnDemandHasNoUnitsAndInitialWarmth) {
  const TableMeta meta = Create(OnDemand()).meta;
  EXPECT_EQ(meta.billing_mode, BillingMode::kPayPerRequest);
  EXPECT_EQ(meta.throughput.read_units, 0);
  EXPECT_EQ(meta.throughput.write_units, 0);
  EXPECT_EQ(meta.last_pay_per_request, clock_.Now());
  EXPECT_EQ(meta.warm->read_units, 12000);
  EXPECT_EQ(meta.warm->write_units, 4000);
  EXPECT_EQ(meta.initial_partitions, 4);
}

TEST_F(CreateTableTest, ProvisionedIsTheDefaultMode) {
  const TableMeta meta = Create(Provisioned()).meta;
  EXPECT_EQ(meta.billing_mode, BillingMode::kProvisioned);
  EXPECT_EQ(meta.throughput.read_units, 5);
  EXPECT_EQ(meta.throughput.write_units, 5);
  EXPECT_EQ(meta.warm->read_units, 5);
  EXPECT_EQ(meta.initial_partitions, 1);
}

TEST_F(CreateTableTest, PartitionsFollowUnitsAndWarmth) {
  CreateTableRequest request = Provisioned();
  request.provisioned_throughput = {.read_capacity_units = 4500, .write_capacity_units = 1600};
  EXPECT_EQ(Create(request).meta.initial_partitions, 4);  // 1.5 + 1.6
  request = OnDemand();
  request.table_name = "warm";
  request.warm_throughput = {.read_units_per_second = 12000, .write_units_per_second = 9500};
  EXPECT_EQ(Create(request).meta.initial_partitions, 10);
}

TEST_F(CreateTableTest, KeepsIndexesWithTheirStates) {
  CreateTableRequest request = WithRange();
  request.local_secondary_indexes = {Index("local", {{"pk", kHash}, {"c", kRange}})};
  request.global_secondary_indexes = {
      Index("global", {{"c", kHash}, {"pk", kRange}}, ProjectionType::kKeysOnly)};
  const ShownTable created = Create(request);
  ASSERT_EQ(created.index_sizes.size(), 2u);
  EXPECT_EQ(created.meta.index_states[0].status, IndexStatus::kCreating);

  const TableMeta meta = Describe().meta;
  ASSERT_EQ(meta.schema.indexes.size(), 2u);
  const IndexSchema* global = meta.schema.FindIndex("global");
  ASSERT_NE(global, nullptr);
  EXPECT_EQ(global->kind, IndexKind::kGlobal);
  EXPECT_EQ(global->projection, ProjectionType::kKeysOnly);
  EXPECT_EQ(global->key.hash, (std::vector<KeyAttribute>{{"c", Type::kString}}));
  EXPECT_EQ(meta.schema.FindIndex("local")->kind, IndexKind::kLocal);
  for (const IndexState& state : meta.index_states) {
    EXPECT_EQ(state.status, IndexStatus::kActive);
    EXPECT_FALSE(state.backfilling);
  }
}

TEST_F(CreateTableTest, AGlobalIndexMayHaveFourHashAndFourRangeAttributes) {
  CreateTableRequest request = OnDemand();
  std::vector<KeySchemaElement> key;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    request.attribute_definitions->push_back({name, Type::kNumber});
    key.push_back({name, key.size() < 4 ? kHash : kRange});
  }
  request.global_secondary_indexes = {Index("wide", key)};
  const TableMeta meta = Create(request).meta;
  EXPECT_EQ(meta.schema.indexes[0].key.hash.size(), 4u);
  EXPECT_EQ(meta.schema.indexes[0].key.range.size(), 4u);
}

TEST_F(CreateTableTest, KeepsWhatIsOnlyDescribed) {
  CreateTableRequest request = OnDemand();
  request.table_class = "STANDARD_INFREQUENT_ACCESS";
  request.deletion_protection_enabled = true;
  request.sse_specification = SseSpecification{.enabled = true};
  request.tags = std::vector<Tag>{{"team", "blue"}, {"a", ""}};
  request.stream_specification = {.stream_enabled = true,
                                  .stream_view_type = StreamViewType::kNewImage};
  request.on_demand_throughput = OnDemandThroughput{.max_read_units = 7};
  Create(request);
  const TableMeta meta = Describe().meta;
  EXPECT_EQ(meta.table_class, TableClass::kStandardInfrequentAccess);
  EXPECT_TRUE(meta.deletion_protection);
  EXPECT_TRUE(meta.encryption->enabled);
  EXPECT_EQ(meta.tags,
            (std::vector<std::pair<std::string, std::string>>{{"team", "blue"}, {"a", ""}}));
  EXPECT_TRUE(meta.stream.enabled);
  EXPECT_EQ(meta.stream.view_type, StreamViewType::kNewImage);
  EXPECT_EQ(meta.stream.label, "2026-10-09T00:21:34.000");
  EXPECT_EQ(meta.on_demand->max_read_units, 7);
  EXPECT_FALSE(meta.on_demand->max_write_units);
}

TEST_F(CreateTableTest, RefusesAnExistingName) {
  Create(OnDemand());
  EXPECT_EQ(CreateOutcome(OnDemand()), "ResourceInUseException: Table already exists: music");
}

TEST_F(CreateTableTest, RefusesTheNameOfATableThatIsBeingCreated) {
  Create(OnDemand());
  ASSERT_TRUE(catalog_
                  ->Modify(catalog_->Find("music").get(),
                           [](TableMeta* meta) {
                             meta->status = TableStatus::kCreating;
                             return absl::OkStatus();
                           })
                  .ok());
  EXPECT_EQ(CreateOutcome(OnDemand()),
            "ResourceInUseException: Attempt to change a resource which is still in use: Table is "
            "being created: music");
}

TEST_F(CreateTableTest, ARefusedTableDoesNotExist) {
  CreateTableRequest request = OnDemand();
  request.table_class = "GLACIER";
  EXPECT_NE(CreateOutcome(request), "OK");
  EXPECT_EQ(catalog_->size(), 0u);
}

}  // namespace
}  // namespace dynolith
