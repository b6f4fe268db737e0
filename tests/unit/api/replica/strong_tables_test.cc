// Strong tables in several regions of one process: whatever is cut, delayed, closed or done at
// once, a strongly consistent read in any region sees the last write of all, as one dull copy has
// it. What one call answers is in tests/testdata/strong_replicas.
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dynolith/database.h"
#include "dynolith/regions.h"
#include "engine/base/errors.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

constexpr std::string_view kStrongTable = "orders";
const std::vector<std::string>& ThreeRegions() {
  static const auto& names = *new std::vector<std::string>{"us-east-1", "us-east-2", "us-west-2"};
  return names;
}

class StrongTablesTest : public ::testing::Test {
 protected:
  ~StrongTablesTest() override {
    databases_.clear();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  void KeepInFolder() {
    folder_ = ::testing::TempDir() + "dynolith_strong_" + std::to_string(getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void Open(const std::string& region) {
    DatabaseOptions options = {.in_memory = folder_.empty()};
    if (!folder_.empty()) options.path = folder_ + "/" + region;
    options.region = region;
    options.clock = &clock_;
    options.regions = regions_.get();
    options.capacity = capacity_;
    options.read_only = read_only_;
    databases_[region] = Database::Open(options).value();
  }
  void Close(const std::string& region) { databases_.erase(region); }
  Database& In(const std::string& region) { return *databases_.at(region); }

  // The table in three regions; with a witness the last one is its.
  void MakeTable(bool has_witness) {
    const std::vector<std::string>& names = ThreeRegions();
    for (const std::string& name : names) {
      if (!has_witness || name != names[2]) Open(name);
    }
    CreateTableRequest create;
    create.table_name = kStrongTable;
    create.attribute_definitions = {{{"pk"}}};
    create.key_schema = {{{"pk"}}};
    create.billing_mode = BillingMode::kPayPerRequest;
    ASSERT_TRUE(In(names[0]).CreateTable(create).ok());
    UpdateTableRequest update;
    update.table_name = kStrongTable;
    update.multi_region_consistency = MultiRegionConsistency::kStrong;
    update.replica_updates.emplace();
    update.replica_updates->emplace_back().create.emplace().region_name = names[1];
    if (has_witness) {
      update.global_table_witness_updates.emplace().emplace_back().create_region_name = names[2];
    } else {
      update.replica_updates->emplace_back().create.emplace().region_name = names[2];
    }
    const absl::Status updated = In(names[0]).UpdateTable(update).status();
    ASSERT_TRUE(updated.ok()) << updated;
    Settle();
  }
  void Settle() {
    const absl::Status settled = regions_->Settle();
    ASSERT_TRUE(settled.ok()) << settled;
  }

  absl::Status Put(const std::string& region, const std::string& key, const std::string& value) {
    const Item item = {{"pk", Value::S(key)}, {"v", Value::S(value)}};
    return In(region).PutItem({.table_name = std::string(kStrongTable), .item = item}).status();
  }
  absl::Status Delete(const std::string& region, const std::string& key) {
    return In(region)
        .DeleteItem({.table_name = std::string(kStrongTable), .key = {{"pk", Value::S(key)}}})
        .status();
  }
  // The value; "" if there is no item.
  absl::StatusOr<std::string> Read(const std::string& region, const std::string& key,
                                   bool is_strong) {
    GetItemRequest request;
    request.table_name = kStrongTable;
    request.key = {{"pk", Value::S(key)}};
    request.consistent_read = is_strong;
    const auto output = In(region).GetItem(request);
    if (!output.ok()) return output.status();
    if (!output->item) return "";
    return std::string(output->item->view().Find("v")->string());
  }
  using Items = std::map<std::string, std::string>;
  Items ItemsIn(const std::string& region) {
    Items items;
    const auto page = In(region).Scan({.table_name = std::string(kStrongTable)});
    EXPECT_TRUE(page.ok()) << page.status();
    for (const Item& item : page->items) {
      items[std::string(item.view().Find("pk")->string())] = item.view().Find("v")->string();
    }
    return items;
  }

  // Writes, strong and other reads in all regions, while they are cut and delayed, as one copy
  // says.
  void RunRandomProgram(bool has_witness);
  struct Program {
    std::mt19937_64 random;
    size_t databases = 0;
    Items model;
    std::map<std::string, std::set<std::string>> once;  // what each item has ever been
    std::set<std::string> cut;
    int refused = 0;
    int values = 0;

    size_t Upto(size_t count) { return static_cast<size_t>(random() % count); }
    std::string Model(const std::string& key) const {
      const auto found = model.find(key);
      return found == model.end() ? "" : found->second;
    }
  };
  void TurnSomeDial(Program* program);
  void UseSomeItem(Program* program);

  std::string folder_;  // empty: in memory
  CapacityOptions capacity_;
  bool read_only_ = false;
  ManualClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::unique_ptr<Regions> regions_ = Regions::Make();
  std::map<std::string, std::unique_ptr<Database>> databases_;
};

void StrongTablesTest::TurnSomeDial(Program* program) {
  const std::vector<std::string>& names = ThreeRegions();
  const std::string& region = names[program->Upto(program->databases)];
  switch (program->Upto(4)) {
    case 0:
      clock_.Advance(absl::Milliseconds(program->Upto(300)));
      return;
    case 1:
      if (program->cut.size() < 2) {
        const std::string& away = names[program->Upto(names.size())];
        regions_->SetCut(away, true);
        program->cut.insert(away);
      } else {
        regions_->Release();
        program->cut.clear();
      }
      return;
    case 2: {
      const ReplicaLag lag = {.most = absl::Milliseconds(program->Upto(2) * 500), .seed = 7};
      ASSERT_TRUE(regions_->SetLag(region, "", lag).ok());
      return;
    }
    default: {
      const absl::Duration skew = absl::Milliseconds(program->Upto(2000)) - absl::Seconds(1);
      ASSERT_TRUE(regions_->SetSkew(region, skew).ok());
    }
  }
}

void StrongTablesTest::UseSomeItem(Program* program) {
  const std::string& region = ThreeRegions()[program->Upto(program->databases)];
  const std::string key(1, static_cast<char>('a' + program->Upto(4)));
  const bool is_served = !program->cut.contains(region) && program->cut.size() < 2;
  const auto check = [&](const absl::Status& status) {
    EXPECT_EQ(status.ok(), is_served) << region << " " << status;
    if (status.ok()) return;
    EXPECT_EQ(KindOf(status), ErrorKind::kServiceUnavailable) << status;
    ++program->refused;
  };
  switch (program->Upto(5)) {
    case 0: {
      const absl::Status deleted = Delete(region, key);
      check(deleted);
      if (deleted.ok()) program->model.erase(key);
      return;
    }
    case 1: {
      const auto read = Read(region, key, /*is_strong=*/false);
      ASSERT_TRUE(read.ok()) << read.status();
      const bool was_never = !read->empty() && !program->once[key].contains(*read);
      EXPECT_FALSE(was_never) << *read;
      return;
    }
    case 2: {
      const auto read = Read(region, key, /*is_strong=*/true);
      check(read.status());
      EXPECT_EQ(read.value_or(program->Model(key)), program->Model(key)) << region;
      return;
    }
    default: {
      const std::string value = std::to_string(++program->values);
      const absl::Status put = Put(region, key, value);
      check(put);
      if (!put.ok()) return;
      program->model[key] = value;
      program->once[key].insert(value);
    }
  }
}

void StrongTablesTest::RunRandomProgram(bool has_witness) {
  Program program;
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed) + (has_witness ? " with a witness" : ""));
  program.random.seed(seed);
  program.databases = has_witness ? 2 : 3;
  MakeTable(has_witness);
  for (int step = 0; step < 400 && !HasFailure(); ++step) {
    program.Upto(3) == 0 ? TurnSomeDial(&program) : UseSomeItem(&program);
  }
  EXPECT_GT(program.refused, 0);
  regions_->Release();
  Settle();
  for (size_t i = 0; i < program.databases; ++i) {
    EXPECT_EQ(ItemsIn(ThreeRegions()[i]), program.model) << ThreeRegions()[i];
  }
}

TEST_F(StrongTablesTest, ThreeReplicasAreAsOneCopyWhateverIsCut) {
  RunRandomProgram(/*has_witness=*/false);
}

TEST_F(StrongTablesTest, TwoReplicasAndAWitnessAreAsOneCopyWhateverIsCut) {
  RunRandomProgram(/*has_witness=*/true);
}

TEST_F(StrongTablesTest, WritersInAllRegionsLoseNothing) {
  MakeTable(/*has_witness=*/false);
  constexpr int kAdds = 40;
  std::vector<std::thread> threads;
  for (const std::string& region : ThreeRegions()) {
    threads.emplace_back([this, &region] {
      int64_t seen = 0;
      for (int i = 1; i <= kAdds; ++i) {
        UpdateItemRequest add;
        add.table_name = kStrongTable;
        add.key = {{"pk", Value::S("counter")}};
        add.update_expression = "ADD n :one";
        add.expression_attribute_values = {{":one", Value::N(1)}};
        const auto added = In(region).UpdateItem(add);
        ASSERT_TRUE(added.ok()) << added.status();
        GetItemRequest get;
        get.table_name = kStrongTable;
        get.key = add.key;
        get.consistent_read = true;
        const auto read = In(region).GetItem(get);
        ASSERT_TRUE(read.ok()) << read.status();
        const int64_t now = std::stoll(read->item->view().Find("n")->number().ToString());
        EXPECT_GE(now, seen + 1);
        seen = now;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& region : ThreeRegions()) {
    const auto page = In(region).Scan({.table_name = std::string(kStrongTable)});
    ASSERT_EQ(page->items.size(), 1u);
    EXPECT_EQ(page->items[0].view().Find("n")->number().ToString(),
              std::to_string(kAdds * ThreeRegions().size()));
  }
}

TEST_F(StrongTablesTest, WhoHasAgreedToAWriteGivesItToTheRegionThatWasAway) {
  KeepInFolder();
  MakeTable(/*has_witness=*/false);
  regions_->SetCut("us-west-2", true);
  ASSERT_TRUE(Put("us-east-1", "a", "1").ok());
  ASSERT_TRUE(Delete("us-east-1", "a").ok());
  ASSERT_TRUE(Put("us-east-1", "b", "1").ok());
  Close("us-east-1");
  EXPECT_EQ(KindOf(Put("us-east-2", "a", "2")), ErrorKind::kServiceUnavailable);
  regions_->Release();
  EXPECT_EQ(Read("us-west-2", "a", true).value(), "");
  EXPECT_EQ(Read("us-west-2", "b", true).value(), "1");
  ASSERT_TRUE(Put("us-west-2", "b", "2").ok());
  // Back again, it has all of it before it answers.
  Open("us-east-1");
  EXPECT_EQ(Read("us-east-1", "b", true).value(), "2");
  // All go, and come one after the other: one alone has no majority.
  databases_.clear();
  Open("us-east-2");
  EXPECT_EQ(KindOf(Read("us-east-2", "b", true).status()), ErrorKind::kServiceUnavailable);
  EXPECT_EQ(Read("us-east-2", "b", false).value(), "2");
  Open("us-west-2");
  EXPECT_EQ(Read("us-east-2", "b", true).value(), "2");
  Open("us-east-1");
  Settle();
  for (const std::string& region : ThreeRegions()) {
    EXPECT_EQ(ItemsIn(region), (Items{{"b", "2"}})) << region;
  }
}

TEST_F(StrongTablesTest, AWriteThatNoOtherRegionTakesIsNotAnswered) {
  KeepInFolder();
  MakeTable(/*has_witness=*/false);
  ASSERT_TRUE(Put("us-east-1", "a", "1").ok());
  Close("us-east-2");
  read_only_ = true;
  Open("us-east-2");
  regions_->SetCut("us-west-2", true);
  EXPECT_EQ(KindOf(Put("us-east-1", "a", "2")), ErrorKind::kServiceUnavailable);
  // Nor is it read by anybody who could say afterwards that it was there.
  EXPECT_EQ(KindOf(Read("us-east-1", "a", true).status()), ErrorKind::kServiceUnavailable);
  EXPECT_FALSE(Read("us-east-2", "a", true).ok());
  // Once another region takes it, it is done.
  regions_->SetCut("us-west-2", false);
  EXPECT_EQ(Read("us-east-1", "a", true).value(), "2");
  Close("us-east-1");
  Close("us-east-2");
  read_only_ = false;
  Open("us-east-2");
  EXPECT_EQ(Read("us-east-2", "a", true).value(), "2");
}

// Nobody keeps the change for it but the region that has written it.
TEST_F(StrongTablesTest, WhatARegionCouldNotTakeItGetsFromWhoeverHasIt) {
  KeepInFolder();
  MakeTable(/*has_witness=*/false);
  ASSERT_TRUE(Put("us-east-1", "a", "1").ok());
  ASSERT_TRUE(Put("us-east-1", "b", "1").ok());
  Close("us-west-2");
  read_only_ = true;
  Open("us-west-2");
  ASSERT_TRUE(Put("us-east-1", "a", "2").ok());
  ASSERT_TRUE(Delete("us-east-1", "b").ok());
  Close("us-east-1");
  Close("us-west-2");
  read_only_ = false;
  Open("us-west-2");
  EXPECT_EQ(Read("us-west-2", "a", true).value(), "2");
  EXPECT_EQ(Read("us-west-2", "b", true).value(), "");
}

TEST_F(StrongTablesTest, WhatOneRegionHasAloneComesBackWithItAndOlder) {
  KeepInFolder();
  MakeTable(/*has_witness=*/false);
  Close("us-east-2");
  read_only_ = true;
  Open("us-east-2");
  regions_->SetCut("us-west-2", true);
  EXPECT_FALSE(Put("us-east-1", "a", "1").ok());
  EXPECT_FALSE(Put("us-east-1", "b", "1").ok());
  Close("us-east-1");
  Close("us-east-2");
  read_only_ = false;
  Open("us-east-2");
  regions_->Release();
  EXPECT_EQ(Read("us-west-2", "a", true).value(), "");
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(Put("us-west-2", "a", "2").ok());
  Open("us-east-1");
  for (const std::string& region : ThreeRegions()) {
    EXPECT_EQ(Read(region, "a", true).value(), "2") << region;
  }
  regions_->Settle().IgnoreError();  // of the time when nothing could be written
  Settle();
  for (const std::string& region : ThreeRegions()) {
    EXPECT_EQ(ItemsIn(region), ItemsIn("us-east-1")) << region;
  }
}

TEST_F(StrongTablesTest, OtherRegionsHaveCapacityForWhatOneHasAdmitted) {
  capacity_ = {.mode = CapacityMode::kGlobal, .scale = 0.001};
  MakeTable(/*has_witness=*/true);
  PutItemRequest fails;
  fails.table_name = kStrongTable;
  fails.item = {{"pk", Value::S("a")}};
  fails.condition_expression = "attribute_exists(pk)";
  ErrorKind kind = ErrorKind::kConditionalCheckFailed;
  for (int i = 0; i < 100'000 && kind == ErrorKind::kConditionalCheckFailed; ++i) {
    kind = KindOf(In("us-east-2").PutItem(fails).status());
  }
  ASSERT_NE(kind, ErrorKind::kConditionalCheckFailed);
  // The witness would agree in its place.
  regions_->SetCut("us-west-2", true);
  EXPECT_TRUE(Put("us-east-1", "a", "1").ok());
  EXPECT_EQ(Read("us-east-2", "a", false).value(), "1");
}

TEST_F(StrongTablesTest, AWitnessDoesNotStandInForADatabaseThatIsClosed) {
  KeepInFolder();
  MakeTable(/*has_witness=*/true);
  regions_->SetCut("us-east-1", true);
  ASSERT_TRUE(Put("us-east-2", "a", "1").ok());
  Close("us-east-2");
  regions_->Release();
  EXPECT_EQ(KindOf(Read("us-east-1", "a", true).status()), ErrorKind::kServiceUnavailable);
  Open("us-east-2");
  EXPECT_EQ(Read("us-east-1", "a", true).value(), "1");
}

TEST_F(StrongTablesTest, DialsAndReportsKnowThem) {
  MakeTable(/*has_witness=*/true);
  EXPECT_FALSE(regions_->SetOverlap(absl::Seconds(-1)).ok());
  ASSERT_TRUE(regions_->SetOverlap(absl::Seconds(1)).ok());
  ASSERT_TRUE(Put("us-east-1", "a", "1").ok());
  EXPECT_EQ(KindOf(Put("us-east-2", "a", "2")), ErrorKind::kReplicatedWriteConflict);
  EXPECT_EQ(regions_->Conflicts("us-east-2"), 1);
  EXPECT_EQ(regions_->Conflicts("us-east-1"), 0);
  const std::vector<GlobalTable> tables = regions_->Tables().value();
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].name, kStrongTable);
  EXPECT_TRUE(tables[0].is_strong);
  EXPECT_EQ(tables[0].regions, (std::vector<std::string>{"us-east-1", "us-east-2"}));
  EXPECT_EQ(tables[0].witness, "us-west-2");
}

}  // namespace
}  // namespace dynolith
