// Processes that fork, in C and in C++: a child is refused its parent's database by name, whatever
// it does with it, opens its own, and ends; the parent goes on. What Python makes of it is for
// api/bindings/python/tests/test_forks.py.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "dynolith/database.h"
#include "dynolith/dynolith.h"
#include "dynolith/regions.h"
#include "dynolith/restorable_database.h"
#include "engine/base/errors.h"
#include "engine/store/sanitizer.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using testing::ScratchFolder;

constexpr unsigned kSecondsMax = 100;
constexpr int kChildFine = 7;

CreateTableRequest Songs(std::string name = "songs") {
  return {.table_name = std::move(name),
          .attribute_definitions = {{{"pk"}}},
          .key_schema = {{{"pk"}}},
          .billing_mode = BillingMode::kPayPerRequest};
}

// How a child ends that does `work` and then, as programs do, calls exit: with kChildFine if the
// work has returned "". What it returned else is printed.
int EndOfChild(const std::function<std::string()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsMax);
    const std::string fault = work();
    if (!fault.empty()) dprintf(STDERR_FILENO, "in the child: %s\n", fault.c_str());
    exit(fault.empty() ? kChildFine : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string ErrorText(const absl::Status& status) { return status.ok() ? "" : status.ToString(); }

std::string Put(Database* database, const std::string& key, size_t bytes = 1) {
  return ErrorText(
      database
          ->PutItem({.table_name = "songs",
                     .item = {{"pk", Value::S(key)}, {"text", Value::S(std::string(bytes, 'x'))}}})
          .status());
}

// Makes a database with some items, so large that what is written goes to files, and reads it back.
std::string UseOwn(const DatabaseOptions& options, int items, size_t bytes) {
  absl::StatusOr<std::unique_ptr<Database>> own = Database::Open(options);
  if (!own.ok()) return own.status().ToString();
  if (const auto made = (*own)->CreateTable(Songs()); !made.ok()) return made.status().ToString();
  for (int i = 0; i < items; ++i) {
    if (std::string fault = Put(own->get(), std::to_string(i), bytes); !fault.empty()) return fault;
  }
  for (int i = 0; i < items; ++i) {
    const auto got =
        (*own)->GetItem({.table_name = "songs", .key = {{"pk", Value::S(std::to_string(i))}}});
    if (!got.ok() || !got->item) return "an item is missing";
  }
  return "";
}

std::string ErrorTextUnlessRefused(const absl::Status& status) {
  return KindOf(status) == ErrorKind::kAccessDenied ? "" : status.ToString() + " is no refusal";
}

class Forks : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    // g++ 12's does not hold its allocator's locks while a process forks, so that a child may wait
    // for one that another thread of its parent has.
    GTEST_SKIP() << "the address sanitizer's allocator does not follow forks";
#endif
    if (kWatchesThreads) GTEST_SKIP() << "the sanitizer ends children that start threads";
  }

  DatabaseOptions Options(const std::string& name) const {
    DatabaseOptions options;
    options.in_memory = GetParam();
    if (!GetParam()) options.path = folder_ / name;
    return options;
  }

  std::unique_ptr<Database> OpenParent() {
    std::unique_ptr<Database> database = *Database::Open(Options("parent"));
    EXPECT_TRUE(database->CreateTable(Songs()).ok());
    return database;
  }

  ScratchFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(MemoryAndFolder, Forks, ::testing::Bool());

TEST_P(Forks, AChildOpensItsOwn) {
  const std::unique_ptr<Database> parent = OpenParent();
  constexpr int kItems = 60;
  constexpr size_t kBytes = 300 << 10;  // more than two memtables
  EXPECT_EQ(EndOfChild([&] { return UseOwn(Options("own"), kItems, kBytes); }), kChildFine);
  EXPECT_EQ(Put(parent.get(), "after"), "");
}

TEST_P(Forks, AChildOfAChild) {
  const std::unique_ptr<Database> parent = OpenParent();
  EXPECT_EQ(EndOfChild([&] {
              std::string fault = UseOwn(Options("own"), 1, 1);
              const int end = EndOfChild([&] { return UseOwn(Options("grandchild's"), 1, 1); });
              return end == kChildFine ? fault : "the grandchild ended with " + std::to_string(end);
            }),
            kChildFine);
}

TEST_P(Forks, AChildOfBusyThreads) {
  const std::unique_ptr<Database> parent = OpenParent();
  // Static objects that are being made for the first time would stay locked.
  EXPECT_EQ(UseOwn(Options("first"), 1, 1), "");
  std::atomic<bool> stopping = false;
  std::thread writer([&] {
    for (int i = 0; !stopping; ++i) Put(parent.get(), std::to_string(i % 100));
  });
  std::thread opener([&] {
    for (int i = 0; !stopping; ++i) UseOwn(Options("opener" + std::to_string(i)), 1, 1);
  });
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(EndOfChild([&] { return UseOwn(Options("own" + std::to_string(i)), 1, 1); }),
              kChildFine);
  }
  stopping = true;
  writer.join();
  opener.join();
}

TEST_P(Forks, AChildOnlyEnds) {
  std::unique_ptr<Database> parent = OpenParent();
  EXPECT_EQ(EndOfChild([] { return ""; }), kChildFine);
  EXPECT_EQ(EndOfChild([&] {
              parent.reset();
              return "";
            }),
            kChildFine);
  EXPECT_EQ(Put(parent.get(), "after"), "");
  parent.reset();
  EXPECT_EQ(EndOfChild([] { return ""; }), kChildFine);
}

TEST_P(Forks, TheParentsDatabaseIsRefused) {
  const std::unique_ptr<Database> parent = OpenParent();
  const std::unique_ptr<TableLoad> load = *parent->LoadTable(Songs("loaded"));
  CreateTableRequest followed = Songs("followed");
  followed.stream_specification = {true, StreamViewType::kKeysOnly};
  ASSERT_TRUE(parent->CreateTable(followed).ok());
  const std::unique_ptr<ChangeReader> reader = *parent->ReadChanges({.table_name = "followed"});
  std::unique_ptr<ChangeWatch> watch =
      *parent->Watch({.table_name = "followed"}, [](const auto&) {});
  const std::function<absl::Status()> uses[] = {
      [&] { return parent->PutItem({.table_name = "songs", .item = {}}).status(); },
      [&] { return parent->GetItem({.table_name = "songs", .key = {}}).status(); },
      [&] { return parent->Scan({.table_name = "songs"}).status(); },
      [&] { return parent->DescribeTable({.table_name = "songs"}).status(); },
      [&] { return parent->SweepExpiredItems().status(); },
      [&] { return parent->TakeBackgroundFailure(); },
      [&] { return parent->LoadTable(Songs()).status(); },
      [&] { return parent->ReadChanges({.table_name = "songs"}).status(); },
      [&] { return reader->Next(1, absl::ZeroDuration()).status(); },
      [&] { return watch->status(); },
      [&] { return parent->Checkpoint(folder_ / "copy"); },
      [&] { return parent->SetCapacity("songs", {}); },
      [&] { return parent->ReportCapacity("songs").status(); },
      [&] { return parent->ReportHotKeys("songs", "").status(); },
      [&] { return parent->WatchHeat("songs", true); },
      [&] { return parent->ReportHeat("songs", "", absl::InfinitePast()).status(); },
      [&] { return parent->SetIndexShards("songs", "index", 2); },
      [&] { return parent->DescribeIndexShards("songs", "index").status(); },
      [&] { return parent->AddFault({}).status(); },
      [&] { return parent->HoldReads({}); },
      [&] { return parent->ReleaseReads({}); },
      [&] { return parent->WaitForBackfills(); },
      [&] { return load->Finish().status(); },
  };
  for (const auto& use : uses) {
    EXPECT_EQ(EndOfChild([&] { return ErrorTextUnlessRefused(use()); }), kChildFine)
        << &use - std::begin(uses);
  }
  EXPECT_EQ(EndOfChild([&] {
              watch.reset();
              return "";
            }),
            kChildFine);
  EXPECT_EQ(EndOfChild([&] {
              parent->RemoveFaults();
              const bool is_empty = !parent->RemoveFault(1) && parent->ListFaults().empty() &&
                                    parent->ReportUse().empty() &&
                                    parent->DescribeStaleness().holds.empty() &&
                                    parent->TakeStatistics().tables == 0;
              return is_empty ? "" : "something is told";
            }),
            kChildFine);
  EXPECT_EQ(Put(parent.get(), "after"), "");
}

TEST_P(Forks, TheParentsStatesAreRefused) {
  const std::unique_ptr<RestorableDatabase> parent =
      *RestorableDatabase::Open({.database = Options("states")});
  ASSERT_TRUE(parent->TakeSnapshot("kept").ok());
  const ForkOptions fork = {.path = GetParam() ? "" : folder_ / "fork"};
  const std::function<absl::Status()> uses[] = {
      [&] { return parent->TakeSnapshot("other"); },
      [&] { return parent->Restore("kept"); },
      [&] { return parent->RemoveSnapshot("kept"); },
      [&] { return parent->ListSnapshots().status(); },
      [&] { return parent->KeepBeginning(); },
      [&] { return parent->Fork("", fork).status(); },
  };
  for (const auto& use : uses) {
    EXPECT_EQ(EndOfChild([&] { return ErrorTextUnlessRefused(use()); }), kChildFine)
        << &use - std::begin(uses);
  }
  EXPECT_EQ(EndOfChild([&] { return parent->Use() == nullptr ? "" : "there is a state"; }),
            kChildFine);
  EXPECT_TRUE(parent->Restore("kept").ok());
}

TEST_P(Forks, InC) {
  const std::string options = GetParam() ? "{}" : "{\"path\": \"" + folder_ / "c" + "\"}";
  dynolith_database* database = nullptr;
  ASSERT_EQ(dynolith_open(options.data(), options.size(), &database), nullptr);
  const auto call = [&](std::string* text) {
    dynolith_response response = DYNOLITH_RESPONSE_INIT;
    dynolith_call(database, "ListTables", 10, "{}", 2, &response);
    *text = std::string(response.error != nullptr ? response.error : "");
    const int status = response.status;
    dynolith_response_free(&response);
    return status;
  };
  EXPECT_EQ(EndOfChild([&]() -> std::string {
              std::string text;
              if (call(&text) != 400 || text != "AccessDeniedException") return "answer: " + text;
              dynolith_error* const error = dynolith_snapshot(database, "s", 1);
              if (error == nullptr) return "a snapshot was taken";
              text = dynolith_error_kind(error);
              dynolith_error_free(error);
              dynolith_close(database);
              return text == "AccessDeniedException" ? "" : text;
            }),
            kChildFine);
  std::string text;
  EXPECT_EQ(call(&text), 200);
  dynolith_close(database);
}

// Its replicas are the work of a thread that a child does not have.
TEST_P(Forks, RegionsOfAParent) {
  const auto open = [this](const std::string& region, Regions* regions) {
    DatabaseOptions options = Options(region);
    options.region = region;
    options.regions = regions;
    return Database::Open(options);
  };
  std::unique_ptr<Regions> regions = Regions::Make();
  std::unique_ptr<Database> east = *open("us-east-1", regions.get());
  std::unique_ptr<Database> west = *open("us-west-2", regions.get());
  ASSERT_TRUE(east->CreateTable(Songs()).ok());
  EXPECT_EQ(EndOfChild([&]() -> std::string {
              for (const absl::Status& refused :
                   {regions->SetLag("", "", {}), regions->SetSkew("us-east-1", absl::Seconds(1)),
                    regions->Settle(), regions->Report().status(),
                    open("eu-west-1", regions.get()).status()}) {
                if (std::string fault = ErrorTextUnlessRefused(refused); !fault.empty())
                  return fault;
              }
              regions->SetCut("us-west-2", true);
              regions->Release();
              east.reset();
              west.reset();
              regions.reset();
              regions = Regions::Make();
              const auto own = open("eu-west-1", regions.get());
              return own.ok() ? ErrorText(regions->Settle()) : own.status().ToString();
            }),
            kChildFine);
  EXPECT_EQ(ErrorText(regions->Settle()), "");
  EXPECT_EQ(Put(east.get(), "after"), "");
}

TEST_P(Forks, AFolderGoesFromAParentToItsChild) {
  if (GetParam()) GTEST_SKIP() << "there is no folder";
  std::unique_ptr<Database> parent = OpenParent();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsMax);
    close(ends[1]);
    char byte;
    if (read(ends[0], &byte, 1) != 0) _exit(1);
    const auto own = Database::Open(Options("parent"));
    if (!own.ok()) dprintf(STDERR_FILENO, "%s\n", own.status().ToString().c_str());
    exit(own.ok() && Put(own->get(), "child").empty() ? kChildFine : 1);
  }
  parent.reset();
  close(ends[0]);
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, kChildFine);
  parent = *Database::Open(Options("parent"));
  EXPECT_TRUE(parent->GetItem({.table_name = "songs", .key = {{"pk", Value::S("child")}}})
                  ->item.has_value());
}

// A program that is being started has its parent's descriptors until it begins, and no handler of
// forks is called in between.
TEST_P(Forks, AFolderThatIsClosedWhileAProgramStarts) {
  if (GetParam()) GTEST_SKIP() << "there is no folder";
  std::unique_ptr<Database> parent = OpenParent();
  const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (child == 0) {
    for (;;) pause();
  }
  ASSERT_GT(child, 0);
  parent.reset();
  for (const bool read_only : {false, true}) {
    DatabaseOptions options = Options("parent");
    options.read_only = read_only;
    const auto again = Database::Open(options);
    EXPECT_TRUE(again.ok()) << again.status();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace dynolith
