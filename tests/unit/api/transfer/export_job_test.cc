// An export that has begun to read is read to its end, whatever becomes of its table meanwhile.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "dynolith/bulk_transfer.h"
#include "dynolith/database.h"

namespace dynolith {
namespace {

constexpr int kItems = 100;

// Keeps nothing; `at_first_item` is called in the middle of each export.
class Counting final : public BulkTransfer {
 public:
  std::function<void()> at_first_item;

  absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(const ExportDescription&) override {
    return std::make_unique<Writer>(at_first_item);
  }
  absl::Status Import(const ImportTableDescription&, ImportReceiver*) override {
    return absl::UnimplementedError("no imports");
  }

 private:
  class Writer final : public ExportWriter {
   public:
    explicit Writer(std::function<void()> at_first_item)
        : at_first_item_(std::move(at_first_item)) {}
    absl::Status AddItem(ItemView) override {
      if (at_first_item_) std::exchange(at_first_item_, nullptr)();
      return absl::OkStatus();
    }
    absl::Status AddChange(const ExportedChange&) override { return absl::OkStatus(); }
    absl::StatusOr<std::string> Finish(const ExportDescription&) override { return "manifest"; }

   private:
    std::function<void()> at_first_item_;
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
    EXPECT_TRUE(database_->UpdateContinuousBackups({"songs", on, std::nullopt}).ok());
  }
  ExportDescription Export() {
    const auto begun =
        database_->ExportTableToPointInTime({.table_arn = arn_, .s3_bucket = "bucket"});
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

}  // namespace
}  // namespace dynolith
