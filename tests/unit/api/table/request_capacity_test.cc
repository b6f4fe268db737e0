// Requests beyond a table's capacity fail as the service's do, and leave nothing behind: by which
// exception, for which reasons, on a clock that stands still (api/facts/capacity.md §5 to §7).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/value/attachments.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

Item Key(int number) { return Item({{"pk", Value::S("k" + std::to_string(number))}}); }

class EnforcedCapacityTest : public ::testing::Test {
 protected:
  void Open(CapacityOptions capacity) {
    DatabaseOptions options;
    options.path = folder_;
    options.in_memory = folder_.empty();
    options.clock = &clock_;
    options.capacity = capacity;
    database_.reset();
    database_ = *Database::Open(options);
  }
  // Table "songs" with a global index "by_year"; 0 units: on demand.
  void Create(int64_t reads, int64_t writes, int64_t index_writes = 1000) {
    CreateTableRequest create;
    create.table_name = "songs";
    create.attribute_definitions = {{"pk", Type::kString}, {"year", Type::kNumber}};
    create.key_schema = {{"pk", KeyType::kHash}};
    SecondaryIndex index;
    index.index_name = "by_year";
    index.key_schema = {{"year", KeyType::kHash}};
    index.projection.projection_type = ProjectionType::kAll;
    if (reads == 0) {
      create.billing_mode = BillingMode::kPayPerRequest;
    } else {
      create.provisioned_throughput = {.read_capacity_units = reads,
                                       .write_capacity_units = writes};
      index.provisioned_throughput = {.read_capacity_units = 1,
                                      .write_capacity_units = index_writes};
    }
    create.global_secondary_indexes = {{index}};
    const auto created = database_->CreateTable(create);
    ASSERT_TRUE(created.ok()) << created.status();
  }
  absl::Status Put(int number, bool has_year = false) {
    PutItemRequest put;
    put.table_name = "songs";
    put.item =
        has_year ? Item({{"pk", Value::S("k" + std::to_string(number))}, {"year", Value::N(1999)}})
                 : Key(number);
    return database_->PutItem(put).status();
  }
  absl::StatusOr<GetItemOutput> Get(int number) {
    GetItemRequest get;
    get.table_name = "songs";
    get.key = Key(number);
    get.consistent_read = true;
    return database_->GetItem(get);
  }
  // Puts until one fails.
  absl::Status PutUntilRefused(int* served, bool one_key = false, bool has_year = false) {
    for (*served = 0; *served < 1'000'000; ++*served) {
      if (absl::Status status = Put(one_key ? 7 : *served, has_year); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // So many puts a second, of which some may be refused, of 50 keys.
  void Heat(int seconds, int a_second) {
    for (int second = 0; second < seconds; ++second) {
      for (int i = 0; i < a_second; ++i) Put((second * a_second + i) % 50).IgnoreError();
      clock_.Advance(absl::Seconds(1));
    }
  }
  size_t Partitions() {
    const auto report = database_->ReportCapacity("songs");
    return report.ok() && !report->throughputs.empty() ? report->throughputs[0].partitions.size()
                                                       : 0;
  }
  size_t OpenShards() {
    const auto streams = database_->ListStreams({});
    DescribeStreamRequest describe;
    describe.stream_arn = streams->streams[0].stream_arn;
    const auto described = database_->DescribeStream(describe);
    size_t open = 0;
    for (const ShardDescription& shard : described->stream_description.shards) {
      open += !shard.sequence_number_range.ending_sequence_number;
    }
    return open;
  }

  std::string folder_;  // empty: in memory
  ManualClock clock_{absl::FromUnixSeconds(1'790'000'000)};
  std::unique_ptr<Database> database_;
};

std::vector<std::string> ReasonCodes(const absl::Status& status) {
  std::vector<std::string> reasons;
  for (const ThrottlingReason& reason : AttachedThrottling(status)) {
    reasons.push_back(reason.reason + " " + reason.resource);
  }
  return reasons;
}

constexpr char kTable[] = "arn:aws:dynamodb:us-east-1:000000000000:table/songs";

TEST_F(EnforcedCapacityTest, NothingIsRefusedUnlessAskedFor) {
  Open({});
  Create(1, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(Put(i).ok());
}

TEST_F(EnforcedCapacityTest, ProvisionedUnitsAndWhatWasSaved) {
  Open({.mode = CapacityMode::kGlobal});
  Create(2, 3);
  int served = 0;
  const absl::Status status = PutUntilRefused(&served);
  EXPECT_EQ(served, 3 * 300);
  EXPECT_EQ(KindOf(status), ErrorKind::kProvisionedThroughputExceeded);
  EXPECT_THAT(std::string(MessageOf(status)),
              StartsWith("The level of configured provisioned throughput for the table was"));
  EXPECT_THAT(ReasonCodes(status),
              ElementsAre(std::string("TableWriteProvisionedThroughputExceeded ") + kTable));
  // What was refused is not there, and reads go on.
  EXPECT_FALSE((*Get(served)).item.has_value());
  EXPECT_TRUE((*Get(served - 1)).item.has_value());
  clock_.Advance(absl::Seconds(2));
  PutUntilRefused(&served).IgnoreError();
  EXPECT_EQ(served, 6);
}

TEST_F(EnforcedCapacityTest, AHotPartition) {
  Open({.mode = CapacityMode::kGlobal});
  Create(0, 0);
  int served = 0;
  const absl::Status status = PutUntilRefused(&served, true);
  EXPECT_EQ(served, 1000);
  EXPECT_EQ(KindOf(status), ErrorKind::kThrottling);
  EXPECT_THAT(std::string(MessageOf(status)),
              StartsWith("Throughput exceeds the current capacity of your table or index."));
  EXPECT_THAT(ReasonCodes(status),
              ElementsAre(std::string("TableWriteKeyRangeThroughputExceeded ") + kTable));
}

TEST_F(EnforcedCapacityTest, AScaleBringsLimitsNear) {
  Open({.mode = CapacityMode::kGlobal, .scale = 0.01});
  Create(0, 0);
  int served = 0;
  PutUntilRefused(&served, true).IgnoreError();
  EXPECT_EQ(served, 10);
}

// The service's pages differ on what becomes of a request above the quota of a table.
TEST_F(EnforcedCapacityTest, TheQuotaOfATableIsToldInOneOfTwoWays) {
  for (const bool throttles : {false, true}) {
    // So little that every bucket holds one write, and the quota is asked first.
    Open({.mode = CapacityMode::kGlobal, .scale = 1e-7, .account_limit_throttles = throttles});
    Create(0, 0);
    EXPECT_TRUE(Put(1).ok());
    const absl::Status status = Put(2);
    EXPECT_EQ(KindOf(status),
              throttles ? ErrorKind::kThrottling : ErrorKind::kRequestLimitExceeded);
    EXPECT_THAT(std::string(MessageOf(status)),
                StartsWith("Throughput exceeds the current throughput limit for your account."));
    EXPECT_THAT(ReasonCodes(status),
                ElementsAre(std::string("TableWriteAccountLimitExceeded ") + kTable));
    EXPECT_EQ(database_->ReportCapacity("songs")->options.account_limit_throttles, throttles);
  }
}

TEST_F(EnforcedCapacityTest, AnIndexHoldsUpItsTable) {
  Open({.mode = CapacityMode::kGlobal});
  Create(1000, 1000, 1);
  int served = 0;
  const absl::Status status = PutUntilRefused(&served, false, true);
  EXPECT_EQ(served, 300);
  EXPECT_EQ(KindOf(status), ErrorKind::kProvisionedThroughputExceeded);
  EXPECT_THAT(ReasonCodes(status),
              ElementsAre(std::string("IndexWriteProvisionedThroughputExceeded ") + kTable +
                          "/index/by_year"));
  EXPECT_FALSE((*Get(served)).item.has_value());
  // What has no entry there goes on.
  EXPECT_TRUE(Put(served).ok());
}

TEST_F(EnforcedCapacityTest, ABatchLeavesOverWhatHasNoRoom) {
  Open({.mode = CapacityMode::kGlobal});
  Create(1, 1);
  int served = 0;
  PutUntilRefused(&served).IgnoreError();
  clock_.Advance(absl::Seconds(3));
  BatchWriteItemRequest batch;
  batch.request_items.emplace_back("songs", std::vector<WriteRequest>());
  for (int i = 1000; i < 1005; ++i) batch.request_items[0].second.push_back({.put = Key(i)});
  const auto output = database_->BatchWriteItem(batch);
  ASSERT_TRUE(output.ok()) << output.status();
  ASSERT_EQ(output->unprocessed_items.size(), 1);
  EXPECT_EQ(output->unprocessed_items[0].second.size(), 2);
  EXPECT_TRUE((*Get(1002)).item.has_value());
  EXPECT_FALSE((*Get(1003)).item.has_value());
  EXPECT_EQ(KindOf(database_->BatchWriteItem(batch).status()),
            ErrorKind::kProvisionedThroughputExceeded);
}

TEST_F(EnforcedCapacityTest, ATransactionIsCancelledWhole) {
  Open({.mode = CapacityMode::kGlobal});
  Create(1, 1);
  int served = 0;
  PutUntilRefused(&served).IgnoreError();
  TransactWriteItemsRequest request;
  for (int i = 2000; i < 2002; ++i) {
    TransactAction put;
    put.table_name = "songs";
    put.item = Key(i);
    TransactWriteItem item;
    item.put = put;
    request.transact_items.push_back(item);
  }
  const absl::Status status = database_->TransactWriteItems(request).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kTransactionCanceled);
  const std::vector<CancellationReason> reasons = AttachedReasons(status);
  ASSERT_EQ(reasons.size(), 2);
  EXPECT_EQ(reasons[0].code, "ProvisionedThroughputExceeded");
  EXPECT_FALSE((*Get(2000)).item.has_value());
}

TEST_F(EnforcedCapacityTest, ReadsThrottleToo) {
  Open({.mode = CapacityMode::kGlobal});
  Create(1, 1000);
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(Get(1).ok());
  const absl::Status status = Get(1).status();
  EXPECT_THAT(ReasonCodes(status),
              ElementsAre(std::string("TableReadProvisionedThroughputExceeded ") + kTable));
  ScanRequest scan;
  scan.table_name = "songs";
  EXPECT_EQ(KindOf(database_->Scan(scan).status()), ErrorKind::kProvisionedThroughputExceeded);
  QueryRequest query;
  query.table_name = "songs";
  query.index_name = "by_year";
  query.key_condition_expression = "#y = :y";
  query.expression_attribute_names = {{{"#y", "year"}}};
  query.expression_attribute_values = Item({{":y", Value::N(1999)}});
  EXPECT_TRUE(database_->Query(query).ok());
}

TEST_F(EnforcedCapacityTest, AFailedConditionCosts) {
  Open({.mode = CapacityMode::kGlobal});
  Create(1, 1);
  PutItemRequest put;
  put.table_name = "songs";
  put.item = Key(1);
  put.condition_expression = "attribute_exists(pk)";
  int failed = 0;
  while (KindOf(database_->PutItem(put).status()) == ErrorKind::kConditionalCheckFailed) ++failed;
  EXPECT_EQ(failed, 300);
}

TEST_F(EnforcedCapacityTest, OneTableIsToldSo) {
  Open({});
  Create(1, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(Put(i).ok());
  ASSERT_TRUE(database_->SetCapacity("songs", {.mode = CapacityMode::kGlobal}).ok());
  int served = 0;
  PutUntilRefused(&served).IgnoreError();
  EXPECT_EQ(served, 300);
  ASSERT_TRUE(database_->SetCapacity("songs", {.mode = CapacityMode::kStatic}).ok());
  PutUntilRefused(&served).IgnoreError();
  EXPECT_EQ(served, 1);
  ASSERT_TRUE(database_->SetCapacity("songs", {}).ok());
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(Put(i).ok());
  EXPECT_EQ(KindOf(database_->SetCapacity("albums", {})), ErrorKind::kResourceNotFound);
  for (const double scale : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(database_->SetCapacity("songs", {.scale = scale}).code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(EnforcedCapacityTest, AReportTellsWhatWasTakenAndRefused) {
  Open({.mode = CapacityMode::kGlobal, .scale = 0.5});
  Create(10, 10);
  int served = 0;
  PutUntilRefused(&served, true, true).IgnoreError();
  const auto report = database_->ReportCapacity("songs");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->options.scale, 0.5);
  ASSERT_EQ(report->throughputs.size(), 2);
  const ThroughputCapacity& table = report->throughputs[0];
  EXPECT_EQ(table.write_units, 10);
  EXPECT_EQ(table.read_units, 10);
  ASSERT_EQ(table.partitions.size(), 1);
  const CapacityUse& writes = table.partitions[0].writes;
  EXPECT_EQ(writes.consumed, 500);  // a partition's maximum
  EXPECT_EQ(writes.refused_key_range, 1);
  EXPECT_EQ(writes.refused_provisioned, 0);
  EXPECT_EQ(table.write_level, 1000);
  EXPECT_EQ(report->throughputs[1].index_name, "by_year");
  EXPECT_EQ(report->throughputs[1].partitions[0].writes.consumed, 1);
}

// A partition that was hot is split; the table keeps its partitions, and its stream's shards
// follow.
TEST_F(EnforcedCapacityTest, HotPartitionsAreSplitForGood) {
  folder_ = ::testing::TempDir() + "/enforced_capacity_" + std::to_string(getpid());
  std::filesystem::remove_all(folder_);
  const CapacityOptions capacity = {.mode = CapacityMode::kGlobal, .scale = 0.01};
  Open(capacity);
  CreateTableRequest create;
  create.table_name = "songs";
  create.attribute_definitions = {{"pk", Type::kString}};
  create.key_schema = {{"pk", KeyType::kHash}};
  create.provisioned_throughput = {.read_capacity_units = 1, .write_capacity_units = 900};
  create.stream_specification = StreamSpecification{.stream_enabled = true};
  create.stream_specification->stream_view_type = StreamViewType::kKeysOnly;
  ASSERT_TRUE(database_->CreateTable(create).ok());
  Heat(60, 1);
  EXPECT_EQ(Partitions(), 1);
  EXPECT_EQ(OpenShards(), 1);
  Heat(10 * 60, 12);
  const size_t partitions = Partitions();
  EXPECT_GT(partitions, 1);
  EXPECT_EQ(OpenShards(), partitions);
  const auto before = database_->ReportCapacity("songs");
  Open(capacity);
  Put(0).IgnoreError();
  const auto after = database_->ReportCapacity("songs");
  ASSERT_EQ(after->throughputs[0].partitions.size(), partitions);
  for (size_t i = 0; i < partitions; ++i) {
    EXPECT_EQ(after->throughputs[0].partitions[i].begin.hex,
              before->throughputs[0].partitions[i].begin.hex);
    EXPECT_EQ(after->throughputs[0].partitions[i].id, before->throughputs[0].partitions[i].id);
  }
  // Of another table of that name nothing is known.
  ASSERT_TRUE(database_->DeleteTable({.table_name = "songs"}).ok());
  ASSERT_TRUE(database_->CreateTable(create).ok());
  Put(0).IgnoreError();
  EXPECT_EQ(Partitions(), 1);
  Open(capacity);
  database_.reset();
  std::filesystem::remove_all(folder_);
}

// What the service does not publish is as the options say.
TEST_F(EnforcedCapacityTest, WhatIsUncertainInTheService) {
  const auto open = [this](CapacityOptions capacity) {
    capacity.mode = CapacityMode::kGlobal;
    capacity.scale = 0.01;
    Open(capacity);
  };
  // A unit a second, of which a minute is saved, and then 99 more.
  open({.burst = absl::Minutes(1)});
  Create(1, 100);
  int served = 0;
  for (int second = 0; second < 100; ++second) {
    clock_.Advance(absl::Seconds(1));
    for (int i = 0; i < 10; ++i) served += Put(i).ok() ? 1 : 0;
  }
  EXPECT_EQ(served, 60 + 99);
  // 45 reads a second instead of 30.
  open({.partition_reads = 4'500});
  Create(10'000, 1);
  int reads = 0;
  while (Get(7).ok()) ++reads;
  EXPECT_EQ(reads, 45);
  // A hot minute, then the delay.
  open({.split_delay = absl::Seconds(90)});
  Create(1, 2'000);
  EXPECT_EQ(Put(0), absl::OkStatus());
  const size_t before = Partitions();
  Heat(60 + 80, 40);
  EXPECT_EQ(Partitions(), before);
  Heat(30, 40);
  EXPECT_GT(Partitions(), before);
  EXPECT_FALSE(
      Database::Open({.in_memory = true, .capacity = {.burst = absl::ZeroDuration()}}).ok());
}

// A hot collection is divided along its sort keys, but never beside a local index.
// A partition has room for 10 GB, here a thousandth of it; what was deleted or moved takes none.
TEST_F(EnforcedCapacityTest, PartitionsAreSplitForTheirSize) {
  Open({.mode = CapacityMode::kGlobal, .scale = 0.001});
  Create(100, 100, 100);
  const auto change = [this](int number, int64_t year, bool there) {
    clock_.Advance(absl::Hours(6));  // units are not what this is about
    if (!there) return database_->DeleteItem({.table_name = "songs", .key = Key(number)}).status();
    PutItemRequest put;
    put.table_name = "songs";
    put.item = Item({{"pk", Value::S("k" + std::to_string(number))},
                     {"text", Value::S(std::string(400'000, 'x'))},
                     {"year", Value::N(year)}});
    return database_->PutItem(put).status();
  };
  const auto partitions = [this] {
    const auto report = database_->ReportCapacity("songs");
    return std::pair(report->throughputs[0].partitions.size(),
                     report->throughputs[1].partitions.size());
  };
  // 8 MB, written, written again, deleted, written again: never more than 8 MB at once.
  for (const bool there : {true, true, false, true}) {
    for (int number = 0; number < 20; ++number) {
      ASSERT_EQ(change(number, 1900 + number, there), absl::OkStatus());
    }
  }
  EXPECT_EQ(partitions(), std::pair(size_t{1}, size_t{1}));
  for (int number = 0; number < 20; ++number) {
    ASSERT_EQ(change(number, 2000 + number, true), absl::OkStatus());
  }
  EXPECT_EQ(partitions(), std::pair(size_t{1}, size_t{1})) << "moved";
  for (int number = 20; number < 40; ++number) {
    ASSERT_EQ(change(number, 2000 + number, true), absl::OkStatus());
  }
  EXPECT_EQ(partitions(), std::pair(size_t{2}, size_t{2})) << "16 MB";
}

TEST_F(EnforcedCapacityTest, ACollectionIsNotDividedBesideALocalIndex) {
  Open({.mode = CapacityMode::kGlobal, .scale = 0.01});
  for (const bool has_local : {false, true}) {
    CreateTableRequest create;
    create.table_name = "songs";
    create.attribute_definitions = {{"pk", Type::kString}, {"sk", Type::kNumber}};
    create.key_schema = {{"pk", KeyType::kHash}, {"sk", KeyType::kRange}};
    create.provisioned_throughput = {.read_capacity_units = 1, .write_capacity_units = 900};
    if (has_local) {
      SecondaryIndex index;
      index.index_name = "by_year";
      index.key_schema = {{"pk", KeyType::kHash}, {"year", KeyType::kRange}};
      index.projection.projection_type = ProjectionType::kKeysOnly;
      create.attribute_definitions->push_back({"year", Type::kNumber});
      create.local_secondary_indexes = {{index}};
    }
    ASSERT_TRUE(database_->CreateTable(create).ok());
    for (int i = 0; i < 10 * 60 * 12; ++i) {
      PutItemRequest put;
      put.table_name = "songs";
      put.item = Item({{"pk", Value::S("hot")}, {"sk", Value::N(i * 7 % 50)}});
      database_->PutItem(put).IgnoreError();
      if (i % 12 == 0) clock_.Advance(absl::Seconds(1));
    }
    if (has_local) {
      EXPECT_EQ(Partitions(), 1);
    } else {
      EXPECT_GT(Partitions(), 1);
    }
    ASSERT_TRUE(database_->DeleteTable({.table_name = "songs"}).ok());
  }
}

// Each partition that a scan reads is charged for itself.
TEST_F(EnforcedCapacityTest, AScanIsChargedByThePartitionsThatThereAre) {
  Open({.mode = CapacityMode::kGlobal, .scale = 0.01});
  Create(1, 900);
  Heat(10 * 60, 12);
  const size_t partitions = Partitions();
  ASSERT_GT(partitions, 1);
  ScanRequest scan;
  scan.table_name = "songs";
  scan.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  const auto page = database_->Scan(scan);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->consumed_capacity->capacity_units, 0.5 * static_cast<double>(partitions));
  // As long as nobody minds, it has those that it had at first.
  ASSERT_TRUE(database_->SetCapacity("songs", {}).ok());
  EXPECT_EQ(database_->Scan(scan)->consumed_capacity->capacity_units, 0.5);
}

}  // namespace
}  // namespace dynolith
