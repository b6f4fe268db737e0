// The indexes of a table whose rows are there already end up as if they had been there before: by
// any number of threads, which all end when one of them fails.
#include "index/fill.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "engine/store/local_store.h"
#include "engine/store/row_id.h"
#include "tests/unit/index/indexed_table.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct FillSetting {
  bool is_in_memory = true;
  int segments = 1;
};

class FillTest : public testing::IndexedTable, public ::testing::WithParamInterface<FillSetting> {
 protected:
  static constexpr int kRows = 3'000;

  FillTest() {
    if (!GetParam().is_in_memory) MoveToDisk();
    CreateTable(EveryKindOfIndex());
    const auto rows = store_->NewSortedRows();
    for (int i = 0; i < kRows; ++i) {
      Item item = MakeItem("p" + std::to_string(i % 701), i);
      item.Set("text", Value::S(std::string(static_cast<size_t>(i % 500), 't')));
      // Not in all indexes.
      if (i % 5 == 0) item.Remove("g");
      EXPECT_TRUE(rows->Put(Family::kTables, RowKey(item.view()), item.view().bytes()).ok());
    }
    EXPECT_TRUE(rows->Commit().ok());
  }
  ~FillTest() override {
    table_.reset();
    catalog_.reset();
    store_.reset();
  }

  absl::Status Fill(absl::FunctionRef<absl::Status()> may_go_on) {
    return FillIndexes(store_.get(), meta()->schema, may_go_on, GetParam().segments);
  }

 private:
  void MoveToDisk() {
    StoreOptions options;
    options.path = folder_ / "store";
    options.memtables_bytes = 512 << 10;
    options.sorting_threads = GetParam().segments;
    catalog_.reset();
    auto store = LocalStore::Open(options);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    auto catalog = Catalog::Load(store_.get());
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    catalog_ = *std::move(catalog);
  }

  testing::ScratchFolder folder_;
};

TEST_P(FillTest, AllEntriesAreThere) {
  ASSERT_TRUE(Fill([] { return absl::OkStatus(); }).ok());
  EXPECT_EQ(CountRows(Family::kLocalIndexes, meta()->schema.indexes[3].id),
            static_cast<size_t>(kRows));
  EXPECT_EQ(CountRows(Family::kGlobalIndexes, meta()->schema.indexes[1].id),
            static_cast<size_t>(kRows * 4 / 5));
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_P(FillTest, ADamagedRowEndsIt) {
  for (const unsigned char hash : {0x01, 0xf7}) {
    const std::string key =
        RowIdPrefix(meta()->schema.id) + std::string(20, static_cast<char>(hash));
    WriteBatch batch;
    batch.Put(Family::kTables, key, "no item");
    ASSERT_TRUE(store_->Commit(batch).ok());
    const absl::Status status = Fill([] { return absl::OkStatus(); });
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(hash == 0x01 ? "0101" : "f7f7"));
    batch.Clear();
    batch.Delete(Family::kTables, key);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
}

TEST_P(FillTest, ItEndsWhenItIsTold) {
  const absl::Status status = Fill([] { return absl::CancelledError("enough"); });
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

INSTANTIATE_TEST_SUITE_P(Places, FillTest,
                         ::testing::Values(FillSetting{true, 1}, FillSetting{true, 3},
                                           FillSetting{false, 1}, FillSetting{false, 2},
                                           FillSetting{false, 7}));

}  // namespace
}  // namespace dynolith
