// Backups come and go beside tables, keep their rows and survive a reopened store; leased ids stay
// alive as long as somebody needs them and no longer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/catalog/catalog.h"
#include "engine/store/local_store.h"
#include "engine/store/row_id.h"
#include "tests/unit/catalog/table_metas.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using testing::FullMeta;
using ::testing::HasSubstr;
using testing::PlainMeta;
using testing::ScratchFolder;

class CatalogBackupsTest : public ::testing::Test {
 protected:
  CatalogBackupsTest() { Open(); }

  void Open() {
    catalog_.reset();
    store_.reset();
    auto store = LocalStore::Open({.path = folder_ / "data"});
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    auto catalog = Catalog::Load(store_.get());
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    catalog_ = *std::move(catalog);
  }

  std::shared_ptr<Table> Create(const std::string& name, int indexes = 0) {
    auto table = catalog_->Create(PlainMeta(name, indexes));
    EXPECT_TRUE(table.ok()) << table.status();
    return *table;
  }
  static BackupMeta Backup(const std::string& table, const std::string& id, StorageId rows_id = 0) {
    BackupMeta backup;
    backup.id = id;
    backup.name = "name";
    backup.created = absl::FromUnixSeconds(1'700'000'000);
    backup.table = PlainMeta(table, 1);
    backup.table.schema.id = 1;
    backup.table.schema.indexes[0].id = 2;
    backup.rows_id = rows_id;
    return backup;
  }
  // With a row of its own.
  StorageId Add(const std::string& table, const std::string& id) {
    TableSchema rows;
    const auto lease = catalog_->LeaseNewIds(&rows);
    EXPECT_TRUE(lease.ok()) << lease.status();
    PutRow(rows.id);
    EXPECT_TRUE(catalog_->AddBackup(Backup(table, id, rows.id)).ok());
    return rows.id;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& backup : catalog_->Backups()) {
      names.push_back(Concat(backup->id, " of ", backup->table.schema.name));
    }
    return names;
  }

  void PutRow(StorageId id, Family family = Family::kTables) {
    WriteBatch batch;
    batch.Put(family, RowIdPrefix(id) + "row", "value");
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  // Whether the row is still there when everything dead has been dropped.
  bool HasRow(StorageId id, Family family = Family::kTables) {
    EXPECT_TRUE(store_->CompactAll().ok());
    Row row;
    // Past the cache of rows, which may have one of a dead id until others take its place.
    return *store_->TakeSnapshot()->Get(family, RowIdPrefix(id) + "row", &row);
  }

  ScratchFolder folder_;
  std::unique_ptr<LocalStore> store_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(CatalogBackupsTest, AreFoundListedAndDropped) {
  Add("music", "2");
  Add("music", "1");
  Add("films", "1");
  EXPECT_THAT(Names(), ElementsAre("1 of films", "1 of music", "2 of music"));
  EXPECT_EQ(catalog_->FindBackup("music", "2")->table.schema.indexes.size(), 1u);
  EXPECT_EQ(catalog_->FindBackup("films", "2"), nullptr);
  EXPECT_EQ(catalog_->AddBackup(Backup("music", "1", 1)).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(catalog_->DropBackup("music", "1").ok());
  EXPECT_EQ(catalog_->DropBackup("music", "1").code(), absl::StatusCode::kNotFound);
  Open();
  EXPECT_THAT(Names(), ElementsAre("1 of films", "2 of music"));
}

TEST_F(CatalogBackupsTest, KeepTheirRowsUntilTheyAreDropped) {
  const StorageId kept = Add("music", "1");
  const StorageId dropped = Add("music", "2");
  Open();
  Create("t");
  ASSERT_TRUE(catalog_->Drop("t").ok());
  ASSERT_TRUE(catalog_->DropBackup("music", "2").ok());
  EXPECT_TRUE(HasRow(kept));
  EXPECT_FALSE(HasRow(dropped));
  Open();
  EXPECT_TRUE(HasRow(kept));
  EXPECT_NE(Create("t")->meta()->schema.id, kept);
}

// Why: a restore reads for a long time.
TEST_F(CatalogBackupsTest, ALeasedBackupIsNotDropped) {
  const StorageId rows = Add("music", "1");
  {
    const auto lease = catalog_->LeaseBackup("music", "1");
    ASSERT_TRUE(lease.ok());
    EXPECT_EQ(catalog_->DropBackup("music", "1").code(), absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_TRUE(HasRow(rows));
  EXPECT_TRUE(catalog_->DropBackup("music", "1").ok());
  EXPECT_EQ(catalog_->LeaseBackup("music", "1").status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(HasRow(rows));
}

TEST_F(CatalogBackupsTest, LeasedRowsOutliveTheirTable) {
  const auto table = Create("t");
  const StorageId id = table->meta()->schema.id;
  PutRow(id);
  {
    IdLease first, second;
    {
      const SpreadMutex::ReadScope gate(&table->gate);
      first = catalog_->LeaseRows(*table);
      second = catalog_->LeaseRows(*table);
    }
    ASSERT_TRUE(catalog_->Drop("t").ok());
    EXPECT_TRUE(HasRow(id));
    first = IdLease();
    EXPECT_TRUE(HasRow(id));
  }
  EXPECT_FALSE(HasRow(id));
}

TEST_F(CatalogBackupsTest, ALeaseOfALivingTableLeavesItAlone) {
  const auto table = Create("t");
  const StorageId id = table->meta()->schema.id;
  PutRow(id);
  {
    const SpreadMutex::ReadScope gate(&table->gate);
    const IdLease lease = catalog_->LeaseRows(*table);
  }
  Create("other");
  ASSERT_TRUE(catalog_->Drop("other").ok());
  EXPECT_TRUE(HasRow(id));
}

TEST_F(CatalogBackupsTest, NewIdsBecomeATable) {
  TableMeta meta = PlainMeta("t", 1);
  StorageId id = 0;
  {
    const auto lease = catalog_->LeaseNewIds(&meta.schema);
    ASSERT_TRUE(lease.ok());
    id = meta.schema.id;
    PutRow(id);
    PutRow(meta.schema.indexes[0].id, Family::kGlobalIndexes);
    EXPECT_EQ(catalog_->Find("t"), nullptr);
    const auto table = catalog_->CreateFilled(meta);
    ASSERT_TRUE(table.ok());
    EXPECT_EQ((*table)->meta()->schema.id, id);
  }
  EXPECT_TRUE(HasRow(id));
  EXPECT_TRUE(HasRow(meta.schema.indexes[0].id, Family::kGlobalIndexes));
  Open();
  EXPECT_EQ(catalog_->Find("t")->meta()->schema.id, id);
  EXPECT_TRUE(HasRow(id));
}

TEST_F(CatalogBackupsTest, NewIdsThatBecomeNothingDie) {
  TableMeta meta = PlainMeta("t", 1);
  Create("t");
  {
    const auto lease = catalog_->LeaseNewIds(&meta.schema);
    ASSERT_TRUE(lease.ok());
    PutRow(meta.schema.id);
    PutRow(meta.schema.indexes[0].id, Family::kGlobalIndexes);
    EXPECT_EQ(catalog_->CreateFilled(meta).status().code(), absl::StatusCode::kAlreadyExists);
    EXPECT_TRUE(HasRow(meta.schema.id));
  }
  EXPECT_FALSE(HasRow(meta.schema.id));
  EXPECT_FALSE(HasRow(meta.schema.indexes[0].id, Family::kGlobalIndexes));
}

// Why: the process may end in the middle of a copy. Its rows must then belong to nobody, also not
// to the next table.
TEST_F(CatalogBackupsTest, NewIdsAreGivenToNobodyElseAfterACrash) {
  TableSchema rows;
  {
    const auto lease = catalog_->LeaseNewIds(&rows);
    ASSERT_TRUE(lease.ok());
    PutRow(rows.id);
    // As a killed process leaves the store: copied while the lease is held.
    ASSERT_TRUE(store_->Checkpoint(folder_ / "killed").ok());
  }
  auto store = LocalStore::Open({.path = folder_ / "killed"});
  ASSERT_TRUE(store.ok()) << store.status();
  catalog_.reset();
  store_ = *std::move(store);
  catalog_ = Catalog::Load(store_.get()).value();
  EXPECT_GT(Create("t")->meta()->schema.id, rows.id);
  EXPECT_FALSE(HasRow(rows.id));
}

TEST_F(CatalogBackupsTest, ADroppedTableMayBecomeABackup) {
  const auto table = Create("music", 1);
  const StorageId id = table->meta()->schema.id;
  const StorageId index = table->meta()->schema.indexes[0].id;
  PutRow(id);
  PutRow(index, Family::kGlobalIndexes);
  BackupMeta backup = Backup("music", "1", id);
  backup.table = *table->meta();
  ASSERT_TRUE(catalog_->Drop("music", &backup).ok());
  EXPECT_EQ(catalog_->Find("music"), nullptr);
  EXPECT_THAT(Names(), ElementsAre("1 of music"));
  EXPECT_TRUE(HasRow(id));
  EXPECT_FALSE(HasRow(index, Family::kGlobalIndexes));
  Open();
  Create("music");
  EXPECT_THAT(Names(), ElementsAre("1 of music"));
  EXPECT_TRUE(HasRow(id));
}

// Why: nothing starts without a backup silently.
TEST_F(CatalogBackupsTest, DamagedEntriesAreNamed) {
  const StorageId rows = Add("music", "1");
  const auto put = [this](std::string_view key, std::string_view value) {
    WriteBatch batch;
    batch.Put(Family::kMeta, key, value);
    ASSERT_TRUE(store_->Commit(batch).ok());
  };
  const auto failure = [this] { return Catalog::Load(store_.get()).status(); };
  const std::string entry = EncodeBackupMeta(Backup("music", "1", rows));
  EXPECT_TRUE(failure().ok());
  put("backup/music/1", entry.substr(0, entry.size() / 2));
  EXPECT_EQ(failure().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(failure().message()), HasSubstr("music/1"));
  put("backup/music/1", entry);
  EXPECT_TRUE(failure().ok());
  put("backup/music/2", entry);
  EXPECT_THAT(std::string(failure().message()), HasSubstr("music/2"));
  put("backup/music/2", EncodeBackupMeta(Backup("music", "2", rows)));
  EXPECT_EQ(failure().code(), absl::StatusCode::kDataLoss);  // an id used twice
  put("backup/music/2", EncodeBackupMeta(Backup("music", "2", 1000)));
  EXPECT_EQ(failure().code(), absl::StatusCode::kDataLoss);  // an id never given out
}

BackupMeta FullBackup() {
  BackupMeta backup;
  backup.id = "01489602797149-73d8d5bc";
  backup.name = "full$DeletedTableBackup";
  backup.type = BackupType::kSystem;
  backup.created = absl::FromUnixNanos(1'700'000'000'123'456'789);
  backup.status_until = backup.created + absl::Seconds(1);
  backup.expires = backup.created + absl::Seconds(2);
  backup.item_count = 3;
  backup.size_bytes = 4;
  backup.rows_id = 5;
  backup.table = FullMeta();
  return backup;
}

TEST(BackupMetaCodecTest, KeepsEveryField) {
  const BackupMeta backup = FullBackup();
  const auto decoded = DecodeBackupMeta(EncodeBackupMeta(backup));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->id, backup.id);
  EXPECT_EQ(decoded->name, backup.name);
  EXPECT_EQ(decoded->type, backup.type);
  EXPECT_EQ(decoded->created, backup.created);
  EXPECT_EQ(decoded->status_until, backup.status_until);
  EXPECT_EQ(decoded->expires, backup.expires);
  EXPECT_EQ(decoded->item_count, backup.item_count);
  EXPECT_EQ(decoded->size_bytes, backup.size_bytes);
  EXPECT_EQ(decoded->rows_id, backup.rows_id);
  EXPECT_EQ(EncodeTableMeta(decoded->table), EncodeTableMeta(backup.table));
}

TEST(BackupMetaCodecTest, RefusesEveryTruncation) {
  const std::string bytes = EncodeBackupMeta(FullBackup());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(DecodeBackupMeta(bytes.substr(0, size)).status().code(), absl::StatusCode::kDataLoss)
        << size;
  }
}

// Why: as for tables, whatever is seen must be refused in an orderly way, and whatever is read must
// be writable again.
TEST(BackupMetaCodecTest, SurvivesEveryFlippedBit) {
  const std::string bytes = EncodeBackupMeta(FullBackup());
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const auto decoded = DecodeBackupMeta(flipped);
    if (decoded.ok()) {
      EXPECT_TRUE(DecodeBackupMeta(EncodeBackupMeta(*decoded)).ok()) << bit;
    } else {
      EXPECT_EQ(decoded.status().code(), absl::StatusCode::kDataLoss);
    }
  }
}

}  // namespace
}  // namespace dynolith
