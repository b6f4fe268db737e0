// Many databases by name: what is done to one holds up nobody who asks for another, at most so many
// of a folder are open, and names never meet what is kept beside the folders.
#include "api/service/named_databases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/process/thread_start.h"
#include "tests/unit/api/database/songs.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NamedDatabasesTest : public ::testing::TestWithParam<bool> {
 protected:
  bool in_memory() const { return GetParam(); }

  void Open(NamedDatabasesOptions options = {}) { Open(std::move(options), folder_ / "data"); }
  void Open(NamedDatabasesOptions options, const std::string& path) {
    databases_.reset();
    options.each.database.in_memory = in_memory();
    if (!in_memory()) options.each.database.path = path;
    auto opened = NamedDatabases::Open(options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    databases_ = *std::move(opened);
  }

  std::shared_ptr<DatabaseInstance> Obtain(std::string_view name) {
    auto obtained = databases_->Obtain(name, "");
    EXPECT_TRUE(obtained.ok()) << name << ": " << obtained.status();
    return obtained.ok() ? *obtained : nullptr;
  }
  // Makes the database with as many songs.
  void MakeWith(std::string_view name, int songs) {
    const auto database = Obtain(name);
    const DatabaseInstance::Use use = database->Begin();
    ASSERT_TRUE(CreateSongs(use.database()).ok());
    for (int i = 0; i < songs; ++i) ASSERT_TRUE(PutSong(use.database(), i).ok());
  }
  // -1: there is no such database, or no table in it.
  int Songs(std::string_view name) {
    const auto found = databases_->Find(name);
    EXPECT_TRUE(found.ok()) << name << ": " << found.status();
    if (!found.ok() || *found == nullptr) return -1;
    const DatabaseInstance::Use use = (*found)->Begin();
    const auto page = use.database()->Scan({.table_name = "songs"});
    return page.ok() ? static_cast<int>(page->count) : -1;
  }
  size_t OpenNow() {
    size_t open = 0;
    databases_->ForEach([&](DatabaseInstance&) { ++open; });
    return open - 1;  // without the first
  }

  ScratchFolder folder_;
  std::unique_ptr<NamedDatabases> databases_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, NamedDatabasesTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "InMemory" : "InFolder"; });

TEST_P(NamedDatabasesTest, NamesDoNotMeetWhatIsKeptBesideThem) {
  Open();
  const std::vector<std::string> names = {"a", "a.databases", "a.restoring", "a.snapshots",
                                          "a.tmp"};
  int songs = 0;
  for (const std::string& name : names) MakeWith(name, ++songs);
  auto& a = Obtain("a")->restorable();
  for (const char* const name : {"sorted", "checkpoint", "one"}) {
    ASSERT_TRUE(a.TakeSnapshot(name).ok());
    ASSERT_TRUE(a.Restore(name).ok());
  }
  EXPECT_EQ(*databases_->List(), names);
  EXPECT_TRUE(databases_->Remove("a").ok());
  for (int i = 1; i < 5; ++i) EXPECT_EQ(Songs(names[i]), i + 1) << names[i];
  EXPECT_EQ(Songs("a"), -1);
  if (in_memory()) return;
  Open();
  for (int i = 1; i < 5; ++i) EXPECT_EQ(Songs(names[i]), i + 1) << names[i];
  EXPECT_THAT(*databases_->List(), SizeIs(4));
}

TEST_P(NamedDatabasesTest, TheLongestNamesDoAll) {
  Open();
  for (const size_t size : {245, 246, 250, 255}) {
    const std::string name(size, 'n');
    MakeWith(name, 1);
    auto& restorable = Obtain(name)->restorable();
    const absl::Status kept = restorable.TakeSnapshot(name);
    ASSERT_TRUE(kept.ok()) << kept;
    const absl::Status restored = restorable.Restore(name);
    ASSERT_TRUE(restored.ok()) << restored;
    const NamedDatabases::Origin origin{name, name};
    const std::string copy(size, 'c');
    const absl::Status made = databases_->Create(copy, &origin);
    ASSERT_TRUE(made.ok()) << made;
    EXPECT_EQ(Songs(copy), 1);
    EXPECT_TRUE(databases_->Remove(copy).ok());
    const absl::Status removed = databases_->Remove(name);
    EXPECT_TRUE(removed.ok()) << removed;
  }
  EXPECT_THAT(*databases_->List(), IsEmpty());
  EXPECT_EQ(databases_->Obtain(std::string(256, 'n'), "").status().code(),
            absl::StatusCode::kInvalidArgument);
}

// Somebody is busy with "one" for as long as the test wants it.
TEST_P(NamedDatabasesTest, NobodyWaitsForAnotherDatabase) {
  Open();
  MakeWith("one", 1);
  MakeWith("other", 2);
  auto held = Obtain("one");
  auto use = std::make_optional(held->Begin());
  std::thread remover([&] { EXPECT_TRUE(databases_->Remove("one").ok()); });
  // It has begun when nobody finds it any more.
  while (databases_->FindOpen("one") != nullptr) std::this_thread::yield();
  EXPECT_EQ(Songs("other"), 2);
  EXPECT_NE(databases_->FindOpen("other"), nullptr);
  MakeWith("third", 3);
  const NamedDatabases::Origin origin{"other", ""};
  EXPECT_TRUE(databases_->Create("fourth", &origin).ok());
  EXPECT_TRUE(databases_->Remove("other").ok());
  EXPECT_EQ(Songs("fourth"), 2);
  // What is under way ends in it.
  EXPECT_TRUE(PutSong(use->database(), 7).ok());
  use.reset();
  held.reset();
  remover.join();
  EXPECT_EQ(Songs("one"), -1);
  EXPECT_THAT(*databases_->List(), ElementsAre("fourth", "third"));
}

TEST_P(NamedDatabasesTest, OnlySoManyAreMade) {
  Open({.databases_max = 2});
  MakeWith("a", 0);
  ASSERT_TRUE(databases_->Create("b", nullptr).ok());
  EXPECT_EQ(KindOf(databases_->Create("c", nullptr)), ErrorKind::kLimitExceeded);
  EXPECT_EQ(KindOf(databases_->Obtain("c", "").status()), ErrorKind::kLimitExceeded);
  EXPECT_THAT(*databases_->List(), ElementsAre("a", "b"));
  ASSERT_TRUE(databases_->Remove("a").ok());
  EXPECT_TRUE(databases_->Create("c", nullptr).ok());
  if (in_memory()) return;
  Open({.databases_max = 2});
  EXPECT_EQ(KindOf(databases_->Create("d", nullptr)), ErrorKind::kLimitExceeded);
}

TEST_P(NamedDatabasesTest, CallsMakeThemIfTheyMay) {
  Open({.calls_make = false});
  EXPECT_EQ(KindOf(databases_->Obtain("a", "").status()), ErrorKind::kValidation);
  EXPECT_THAT(*databases_->List(), IsEmpty());
  ASSERT_TRUE(databases_->Create("a", nullptr).ok());
  EXPECT_TRUE(databases_->Obtain("a", "").ok());
}

// Why: what a client keeps under any name must stay what it is, and must not become what others
// begin with.
TEST_P(NamedDatabasesTest, TheBeginningHasNoName) {
  Open();
  RestorableDatabase& first = databases_->first().restorable();
  ASSERT_TRUE(first.TakeSnapshot("beginning").ok());
  for (const int songs : {1, 2}) {
    const DatabaseInstance::Use use = databases_->first().Begin();
    ASSERT_TRUE(songs == 2 || CreateSongs(use.database()).ok());
    ASSERT_TRUE(PutSong(use.database(), songs).ok());
    ASSERT_TRUE(databases_->SetBeginning().ok());
  }
  EXPECT_THAT(*first.ListSnapshots(), ElementsAre("beginning"));
  ASSERT_TRUE(first.Restore("beginning").ok());
  EXPECT_EQ(Songs(""), -1);
  Obtain("a");
  EXPECT_EQ(Songs("a"), 2);
  ASSERT_TRUE(first.RemoveSnapshot("beginning").ok());
  Obtain("b");
  EXPECT_EQ(Songs("b"), 2);
}

class NamedDatabasesInFolderTest : public NamedDatabasesTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, NamedDatabasesInFolderTest, ::testing::Values(false));

// In memory another one needs no thread (tests/unit/api/database/memory_threads_test.cc).
TEST_P(NamedDatabasesInFolderTest, WhatCannotBeOpenedTakesNothing) {
  Open({.databases_max = 2, .open_max = 2});
  for (const char* const name : {"a", "b", "c"}) {
    const NoRoomForThreads no_room;
    EXPECT_EQ(KindOf(databases_->Create(name, nullptr)), ErrorKind::kServiceUnavailable);
    EXPECT_THAT(*databases_->List(), IsEmpty());
  }
  MakeWith("a", 1);
  MakeWith("b", 2);
  EXPECT_EQ(Songs("a"), 1);
  EXPECT_EQ(Songs("b"), 2);
  EXPECT_THAT(*databases_->List(), ElementsAre("a", "b"));
}

// Whether there is room for the threads of another one then is the system's to say.
TEST_P(NamedDatabasesInFolderTest, IdleOnesGiveTheirThreads) {
  Open({});
  MakeWith("a", 1);
  MakeWith("b", 2);
  const auto used = Obtain("b");
  {
    const NoRoomForThreads no_room;
    EXPECT_EQ(KindOf(databases_->Create("c", nullptr)), ErrorKind::kServiceUnavailable);
  }
  EXPECT_EQ(OpenNow(), 1);
  EXPECT_EQ(Songs("a"), 1);
  EXPECT_EQ(Songs("b"), 2);
}

TEST_P(NamedDatabasesInFolderTest, HaveTheirOwnMemory) {
  Open({.named_budget_bytes = 1});
  const NamedDatabases::Origin first = {.from = "", .snapshot = ""};
  EXPECT_THAT(std::string(databases_->Create("a", nullptr).message()), HasSubstr("memory"));
  EXPECT_THAT(std::string(databases_->Create("a", &first).message()), HasSubstr("memory"));
}

// Why: a restore exchanges the folder with all that is in it.
TEST_P(NamedDatabasesInFolderTest, NoneIsWithinTheFirst) {
  const std::string data = folder_ / "data";
  std::filesystem::create_directory(data);
  for (const char* const same : {"", "/", "/.", "/./", "/../data", "/../data/."}) {
    Open({}, Concat(data, same));
    MakeWith("a", 1);
    DatabaseInstance& first = databases_->first();
    ASSERT_TRUE(first.restorable().TakeSnapshot("empty").ok());
    ASSERT_TRUE(first.restorable().Restore("empty").ok());
    EXPECT_EQ(Songs("a"), 1) << same;
    EXPECT_TRUE(std::filesystem::exists(data + ".databases/a/CURRENT")) << same;
    EXPECT_TRUE(databases_->Remove("a").ok());
  }
  databases_.reset();
  // Where they were formerly.
  std::filesystem::create_directory(data + "/..databases");
  NamedDatabasesOptions options;
  options.each.database.path = data + "/.";
  EXPECT_THAT(std::string(NamedDatabases::Open(options).status().message()),
              HasSubstr(Concat("move it to ", data, ".databases")));
}

// Folders come and go without us.
TEST_P(NamedDatabasesInFolderTest, FoundOnesAreCounted) {
  Open({.databases_max = 2});
  MakeWith("a", 1);
  Open({.databases_max = 2});
  const std::string folders = folder_ / "data.databases/";
  const auto copy = [&](const char* name) {
    std::filesystem::copy(folders + "a", folders + name, std::filesystem::copy_options::recursive);
  };
  for (const char* const name : {"x", "y", "z"}) copy(name);
  // One that was never opened, and one that was.
  EXPECT_TRUE(databases_->Remove("x").ok());
  EXPECT_EQ(Songs("y"), 1);
  EXPECT_TRUE(databases_->Remove("y").ok());
  EXPECT_TRUE(databases_->Remove("z").ok());
  EXPECT_TRUE(databases_->Create("new", nullptr).ok());
  EXPECT_EQ(KindOf(databases_->Create("more", nullptr)), ErrorKind::kLimitExceeded);
  std::filesystem::remove_all(folders + "a");
  EXPECT_TRUE(databases_->Create("more", nullptr).ok());
  EXPECT_EQ(KindOf(databases_->Create("most", nullptr)), ErrorKind::kLimitExceeded);
}

TEST_P(NamedDatabasesInFolderTest, OnlySoManyAreOpen) {
  Open({.open_max = 3});
  for (int i = 0; i < 8; ++i) MakeWith("d" + std::to_string(i), i);
  EXPECT_EQ(OpenNow(), 3u);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(Songs("d" + std::to_string(i)), i);
  // The one that was used last is the last to be closed.
  EXPECT_EQ(Songs("d5"), 5);
  EXPECT_EQ(Songs("d0"), 0);
  EXPECT_EQ(Songs("d1"), 1);
  EXPECT_NE(databases_->FindOpen("d5"), nullptr);
  EXPECT_EQ(databases_->FindOpen("d7"), nullptr);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(databases_->Remove("d" + std::to_string(i)).ok());
  EXPECT_EQ(OpenNow(), 0u);
  for (int i = 0; i < 4; ++i) EXPECT_NE(Obtain("e" + std::to_string(i)), nullptr);
}

// What looks at all of them again and again must not make the order in which they are closed.
TEST_P(NamedDatabasesInFolderTest, ALookIsNoUse) {
  Open({.open_max = 3});
  for (int i = 0; i < 3; ++i) MakeWith("d" + std::to_string(i), i);
  EXPECT_NE(databases_->PeekOpen("d0"), nullptr);
  MakeWith("d3", 3);
  EXPECT_EQ(databases_->PeekOpen("d0"), nullptr) << "it was closed";
  EXPECT_NE(databases_->PeekOpen("d1"), nullptr);
  EXPECT_NE(databases_->FindOpen("d1"), nullptr);
  MakeWith("d4", 4);
  EXPECT_NE(databases_->PeekOpen("d1"), nullptr) << "it was in use later than d2";
  EXPECT_EQ(databases_->PeekOpen("d2"), nullptr);
}

// What would be lost with the process is not lost because others are opened.
TEST_P(NamedDatabasesInFolderTest, WhatWouldBeLostStaysOpen) {
  Open({.open_max = 3});
  MakeWith("faulty", 0);
  MakeWith("held", 0);
  ASSERT_TRUE(Obtain("faulty")->Begin().database()->AddFault({.fault = FaultKind::kThrottle}).ok());
  ASSERT_TRUE(Obtain("held")->Begin().database()->HoldReads({.table = "songs"}).ok());
  for (int i = 0; i < 4; ++i) MakeWith("d" + std::to_string(i), i);
  EXPECT_NE(databases_->FindOpen("faulty"), nullptr);
  EXPECT_NE(databases_->FindOpen("held"), nullptr);
  // Whoever uses one has it as long as that takes.
  const auto used = Obtain("d3");
  const auto refused = databases_->Find("d0");
  EXPECT_EQ(KindOf(refused.status()), ErrorKind::kServiceUnavailable) << refused.status();
  Obtain("faulty")->Begin().database()->RemoveFaults();
  EXPECT_EQ(Songs("d0"), 0);
  EXPECT_EQ(databases_->FindOpen("faulty"), nullptr);
}

// A restore waits for the calls under way, and nobody else waits for it who does not want to.
TEST_P(NamedDatabasesInFolderTest, ARestoreIsSeenWithoutWaiting) {
  Open();
  DatabaseInstance& first = databases_->first();
  ASSERT_TRUE(first.restorable().TakeSnapshot("empty").ok());
  auto use = std::make_optional(first.Begin());
  std::thread restorer([&] { EXPECT_TRUE(first.restorable().Restore("empty").ok()); });
  while (first.TryBegin()) std::this_thread::yield();
  MakeWith("other", 2);
  EXPECT_EQ(Songs("other"), 2);
  use.reset();
  EXPECT_TRUE(first.Begin());
  restorer.join();
  EXPECT_TRUE(first.TryBegin());
}

TEST_P(NamedDatabasesInFolderTest, WhatIsNoStoreIsNoDatabase) {
  Open();
  MakeWith("a", 1);
  std::filesystem::create_directories(folder_ / "data.databases/empty");
  std::filesystem::create_directories(folder_ / "data.databases/of-others/x");
  EXPECT_THAT(*databases_->List(), ElementsAre("a"));
  EXPECT_EQ(Songs("empty"), -1);
  EXPECT_EQ(databases_->Remove("of-others").code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "data.databases/of-others/x"));
  EXPECT_TRUE(databases_->Create("empty", nullptr).ok());
}

// As programs before left them: snapshots beside their databases, some of which are called so.
TEST_P(NamedDatabasesInFolderTest, FormerSnapshotsAreFound) {
  Open();
  MakeWith("a", 1);
  MakeWith("b.snapshots", 2);
  MakeWith("b", 3);
  for (const char* const name : {"a", "b"}) {
    ASSERT_TRUE(Obtain(name)->restorable().TakeSnapshot("base").ok());
  }
  databases_.reset();
  const std::string folders = folder_ / "data.databases";
  std::filesystem::rename(folders + "/.dynolith-states/a/snapshots", folders + "/a.snapshots");
  // A database and snapshots of another one in one folder.
  std::filesystem::rename(folders + "/.dynolith-states/b/snapshots/base",
                          folders + "/b.snapshots/base");
  Open();
  EXPECT_THAT(*databases_->List(), ElementsAre("a", "b", "b.snapshots"));
  EXPECT_FALSE(std::filesystem::exists(folders + "/a.snapshots"));
  for (const char* const name : {"a", "b"}) {
    EXPECT_THAT(*Obtain(name)->restorable().ListSnapshots(), ElementsAre("base")) << name;
    EXPECT_TRUE(Obtain(name)->restorable().Restore("base").ok());
  }
  MakeWith("a.snapshots", 4);
  EXPECT_EQ(Songs("b.snapshots"), 2);
  EXPECT_THAT(*Obtain("a")->restorable().ListSnapshots(), ElementsAre("base"));
}

TEST_P(NamedDatabasesInFolderTest, RegionsStay) {
  Open({.named_by_region = true, .open_max = 1});
  const auto arn = [&](const std::shared_ptr<DatabaseInstance>& database) {
    const DatabaseInstance::Use use = database->Begin();
    CreateSongs(use.database()).IgnoreError();  // it may be there
    return use.database()->DescribeTable({.table_name = "songs"})->table_arn;
  };
  ASSERT_TRUE(databases_->Create("key_eu-west-3", nullptr).ok());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(arn(*databases_->Obtain("eu-west-1", "eu-west-1")), HasSubstr(":eu-west-1:"));
    EXPECT_THAT(arn(*databases_->Obtain("by_header", "eu-west-2")), HasSubstr(":eu-west-2:"));
    EXPECT_THAT(arn(*databases_->Find("eu-west-1")), HasSubstr(":eu-west-1:"));
    EXPECT_THAT(arn(*databases_->Find("key_eu-west-3")), HasSubstr(":eu-west-3:"));
  }
}

}  // namespace
}  // namespace dynolith::testing
