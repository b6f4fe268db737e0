// What an import does besides reading: what its log says, what its token stands for.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/synchronization/notification.h"
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

ImportTableRequest MakeRequest(std::string token, std::string table) {
  return {.client_token = std::move(token),
          .s3_bucket_source = {.s3_bucket = "bucket"},
          .table = {.table_name = std::move(table),
                    .attribute_definitions = {{{"pk"}}},
                    .key_schema = {{{"pk"}}},
                    .billing_mode = BillingMode::kPayPerRequest}};
}

// Whoever reads that an import's table is gone may use its name at once.
TEST(ImportJob, ATableIsSaidToBeGoneOnceItIs) {
  Failing transfers;
  const auto database = Database::Open({.in_memory = true, .transfers = &transfers}).value();
  transfers.database = database.get();
  const auto begun = database->ImportTable(MakeRequest("token", "songs"));
  ASSERT_TRUE(begun.ok()) << begun.status();
  ASSERT_TRUE(database->WaitForBackfills().ok());
  ASSERT_TRUE(transfers.table_was_there.has_value());
  EXPECT_FALSE(*transfers.table_was_there);
}

// Every import waits until it may end, and then has nothing.
class Waiting final : public BulkTransfer {
 public:
  absl::Notification may_end;

  absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(const ExportDescription&) override {
    return absl::UnimplementedError("no exports");
  }
  absl::Status Import(const ImportTableDescription&, ImportReceiver*) override {
    may_end.WaitForNotification();
    return absl::OkStatus();
  }
};

TEST(ImportJob, WhatItsTokenStandsFor) {
  Waiting transfers;
  const auto database = Database::Open({.in_memory = true, .transfers = &transfers}).value();
  const auto first = database->ImportTable(MakeRequest("token", "songs"));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->processed_item_count, 0);
  EXPECT_EQ(first->imported_item_count, 0);
  // While it runs, for whatever has the same table's name.
  ImportTableRequest other = MakeRequest("token", "songs");
  other.s3_bucket_source.s3_bucket = "other";
  other.input_format = InputFormat::kIon;
  other.table.key_schema = {{{"other"}}};
  other.table.attribute_definitions = {{{"other"}}};
  const auto again = database->ImportTable(other);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->import_arn, first->import_arn);
  EXPECT_EQ(again->s3_bucket_source.s3_bucket, "bucket");
  const auto another_table = database->ImportTable(MakeRequest("token", "albums"));
  EXPECT_EQ(KindOf(another_table.status()), ErrorKind::kImportConflict);
  EXPECT_EQ(KindOf(database->ImportTable(MakeRequest("another", "songs")).status()),
            ErrorKind::kResourceInUse);
  transfers.may_end.Notify();
  ASSERT_TRUE(database->WaitForBackfills().ok());
  const auto done = database->DescribeImport({.import_arn = first->import_arn});
  EXPECT_EQ(done->import_status, TransferStatus::kCompleted);
  EXPECT_EQ(KindOf(database->ImportTable(MakeRequest("token", "songs")).status()),
            ErrorKind::kResourceInUse);
  EXPECT_TRUE(database->ImportTable(MakeRequest("token", "albums")).ok());
  ASSERT_TRUE(database->WaitForBackfills().ok());
}

TEST(ImportJob, ItsTokenIsMandatory) {
  const auto database = Database::Open({.in_memory = true}).value();
  ImportTableRequest import = MakeRequest("", "songs");
  import.client_token.reset();
  EXPECT_EQ(KindOf(database->ImportTable(import).status()), ErrorKind::kValidation);
}

// Over the wire there are no such members; a program's are not dropped in silence.
TEST(ImportJob, WhatAnImportCannotMakeIsRefused) {
  const auto database = Database::Open({.in_memory = true}).value();
  ImportTableRequest import = MakeRequest("token", "songs");
  EXPECT_TRUE(database->ImportTable(import).ok());
  import.table.table_name = "tagged";
  import.table.tags.emplace().push_back({.key = "a", .value = "b"});
  EXPECT_EQ(KindOf(database->ImportTable(import).status()), ErrorKind::kValidation);
  EXPECT_TRUE(database->WaitForBackfills().ok());
  EXPECT_FALSE(database->DescribeTable({.table_name = "tagged"}).ok());
}

}  // namespace
}  // namespace dynolith
