// A log says what is so: whoever reads that an import's table is gone may use its name at once.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "dynolith/bulk_transfer.h"
#include "dynolith/database.h"

namespace dynolith {
namespace {

// Every import fails. When that is told, it looks whether the table is still there.
class Failing final : public BulkTransfer {
 public:
  Database* database = nullptr;
  std::optional<bool> table_was_there;

  absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(const ExportDescription&) override {
    return absl::UnimplementedError("no exports");
  }
  absl::Status Import(const ImportTableDescription&, ImportReceiver*) override {
    return TransferFailure("S3NoSuchKey", "there is none");
  }
  void NoteFault(const ImportFault& fault) override {
    table_was_there = database->DescribeTable({.table_name = std::string(fault.table)}).ok();
  }
};

TEST(ImportJob, ATableIsSaidToBeGoneOnceItIs) {
  Failing transfers;
  const auto database = Database::Open({.in_memory = true, .transfers = &transfers}).value();
  transfers.database = database.get();
  const auto begun =
      database->ImportTable({.s3_bucket_source = {.s3_bucket = "bucket"},
                             .table = {.table_name = "songs",
                                       .attribute_definitions = {{{"pk"}}},
                                       .key_schema = {{{"pk"}}},
                                       .billing_mode = BillingMode::kPayPerRequest}});
  ASSERT_TRUE(begun.ok()) << begun.status();
  ASSERT_TRUE(database->WaitForBackfills().ok());
  ASSERT_TRUE(transfers.table_was_there.has_value());
  EXPECT_FALSE(*transfers.table_was_there);
}

}  // namespace
}  // namespace dynolith
