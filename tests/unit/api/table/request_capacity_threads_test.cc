// Many threads under enforcement, while partitions are split, tables are described and capacity is
// set anew: for the thread sanitizer, and for what must be true afterwards.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "dynolith/database.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

constexpr int kWriters = 4;
constexpr int kWrites = 800;  // of each
// Of each partition four writes a second.
constexpr CapacityOptions kLittle = {.mode = CapacityMode::kGlobal, .scale = 0.004};

class EnforcedThreadsTest : public ::testing::Test {
 protected:
  EnforcedThreadsTest() {
    DatabaseOptions options;
    options.in_memory = true;
    options.clock = &clock_;
    options.capacity = kLittle;
    options.control_rates = {.changes = 0, .descriptions = 0, .stream_descriptions = 0};
    database_ = *Database::Open(options);
  }
  // Runs `write` so often in each of the writers, and `beside` until they are done.
  static void Run(const std::function<void(int writer, int write)>& write,
                  const std::function<void()>& beside) {
    std::atomic<int> busy = kWriters;
    std::vector<std::thread> threads;
    for (int writer = 0; writer < kWriters; ++writer) {
      threads.emplace_back([&, writer] {
        for (int i = 0; i < kWrites; ++i) write(writer, i);
        --busy;
      });
    }
    threads.emplace_back([&] {
      while (busy > 0) beside();
    });
    for (std::thread& thread : threads) thread.join();
  }

  ManualClock clock_{absl::FromUnixSeconds(1'790'000'000)};
  std::unique_ptr<Database> database_;
};

TEST_F(EnforcedThreadsTest, SplitsWhileEverybodyWrites) {
  CreateTableRequest create;
  create.table_name = "songs";
  create.attribute_definitions = {{"pk", Type::kString}, {"g", Type::kString}};
  create.key_schema = {{"pk", KeyType::kHash}};
  create.billing_mode = BillingMode::kPayPerRequest;
  SecondaryIndex index;
  index.index_name = "by_g";
  index.key_schema = {{"g", KeyType::kHash}};
  index.projection.projection_type = ProjectionType::kKeysOnly;
  create.global_secondary_indexes = {{index}};
  create.stream_specification = StreamSpecification{.stream_enabled = true};
  create.stream_specification->stream_view_type = StreamViewType::kKeysOnly;
  ASSERT_TRUE(database_->CreateTable(create).ok());

  // Four puts for each quarter of a second, of all threads for more than ten minutes.
  std::atomic<int> written = 0;
  const auto put = [&](int writer, int write) {
    clock_.Advance(absl::Milliseconds(250));
    for (int i = 0; i < 4; ++i) {
      const std::string key = std::to_string((write * 4 + i) * 13 % 97);
      PutItemRequest request;
      request.table_name = "songs";
      request.item =
          Item({{"pk", Value::S("w" + std::to_string(writer) + "k" + key)}, {"g", Value::S(key)}});
      const absl::Status status = database_->PutItem(request).status();
      written += status.ok();
      EXPECT_TRUE(status.ok() || IsThrottled(status)) << status;
    }
  };
  size_t most = 0;
  const auto look = [&] {
    EXPECT_TRUE(database_->DescribeTable({.table_name = "songs"}).ok());
    const auto report = database_->ReportCapacity("songs");
    ASSERT_TRUE(report.ok());
    if (!report->throughputs.empty()) {
      EXPECT_GE(report->throughputs[0].partitions.size(), most);
      most = report->throughputs[0].partitions.size();
    }
  };
  Run(put, look);
  EXPECT_GT(written, 0);
  // All shards have followed by now, and each partition is one.
  const auto report = database_->ReportCapacity("songs");
  const size_t partitions = report->throughputs.at(0).partitions.size();
  EXPECT_GT(partitions, 4);
  DescribeStreamRequest describe;
  describe.stream_arn = database_->ListStreams({})->streams.at(0).stream_arn;
  size_t open = 0;
  const auto described = database_->DescribeStream(describe);
  for (const ShardDescription& shard : described->stream_description.shards) {
    open += !shard.sequence_number_range.ending_sequence_number;
  }
  EXPECT_EQ(open, partitions);
}

TEST_F(EnforcedThreadsTest, CapacityIsSetAnewMeanwhile) {
  CreateTableRequest create;
  create.table_name = "songs";
  create.attribute_definitions = {{"pk", Type::kString}};
  create.key_schema = {{"pk", KeyType::kHash}};
  create.billing_mode = BillingMode::kPayPerRequest;
  ASSERT_TRUE(database_->CreateTable(create).ok());
  const auto put = [&](int writer, int write) {
    PutItemRequest request;
    request.table_name = "songs";
    request.item = Item({{"pk", Value::S(std::to_string(writer * kWrites + write))}});
    const absl::Status status = database_->PutItem(request).status();
    EXPECT_TRUE(status.ok() || IsThrottled(status)) << status;
  };
  const auto set = [&] {
    EXPECT_TRUE(database_->SetCapacity("songs", {}).ok());
    EXPECT_TRUE(database_->SetCapacity("songs", kLittle).ok());
    EXPECT_TRUE(database_->SetCapacity("songs", {.mode = CapacityMode::kAdaptive}).ok());
  };
  Run(put, set);
  EXPECT_GT(database_->Scan({.table_name = "songs"})->count, 0);
}

// Writers of one collection cannot together make it larger than it may be.
TEST_F(EnforcedThreadsTest, ACollectionStaysWithinItsLimit) {
  CreateTableRequest create;
  create.table_name = "songs";
  create.attribute_definitions = {
      {"pk", Type::kString}, {"sk", Type::kNumber}, {"year", Type::kNumber}};
  create.key_schema = {{"pk", KeyType::kHash}, {"sk", KeyType::kRange}};
  create.billing_mode = BillingMode::kPayPerRequest;
  SecondaryIndex index;
  index.index_name = "by_year";
  index.key_schema = {{"pk", KeyType::kHash}, {"year", KeyType::kRange}};
  index.projection.projection_type = ProjectionType::kKeysOnly;
  create.local_secondary_indexes = {{index}};
  ASSERT_TRUE(database_->CreateTable(create).ok());
  // 10,737 bytes, about a hundred items; a write needs a quarter of an hour.
  ASSERT_TRUE(database_->SetCapacity("songs", {.mode = CapacityMode::kGlobal, .scale = 1e-6}).ok());
  std::atomic<int> refused = 0;
  const auto put = [&](int writer, int write) {
    clock_.Advance(absl::Hours(1));
    PutItemRequest request;
    request.table_name = "songs";
    request.item = Item({{"pk", Value::S("a")},
                         {"sk", Value::N(writer * kWrites + write)},
                         {"t", Value::S(std::string(90, 'x'))}});
    const absl::Status status = database_->PutItem(request).status();
    const bool is_full =
        !status.ok() && KindOf(status) == ErrorKind::kItemCollectionSizeLimitExceeded;
    refused += is_full;
    EXPECT_TRUE(status.ok() || is_full || IsThrottled(status)) << status;
  };
  Run(put, [&] { EXPECT_TRUE(database_->DescribeTable({.table_name = "songs"}).ok()); });
  EXPECT_GT(refused, 0);
  ASSERT_TRUE(database_->SetCapacity("songs", {}).ok());
  const auto table = database_->DescribeTable({.table_name = "songs"});
  EXPECT_GT(table->table_size_bytes, 10'000);
  EXPECT_LE(table->table_size_bytes, 10'737);
}

}  // namespace
}  // namespace dynolith
