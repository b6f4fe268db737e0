// A log says what is so: whoever reads that an import's table is gone may use its name at once.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "dynolith/bulk_transfer.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"

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

// Over the wire there are no such members; a program's are not dropped in silence.
TEST(ImportJob, WhatAnImportCannotMakeIsRefused) {
  const auto database = Database::Open({.in_memory = true}).value();
  ImportTableRequest import{.s3_bucket_source = {.s3_bucket = "bucket"},
                            .table = {.table_name = "songs",
                                      .attribute_definitions = {{{"pk"}}},
                                      .key_schema = {{{"pk"}}},
                                      .billing_mode = BillingMode::kPayPerRequest}};
  EXPECT_TRUE(database->ImportTable(import).ok());
  import.table.table_name = "tagged";
  import.table.tags.emplace().push_back({.key = "a", .value = "b"});
  EXPECT_EQ(KindOf(database->ImportTable(import).status()), ErrorKind::kValidation);
  EXPECT_TRUE(database->WaitForBackfills().ok());
  EXPECT_FALSE(database->DescribeTable({.table_name = "tagged"}).ok());
}

}  // namespace
}  // namespace dynolith
