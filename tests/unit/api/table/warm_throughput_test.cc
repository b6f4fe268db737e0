// What a table is warm for grows with its traffic and is kept: DescribeTable shows what the model
// of its partitions knows (api/facts/capacity.md §2).
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "dynolith/database.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

constexpr CapacityOptions kHundredth = {.mode = CapacityMode::kGlobal, .scale = 0.01};

class WarmThroughputTest : public ::testing::Test {
 protected:
  WarmThroughputTest() {
    folder_ = ::testing::TempDir() + "/warm_throughput_" + std::to_string(getpid());
    std::filesystem::remove_all(folder_);
  }
  ~WarmThroughputTest() override {
    database_.reset();
    std::filesystem::remove_all(folder_);
  }
  void Open(const CapacityOptions& capacity = kHundredth) {
    DatabaseOptions options;
    options.path = folder_;
    options.clock = &clock_;
    options.capacity = capacity;
    database_.reset();
    database_ = *Database::Open(options);
  }
  void Create(std::optional<ProvisionedThroughput> throughput) {
    CreateTableRequest create;
    create.table_name = "songs";
    create.attribute_definitions = {{"pk", Type::kString}};
    create.key_schema = {{"pk", KeyType::kHash}};
    if (!throughput) create.billing_mode = BillingMode::kPayPerRequest;
    create.provisioned_throughput = throughput;
    const auto created = database_->CreateTable(create);
    ASSERT_TRUE(created.ok()) << created.status();
  }
  void Put(int number) {
    PutItemRequest put;
    put.table_name = "songs";
    put.item = Item({{"pk", Value::S("k" + std::to_string(number))}});
    database_->PutItem(put).IgnoreError();
  }
  TableWarmThroughputDescription Warm() {
    const auto described = database_->DescribeTable({.table_name = "songs"});
    EXPECT_TRUE(described.ok()) << described.status();
    return *described->warm_throughput;
  }
  absl::Status Update(int64_t reads, int64_t writes) {
    UpdateTableRequest update;
    update.table_name = "songs";
    update.warm_throughput = {.read_units_per_second = reads, .write_units_per_second = writes};
    return database_->UpdateTable(update).status();
  }
  size_t Partitions() {
    Put(0);
    return database_->ReportCapacity("songs")->throughputs[0].partitions.size();
  }

  std::string folder_;
  ManualClock clock_{absl::FromUnixSeconds(1'790'000'000)};
  std::unique_ptr<Database> database_;
};

TEST_F(WarmThroughputTest, OnDemandItIsTwiceThePeakOfHalfAnHourAgo) {
  Open();
  Create(std::nullopt);
  EXPECT_EQ(Warm().write_units_per_second, 4'000);
  // 30 a second for some minutes: 3,000, before they are scaled.
  for (int second = 0; second < 180; ++second) {
    for (int i = 0; i < 30; ++i) Put(second * 30 + i);
    clock_.Advance(absl::Seconds(1));
  }
  EXPECT_EQ(Warm().write_units_per_second, 4'000);
  clock_.Advance(absl::Minutes(31));
  // Nobody has used the table since.
  const auto warm = Warm();
  EXPECT_GT(warm.write_units_per_second, 5'500);
  EXPECT_LE(warm.write_units_per_second, 6'000);
  EXPECT_EQ(warm.read_units_per_second, 12'000);
  Open();
  EXPECT_EQ(Warm().write_units_per_second, warm.write_units_per_second);
  // Also where nothing is refused.
  Open({});
  EXPECT_EQ(Warm().write_units_per_second, warm.write_units_per_second);
  clock_.Advance(absl::Hours(100));
  EXPECT_EQ(Warm().write_units_per_second, warm.write_units_per_second);
  const absl::Status lower = Update(12'000, 5'000);
  EXPECT_EQ(KindOf(lower), ErrorKind::kValidation);
  EXPECT_NE(MessageOf(lower).find("decreasing WarmThroughput is not supported"),
            std::string_view::npos)
      << lower;
}

TEST_F(WarmThroughputTest, RaisingItDividesThePartitions) {
  Open();
  for (const bool on_demand : {true, false}) {
    Create(on_demand ? std::nullopt
                     : std::optional<ProvisionedThroughput>(
                           {.read_capacity_units = 10, .write_capacity_units = 10}));
    EXPECT_EQ(Partitions(), on_demand ? 4 : 1);
    ASSERT_TRUE(Update(12'000, 16'000).ok());
    EXPECT_EQ(Partitions(), 16);
    EXPECT_EQ(Warm().write_units_per_second, 16'000);
    ASSERT_TRUE(database_->DeleteTable({.table_name = "songs"}).ok());
  }
}

TEST_F(WarmThroughputTest, ProvisionedItIsTheMostThereEverWas) {
  Open();
  Create(ProvisionedThroughput{.read_capacity_units = 10, .write_capacity_units = 5'000});
  EXPECT_EQ(Partitions(), 6);
  for (const int64_t writes : {100, 200}) {
    UpdateTableRequest update;
    update.table_name = "songs";
    update.provisioned_throughput = {.read_capacity_units = 10, .write_capacity_units = writes};
    ASSERT_TRUE(database_->UpdateTable(update).ok());
    EXPECT_EQ(Warm().write_units_per_second, 5'000);
    EXPECT_EQ(Partitions(), 6);
  }
  Open();
  EXPECT_EQ(Warm().write_units_per_second, 5'000);
  EXPECT_EQ(Partitions(), 6);
}

}  // namespace
}  // namespace dynolith
