// Kills a writing process with SIGKILL at a random moment, again and again. After each kill the
// store must open, base rows must agree with indexes, streams, expiry rows and the history, and
// every acknowledged write must be there: each key holds what its last acknowledged write left, or
// what the one begun after it would leave. So must every acknowledged backup, and a table that was
// being restored is there whole or not at all. What each key held is remembered, and the table
// restored to that time after the next kill.
//
//   crash_test [--rounds=N] [--seed=N]
//
// Without --seed it draws one; it always prints it.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "api/database/database_impl.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/value/dissect.h"
#include "index/check_all.h"
#include "tests/crash/crash_writer.h"

namespace dynolith::crash {
namespace {

struct Options {
  uint64_t seed = std::random_device()();
  int rounds = 6;
  // Of the child process.
  std::string write_folder;
  bool switches_recovery = false;
};

std::string ProgressFile(const std::string& folder) { return folder + ".progress"; }

Options ReadOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const char* value = argv[i] + std::min(argument.find('=') + 1, argument.size());
    if (argument.starts_with("--seed=")) options.seed = std::strtoull(value, nullptr, 10);
    if (argument.starts_with("--rounds=")) options.rounds = std::atoi(value);
    if (argument.starts_with("--write=")) options.write_folder = value;
    if (argument == "--switch") options.switches_recovery = true;
  }
  return options;
}

// Memory in a file, which a killed process cannot take with it.
Progress* ShareProgress(const std::string& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0 || ftruncate(descriptor, sizeof(Progress)) != 0) return nullptr;
  void* memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  return memory == MAP_FAILED ? nullptr : static_cast<Progress*>(memory);
}

// Lets a writer run for that long, then kills it. False if it ended by itself. The writer is this
// program anew: a forked copy would lack RocksDB's threads.
bool RunAndKill(const WriterOptions& options, std::chrono::milliseconds time) {
  std::string write = "--write=" + options.folder;
  std::string with_seed = "--seed=" + std::to_string(options.seed);
  std::string switches = "--switch";
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  char* const arguments[] = {program.data(), write.data(), with_seed.data(),
                             options.switches_recovery ? switches.data() : nullptr, nullptr};
  const pid_t child = fork();
  if (child == 0) {
    execv(program.c_str(), arguments);
    _exit(127);
  }
  std::this_thread::sleep_for(time);
  kill(child, SIGKILL);
  int state = 0;
  waitpid(child, &state, 0);
  return WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL;
}

std::string ItemText(const std::optional<Item>& item) {
  return item ? DebugString(item->view()) : "nothing";
}

// Whether the key holds one of the states that are allowed; notes which.
bool CheckKey(Database* database, int thread, int key, KeyProgress* progress) {
  const auto found = database->GetItem(
      {.table_name = kTable, .key = KeyItem(thread, key), .consistent_read = true});
  if (!found.ok()) {
    std::cout << "reading key " << thread << "/" << key << ": " << found.status() << "\n";
    return false;
  }
  for (uint64_t write = progress->acknowledged; write <= progress->begun; ++write) {
    const auto expected = write == 0 ? std::nullopt : ItemAfter(thread, key, write);
    if (found->item != expected) continue;
    progress->acknowledged = write;
    return true;
  }
  std::cout << "key " << thread << "/" << key << ": write " << progress->acknowledged
            << " was acknowledged and " << progress->begun
            << " begun; acknowledged: " << ItemText(ItemAfter(thread, key, progress->acknowledged))
            << "; found: " << ItemText(found->item) << "\n";
  return false;
}

// Whether there are as many backups as may be; notes how many.
bool CheckBackups(Database* database, BackupProgress* progress) {
  const auto found = database->ListBackups({.table_name = kTable});
  if (!found.ok()) {
    std::cout << "listing backups: " << found.status() << "\n";
    return false;
  }
  const uint64_t backups = found->backup_summaries.size();
  if (backups + progress->deletions_begun < progress->made ||
      backups + progress->deleted > progress->begun) {
    std::cout << backups << " backups: " << progress->begun << " begun, " << progress->made
              << " made, " << progress->deletions_begun << " deletions begun, " << progress->deleted
              << " done\n";
    return false;
  }
  *progress = {.begun = backups, .made = backups};
  return true;
}

bool CheckRestoredTable(Database* database) {
  const auto restored = database->DescribeTable({.table_name = kRestoredTable});
  if (!restored.ok()) return KindOf(restored.status()) == ErrorKind::kResourceNotFound;
  const auto backup = database->DescribeBackup({*restored->restore_summary->source_backup_arn});
  if (backup.ok() && backup->source_table_details.item_count == restored->item_count) return true;
  std::cout << "the restored table has " << restored->item_count << " items; its backup: "
            << (backup.ok() ? std::to_string(backup->source_table_details.item_count)
                            : backup.status().ToString())
            << "\n";
  return false;
}

// Whether all rows of the store agree.
bool MakeChecks(DatabaseImpl* database) {
  Store* const store = database->store();
  const Catalog& catalog = *database->catalog();
  bool sound = true;
  const auto report = [&sound](const std::string& line) {
    std::cout << line << "\n";
    sound = false;
  };
  const absl::StatusOr<CheckAllSummary> summary = CheckAll(store, catalog, report);
  if (!summary.ok()) report(summary.status().ToString());
  if (summary.ok() && summary->rows.tables > 2) report("there are other tables");
  return sound;
}

// --- The past

// What each key held at a time.
struct Past {
  absl::Time time;
  std::optional<Item> items[kThreads][kKeysPerThread];
};

// Comes and goes within one look at the past.
constexpr const char* kPastTable = "past";

// The machine's clock and a little more, so that what has just been is already restorable.
class LaterClock final : public Clock {
 public:
  absl::Time Now() const override {
    return SystemClock().Now() + absl::Seconds(kRecoveryLagSeconds + 1);
  }
};

Past Remember(DatabaseImpl* database, const Progress& progress) {
  Past past;
  past.time = database->history()->Now();
  // Whatever is written in the same millisecond is written later.
  // In a LocalStore it cannot fail.
  database->history()->Await(past.time).IgnoreError();
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int key = 0; key < kKeysPerThread; ++key) {
      const uint64_t write = progress.keys[thread][key].acknowledged;
      if (write > 0) past.items[thread][key] = ItemAfter(thread, key, write);
    }
  }
  return past;
}

absl::StatusOr<bool> IsRestorable(Database* database, absl::Time time) {
  DYNOLITH_ASSIGN_OR_RETURN(const ContinuousBackupsDescription description,
                            database->DescribeContinuousBackups({.table_name = kTable}));
  return *description.point_in_time_recovery_description->earliest_restorable_date_time <= time;
}

// Restores the table, compares each key and removes the restored table.
absl::Status RestoreAndCompare(Database* database, const Past& past) {
  DYNOLITH_RETURN_IF_ERROR(database
                               ->RestoreTableToPointInTime({.source_table_name = kTable,
                                                            .target_table_name = kPastTable,
                                                            .restore_date_time = past.time})
                               .status());
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int key = 0; key < kKeysPerThread; ++key) {
      DYNOLITH_ASSIGN_OR_RETURN(
          const GetItemOutput found,
          database->GetItem({.table_name = kPastTable, .key = KeyItem(thread, key)}));
      if (found.item == past.items[thread][key]) continue;
      std::cout << "restored key " << thread << "/" << key << " to " << ItemText(found.item)
                << " instead of " << ItemText(past.items[thread][key]) << "\n";
      return absl::DataLossError("the past differs");
    }
  }
  return database->DeleteTable({.table_name = kPastTable}).status();
}

// Whether the table could be restored, or need not be because its recovery was switched off
// meanwhile.
bool CheckPast(const std::string& folder, const Past& past, bool was_switched) {
  LaterClock clock;
  auto database = OpenCrashDatabase(folder, &clock);
  const auto restorable = database.ok() ? IsRestorable(database->get(), past.time)
                                        : absl::StatusOr<bool>(database.status());
  if (!restorable.ok()) {
    std::cout << "looking for the past: " << restorable.status() << "\n";
    return false;
  }
  if (!*restorable) return was_switched;
  const absl::Status status = RestoreAndCompare(database->get(), past);
  if (!status.ok()) std::cout << "restoring: " << status << "\n";
  return status.ok() && MakeChecks(dynamic_cast<DatabaseImpl*>(database->get()));
}

// --- The rounds

bool CheckAfterCrash(const std::string& folder, Progress* progress, Past* past) {
  auto database = OpenCrashDatabase(folder);
  if (!database.ok()) {
    std::cout << "opening after the crash: " << database.status() << "\n";
    return false;
  }
  // Killed before the table was there: nothing can have been acknowledged.
  const absl::Status prepared = PrepareTable(database->get());
  auto* impl = dynamic_cast<DatabaseImpl*>(database->get());
  // What was being filled or moved is sound as it was left, too.
  bool sound = prepared.ok() && MakeChecks(impl);
  const absl::Status filled = (*database)->WaitForBackfills();
  sound &= filled.ok();
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int key = 0; key < kKeysPerThread; ++key) {
      sound &= CheckKey(database->get(), thread, key, &progress->keys[thread][key]);
    }
  }
  sound &= CheckBackups(database->get(), &progress->backups);
  sound &= CheckRestoredTable(database->get());
  if (sound) *past = Remember(impl, *progress);
  return MakeChecks(impl) && sound;
}

uint64_t Acknowledged(const Progress& progress) {
  uint64_t sum = 0;
  for (const auto& keys : progress.keys) {
    for (const KeyProgress& key : keys) sum += key.acknowledged;
  }
  return sum;
}

bool RunRounds(const Options& options, const std::string& folder, Progress* progress) {
  std::mt19937_64 random(options.seed);
  uint64_t backups = 0;
  std::optional<Past> past;
  const auto tests_something = [&] { return Acknowledged(*progress) > 0 && backups > 0; };
  // On a busy machine a writer needs longer before there is anything to lose, so it gets more
  // rounds, and twice the time in each set of them.
  constexpr int kSets = 6;
  for (int round = 0;
       round < options.rounds || (!tests_something() && round < kSets * options.rounds); ++round) {
    const uint64_t longest = uint64_t{700} << (round / options.rounds);
    const std::chrono::milliseconds time(50 + random() % longest);
    const bool switches = round % 3 == 2;
    if (!RunAndKill({folder, random(), switches}, time)) {
      std::cout << "round " << round << ": the writer ended by itself\n";
      return false;
    }
    const uint64_t acknowledged = Acknowledged(*progress);
    Past next;
    const bool sound =
        CheckAfterCrash(folder, progress, &next) && (!past || CheckPast(folder, *past, switches));
    past = std::move(next);
    if (!sound) {
      std::cout << "round " << round << " failed; its data is in " << folder << "\n";
      return false;
    }
    backups += progress->backups.made;
    std::cout << "round " << round << ": killed after " << time.count() << " ms, " << acknowledged
              << " writes acknowledged so far, " << progress->backups.made << " backups there"
              << std::endl;
  }
  if (tests_something()) return true;
  std::cout << "no write was ever acknowledged, or no backup: this tests nothing\n";
  return false;
}

int Main(int argc, char** argv) {
  const Options options = ReadOptions(argc, argv);
  if (!options.write_folder.empty()) {
    Progress* progress = ShareProgress(ProgressFile(options.write_folder));
    if (progress == nullptr) return 1;
    WriteUntilKilled({options.write_folder, options.seed, options.switches_recovery}, progress);
  }
  std::cout << "crash_test --seed=" << options.seed << " --rounds=" << options.rounds << std::endl;
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("dynolith_crash_" + std::to_string(options.seed)))
          .string();
  std::filesystem::remove_all(folder);
  std::filesystem::remove(ProgressFile(folder));
  Progress* progress = ShareProgress(ProgressFile(folder));
  if (progress == nullptr || !RunRounds(options, folder, progress)) return 1;
  std::filesystem::remove_all(folder);
  std::filesystem::remove(ProgressFile(folder));
  return 0;
}

}  // namespace
}  // namespace dynolith::crash

int main(int argc, char** argv) { return dynolith::crash::Main(argc, argv); }
