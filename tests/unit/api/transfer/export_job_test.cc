// An export that has begun to read is read to its end, whatever becomes of its table meanwhile; one
// with a key condition reads nothing else.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "dynolith/bulk_transfer.h"
#include "dynolith/database.h"
#include "engine/store/work_counters.h"

namespace dynolith {
namespace {

constexpr int kItems = 100;

// Keeps nothing; `at_first_item` is called in the middle of each export.
class Counting final : public BulkTransfer {
 public:
  std::function<void()> at_first_item;
  // By the last export.
  uint64_t rows_read = 0;

  absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(const ExportDescription&) override {
    return std::make_unique<Writer>(at_first_item, &rows_read);
  }
  absl::Status Import(const ImportTableDescription&, ImportReceiver*) override {
    return absl::UnimplementedError("no imports");
  }

 private:
  class Writer final : public ExportWriter {
   public:
    Writer(std::function<void()> at_first_item, uint64_t* rows_read)
        : at_first_item_(std::move(at_first_item)), rows_read_(rows_read) {}
    absl::Status AddItem(ItemView) override {
      if (at_first_item_) std::exchange(at_first_item_, nullptr)();
      return absl::OkStatus();
    }
    absl::Status AddChange(const ExportedChange&) override { return absl::OkStatus(); }
    absl::StatusOr<std::string> Finish(const ExportDescription&) override {
      *rows_read_ = ThreadWork().rows_read - before_;
      return "manifest";
    }

   private:
    std::function<void()> at_first_item_;
    uint64_t* const rows_read_;
    const uint64_t before_ = ThreadWork().rows_read;
  };
};

class ExportJobTest : public ::testing::Test {
 protected:
  ExportJobTest() : clock_(absl::FromUnixSeconds(1'700'000'000)) {
    database_ =
        Database::Open({.in_memory = true, .clock = &clock_, .transfers = &transfers_}).value();
    arn_ = database_
               ->CreateTable({.table_name = "songs",
                              .attribute_definitions = {{{"pk"}}},
                              .key_schema = {{{"pk"}}},
                              .billing_mode = BillingMode::kPayPerRequest})
               ->table_arn;
    SwitchRecovery(true);
    for (int i = 0; i < kItems; ++i) {
      EXPECT_TRUE(
          database_->PutItem({.table_name = "songs", .item = {{"pk", Value::S(std::to_string(i))}}})
              .ok());
    }
  }

  void SwitchRecovery(bool on) {
    EXPECT_TRUE(database_->UpdateContinuousBackups({"songs", {on, std::nullopt}}).ok());
  }
  ExportDescription Export(ExportTableToPointInTimeRequest request = {}) {
    request.table_arn = arn_;
    request.s3_bucket = "bucket";
    const auto begun = database_->ExportTableToPointInTime(request);
    EXPECT_TRUE(begun.ok()) << begun.status();
    EXPECT_TRUE(database_->WaitForBackfills().ok());
    return database_->DescribeExport({begun->export_arn}).value();
  }

  Counting transfers_;
  ManualClock clock_;
  std::unique_ptr<Database> database_;
  std::string arn_;
};

TEST_F(ExportJobTest, TheTableIsDeletedMeanwhile) {
  transfers_.at_first_item = [this] {
    EXPECT_TRUE(database_->DeleteTable({"songs"}).ok());
    clock_.Advance(absl::Minutes(2));  // cleans up
  };
  const ExportDescription done = Export();
  EXPECT_EQ(done.export_status, TransferStatus::kCompleted);
  EXPECT_EQ(done.item_count, kItems);
}

TEST_F(ExportJobTest, TheRecoveryIsSwitchedOffMeanwhile) {
  transfers_.at_first_item = [this] {
    SwitchRecovery(false);
    EXPECT_TRUE(
        database_->DeleteItem({.table_name = "songs", .key = {{"pk", Value::S("7")}}}).ok());
  };
  const ExportDescription done = Export();
  EXPECT_EQ(done.export_status, TransferStatus::kCompleted);
  EXPECT_EQ(done.item_count, kItems);
}

TEST_F(ExportJobTest, AKeyConditionIsARangeThatIsRead) {
  const FilterSpecification one{.key_condition_expression = "pk = :p",
                                .expression_attribute_values = Item{{":p", Value::S("7")}}};
  ExportDescription done = Export({.filter_specification = one});
  EXPECT_EQ(done.export_status, TransferStatus::kCompleted);
  EXPECT_EQ(done.item_count, 1);
  EXPECT_EQ(done.filter_specification->key_condition_expression, "pk = :p");
  const uint64_t of_one = transfers_.rows_read;
  EXPECT_LT(of_one, 10u);

  const absl::Time before = clock_.Now();
  clock_.Advance(absl::Minutes(20));
  const ExportTableToPointInTimeRequest increment{
      .export_type = ExportType::kIncremental,
      .incremental_export_specification = IncrementalExportSpecification{before},
      .filter_specification = one};
  EXPECT_EQ(Export(increment).item_count, 1);
  EXPECT_LT(transfers_.rows_read, 10u);

  // The same item by a filter: everything is read.
  const FilterSpecification filter{.filter_expression = "pk = :p",
                                   .expression_attribute_values = one.expression_attribute_values};
  done = Export({.filter_specification = filter});
  EXPECT_EQ(done.item_count, 1);
  EXPECT_GE(transfers_.rows_read, static_cast<uint64_t>(kItems));
}

}  // namespace
}  // namespace dynolith
