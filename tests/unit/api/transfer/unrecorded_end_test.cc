// A transfer that ends while the disk is too full to record that: it is told at once how it has
// ended, where that is known, and recorded when there is room.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/database/database_impl.h"
#include "dynolith/bulk_transfer.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/process/thread_start.h"
#include "engine/store/store_on_file_system.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/small_disk.h"

namespace dynolith {
namespace {

using testing::ScratchFolder;
using testing::SmallDisk;

// The disk is full from the end of each transfer on.
class FillingDisk final : public BulkTransfer {
 public:
  std::shared_ptr<SmallDisk> disk = std::make_shared<SmallDisk>();
  absl::Status result = TransferFailure("S3NoSuchKey", "there is none");
  // When the last import began, in bytes.
  int64_t left_at_begin = 0;
  // Whether exports and bulk puts, of which nothing is written or read then, do not fail.
  bool finishes = false;
  // What the report of a bulk put was finished with.
  TransferStatus reported = TransferStatus::kInProgress;

  absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(const ExportDescription&) override {
    if (!finishes) return End();
    return std::make_unique<Writer>(this);
  }
  absl::Status Import(const ImportTableDescription&, ImportReceiver*) override {
    left_at_begin = disk->left();
    return End();
  }
  absl::Status ReadBulkPut(const InputS3Configuration&, BulkPutReceiver*) override {
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<BulkPutReport>> BeginBulkPutReport(
      const BulkOperationDescription&) override {
    if (!finishes) return End();
    return std::make_unique<Report>(this);
  }

 private:
  class Writer final : public ExportWriter {
   public:
    explicit Writer(FillingDisk* on) : on_(on) {}
    absl::Status AddItem(ItemView) override { return absl::OkStatus(); }
    absl::Status AddChange(const ExportedChange&) override { return absl::OkStatus(); }
    absl::StatusOr<std::string> Finish(const ExportDescription&) override {
      on_->disk->LeaveBytes(0);
      return "manifest";
    }

   private:
    FillingDisk* const on_;
  };
  class Report final : public BulkPutReport {
   public:
    explicit Report(FillingDisk* on) : on_(on) {}
    absl::Status AddError(const RecordPlace&, std::string_view, const absl::Status&) override {
      return absl::OkStatus();
    }
    absl::Status AddConditionFailure(const RecordPlace&, ItemView,
                                     const std::optional<ItemView>&) override {
      return absl::OkStatus();
    }
    absl::Status Finish(const BulkOperationDescription& finished) override {
      on_->reported = finished.bulk_operation_status;
      on_->disk->LeaveBytes(0);
      return absl::OkStatus();
    }

   private:
    FillingDisk* const on_;
  };

  absl::Status End() {
    disk->LeaveBytes(0);
    return result;
  }
};

class UnrecordedEnd : public ::testing::Test {
 protected:
  UnrecordedEnd() {
    transfers_.disk->MakeRoom();
    Open();
  }
  ~UnrecordedEnd() override { transfers_.disk->MakeRoom(); }

  void Open() {
    database_.reset();
    DatabaseOptions options;
    options.path = folder_.path();
    options.transfers = &transfers_;
    auto store = OpenStoreOn(DatabaseImpl::ToStoreOptions(options).value(), transfers_.disk);
    ASSERT_TRUE(store.ok()) << store.status();
    database_ = DatabaseImpl::Make(options, *std::move(store)).value();
  }

  ImportTableRequest MakeImport(const std::string& table) {
    return {.client_token = "token",
            .s3_bucket_source = {.s3_bucket = "bucket"},
            .table = {.table_name = table,
                      .attribute_definitions = {{{"pk"}}},
                      .key_schema = {{{"pk"}}},
                      .billing_mode = BillingMode::kPayPerRequest}};
  }
  std::string MakeTable() {
    const auto made = database_->CreateTable(MakeImport("songs").table);
    EXPECT_TRUE(made.ok()) << made.status();
    return made->table_arn;
  }
  TransferStatus StatusOfImport(const std::string& arn) {
    return database_->DescribeImport({.import_arn = arn})->import_status;
  }
  TransferStatus StatusOfExport(const std::string& arn) {
    return database_->DescribeExport({.export_arn = arn})->export_status;
  }

  // Until there is no room for the end of the transfer.
  void AwaitEnd() { EXPECT_TRUE(absl::IsResourceExhausted(database_->WaitForBackfills())); }
  // What found no room is tried again.
  void AwaitRecord() {
    for (;;) {
      transfers_.disk->MakeRoom();
      if (!absl::IsResourceExhausted(database_->WaitForBackfills())) return;
      absl::SleepFor(absl::Milliseconds(10));
    }
  }

  ScratchFolder folder_;
  FillingDisk transfers_;
  std::unique_ptr<Database> database_;
};

// What no thread can do is not begun.
TEST_F(UnrecordedEnd, NoneWithoutRoomForAThread) {
  transfers_.result = absl::OkStatus();
  std::optional<NoRoomForThreads> no_room(std::in_place);
  EXPECT_EQ(KindOf(database_->ImportTable(MakeImport("songs")).status()),
            ErrorKind::kServiceUnavailable);
  EXPECT_TRUE(database_->ListImports({})->import_summary_list.empty());
  EXPECT_FALSE(database_->DescribeTable({.table_name = "songs"}).ok());
  EXPECT_TRUE(database_->WaitForBackfills().ok());
  no_room.reset();
  ASSERT_TRUE(database_->ImportTable(MakeImport("songs")).ok());
  AwaitRecord();
  EXPECT_TRUE(database_->DescribeTable({.table_name = "songs"}).ok());
}

// Its record and its table are one commit: one without the other would be taken for an import that
// goes on.
TEST_F(UnrecordedEnd, NoneOfAnImportThatFoundNoRoomToBegin) {
  constexpr int64_t kPlenty = 1 << 20;
  transfers_.disk->LeaveBytes(kPlenty);
  ASSERT_TRUE(database_->ImportTable(MakeImport("first")).ok());
  AwaitEnd();
  const int64_t taken = kPlenty - transfers_.left_at_begin;
  AwaitRecord();
  transfers_.disk->LeaveBytes(taken - 8);
  const auto refused = database_->ImportTable(MakeImport("songs"));
  EXPECT_TRUE(absl::IsResourceExhausted(refused.status())) << refused.status();
  EXPECT_EQ(database_->ListImports({})->import_summary_list.size(), 1);
  EXPECT_FALSE(database_->DescribeTable({.table_name = "songs"}).ok());
  // Nothing is left to do.
  EXPECT_TRUE(database_->WaitForBackfills().ok());
  transfers_.disk->LeaveBytes(0);
  EXPECT_FALSE(database_->ImportTable(MakeImport("songs")).ok());
  transfers_.disk->MakeRoom();
  Open();
  EXPECT_EQ(database_->ListImports({})->import_summary_list.size(), 1);
  EXPECT_FALSE(database_->DescribeTable({.table_name = "songs"}).ok());
}

TEST_F(UnrecordedEnd, OfAnImport) {
  const auto begun = database_->ImportTable(MakeImport("songs"));
  ASSERT_TRUE(begun.ok()) << begun.status();
  AwaitEnd();
  const auto told = database_->DescribeImport({.import_arn = begun->import_arn}).value();
  EXPECT_EQ(told.import_status, TransferStatus::kFailed);
  EXPECT_EQ(told.failure_code, "S3NoSuchKey");
  EXPECT_EQ(database_->ListImports({})->import_summary_list[0].import_status,
            TransferStatus::kFailed);
  AwaitRecord();
  EXPECT_EQ(StatusOfImport(begun->import_arn), TransferStatus::kFailed);
  EXPECT_EQ(KindOf(database_->DescribeTable({.table_name = "songs"}).status()),
            ErrorKind::kResourceNotFound);
  // The next one, under the same token and name.
  transfers_.result = absl::OkStatus();
  const auto next = database_->ImportTable(MakeImport("songs"));
  ASSERT_TRUE(next.ok()) << next.status();
  AwaitEnd();
  EXPECT_EQ(StatusOfImport(next->import_arn), TransferStatus::kInProgress);
  AwaitRecord();
  EXPECT_EQ(StatusOfImport(next->import_arn), TransferStatus::kCompleted);
  EXPECT_TRUE(database_->DescribeTable({.table_name = "songs"}).ok());
  Open();
  EXPECT_EQ(StatusOfImport(begun->import_arn), TransferStatus::kFailed);
  EXPECT_EQ(StatusOfImport(next->import_arn), TransferStatus::kCompleted);
}

TEST_F(UnrecordedEnd, OfAnExport) {
  const std::string table = MakeTable();
  ASSERT_TRUE(database_->UpdateContinuousBackups({"songs", {true, std::nullopt}}).ok());
  const auto begun =
      database_->ExportTableToPointInTime({.table_arn = table, .s3_bucket = "bucket"});
  ASSERT_TRUE(begun.ok()) << begun.status();
  AwaitEnd();
  EXPECT_EQ(StatusOfExport(begun->export_arn), TransferStatus::kFailed);
  EXPECT_EQ(database_->ListExports({})->export_summaries[0].export_status, TransferStatus::kFailed);
  AwaitRecord();
  EXPECT_EQ(StatusOfExport(begun->export_arn), TransferStatus::kFailed);
  Open();
  const auto told = database_->DescribeExport({.export_arn = begun->export_arn}).value();
  EXPECT_EQ(told.export_status, TransferStatus::kFailed);
  EXPECT_EQ(told.failure_code, "S3NoSuchKey");
}

TEST_F(UnrecordedEnd, OfAnExportThatIsFinished) {
  const std::string table = MakeTable();
  ASSERT_TRUE(database_->UpdateContinuousBackups({"songs", {true, std::nullopt}}).ok());
  transfers_.finishes = true;
  const auto begun =
      database_->ExportTableToPointInTime({.table_arn = table, .s3_bucket = "bucket"});
  ASSERT_TRUE(begun.ok()) << begun.status();
  AwaitEnd();
  EXPECT_EQ(StatusOfExport(begun->export_arn), TransferStatus::kCompleted);
  AwaitRecord();
  Open();
  EXPECT_EQ(StatusOfExport(begun->export_arn), TransferStatus::kCompleted);
}

// What its report says stays true: it cannot be cancelled any more.
TEST_F(UnrecordedEnd, OfABulkPut) {
  MakeTable();
  StartBulkPutItemsRequest request;
  request.table_name = "songs";
  request.input.s3_bucket = "bucket";
  request.output.s3_bucket = "bucket";
  request.output.output_type = {BulkOutputType::kError};
  for (const TransferStatus end : {TransferStatus::kFailed, TransferStatus::kCompleted}) {
    transfers_.finishes = end == TransferStatus::kCompleted;
    request.client_token = transfers_.finishes ? "second" : "first";
    const auto begun = database_->StartBulkPutItems(request);
    ASSERT_TRUE(begun.ok()) << begun.status();
    AwaitEnd();
    const std::string& arn = begun->bulk_operation_arn;
    const auto told = [&] {
      return database_->DescribeBulkOperation({.bulk_operation_arn = arn}).value();
    };
    const auto at_once = told();
    EXPECT_EQ(at_once.bulk_operation_status, end);
    EXPECT_EQ(
        database_->ListBulkOperations({})->bulk_operations_summary_list[0].bulk_operation_status,
        end);
    transfers_.disk->MakeRoom();
    const auto cancelled = database_->CancelBulkOperation({.bulk_operation_arn = arn});
    ASSERT_TRUE(cancelled.ok()) << cancelled.status();
    EXPECT_EQ(cancelled->bulk_operation_status, end);
    AwaitRecord();
    EXPECT_EQ(told().bulk_operation_status, end);
    EXPECT_EQ(told().end_time, at_once.end_time);
  }
  EXPECT_EQ(transfers_.reported, TransferStatus::kCompleted);
}

// The next open clears up, as if the process had ended in the middle.
TEST_F(UnrecordedEnd, OfADatabaseThatIsClosed) {
  const auto begun = database_->ImportTable(MakeImport("songs"));
  ASSERT_TRUE(begun.ok()) << begun.status();
  AwaitEnd();
  database_.reset();
  transfers_.disk->MakeRoom();
  Open();
  AwaitRecord();
  EXPECT_EQ(StatusOfImport(begun->import_arn), TransferStatus::kFailed);
}

}  // namespace
}  // namespace dynolith
