// A database that goes back to states that it had, in memory and in a folder.
#include "dynolith/restorable_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/control/kinesis_destinations.h"
#include "api/database/database_impl.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "engine/process/thread_start.h"
#include "engine/stream/stream_log.h"
#include "tests/unit/api/database/songs.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

class RestorableDatabaseTest : public ::testing::TestWithParam<bool> {
 protected:
  bool in_memory() const { return GetParam(); }

  void Open(bool manual = false) { Open(manual, {}); }
  void Open(bool manual, RestorableOptions options) {
    database_.reset();
    options.database.in_memory = in_memory();
    if (!in_memory()) options.database.path = folder_ / "data";
    if (manual) options.manual_clock_start = kStart;
    auto database = RestorableDatabase::Open(options);
    ASSERT_TRUE(database.ok()) << database.status();
    database_ = *std::move(database);
  }

  static int Songs(const RestorableDatabase& database) {
    const auto state = database.Use();
    const auto page = state->database()->Scan({.table_name = "songs"});
    return page.ok() ? static_cast<int>(page->count) : -1;
  }
  int Songs() const { return Songs(*database_); }

  void PutSongsFrom(int first, int count) {
    const auto state = database_->Use();
    for (int i = first; i < first + count; ++i) ASSERT_TRUE(PutSong(state->database(), i).ok());
  }

  ScratchFolder folder_;
  std::unique_ptr<RestorableDatabase> database_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, RestorableDatabaseTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "InMemory" : "InFolder"; });

TEST_P(RestorableDatabaseTest, GoesBackAsOftenAsOneLikes) {
  Open();
  EXPECT_TRUE(database_->TakeSnapshot("empty").ok());
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  PutSongsFrom(0, 10);
  ASSERT_TRUE(database_->TakeSnapshot("ten").ok());
  for (int round = 0; round < 3; ++round) {
    PutSongsFrom(10 * (round + 1), 5);
    EXPECT_EQ(Songs(), 15);
    const absl::Status restored = database_->Restore("ten");
    ASSERT_TRUE(restored.ok()) << restored;
    EXPECT_EQ(Songs(), 10);
  }
  ASSERT_TRUE(database_->Restore("empty").ok());
  EXPECT_EQ(Songs(), -1) << "there is no table";
  ASSERT_TRUE(database_->Restore("ten").ok());
  EXPECT_EQ(Songs(), 10) << "a later snapshot stays when an earlier one comes back";
  EXPECT_THAT(*database_->ListSnapshots(), ElementsAre("empty", "ten"));
}

// Who follows changes by their numbers sees those behind a restore, as often as it happens.
TEST_P(RestorableDatabaseTest, NumbersOfRecordsAreNotUsedAgain) {
  Open();
  ASSERT_TRUE(database_->TakeSnapshot("empty").ok());
  CreateTableRequest table{.table_name = "followed",
                           .attribute_definitions = {{{"pk"}}},
                           .key_schema = {{{"pk"}}},
                           .billing_mode = BillingMode::kPayPerRequest};
  table.stream_specification = {true, StreamViewType::kKeysOnly};
  const auto put = [this](int i) {
    return database_->Use()->database()->PutItem(
        {.table_name = "followed", .item = {{"pk", Value::S(Concat(i))}}});
  };
  ASSERT_TRUE(database_->Use()->database()->CreateTable(table).ok());
  ASSERT_TRUE(database_->TakeSnapshot("table").ok());
  std::string place;
  std::string last;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(put(10 * round + i).ok());
    auto state = database_->Use();
    const auto reader = state->database()->ReadChanges(
        {.table_name = "followed", .after = place, .from_oldest = true});
    ASSERT_TRUE(reader.ok()) << reader.status();
    const auto changes = (*reader)->Next(100, absl::ZeroDuration());
    state.reset();
    ASSERT_TRUE(changes.ok()) << changes.status();
    ASSERT_EQ(changes->size(), 3U) << "round " << round;
    for (int i = 0; i < 3; ++i) {
      const StreamRecord& record = (*changes)[i].record.dynamodb;
      EXPECT_EQ(record.keys.Find("pk")->string(), Concat(10 * round + i));
      EXPECT_GT(record.sequence_number, last);
      last = record.sequence_number;
    }
    place = (*reader)->place();
    // By way of a state without a stream, too.
    if (round == 2) {
      ASSERT_TRUE(database_->Restore("empty").ok());
    }
    ASSERT_TRUE(database_->Restore("table").ok());
  }
}

TEST_P(RestorableDatabaseTest, ASnapshotTakesThePlaceOfItsNamesake) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  ASSERT_TRUE(database_->TakeSnapshot("base").ok());
  PutSongsFrom(0, 3);
  ASSERT_TRUE(database_->TakeSnapshot("base").ok());
  PutSongsFrom(3, 3);
  ASSERT_TRUE(database_->Restore("base").ok());
  EXPECT_EQ(Songs(), 3);
  EXPECT_THAT(*database_->ListSnapshots(), ElementsAre("base"));
}

TEST_P(RestorableDatabaseTest, WhatIsNotThereIsSaid) {
  Open();
  EXPECT_THAT(*database_->ListSnapshots(), IsEmpty());
  EXPECT_EQ(database_->Restore("base").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(database_->RemoveSnapshot("base").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(database_->Fork("base", {.path = in_memory() ? "" : folder_ / "fork"}).status().code(),
            absl::StatusCode::kNotFound);
  ASSERT_TRUE(database_->TakeSnapshot("base").ok());
  EXPECT_TRUE(database_->RemoveSnapshot("base").ok());
  EXPECT_EQ(database_->Restore("base").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(*database_->ListSnapshots(), IsEmpty());
}

TEST_P(RestorableDatabaseTest, ANameIsNoPath) {
  Open();
  for (const std::string& name :
       {std::string(), std::string("../data"), std::string("a/b"), std::string(".hidden"),
        std::string("nul\0", 4), std::string(256, 'a')}) {
    EXPECT_EQ(database_->TakeSnapshot(name).code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(database_->Restore(name).code(), absl::StatusCode::kNotFound) << name;
    EXPECT_EQ(database_->RemoveSnapshot(name).code(), absl::StatusCode::kNotFound) << name;
  }
  EXPECT_TRUE(database_->TakeSnapshot("v1.2_after-load").ok());
}

TEST_P(RestorableDatabaseTest, TheClockComesBack) {
  Open(/*manual=*/true);
  EXPECT_EQ(database_->Use()->clock()->Now(), kStart);
  ASSERT_TRUE(database_->TakeSnapshot("start").ok());
  database_->Use()->clock()->Advance(absl::Hours(25));
  ASSERT_TRUE(database_->TakeSnapshot("later").ok());
  ASSERT_TRUE(database_->Restore("start").ok());
  EXPECT_EQ(database_->Use()->clock()->Now(), kStart);
  ASSERT_TRUE(database_->Restore("later").ok());
  EXPECT_EQ(database_->Use()->clock()->Now(), kStart + absl::Hours(25));
}

TEST_P(RestorableDatabaseTest, AForkGoesItsOwnWay) {
  Open(/*manual=*/true);
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  PutSongsFrom(0, 10);
  ASSERT_TRUE(database_->TakeSnapshot("ten").ok());
  PutSongsFrom(10, 1);
  auto of_now = database_->Fork("", {.path = in_memory() ? "" : folder_ / "now"});
  ASSERT_TRUE(of_now.ok()) << of_now.status();
  auto of_ten = database_->Fork("ten", {.path = in_memory() ? "" : folder_ / "ten"});
  ASSERT_TRUE(of_ten.ok()) << of_ten.status();
  EXPECT_EQ(Songs(**of_now), 11);
  EXPECT_EQ(Songs(**of_ten), 10);
  (*of_ten)->Use()->clock()->Advance(absl::Hours(1));
  EXPECT_EQ(database_->Use()->clock()->Now(), kStart);
  ASSERT_TRUE(PutSong((*of_ten)->Use()->database(), 77).ok());
  EXPECT_EQ(Songs(), 11);
  EXPECT_EQ(Songs(**of_now), 11);
  EXPECT_THAT(*(*of_ten)->ListSnapshots(), IsEmpty());
  EXPECT_EQ(
      database_->Fork("", {.path = in_memory() ? folder_ / "x" : std::string()}).status().code(),
      absl::StatusCode::kInvalidArgument);
  database_.reset();
  EXPECT_EQ(Songs(**of_ten), 11) << "it does not need what it came from";
}

// Whoever sends changes to Kinesis has the database that was forked: a fork keeps none for it.
TEST_P(RestorableDatabaseTest, NobodySendsFromAFork) {
  RestorableOptions options;
  options.database.sends_to_kinesis = true;
  Open(/*manual=*/false, options);
  const auto enable = [](const RestorableDatabase& database, std::string_view stream) {
    return database.Use()->database()->EnableKinesisStreamingDestination(
        {.table_name = "songs",
         .stream_arn = Concat("arn:aws:kinesis:us-east-1:000000000000:stream/", stream)});
  };
  // Those of the change log, by whether they are closed.
  const auto kept = [](const RestorableDatabase& database) {
    std::vector<bool> closed;
    const auto state = database.Use();
    const auto streams = ContextOf(*state->database()).streams->DestinationStreams();
    for (const Stream& stream : *streams) {
      closed.push_back(stream.closed.has_value());
    }
    return closed;
  };
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  ASSERT_TRUE(enable(*database_, "one").ok());
  const OperationContext& context = ContextOf(*database_->Use()->database());
  ASSERT_TRUE(
      FinishEnabling(context, "songs", "arn:aws:kinesis:us-east-1:000000000000:stream/one", "")
          .ok());
  ASSERT_TRUE(enable(*database_, "two").ok());
  PutSongsFrom(0, 1);
  EXPECT_THAT(kept(*database_), ElementsAre(false, false));
  const auto fork = database_->Fork("", {.path = in_memory() ? "" : folder_ / "fork"});
  ASSERT_TRUE(fork.ok()) << fork.status();
  ASSERT_TRUE(enable(**fork, "three").ok());
  ASSERT_TRUE(PutSong((*fork)->Use()->database(), 1).ok());
  EXPECT_THAT(kept(**fork), ElementsAre(true, true));
  const auto shown =
      (*fork)->Use()->database()->DescribeKinesisStreamingDestination({.table_name = "songs"});
  ASSERT_TRUE(shown.ok()) << shown.status();
  ASSERT_EQ(shown->kinesis_data_stream_destinations.size(), 3);
  for (const auto& destination : shown->kinesis_data_stream_destinations) {
    EXPECT_EQ(destination.destination_status, KinesisDestinationStatus::kActive);
  }
  EXPECT_THAT(kept(*database_), ElementsAre(false, false));
}

// What goes through the whole of a state: streams, expiry, indexes, transactions' tokens.
TEST_P(RestorableDatabaseTest, AllOfItComesBack) {
  Open(/*manual=*/true);
  const auto create = [](Database* database) {
    return database
        ->CreateTable({.table_name = "music",
                       .attribute_definitions = {{{"pk"}, {"owner"}}},
                       .key_schema = {{{"pk"}}},
                       .global_secondary_indexes = {{{.index_name = "by_owner",
                                                      .key_schema = {{"owner"}},
                                                      .projection = {ProjectionType::kAll}}}},
                       .billing_mode = BillingMode::kPayPerRequest,
                       .stream_specification = {{.stream_enabled = true,
                                                 .stream_view_type = StreamViewType::kKeysOnly}}})
        .status();
  };
  ASSERT_TRUE(create(database_->Use()->database()).ok());
  const auto put = [&](const std::string& pk) {
    return database_->Use()
        ->database()
        ->PutItem(
            {.table_name = "music", .item = {{"pk", Value::S(pk)}, {"owner", Value::S("ann")}}})
        .status();
  };
  ASSERT_TRUE(put("a").ok());
  ASSERT_TRUE(database_->TakeSnapshot("one").ok());
  ASSERT_TRUE(put("b").ok());
  ASSERT_TRUE(database_->Use()->database()->DeleteTable({.table_name = "music"}).ok());
  ASSERT_TRUE(create(database_->Use()->database()).ok());
  ASSERT_TRUE(database_->Restore("one").ok());
  const auto state = database_->Use();
  QueryRequest query{.table_name = "music", .index_name = "by_owner"};
  query.key_condition_expression = "#o = :o";
  query.expression_attribute_names = {{{"#o", "owner"}}};
  query.expression_attribute_values = Item{{":o", Value::S("ann")}};
  const auto found = state->database()->Query(query);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->count, 1);
  // A new id is not one that the other way gave.
  ASSERT_TRUE(put("c").ok());
  EXPECT_EQ(state->database()->Query(query)->count, 2);
  EXPECT_EQ(state->database()->ListStreams({})->streams.size(), 1u);
}

TEST_P(RestorableDatabaseTest, CallsUnderWayEndInTheStateInWhichTheyBegan) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  PutSongsFrom(0, 3);
  ASSERT_TRUE(database_->TakeSnapshot("three").ok());
  std::atomic<bool> stop = false;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; !stop; ++i) {
        const auto state = database_->Use();
        if (!PutSong(state->database(), 100 + t).ok()) ++failures;
        // Whatever is restored meanwhile, what was written is there.
        Item key = SongKey(100 + t);
        const auto found =
            state->database()->GetItem({.table_name = "songs", .key = std::move(key)});
        if (!found.ok() || !found->item) ++failures;
      }
    });
  }
  for (int i = 0; i < 10; ++i) {
    const absl::Status restored = database_->Restore("three");
    EXPECT_TRUE(restored.ok()) << restored;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  ASSERT_TRUE(database_->Restore("three").ok());
  EXPECT_EQ(Songs(), 3);
}

// It may run on an event loop, and a large state takes long to close.
TEST_P(RestorableDatabaseTest, TheLastCallUnderWayDoesNotCloseItsState) {
  class Closed final : public StateAttachment {
   public:
    explicit Closed(std::atomic<std::thread::id>* by) : by_(by) {}
    ~Closed() override { *by_ = std::this_thread::get_id(); }

   private:
    std::atomic<std::thread::id>* const by_;
  };
  std::atomic<std::thread::id> closed_by;
  Open(/*manual=*/false, {.attach = [&](Database* /*database*/, ManualClock* /*clock*/) {
         return std::make_unique<Closed>(&closed_by);
       }});
  ASSERT_TRUE(database_->TakeSnapshot("empty").ok());
  auto state = database_->Use();
  std::thread restorer([&] { EXPECT_TRUE(database_->Restore("empty").ok()); });
  // In a folder it waits for the call.
  if (in_memory()) restorer.join();
  EXPECT_EQ(closed_by.load(), std::thread::id());
  // Whoever closes it waits, and does not leave that to this call: time enough to do so.
  for (int i = 0; i < 50 && state.use_count() > 1; ++i) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_GT(state.use_count(), 1);
  state.reset();
  while (closed_by.load() == std::thread::id()) std::this_thread::yield();
  EXPECT_NE(closed_by.load(), std::this_thread::get_id());
  if (restorer.joinable()) restorer.join();
  database_.reset();
}

TEST_P(RestorableDatabaseTest, NoClockOfOthers) {
  ManualClock clock(kStart);
  RestorableOptions options;
  options.database.in_memory = in_memory();
  options.database.path = folder_ / "data";
  options.database.clock = &clock;
  EXPECT_EQ(RestorableDatabase::Open(options).status().code(), absl::StatusCode::kInvalidArgument);
}

class RestorableInFolderTest : public RestorableDatabaseTest {
 protected:
  // What is kept beside the data folder.
  std::string Beside(const std::string& part) const {
    return folder_ / (".dynolith-states/data/" + part);
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, RestorableInFolderTest, ::testing::Values(false));

TEST_P(RestorableInFolderTest, SnapshotsAreThereWhenItIsOpenedAgain) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  PutSongsFrom(0, 4);
  ASSERT_TRUE(database_->TakeSnapshot("four").ok());
  PutSongsFrom(4, 1);
  Open();
  EXPECT_EQ(Songs(), 5);
  EXPECT_THAT(*database_->ListSnapshots(), ElementsAre("four"));
  ASSERT_TRUE(database_->Restore("four").ok());
  Open();
  EXPECT_EQ(Songs(), 4) << "what came back is in the folder itself";
  // Each is a store that any program opens.
  EXPECT_TRUE(Database::Open({.path = Beside("snapshots/four"), .read_only = true}).ok());
}

TEST_P(RestorableInFolderTest, WhatAKilledProcessWasMakingIsInNobodysWay) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  ASSERT_TRUE(database_->TakeSnapshot("base").ok());
  database_.reset();
  for (const char* const left : {"work/1/half", "work/1.tmp/half", "work/7"}) {
    std::filesystem::create_directories(Beside(left));
  }
  Open();
  EXPECT_FALSE(std::filesystem::exists(Beside("work")));
  EXPECT_THAT(*database_->ListSnapshots(), ElementsAre("base"));
  EXPECT_TRUE(database_->TakeSnapshot("other").ok());
  EXPECT_TRUE(database_->Restore("base").ok());
}

// What others keep beside the folder, whatever they call it, is theirs.
TEST_P(RestorableInFolderTest, NeighboursStay) {
  std::vector<std::string> neighbours;
  for (const char* const suffix : {".snapshots", ".restoring", ".tmp", ".databases"}) {
    neighbours.push_back(folder_ / (std::string("data") + suffix));
    const auto neighbour = Database::Open({.path = neighbours.back()});
    ASSERT_TRUE(neighbour.ok()) << neighbour.status();
    ASSERT_TRUE(CreateSongs(neighbour->get()).ok());
    ASSERT_TRUE((*neighbour)->Checkpoint(neighbours.back() + "/checkpoint").ok());
  }
  Open();
  EXPECT_THAT(*database_->ListSnapshots(), IsEmpty());
  EXPECT_EQ(database_->RemoveSnapshot("checkpoint").code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(database_->TakeSnapshot("checkpoint").ok());
  ASSERT_TRUE(database_->Restore("checkpoint").ok());
  ASSERT_TRUE(database_->RemoveSnapshot("checkpoint").ok());
  ASSERT_TRUE(database_->TakeSnapshot("base").ok());
  database_.reset();
  ASSERT_TRUE(RestorableDatabase::DeleteFolder(folder_ / "data").ok());
  for (const std::string& neighbour : neighbours) {
    for (const char* const part : {"", "/checkpoint"}) {
      const auto there = Database::Open({.path = neighbour + part, .read_only = true});
      ASSERT_TRUE(there.ok()) << there.status();
      EXPECT_TRUE((*there)->Scan({.table_name = "songs"}).ok()) << neighbour << part;
    }
  }
}

TEST_P(RestorableInFolderTest, SnapshotsOfProgramsBeforeAreFound) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  for (const char* const name : {"one", "two"}) ASSERT_TRUE(database_->TakeSnapshot(name).ok());
  PutSongsFrom(0, 3);
  database_.reset();
  std::filesystem::rename(Beside("snapshots"), folder_ / "data.snapshots");
  std::filesystem::create_directories(folder_ / "data.snapshots/of-others");
  RestorableOptions reading;
  reading.database.path = folder_ / "data";
  reading.database.read_only = true;
  EXPECT_THAT(*(*RestorableDatabase::Open(reading))->ListSnapshots(), ElementsAre("one", "two"));
  Open();
  EXPECT_THAT(*database_->ListSnapshots(), ElementsAre("one", "two"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "data.snapshots/of-others"));
  ASSERT_TRUE(database_->RemoveSnapshot("two").ok());
  ASSERT_TRUE(database_->Restore("one").ok());
  EXPECT_EQ(Songs(), 0);
  Open();
  EXPECT_THAT(*database_->ListSnapshots(), ElementsAre("one"));
}

TEST_P(RestorableInFolderTest, NamesMayBeAsLongAsNamesOfFiles) {
  const std::string longest(RestorableDatabase::kNameBytesMax, 'n');
  RestorableOptions options;
  options.database.path = folder_ / longest;
  {
    const auto database = *RestorableDatabase::Open(options);
    ASSERT_TRUE(CreateSongs(database->Use()->database()).ok());
    const absl::Status kept = database->TakeSnapshot(longest);
    ASSERT_TRUE(kept.ok()) << kept;
    EXPECT_THAT(*database->ListSnapshots(), ElementsAre(longest));
    const absl::Status restored = database->Restore(longest);
    ASSERT_TRUE(restored.ok()) << restored;
    const std::string other(RestorableDatabase::kNameBytesMax, 'o');
    const auto fork = database->Fork(longest, {.path = folder_ / other});
    ASSERT_TRUE(fork.ok()) << fork.status();
    EXPECT_EQ(Songs(**fork), 0);
  }
  const absl::Status deleted = RestorableDatabase::DeleteFolder(options.database.path);
  EXPECT_TRUE(deleted.ok()) << deleted;
  EXPECT_FALSE(std::filesystem::exists(options.database.path));
}

// At no moment of a restore can another one take the folder, and who is refused breaks nothing.
TEST_P(RestorableInFolderTest, ItIsHeldThroughARestore) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  ASSERT_TRUE(database_->TakeSnapshot("base").ok());
  std::atomic<bool> stop = false;
  std::atomic<int> refused = 0;
  std::atomic<int> others = 0;
  RestorableOptions options;
  options.database.path = folder_ / "data";
  std::vector<std::thread> threads;
  for (const bool restorable : {true, false}) {
    threads.emplace_back([&, restorable] {
      do {
        const absl::Status status = restorable ? RestorableDatabase::Open(options).status()
                                               : Database::Open(options.database).status();
        ++(absl::IsUnavailable(status) ? refused : others);
      } while (!stop);
    });
  }
  for (int i = 0; i < 20; ++i) {
    const absl::Status restored = database_->Restore("base");
    EXPECT_TRUE(restored.ok()) << restored;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(refused, 0);
  EXPECT_EQ(others, 0);
}

TEST_P(RestorableInFolderTest, ADeletedOneIsGoneWithItsSnapshots) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  ASSERT_TRUE(database_->TakeSnapshot("base").ok());
  const std::string path = folder_ / "data";
  EXPECT_TRUE(RestorableDatabase::IsFolder(path));
  EXPECT_EQ(RestorableDatabase::DeleteFolder(path).code(), absl::StatusCode::kUnavailable);
  database_.reset();
  ASSERT_TRUE(RestorableDatabase::DeleteFolder(path).ok());
  EXPECT_FALSE(RestorableDatabase::IsFolder(path));
  EXPECT_EQ(RestorableDatabase::DeleteFolder(path).code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / ".dynolith-states"));
  Open();
  EXPECT_EQ(Songs(), -1);
  EXPECT_THAT(*database_->ListSnapshots(), IsEmpty());
}

// A process that is killed behind the one step of a deletion leaves the rest to the next.
TEST_P(RestorableInFolderTest, ADeletionThatWasKilledGoesOn) {
  for (const bool tidied : {true, false}) {
    Open();
    ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
    ASSERT_TRUE(database_->TakeSnapshot("base").ok());
    database_.reset();
    std::filesystem::rename(folder_ / "data", Beside("deleted"));
    if (tidied) {
      ASSERT_TRUE(RestorableDatabase::TidyFolders(folder_.path()).ok());
      EXPECT_FALSE(std::filesystem::exists(folder_ / "data"));
      EXPECT_TRUE(std::filesystem::is_empty(folder_ / ".dynolith-states"));
    }
    Open();
    EXPECT_EQ(Songs(), -1);
    EXPECT_THAT(*database_->ListSnapshots(), IsEmpty());
    database_.reset();
  }
}

TEST_P(RestorableInFolderTest, ALinkToTheFolderStaysOne) {
  std::filesystem::create_directories(folder_ / "disk/data");
  std::filesystem::create_directory_symlink(folder_ / "disk/data", folder_ / "data");
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  ASSERT_TRUE(database_->TakeSnapshot("base").ok());
  PutSongsFrom(0, 3);
  ASSERT_TRUE(database_->Restore("base").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "data"));
  EXPECT_EQ(Songs(), 0);
  database_.reset();
  EXPECT_TRUE(Database::Open({.path = folder_ / "disk/data", .read_only = true}).ok());
}

TEST_P(RestorableInFolderTest, ADamagedSnapshotLeavesTheStateOfNow) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  PutSongsFrom(0, 2);
  ASSERT_TRUE(database_->TakeSnapshot("base").ok());
  for (const auto& file : std::filesystem::directory_iterator(Beside("snapshots/base"))) {
    if (file.path().filename().string().starts_with("MANIFEST")) {
      std::filesystem::resize_file(file.path(), 10);
    }
  }
  const absl::Status restored = database_->Restore("base");
  EXPECT_EQ(restored.code(), absl::StatusCode::kDataLoss) << restored;
  EXPECT_THAT(restored.ToString(), HasSubstr("data/snapshots/base"));
  EXPECT_EQ(Songs(), 2);
  PutSongsFrom(2, 1);
  EXPECT_EQ(Songs(), 3);
}

// What cannot be opened for want of something leaves the state of now, and the next restore works.
TEST_P(RestorableInFolderTest, ARestoreThatIsThrownOutOfHoldsUpNobody) {
  std::atomic<int> throws = 0;
  Open(false, {.attach = [&](Database*, ManualClock*) -> std::unique_ptr<StateAttachment> {
         if (throws > 0 && throws-- > 0) throw std::runtime_error("nothing fits");
         return nullptr;
       }});
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  ASSERT_TRUE(database_->TakeSnapshot("empty").ok());
  PutSongsFrom(0, 2);
  throws = 1;
  const absl::Status restored = database_->Restore("empty");
  EXPECT_EQ(KindOf(restored), ErrorKind::kServiceUnavailable);
  EXPECT_THAT(restored.ToString(), HasSubstr("could not be opened: nothing fits"));
  EXPECT_EQ(Songs(), 2);
  // Nor can the state of now.
  throws = 2;
  EXPECT_EQ(KindOf(database_->Restore("empty")), ErrorKind::kServiceUnavailable);
  EXPECT_EQ(database_->Use(), nullptr);
  ASSERT_TRUE(database_->Restore("empty").ok());
  EXPECT_EQ(Songs(), 0);
}

TEST_P(RestorableInFolderTest, ARestoreWithoutRoomForThreadsLeavesTheStateOfNow) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  ASSERT_TRUE(database_->TakeSnapshot("empty").ok());
  PutSongsFrom(0, 2);
  {
    const NoRoomForThreads no_room;
    EXPECT_EQ(KindOf(database_->Restore("empty")), ErrorKind::kServiceUnavailable);
  }
  ASSERT_TRUE(database_->Restore("empty").ok());
  EXPECT_EQ(Songs(), 0);
}

TEST_P(RestorableInFolderTest, AStateThatCannotComeBackIsKept) {
  const std::string data = folder_ / "data";
  bool is_broken = false;
  Open(false, {.attach = [&](Database*, ManualClock*) -> std::unique_ptr<StateAttachment> {
         if (!is_broken) return nullptr;
         is_broken = false;
         // So that the folders cannot be exchanged again.
         std::filesystem::rename(data, data + ".elsewhere");
         throw std::runtime_error("nothing fits");
       }});
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  ASSERT_TRUE(database_->TakeSnapshot("before-restore").ok());
  PutSongsFrom(0, 3);
  is_broken = true;
  const absl::Status restored = database_->Restore("before-restore");
  EXPECT_THAT(restored.ToString(), HasSubstr("nothing fits"));
  EXPECT_THAT(restored.ToString(), HasSubstr("could not be exchanged"));
  EXPECT_THAT(restored.ToString(),
              HasSubstr("the state before the restore is the snapshot before-restore-2"));
  std::filesystem::rename(data + ".elsewhere", data);
  ASSERT_TRUE(database_->Restore("before-restore-2").ok());
  EXPECT_EQ(Songs(), 3);
  Open();
  EXPECT_EQ(Songs(), 3);
}

TEST_P(RestorableInFolderTest, WhatIsRemovedIsInNobodysWay) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  PutSongsFrom(0, 50);
  ASSERT_TRUE(database_->TakeSnapshot("a").ok());
  ASSERT_TRUE(database_->TakeSnapshot("b").ok());
  for (int i = 0; i < 20; ++i) {
    const absl::Status restored = database_->Restore(i % 2 == 0 ? "a" : "b");
    ASSERT_TRUE(restored.ok()) << restored;
  }
  EXPECT_EQ(Songs(), 50);
}

TEST_P(RestorableInFolderTest, OneThatIsReadStaysAsItIs) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  ASSERT_TRUE(database_->TakeSnapshot("base").ok());
  database_.reset();
  RestorableOptions options;
  options.database.path = folder_ / "data";
  options.database.read_only = true;
  const auto reader = *RestorableDatabase::Open(options);
  EXPECT_THAT(*reader->ListSnapshots(), ElementsAre("base"));
  for (const absl::Status& status :
       {reader->TakeSnapshot("x"), reader->Restore("base"), reader->RemoveSnapshot("base"),
        reader->Fork("base", {.path = folder_ / "fork"}).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  }
  EXPECT_EQ(Songs(*reader), 0);
}

// A process that was killed before it had begun a store leaves no store.
TEST_P(RestorableInFolderTest, AForkTakesThePlaceOfNothing) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  std::filesystem::create_directories(folder_ / "fork");
  for (const char* name : {"DYNOLITH.new", "DYNOLITH.keys", "DYNOLITH.keys.new"}) {
    std::ofstream(std::filesystem::path(folder_ / "fork") / name) << "dyno";
  }
  EXPECT_FALSE(RestorableDatabase::IsFolder(folder_ / "fork"));
  const auto fork = database_->Fork("", {.path = folder_ / "fork"});
  ASSERT_TRUE(fork.ok()) << fork.status();
  EXPECT_EQ(Songs(**fork), 0);
}

TEST_P(RestorableInFolderTest, AForkNeedsRoom) {
  Open();
  ASSERT_TRUE(CreateSongs(database_->Use()->database()).ok());
  std::filesystem::create_directories(folder_ / "full/of");
  EXPECT_EQ(database_->Fork("", {.path = folder_ / "full"}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Songs(), 0);
}

}  // namespace
}  // namespace dynolith::testing
