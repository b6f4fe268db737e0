// Tables and indexes that take their time: what is shown of them meanwhile, what is refused, and
// that whoever looks afterwards finds them finished.
#include "api/control/delete_table.h"
#include "api/control/kinesis_destinations.h"
#include "api/control/list_tables.h"
#include "api/read/get_item.h"
#include "api/read/query.h"
#include "api/read/search_vectors.h"
#include "api/write/put_item.h"
#include "tests/unit/api/update_requests.h"

namespace dynolith {
namespace {

constexpr std::string_view kInUse =
    "ResourceInUseException: Attempt to change a resource which is still in use: ";
constexpr absl::Duration kCreate = absl::Seconds(6);
constexpr absl::Duration kUpdate = absl::Seconds(4);
constexpr absl::Duration kRemove = absl::Seconds(5);
constexpr absl::Duration kIndex = absl::Seconds(20);

class TableDelaysTest : public UpdateRequests {
 protected:
  TableDelaysTest() {
    context_.delays = {.create = kCreate, .update = kUpdate, .remove = kRemove, .index = kIndex};
  }

  static std::string InUse(std::string_view text) {
    return std::string(kInUse) + std::string(text);
  }
  void CreateAndWait(const CreateTableRequest& request) {
    Create(request);
    clock_.Advance(kCreate);
    EXPECT_EQ(Describe().meta.status, TableStatus::kActive);
  }
  void Reopen() {
    runner_.reset();
    catalog_ = Catalog::Load(store_.get()).value();
    runner_ = BackfillRunner::Make(store_.get(), &locks_, catalog_.get(),
                                   BackgroundThreads::Shared(BackgroundThreads::Kind::kInMemory))
                  .value();
    context_.catalog = catalog_.get();
    context_.backfills = runner_.get();
  }
  std::string DeleteOutcome() {
    return Outcome(DeleteTable(context_, {.table_name = "music"}).status());
  }
  std::string PutOutcome(std::string pk, std::string g = "g") {
    return Outcome(PutItem(context_, {.table_name = "music",
                                      .item = Item{{"pk", Value::S(std::move(pk))},
                                                   {"g", Value::S(std::move(g))}}})
                       .status());
  }
  std::string QueryOutcome(std::string index) {
    QueryRequest request;
    request.table_name = "music";
    request.index_name = std::move(index);
    request.key_condition_expression = "g = :g";
    request.expression_attribute_values = Item{{":g", Value::S("g")}};
    const auto output = dynolith::Query(context_, request, [](ItemView) {});
    return output.ok() ? std::to_string(output->count) : Outcome(output.status());
  }
  UpdateTableRequest DeleteIndex(std::string name) {
    UpdateTableRequest request = Named();
    request.global_secondary_index_updates = {{.delete_index_name = std::move(name)}};
    return request;
  }
  UpdateTableRequest Stream(bool enabled) {
    UpdateTableRequest request = Named();
    request.stream_specification = {.stream_enabled = enabled};
    if (enabled) request.stream_specification->stream_view_type = StreamViewType::kNewImage;
    return request;
  }
};

constexpr std::string_view kNotThere = "ResourceNotFoundException: Requested resource not found";

TEST_F(TableDelaysTest, Creation) {
  CreateTableRequest request = OnDemand();
  request.attribute_definitions->push_back({"g", Type::kString});
  request.global_secondary_indexes = {Index("global", {{"g", kHash}})};
  Create(request);
  clock_.Advance(kCreate - absl::Nanoseconds(1));
  const TableMeta creating = Describe().meta;
  EXPECT_EQ(creating.status, TableStatus::kCreating);
  EXPECT_EQ(creating.index_states[0].status, IndexStatus::kCreating);
  EXPECT_EQ(PutOutcome("1"), kNotThere);
  EXPECT_EQ(CreateOutcome(request), InUse("Table is being created: music"));
  EXPECT_EQ(UpdateOutcome(Protection(true)), InUse("Table is being created: music"));
  EXPECT_EQ(DeleteOutcome(), InUse("Table is being created: music"));

  clock_.Advance(absl::Nanoseconds(1));
  // The first look finishes it, whatever kind of look it is.
  EXPECT_EQ(PutOutcome("1"), "OK");
  const TableMeta active = Describe().meta;
  EXPECT_EQ(active.status, TableStatus::kActive);
  EXPECT_EQ(active.index_states[0].status, IndexStatus::kActive);
  EXPECT_FALSE(active.next_transition);
  EXPECT_EQ(QueryOutcome("global"), "1");
}

TEST_F(TableDelaysTest, CreationOutlivesAReopen) {
  CreateTableRequest request = OnDemand();
  request.attribute_definitions->push_back({"g", Type::kString});
  request.global_secondary_indexes = {Index("global", {{"g", kHash}})};
  Create(request);
  Reopen();
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  EXPECT_EQ(Describe().meta.index_states[0].status, IndexStatus::kCreating);
  clock_.Advance(kCreate);
  EXPECT_EQ(Describe().meta.index_states[0].status, IndexStatus::kActive);
}

TEST_F(TableDelaysTest, KinesisDestinationsOutliveAReopen) {
  CreateAndWait(OnDemand());
  const KinesisStreamingDestinationRequest request = {
      .table_name = "music",
      .stream_arn = "arn:aws:kinesis:us-east-1:000000000000:stream/one",
      .approximate_creation_date_time_precision = TimestampPrecision::kMicrosecond};
  const auto shown = [&] {
    const auto output = DescribeKinesisStreamingDestination(context_, {.table_name = "music"});
    EXPECT_EQ(output->kinesis_data_stream_destinations.size(), 1u);
    return output->kinesis_data_stream_destinations.at(0);
  };
  ASSERT_TRUE(EnableKinesisStreamingDestination(context_, request).ok());
  Reopen();
  EXPECT_EQ(shown().destination_status, KinesisDestinationStatus::kEnabling);
  clock_.Advance(kUpdate);
  EXPECT_EQ(shown().destination_status, KinesisDestinationStatus::kActive);
  ASSERT_TRUE(DisableKinesisStreamingDestination(context_, request).ok());
  clock_.Advance(kUpdate);
  EXPECT_EQ(shown().destination_status, KinesisDestinationStatus::kDisabled);
  Reopen();
  EXPECT_EQ(shown().destination_status, KinesisDestinationStatus::kDisabled);
  EXPECT_EQ(shown().approximate_creation_date_time_precision, TimestampPrecision::kMicrosecond);
}

TEST_F(TableDelaysTest, Deletion) {
  CreateAndWait(OnDemand());
  EXPECT_EQ(PutOutcome("1"), "OK");
  EXPECT_EQ(DeleteOutcome(), "OK");
  clock_.Advance(kRemove - absl::Nanoseconds(1));
  EXPECT_EQ(Describe().meta.status, TableStatus::kDeleting);
  EXPECT_EQ(PutOutcome("1"), kNotThere);
  EXPECT_EQ(DeleteOutcome(), InUse("Table is being deleted: music"));
  EXPECT_EQ(UpdateOutcome(Protection(true)), InUse("Table is being deleted: music"));
  EXPECT_EQ(CreateOutcome(OnDemand()), "ResourceInUseException: Table already exists: music");
  EXPECT_EQ(ListTables(context_, {})->table_names.size(), 1u);

  clock_.Advance(absl::Nanoseconds(1));
  EXPECT_EQ(ListTables(context_, {})->table_names.size(), 0u);
  EXPECT_EQ(catalog_->size(), 0u);
  EXPECT_EQ(DeleteOutcome(),
            "ResourceNotFoundException: Requested resource not found: Table: music not found");
}

TEST_F(TableDelaysTest, TheNameIsFreeAfterTheDeletion) {
  CreateAndWait(OnDemand());
  EXPECT_EQ(DeleteOutcome(), "OK");
  clock_.Advance(kRemove);
  EXPECT_EQ(CreateOutcome(OnDemand()), "OK");
}

TEST_F(TableDelaysTest, ThroughputUpdate) {
  CreateAndWait(Provisioned());
  EXPECT_EQ(Update(Units(6, 6)).meta.status, TableStatus::kUpdating);
  EXPECT_EQ(Describe().meta.status, TableStatus::kUpdating);
  EXPECT_EQ(PutOutcome("1"), "OK");
  EXPECT_EQ(UpdateOutcome(Units(7, 7)),
            InUse("Table IOPS are currently being updated. Table: music"));
  EXPECT_EQ(
      UpdateOutcome(Stream(true)),
      InUse("Can't enable or disable stream while table IOPS are being updated. Table: music"));
  EXPECT_EQ(UpdateOutcome(Protection(true)),
            "ResourceInUseException: Table needs to be in ACTIVE status to modify deletion "
            "protection setting.");
  EXPECT_EQ(DeleteOutcome(), InUse("Table: music is in the process of being updated."));
  clock_.Advance(kUpdate);
  EXPECT_EQ(UpdateOutcome(Units(7, 7)), "OK");
}

TEST_F(TableDelaysTest, StreamUpdate) {
  CreateAndWait(Provisioned());
  Update(Stream(true));
  const std::string place = "Table: music Stream: 2026-10-09T00:21:40.000 Operation: ENABLE";
  EXPECT_EQ(UpdateOutcome(Units(7, 7)),
            InUse("Can't change table IOPS when stream status is being updated. " + place));
  EXPECT_EQ(UpdateOutcome(Stream(false)),
            InUse("A stream status change is currently in progress. " + place));
  EXPECT_EQ(DeleteOutcome(), InUse("Cannot delete table while stream is being enabled/disabled."));
  clock_.Advance(kUpdate);
  EXPECT_EQ(UpdateOutcome(Stream(false)), "OK");
}

TEST_F(TableDelaysTest, TableClassUpdate) {
  CreateAndWait(OnDemand());
  UpdateTableRequest request = Named();
  request.table_class = "STANDARD_INFREQUENT_ACCESS";
  Update(request);
  request.table_class = "STANDARD";
  EXPECT_EQ(UpdateOutcome(request),
            InUse("Can't update table class when a table class update is in progress. Table: music "
                  "TableClassUpdateInProgress: STANDARD_INFREQUENT_ACCESS"));
  clock_.Advance(kUpdate);
  EXPECT_EQ(UpdateOutcome(request), "OK");
}

TEST_F(TableDelaysTest, IndexCreation) {
  CreateAndWait(OnDemand());
  EXPECT_EQ(PutOutcome("1"), "OK");
  Update(NewIndex("global", "g"));
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  EXPECT_FALSE(Describe().meta.index_states[0].backfilling);
  EXPECT_EQ(DeleteOutcome(),
            InUse("Cannot delete table while indexes are being created, updated, or deleted."));
  clock_.Advance(kUpdate);
  EXPECT_EQ(Describe().meta.status, TableStatus::kActive);
  EXPECT_EQ(UpdateOutcome(DeleteIndex("global")),
            InUse("Index creation is in resource allocation phase. Retry deletion during "
                  "backfilling phase or when the index is active. Table: music Index: global"));
  UpdateTableRequest capacity = Named();
  capacity.global_secondary_index_updates = {IndexUnits("global", 1, 1)};
  EXPECT_EQ(UpdateOutcome(capacity),
            InUse("Index is being created but is not backfilling yet. Table: music Index: global"));
  EXPECT_EQ(UpdateOutcome(NewIndex("other", "g")),
            "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created "
            "or deleted simultaneously per table");

  clock_.Advance(kIndex / 2 - kUpdate);
  EXPECT_TRUE(Describe().meta.index_states[0].backfilling);
  EXPECT_EQ(Describe().meta.index_states[0].status, IndexStatus::kCreating);
  EXPECT_EQ(PutOutcome("2"), "OK");
  EXPECT_EQ(QueryOutcome("global").find("ValidationException"), 0u);
  clock_.Advance(kIndex / 2);
  // A query is a look, too. It finds what was there before and what has come meanwhile.
  EXPECT_EQ(QueryOutcome("global"), "2");
  EXPECT_EQ(Describe().meta.index_states[0].status, IndexStatus::kActive);
  EXPECT_FALSE(Describe().meta.index_states[0].backfilling);
}

// However long changes of the table take.
TEST_F(TableDelaysTest, ATableIsActiveWhileItsIndexIsFilled) {
  context_.delays.update = kIndex;
  CreateAndWait(OnDemand());
  Update(NewIndex("global", "g"));
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  EXPECT_EQ(Describe().meta.status, TableStatus::kUpdating);
  clock_.Advance(kIndex / 2);
  const TableMeta filling = Describe().meta;
  EXPECT_EQ(filling.status, TableStatus::kActive);
  EXPECT_EQ(filling.index_states[0].status, IndexStatus::kCreating);
  EXPECT_TRUE(filling.index_states[0].backfilling);
  EXPECT_EQ(DeleteOutcome(),
            InUse("Cannot delete table while indexes are being created, updated, or deleted."));
  clock_.Advance(kIndex / 2);
  EXPECT_EQ(Describe().meta.index_states[0].status, IndexStatus::kActive);
}

TEST_F(TableDelaysTest, IndexDeletion) {
  CreateTableRequest request = OnDemand();
  request.attribute_definitions->push_back({"g", Type::kString});
  request.global_secondary_indexes = {Index("global", {{"g", kHash}})};
  CreateAndWait(request);
  Update(DeleteIndex("global"));
  clock_.Advance(kUpdate);
  const TableMeta deleting = Describe().meta;
  EXPECT_EQ(deleting.status, TableStatus::kActive);
  EXPECT_EQ(deleting.index_states[0].status, IndexStatus::kDeleting);
  EXPECT_EQ(UpdateOutcome(DeleteIndex("global")),
            InUse("Index is being deleted. Table: music Index: global"));
  EXPECT_EQ(QueryOutcome("global").find("ValidationException"), 0u);
  EXPECT_EQ(PutOutcome("1"), "OK");
  clock_.Advance(kIndex - kUpdate);
  const TableMeta done = Describe().meta;
  EXPECT_TRUE(done.schema.indexes.empty());
  EXPECT_EQ(done.attribute_definitions.size(), 1u);
}

// A vector index takes its time as a global one does, in the same queue.
TEST_F(TableDelaysTest, VectorIndex) {
  CreateAndWait(OnDemand());
  const Item item = {{"pk", Value::S("1")}, {"v", Value::L({Value::N(1)})}};
  ASSERT_TRUE(PutItem(context_, {.table_name = "music", .item = item}).ok());
  const auto search = [&] {
    const auto found = SearchVectors(
        context_, {.table_name = "music", .index_name = "vix", .search_vector = {1}, .top_k = 2});
    return found.ok() ? std::to_string(found->search_results.size()) : Outcome(found.status());
  };
  UpdateTableRequest create = Named();
  create.vector_index_updates = {{.create = VectorIndex{.index_name = "vix",
                                                        .vector_attribute = "v",
                                                        .projection = {ProjectionType::kAll},
                                                        .dimensions = 1}}};
  Update(create);
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  EXPECT_FALSE(Describe().meta.index_states[0].backfilling);
  EXPECT_EQ(UpdateOutcome(NewIndex("global", "g")),
            "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created "
            "or deleted simultaneously per table");
  EXPECT_EQ(search(), "ValidationException: The table does not have the specified index: vix");
  clock_.Advance(kIndex / 2);
  EXPECT_TRUE(Describe().meta.index_states[0].backfilling);
  EXPECT_EQ(search(), "ValidationException: Cannot search backfilling vector index: vix");
  clock_.Advance(kIndex / 2);
  EXPECT_EQ(search(), "1");
  EXPECT_EQ(Describe().meta.index_states[0].status, IndexStatus::kActive);

  UpdateTableRequest remove = Named();
  remove.vector_index_updates = {{.delete_index_name = "vix"}};
  Update(remove);
  EXPECT_EQ(Describe().meta.index_states[0].status, IndexStatus::kDeleting);
  EXPECT_EQ(search(), "ValidationException: The table does not have the specified index: vix");
  clock_.Advance(kIndex);
  EXPECT_TRUE(Describe().meta.schema.indexes.empty());
}

TEST_F(TableDelaysTest, IndexUpdate) {
  CreateTableRequest request = Provisioned();
  request.attribute_definitions->push_back({"g", Type::kString});
  request.global_secondary_indexes = {Index("global", {{"g", kHash}})};
  request.global_secondary_indexes->front().provisioned_throughput = {.read_capacity_units = 5,
                                                                      .write_capacity_units = 5};
  CreateAndWait(request);
  UpdateTableRequest update = Named();
  update.global_secondary_index_updates = {IndexUnits("global", 6, 6)};
  Update(update);
  EXPECT_EQ(Describe().meta.index_states[0].status, IndexStatus::kUpdating);
  update.global_secondary_index_updates = {IndexUnits("global", 7, 7)};
  EXPECT_EQ(UpdateOutcome(update), InUse("Index is being updated. Table: music Index: global"));
  EXPECT_EQ(UpdateOutcome(DeleteIndex("global")),
            InUse("Index is being updated. Table: music Index: global"));
  clock_.Advance(kUpdate);
  EXPECT_EQ(UpdateOutcome(update), "OK");
}

TEST_F(TableDelaysTest, AnIndexThatIsFilledLaterThanItsTimeIsActiveWhenItIsFilled) {
  CreateAndWait(OnDemand());
  Update(NewIndex("global", "g"));
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  // As if the backfill were still at work.
  ASSERT_TRUE(catalog_
                  ->Modify(catalog_->Find("music").get(),
                           [](TableMeta* meta) {
                             meta->index_states[0].filled = false;
                             return absl::OkStatus();
                           })
                  .ok());
  clock_.Advance(kIndex);
  const TableMeta waiting = Describe().meta;
  EXPECT_EQ(waiting.index_states[0].status, IndexStatus::kCreating);
  EXPECT_TRUE(waiting.index_states[0].backfilling);
  runner_->Add(*catalog_->Find("music"), waiting.schema.indexes[0].id);
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  EXPECT_EQ(Describe().meta.index_states[0].status, IndexStatus::kActive);
}

}  // namespace
}  // namespace dynolith
