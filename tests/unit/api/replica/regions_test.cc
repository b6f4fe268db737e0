// Replicas in several regions of one process: their life, what arrives when, and that all regions
// become equal to a dull model of "the last writer wins", whatever happens in between.
#include "dynolith/regions.h"

#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dynolith/database.h"
#include "dynolith/pager.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Time kStart = absl::FromUnixSeconds(1'700'000'000);
constexpr std::string_view kGlobalTable = "songs";

CreateTableRequest ReplicatedTable() {
  CreateTableRequest request;
  request.table_name = kGlobalTable;
  request.attribute_definitions = {{{"pk"}, {"tag"}}};
  request.key_schema = {{{"pk"}}};
  request.billing_mode = BillingMode::kPayPerRequest;
  request.stream_specification = {.stream_enabled = true,
                                  .stream_view_type = StreamViewType::kNewAndOldImages};
  SecondaryIndex index;
  index.index_name = "by-tag";
  index.key_schema = {{"tag"}};
  index.projection.projection_type = ProjectionType::kAll;
  request.global_secondary_indexes = {index};
  return request;
}

UpdateTableRequest UpdateOfReplicas() {
  UpdateTableRequest request;
  request.table_name = kGlobalTable;
  request.replica_updates.emplace().emplace_back();
  return request;
}

UpdateTableRequest AddReplica(const std::string& region) {
  UpdateTableRequest request = UpdateOfReplicas();
  request.replica_updates->front().create.emplace().region_name = region;
  return request;
}

UpdateTableRequest DropReplica(const std::string& region) {
  UpdateTableRequest request = UpdateOfReplicas();
  request.replica_updates->front().delete_region_name = region;
  return request;
}

class RegionsTest : public ::testing::Test {
 protected:
  // In that folder; empty: in memory.
  void Open(const std::string& region, const std::string& folder = "") {
    DatabaseOptions options = {.path = folder, .in_memory = folder.empty()};
    options.region = region;
    options.clock = &clock_;
    options.regions = regions_.get();
    databases_[region] = Database::Open(options).value();
  }
  Database& In(const std::string& region) { return *databases_.at(region); }

  void Put(const std::string& region, const std::string& key, const std::string& value) {
    const Item item = {{"pk", Value::S(key)}, {"tag", Value::S("t")}, {"v", Value::S(value)}};
    ASSERT_TRUE(In(region).PutItem({.table_name = std::string(kGlobalTable), .item = item}).ok());
  }
  void Delete(const std::string& region, const std::string& key) {
    const absl::Status deleted =
        In(region)
            .DeleteItem({.table_name = std::string(kGlobalTable), .key = {{"pk", Value::S(key)}}})
            .status();
    ASSERT_TRUE(deleted.ok()) << deleted;
  }
  using Items = std::map<std::string, std::string>;
  // By key; also as its index has them.
  Items ItemsIn(const std::string& region) {
    Items items;
    auto scan = In(region).ScanAll({.table_name = std::string(kGlobalTable)});
    for (const Item& item : scan) {
      items[std::string(item.view().Find("pk")->string())] = item.view().Find("v")->string();
    }
    EXPECT_TRUE(scan.status().ok()) << scan.status();
    return items;
  }
  TableDescription Described(const std::string& region) {
    return In(region).DescribeTable({std::string(kGlobalTable)}).value();
  }
  void Settle() {
    const absl::Status settled = regions_->Settle();
    ASSERT_TRUE(settled.ok()) << settled;
  }
  // The table in all of them.
  void Replicate(const std::vector<std::string>& regions) {
    for (const std::string& region : regions) Open(region);
    ASSERT_TRUE(In(regions[0]).CreateTable(ReplicatedTable()).ok());
    for (size_t i = 1; i < regions.size(); ++i) {
      const absl::Status added = In(regions[0]).UpdateTable(AddReplica(regions[i])).status();
      ASSERT_TRUE(added.ok()) << added;
      Settle();
    }
  }

  ManualClock clock_{kStart};
  std::unique_ptr<Regions> regions_ = Regions::Make();
  std::map<std::string, std::unique_ptr<Database>> databases_;
};

// --- Their life

TEST_F(RegionsTest, AReplicaGetsTheItemsAndEachFurtherWrite) {
  Open("east");
  Open("west");
  ASSERT_TRUE(In("east").CreateTable(ReplicatedTable()).ok());
  for (int i = 0; i < 500; ++i) Put("east", "old" + std::to_string(i), "1");
  ASSERT_TRUE(In("east").UpdateTable(AddReplica("west")).ok());
  Settle();
  EXPECT_THAT(ItemsIn("west"), SizeIs(500));
  Put("east", "new", "east");
  Put("west", "old7", "west");
  Delete("west", "old8");
  Settle();
  EXPECT_EQ(ItemsIn("east"), ItemsIn("west"));
  EXPECT_EQ(ItemsIn("east").at("old7"), "west");
  EXPECT_THAT(ItemsIn("east"), SizeIs(500));

  const TableDescription west = Described("west");
  EXPECT_EQ(west.global_table_version, "2019.11.21");
  ASSERT_THAT(west.replicas, SizeIs(1));
  EXPECT_EQ(west.replicas[0].region_name, "east");
  EXPECT_EQ(west.replicas[0].replica_status, ReplicaStatus::kActive);
  EXPECT_EQ(west.table_status, TableStatus::kActive);
  EXPECT_EQ(west.global_secondary_indexes.at(0).item_count, 500);
  EXPECT_THAT(west.table_arn, HasSubstr(":west:"));
}

TEST_F(RegionsTest, AReplicaThatIsDeletedHandsOverWhatItHas) {
  Replicate({"east", "west", "south"});
  ASSERT_TRUE(regions_->SetLag("west", "", {.is_paused = true}).ok());
  Put("west", "last", "west");
  ASSERT_TRUE(In("east").UpdateTable(DropReplica("west")).ok());
  Settle();
  EXPECT_EQ(Described("east").replicas.at(0).replica_status, ReplicaStatus::kDeleting);
  EXPECT_EQ(Described("west").table_status, TableStatus::kDeleting);
  regions_->Release();
  Settle();
  EXPECT_EQ(In("west").DescribeTable({std::string(kGlobalTable)}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(ItemsIn("east"), (Items{{"last", "west"}}));
  EXPECT_EQ(ItemsIn("south"), ItemsIn("east"));
  for (const std::string region : {"east", "south"}) {
    EXPECT_THAT(Described(region).replicas, SizeIs(1)) << region;
  }
  // The last one leaves: no global table is left, nor anything that belonged to it.
  ASSERT_TRUE(In("east").UpdateTable(DropReplica("south")).ok());
  Settle();
  EXPECT_THAT(Described("east").replicas, IsEmpty());
  EXPECT_EQ(Described("east").global_table_version, std::nullopt);
}

TEST_F(RegionsTest, DeleteTableLeavesTheOthers) {
  Replicate({"east", "west"});
  Put("west", "a", "1");
  const auto refused = In("east").DeleteTable({std::string(kGlobalTable)});
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("has acted as a source region for new replica(s)"));
  ASSERT_TRUE(In("west").DeleteTable({std::string(kGlobalTable)}).ok());
  Settle();
  EXPECT_FALSE(In("west").DescribeTable({std::string(kGlobalTable)}).ok());
  EXPECT_EQ(ItemsIn("east"), (Items{{"a", "1"}}));
  EXPECT_THAT(Described("east").replicas, IsEmpty());
}

TEST_F(RegionsTest, NothingLeavesOrChangesWhileAReplicaIsFilled) {
  Open("east");
  Open("west");
  ASSERT_TRUE(In("east").CreateTable(ReplicatedTable()).ok());
  Put("east", "a", "1");
  regions_->SetCut("west", true);
  ASSERT_TRUE(In("east").UpdateTable(AddReplica("west")).ok());
  Settle();
  const auto in_use = HasSubstr("west");
  const auto left = In("east").DeleteTable({std::string(kGlobalTable)});
  EXPECT_THAT(std::string(left.status().message()), in_use);
  const auto changed = In("east").UpdateTimeToLive(
      {.table_name = std::string(kGlobalTable), .time_to_live_specification = {true, "until"}});
  EXPECT_THAT(std::string(changed.status().message()), in_use);
  regions_->Release();
  Settle();
  EXPECT_EQ(ItemsIn("west"), (Items{{"a", "1"}}));
  EXPECT_EQ(Described("west").table_status, TableStatus::kActive);
}

TEST_F(RegionsTest, AnotherTableOfThatNameIsLeftAlone) {
  for (const std::string region : {"east", "west", "north"}) Open(region);
  ASSERT_TRUE(In("east").CreateTable(ReplicatedTable()).ok());
  ASSERT_TRUE(In("north").CreateTable(ReplicatedTable()).ok());
  ASSERT_TRUE(In("east").UpdateTable(AddReplica("west")).ok());
  Settle();
  Put("north", "north", "1");
  Settle();
  EXPECT_THAT(Described("north").replicas, IsEmpty());
  EXPECT_THAT(ItemsIn("west"), IsEmpty());

  // A client is faster than what makes the replica.
  Open("south");
  regions_->SetCut("south", true);
  ASSERT_TRUE(In("east").UpdateTable(AddReplica("south")).ok());
  ASSERT_TRUE(In("south").CreateTable(ReplicatedTable()).ok());
  regions_->Release();
  Put("east", "east", "1");
  Settle();
  EXPECT_THAT(ItemsIn("south"), IsEmpty());
  EXPECT_THAT(Described("east").replicas, SizeIs(1));
  EXPECT_THAT(ItemsIn("west"), SizeIs(1));
}

TEST_F(RegionsTest, ANewReplicaKnowsOfDeletions) {
  Replicate({"east", "west"});
  Put("east", "a", "first");
  Settle();
  ASSERT_TRUE(regions_->SetLag("west", "", {.is_paused = true}).ok());
  Put("west", "a", "older");
  clock_.Advance(absl::Seconds(1));
  Delete("east", "a");
  Open("south");
  ASSERT_TRUE(In("east").UpdateTable(AddReplica("south")).ok());
  Settle();
  regions_->Release();
  Settle();
  for (const std::string region : {"east", "west", "south"}) {
    EXPECT_THAT(ItemsIn(region), IsEmpty()) << region;
  }
}

TEST_F(RegionsTest, WhatMayHaveReplicasAndWhere) {
  Open("east");
  Open("west");
  CreateTableRequest plain = ReplicatedTable();
  plain.stream_specification.reset();
  ASSERT_TRUE(In("east").CreateTable(plain).ok());
  const auto error = [&](const UpdateTableRequest& request) {
    return std::string(In("east").UpdateTable(request).status().message());
  };
  EXPECT_THAT(error(AddReplica("west")), HasSubstr("NEW_AND_OLD_IMAGES"));
  EXPECT_THAT(error(AddReplica("east")),
              HasSubstr("Cannot add, delete, or update the local region"));
  EXPECT_THAT(error(AddReplica("moon")), HasSubstr("Region moon is not one of the regions"));
  EXPECT_THAT(error(DropReplica("west")), HasSubstr("was not found"));
  ASSERT_TRUE(In("west").CreateTable(plain).ok());
  EXPECT_THAT(error(AddReplica("west")), HasSubstr("already existed as tables"));
}

TEST_F(RegionsTest, ChangesOfTheTableAreCommon) {
  Replicate({"east", "west"});
  ASSERT_TRUE(In("west")
                  .UpdateTimeToLive({.table_name = std::string(kGlobalTable),
                                     .time_to_live_specification = {true, "until"}})
                  .ok());
  EXPECT_EQ(In("east")
                .DescribeTimeToLive({std::string(kGlobalTable)})
                ->time_to_live_description.attribute_name,
            "until");
  UpdateTableRequest drop;
  drop.table_name = kGlobalTable;
  drop.global_secondary_index_updates.emplace().emplace_back().delete_index_name = "by-tag";
  ASSERT_TRUE(In("east").UpdateTable(drop).ok());
  EXPECT_THAT(Described("west").global_secondary_indexes, IsEmpty());
  UpdateTableRequest stop;
  stop.table_name = kGlobalTable;
  stop.stream_specification = {.stream_enabled = false};
  EXPECT_FALSE(In("east").UpdateTable(stop).ok());

  // What time to live deletes in one region goes in all of them.
  const Item item = {
      {"pk", Value::S("a")}, {"v", Value::S("1")}, {"until", Value::N(1'700'000'010)}};
  ASSERT_TRUE(regions_->SetLag("", "", {.is_paused = true}).ok());
  ASSERT_TRUE(In("east").PutItem({.table_name = std::string(kGlobalTable), .item = item}).ok());
  clock_.Advance(absl::Hours(1));
  EXPECT_THAT(ItemsIn("east"), IsEmpty());
  regions_->Release();
  Settle();
  EXPECT_THAT(ItemsIn("west"), IsEmpty());
}

TEST_F(RegionsTest, AReplicaHasSettingsOfItsOwn) {
  Replicate({"east", "west"});
  UpdateTableRequest request = UpdateOfReplicas();
  auto& update = request.replica_updates->front().update.emplace();
  update.region_name = "west";
  update.table_class_override = TableClass::kStandardInfrequentAccess;
  update.on_demand_throughput_override = {.max_read_request_units = 7};
  ASSERT_TRUE(In("east").UpdateTable(request).ok());
  const ReplicaDescription shown = Described("east").replicas.at(0);
  EXPECT_EQ(shown.replica_table_class_summary->table_class, TableClass::kStandardInfrequentAccess);
  EXPECT_EQ(shown.on_demand_throughput_override->max_read_request_units, 7);
  EXPECT_EQ(Described("west").table_class_summary->table_class,
            TableClass::kStandardInfrequentAccess);
  EXPECT_EQ(Described("west").on_demand_throughput->max_read_units, 7);
  EXPECT_FALSE(Described("east").table_class_summary.has_value());
}

// --- When changes arrive

TEST_F(RegionsTest, ALagIsOfTheClock) {
  Replicate({"east", "west"});
  const ReplicaLag five = {.least = absl::Seconds(5), .most = absl::Seconds(5)};
  ASSERT_TRUE(regions_->SetLag("east", "west", five).ok());
  Put("east", "a", "1");
  clock_.Advance(absl::Seconds(3));
  Put("east", "a", "2");
  EXPECT_THAT(ItemsIn("west"), IsEmpty());
  // What arrives is the item as it was five seconds ago.
  clock_.Advance(absl::Seconds(2));
  EXPECT_EQ(ItemsIn("west"), (Items{{"a", "1"}}));
  clock_.Advance(absl::Seconds(3));
  EXPECT_EQ(ItemsIn("west"), (Items{{"a", "2"}}));

  regions_->SetCut("west", true);
  Put("east", "b", "1");
  Put("west", "c", "1");
  clock_.Advance(absl::Hours(30));
  EXPECT_THAT(ItemsIn("west"), SizeIs(2));
  const std::vector<ReplicaLink> links = regions_->Report().value();
  ASSERT_THAT(links, SizeIs(2));
  EXPECT_EQ(links[0].from, "east");
  EXPECT_TRUE(links[0].is_cut);
  EXPECT_EQ(links[0].pending, 1);
  EXPECT_EQ(links[0].arrived, 2);
  EXPECT_EQ(links[1].pending, 1);
  regions_->Release();
  Settle();
  EXPECT_THAT(ItemsIn("west"), SizeIs(3));
  EXPECT_EQ(ItemsIn("east"), ItemsIn("west"));
}

TEST_F(RegionsTest, APausedChangeSurvivesTheEndOfBoth) {
  const std::string folder = ::testing::TempDir() + "dynolith_regions_" + std::to_string(getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  Open("east", folder + "/east");
  Open("west", folder + "/west");
  ASSERT_TRUE(In("east").CreateTable(ReplicatedTable()).ok());
  for (int i = 0; i < 300; ++i) Put("east", std::to_string(i), "1");
  ASSERT_TRUE(In("east").UpdateTable(AddReplica("west")).ok());
  // Wherever the filling is: it goes on.
  databases_.clear();
  Open("east", folder + "/east");
  Put("east", "alone", "1");
  Open("west", folder + "/west");
  Settle();
  EXPECT_THAT(ItemsIn("west"), SizeIs(301));
  ASSERT_TRUE(regions_->SetLag("", "", {.is_paused = true}).ok());
  Put("east", "a", "east");
  Put("west", "a", "west");
  databases_.clear();
  regions_->Release();
  Open("west", folder + "/west");
  Open("east", folder + "/east");
  Settle();
  EXPECT_EQ(ItemsIn("east"), ItemsIn("west"));
  EXPECT_EQ(ItemsIn("west").at("a"), "west");
  databases_.clear();
  std::filesystem::remove_all(folder);
}

// --- The last writer wins

// Each region's items with their versions, and what is on its way, in the plainest way.
class DullRegions {
 public:
  explicit DullRegions(std::vector<std::string> names) : names_(std::move(names)) {}

  void Write(const std::string& region, const std::string& key, std::optional<std::string> value,
             int64_t now) {
    Entry& entry = items_[region][key];
    if (!value && !entry.value) return;
    entry = {std::max(now, entry.stamp + 1), region, std::move(value)};
    for (const std::string& to : names_) {
      if (to != region) on_the_way_[{region, to}].emplace_back(key, entry);
    }
  }
  void Deliver(const std::string& from, const std::string& to) {
    for (const auto& [key, sent] : std::exchange(on_the_way_[{from, to}], {})) {
      Entry& entry = items_[to][key];
      if (std::tie(entry.stamp, entry.region) < std::tie(sent.stamp, sent.region)) entry = sent;
    }
  }
  std::map<std::string, std::string> ItemsIn(const std::string& region) {
    std::map<std::string, std::string> items;
    for (const auto& [key, entry] : items_[region]) {
      if (entry.value) items[key] = *entry.value;
    }
    return items;
  }

 private:
  struct Entry {
    int64_t stamp = 0;
    std::string region;
    std::optional<std::string> value;
  };
  std::vector<std::string> names_;
  std::map<std::string, std::map<std::string, Entry>> items_;
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<std::string, Entry>>>
      on_the_way_;
};

TEST_F(RegionsTest, AllBecomeEqualAsTheModelSays) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto upto = [&](size_t count) { return static_cast<size_t>(random() % count); };
  const std::vector<std::string> names = {"east", "south", "west"};
  Replicate(names);
  DullRegions model(names);
  std::map<std::string, int64_t> skew;
  ASSERT_TRUE(regions_->SetLag("", "", {.is_paused = true}).ok());
  const auto deliver = [&](const std::string& from, const std::string& to) {
    ASSERT_TRUE(regions_->SetLag(from, to, {}).ok());
    Settle();
    ASSERT_TRUE(regions_->SetLag(from, to, {.is_paused = true}).ok());
    model.Deliver(from, to);
    ASSERT_EQ(ItemsIn(to), model.ItemsIn(to)) << from << " to " << to;
  };
  for (int step = 0; step < 600; ++step) {
    const std::string& region = names[upto(names.size())];
    const std::string key(1, static_cast<char>('a' + upto(6)));
    const int64_t now = absl::ToUnixMicros(clock_.Now()) + skew[region];
    switch (upto(8)) {
      case 0:
        clock_.Advance(absl::Microseconds(upto(4)));
        break;
      case 1:
        Delete(region, key);
        model.Write(region, key, std::nullopt, now);
        break;
      case 2: {
        const std::string& to = names[upto(names.size())];
        if (to != region) deliver(region, to);
        break;
      }
      case 3:
        skew[region] = static_cast<int64_t>(upto(9)) - 4;
        ASSERT_TRUE(regions_->SetSkew(region, absl::Microseconds(skew[region])).ok());
        break;
      default: {
        // Few values: some writes leave the item as it is.
        const std::string value(1, static_cast<char>('0' + upto(3)));
        Put(region, key, value);
        model.Write(region, key, value, now);
      }
    }
  }
  for (const std::string& from : names) {
    for (const std::string& to : names) {
      if (from != to) deliver(from, to);
    }
  }
  EXPECT_EQ(ItemsIn("east"), ItemsIn("south"));
  EXPECT_EQ(ItemsIn("east"), ItemsIn("west"));
}

}  // namespace
}  // namespace dynolith
