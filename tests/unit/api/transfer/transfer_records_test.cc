// Records of exports, imports and bulk puts must survive restarts to the last field, and a damaged
// one must be named instead of being read as something else.
#include "api/transfer/transfer_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "api/request/operation_context.h"
#include "api/transfer/interrupted_transfers.h"
#include "engine/base/clock.h"
#include "engine/catalog/catalog.h"
#include "engine/store/local_store.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr absl::Time kStart = absl::FromUnixMillis(1'700'000'000'123);

TableMeta MakeMeta(const std::string& name) {
  TableMeta meta;
  meta.schema.name = name;
  meta.schema.key.hash = {{"pk", Type::kString}};
  meta.attribute_definitions = {{"pk", Type::kString}};
  meta.uuid = "uuid of " + name;
  meta.created = kStart;
  return meta;
}

ImportRecord Import(std::string_view id) {
  ImportRecord record;
  record.id = id;
  record.fingerprint = "fingerprint";
  ImportState& description = record.description;
  description.import_arn = "arn of import";
  description.table_arn = "arn of table";
  description.client_token = "token";
  description.s3_bucket_source = {"123456789012", "bucket", "prefix"};
  description.input_format = InputFormat::kCsv;
  description.csv_options = CsvOptions{";", {{"a", "b"}}};
  description.input_compression_type = InputCompressionType::kZstd;
  description.table = MakeMeta("ttt");
  description.cloud_watch_log_group_arn = "arn of logs";
  description.start_time = kStart;
  description.error_count = 3;
  return record;
}

ExportRecord Export(std::string_view id) {
  ExportRecord record;
  record.id = id;
  record.fingerprint = "fingerprint";
  ExportState& description = record.description;
  description.request = {.table_arn = "arn of table",
                         .client_token = "token",
                         .s3_bucket = "bucket",
                         .s3_bucket_owner = "123456789012",
                         .s3_prefix = "prefix",
                         .s3_sse_algorithm = "KMS",
                         .s3_sse_kms_key_id = "key",
                         .export_format = ExportFormat::kIon,
                         .export_type = ExportType::kIncremental};
  description.request.incremental_export_specification =
      IncrementalExportSpecification{kStart, kStart + absl::Hours(1), ExportViewType::kNewImage};
  description.export_arn = "arn of export";
  description.table_id = "uuid";
  description.start_time = kStart;
  return record;
}

BulkPutEntry MakeBulkPut(std::string_view id) {
  BulkPutEntry record;
  record.id = id;
  record.fingerprint = "fingerprint";
  BulkPutState& state = record.description;
  state.request = {
      .client_token = "token",
      .input = {.s3_bucket_owner = "123456789012",
                .s3_bucket = "in",
                .s3_key_prefix = "prefix",
                .input_format = InputFormat::kIon,
                .input_compression_type = InputCompressionType::kZstd},
      .output = {.s3_bucket_owner = "210987654321",
                 .s3_bucket = "out",
                 .s3_key_prefix = "reports",
                 .s3_sse_algorithm = "KMS",
                 .s3_sse_kms_key_id = "key",
                 .output_type = {BulkOutputType::kConditionCheckFailure, BulkOutputType::kError}},
      .table_name = "arn of table",
      .max_write_request_units = 2000,
      .performance_tier = BulkOperationPerformanceTier::kAccelerated};
  state.bulk_operation_arn = "arn of bulk put";
  state.table_name = "ttt";
  state.table_id = "uuid";
  state.start_time = kStart;
  state.processed_item_count = 7;
  state.processed_input_bytes = 8;
  state.total_input_bytes = 9;
  state.failed_item_count = 1;
  state.usage = {.table_name = "arn of table",
                 .bulk_put_bytes = 60,
                 .table = {.bulk_put_bytes = 10},
                 .local_secondary_indexes = {{"local", {.bulk_put_bytes = 20}}},
                 .global_secondary_indexes = {{"global", {.bulk_put_bytes = 30}}},
                 .vector_indexes = {{"near", {.bulk_put_vector_bytes = 40}}}};
  return record;
}

class TransferRecordsTest : public ::testing::Test {
 protected:
  TransferRecordsTest()
      : store_(*LocalStore::Open({.in_memory = true})),
        catalog_(*Catalog::Load(store_.get())),
        imports_(store_.get()),
        exports_(store_.get()) {
    context_.store = store_.get();
    context_.catalog = catalog_.get();
    context_.clock = &clock_;
  }

  std::string Entry(std::string_view key) const {
    Row row;
    EXPECT_TRUE(*store_->Get(Family::kMeta, key, &row));
    return std::string(row.value());
  }
  void PutEntry(std::string_view key, std::string_view bytes) const {
    WriteBatch batch;
    batch.Put(Family::kMeta, key, bytes);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }

  ManualClock clock_{kStart + absl::Hours(1)};
  std::unique_ptr<LocalStore> store_;
  std::unique_ptr<Catalog> catalog_;
  ImportRecords imports_;
  ExportRecords exports_;
  OperationContext context_;
};

TEST_F(TransferRecordsTest, EveryFieldComesBack) {
  ImportRecord import = Import("1");
  ASSERT_TRUE(imports_.Put(import).ok());
  const ImportState got = (**imports_.Find("1")).description;
  EXPECT_EQ((**imports_.Find("1")).fingerprint, "fingerprint");
  EXPECT_EQ(got.import_arn, "arn of import");
  EXPECT_EQ(got.table_arn, "arn of table");
  EXPECT_EQ(got.client_token, "token");
  EXPECT_EQ(got.s3_bucket_source.s3_bucket_owner, "123456789012");
  EXPECT_EQ(got.s3_bucket_source.s3_bucket, "bucket");
  EXPECT_EQ(got.s3_bucket_source.s3_key_prefix, "prefix");
  EXPECT_EQ(got.input_format, InputFormat::kCsv);
  EXPECT_EQ(got.csv_options->delimiter, ";");
  EXPECT_THAT(*got.csv_options->header_list, ElementsAre("a", "b"));
  EXPECT_EQ(got.input_compression_type, InputCompressionType::kZstd);
  EXPECT_EQ(got.table.uuid, "uuid of ttt");
  EXPECT_EQ(got.table.schema.key, MakeMeta("ttt").schema.key);
  EXPECT_EQ(got.cloud_watch_log_group_arn, "arn of logs");
  EXPECT_EQ(got.start_time, kStart);
  EXPECT_EQ(got.status, TransferStatus::kInProgress);
  EXPECT_EQ(got.error_count, 3);
  EXPECT_FALSE(got.end_time || got.processed_item_count || got.failure_code);

  ASSERT_TRUE(exports_.Put(Export("2")).ok());
  const ExportState description = (**exports_.Find("2")).description;
  EXPECT_EQ(CanonicalExport(description.request), CanonicalExport(Export("2").description.request));
  EXPECT_EQ(description.request.incremental_export_specification->export_to_time,
            kStart + absl::Hours(1));
  EXPECT_EQ(description.export_arn, "arn of export");
  EXPECT_EQ(description.table_id, "uuid");
  EXPECT_FALSE((*exports_.Find("1")).has_value());
}

TEST_F(TransferRecordsTest, DamageIsNamed) {
  ASSERT_TRUE(imports_.Put(Import("1")).ok());
  const std::string entry = Entry("import/1");
  for (size_t size = 0; size < entry.size(); ++size) {
    PutEntry("import/1", std::string_view(entry).substr(0, size));
    const absl::Status status = imports_.Find("1").status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << size;
    EXPECT_THAT(std::string(status.message()), HasSubstr("import/1"));
  }
  // A flipped bit may change a text; it is never read as another kind of thing, and harms nobody.
  for (size_t bit = 0; bit < entry.size() * 8; ++bit) {
    std::string flipped = entry;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    PutEntry("import/1", flipped);
    const auto found = imports_.Find("1");
    EXPECT_TRUE(found.ok() || absl::IsDataLoss(found.status())) << bit;
  }
}

TEST_F(TransferRecordsTest, NewestFirstAndForgottenAfter90Days) {
  const std::string first = *imports_.NewId(kStart);
  const std::string second = *imports_.NewId(kStart + absl::Milliseconds(1));
  EXPECT_EQ(first.size(), 23U);
  EXPECT_TRUE(first.starts_with("01700000000123-"));
  for (const std::string& id : {first, second}) ASSERT_TRUE(imports_.Put(Import(id)).ok());
  std::vector<std::string> ids;
  const auto visit = [&ids](const ImportRecord& record) {
    ids.push_back(record.id);
    return true;
  };
  ASSERT_TRUE(imports_.ForEach("", visit).ok());
  EXPECT_THAT(ids, ElementsAre(second, first));
  ids.clear();
  ASSERT_TRUE(imports_.ForEach(second, visit).ok());
  EXPECT_THAT(ids, ElementsAre(first));
  ids.clear();
  ASSERT_TRUE(imports_.Purge(kStart + absl::Hours(24 * 90) + absl::Milliseconds(1)).ok());
  ASSERT_TRUE(imports_.ForEach("", visit).ok());
  EXPECT_THAT(ids, ElementsAre(second));
}

TEST_F(TransferRecordsTest, EveryFieldOfABulkPutComesBack) {
  const BulkPutRecords bulk_puts(store_.get());
  const BulkPutEntry put = MakeBulkPut("1");
  ASSERT_TRUE(bulk_puts.Put(put).ok());
  const BulkPutEntry got = **bulk_puts.Find("1");
  EXPECT_EQ(got.fingerprint, "fingerprint");
  const BulkPutState& state = got.description;
  EXPECT_EQ(CanonicalBulkPut(state.request), CanonicalBulkPut(put.description.request));
  EXPECT_EQ(state.request.input.s3_bucket_owner, "123456789012");
  EXPECT_EQ(state.request.input.input_compression_type, InputCompressionType::kZstd);
  EXPECT_EQ(state.request.output.s3_bucket, "out");
  EXPECT_THAT(state.request.output.output_type,
              ElementsAre(BulkOutputType::kConditionCheckFailure, BulkOutputType::kError));
  EXPECT_EQ(state.request.max_write_request_units, 2000);
  EXPECT_EQ(state.request.performance_tier, BulkOperationPerformanceTier::kAccelerated);
  EXPECT_EQ(state.bulk_operation_arn, "arn of bulk put");
  EXPECT_EQ(state.table_name, "ttt");
  EXPECT_EQ(state.table_id, "uuid");
  EXPECT_EQ(state.start_time, kStart);
  EXPECT_EQ(state.status, TransferStatus::kInProgress);
  EXPECT_EQ(state.processed_item_count, 7);
  EXPECT_EQ(state.processed_input_bytes, 8);
  EXPECT_EQ(state.total_input_bytes, 9);
  EXPECT_EQ(state.failed_item_count, 1);
  EXPECT_EQ(state.usage.table_name, "arn of table");
  EXPECT_EQ(state.usage.bulk_put_bytes, 60);
  EXPECT_EQ(state.usage.table.bulk_put_bytes, 10);
  EXPECT_EQ(state.usage.local_secondary_indexes[0].first, "local");
  EXPECT_EQ(state.usage.global_secondary_indexes[0].second.bulk_put_bytes, 30);
  EXPECT_EQ(state.usage.vector_indexes[0].second.bulk_put_vector_bytes, 40);
  EXPECT_FALSE(state.end_time || state.failure_code || state.failure_message);
}

TEST_F(TransferRecordsTest, ATokenOfABulkPutCountsFromItsStart) {
  const BulkPutRecords bulk_puts(store_.get());
  ASSERT_TRUE(bulk_puts.Put(MakeBulkPut("1")).ok());
  EXPECT_TRUE(*bulk_puts.FindByToken("token", kStart + absl::Hours(8)));
  // Also while it is still under way.
  EXPECT_FALSE(*bulk_puts.FindByToken("token", kStart + absl::Hours(8) + absl::Seconds(1)));
}

TEST_F(TransferRecordsTest, InterruptedBulkPutsEndAndKeepTheirCounts) {
  const BulkPutRecords bulk_puts(store_.get());
  ASSERT_TRUE(bulk_puts.Put(MakeBulkPut("1")).ok());
  BulkPutEntry cancelled = MakeBulkPut("2");
  cancelled.description.status = TransferStatus::kCancelling;
  ASSERT_TRUE(bulk_puts.Put(cancelled).ok());
  BulkPutEntry done = MakeBulkPut("3");
  done.description.status = TransferStatus::kCompletedWithErrors;
  ASSERT_TRUE(bulk_puts.Put(done).ok());
  EXPECT_EQ(*bulk_puts.CountInProgress(), 2);

  ASSERT_TRUE(FinishInterruptedTransfers(context_).ok());
  EXPECT_EQ(*bulk_puts.CountInProgress(), 0);
  const BulkPutState failed = (**bulk_puts.Find("1")).description;
  EXPECT_EQ(failed.status, TransferStatus::kFailed);
  EXPECT_EQ(failed.end_time, clock_.Now());
  EXPECT_EQ(failed.processed_item_count, 7);
  EXPECT_EQ((**bulk_puts.Find("2")).description.status, TransferStatus::kCancelled);
  EXPECT_EQ((**bulk_puts.Find("3")).description.status, TransferStatus::kCompletedWithErrors);
}

TEST_F(TransferRecordsTest, InterruptedTransfersFailAndTheirTablesGo) {
  // One whose table was made, one that ended before, one whose name has another table by now.
  ASSERT_TRUE(imports_.Put(Import("1")).ok());
  TableMeta half = MakeMeta("ttt");
  half.status = TableStatus::kCreating;
  ASSERT_TRUE(catalog_->Create(half).ok());
  ImportRecord before = Import("2");
  before.description.table = MakeMeta("never");
  ASSERT_TRUE(imports_.Put(before).ok());
  ImportRecord renewed = Import("3");
  renewed.description.table = MakeMeta("other");
  renewed.description.table.uuid = "an older one";
  ASSERT_TRUE(imports_.Put(renewed).ok());
  ASSERT_TRUE(catalog_->Create(MakeMeta("other")).ok());
  ImportRecord done = Import("4");
  done.description.table = MakeMeta("done");
  done.description.status = TransferStatus::kCompleted;
  ASSERT_TRUE(imports_.Put(done).ok());
  ASSERT_TRUE(catalog_->Create(MakeMeta("done")).ok());
  ASSERT_TRUE(exports_.Put(Export("5")).ok());

  ASSERT_TRUE(FinishInterruptedTransfers(context_).ok());
  EXPECT_THAT(catalog_->Names("", 10), ElementsAre("done", "other"));
  for (const std::string_view id : {"1", "2", "3"}) {
    EXPECT_EQ((**imports_.Find(id)).description.status, TransferStatus::kFailed) << id;
  }
  EXPECT_EQ((**imports_.Find("4")).description.status, TransferStatus::kCompleted);
  EXPECT_EQ((**exports_.Find("5")).description.status, TransferStatus::kFailed);
  EXPECT_EQ((**exports_.Find("5")).description.end_time, clock_.Now());
}

}  // namespace
}  // namespace dynolith
