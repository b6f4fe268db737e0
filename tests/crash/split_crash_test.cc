// Kills with SIGKILL a process that writes to a table whose capacity is enforced, while partitions
// are being split and its warm throughput grows, again and again. After each kill the partitions
// that were kept must cover the positions once and be no fewer than before, a split of the stream's
// shards is there whole or not at all, every acknowledged write is one record of the stream, in
// order and once, what the table is warm for has not fallen, and all checks of the store agree.
//
//   split_crash_test [--rounds=N] [--seed=N]
//
// The clock goes with the writes, so that how far splits come does not hang on the machine, and
// what is written in some 90 rounds is what a stream keeps. Without --seed it draws one; it always
// prints it.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/database/database_impl.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "index/check_all.h"

namespace dynolith::crash {
namespace {

constexpr const char* kTable = "split";
constexpr int kThreads = 3;
constexpr int kKeys = 60;  // of each thread
// Each process writes mostly to these, other ones each time: two of them make a partition hot.
constexpr int kHotKeys = 4;
// Of each try to write: six minutes of heat, which split a partition, are 360 of them.
constexpr absl::Duration kTick = absl::Seconds(1);
// A partition takes every tenth write, so that one a second is too much for a new table.
constexpr CapacityOptions kCapacity = {.mode = CapacityMode::kGlobal, .scale = 0.0001};
// After that time a shard is closed and goes on as one child.
constexpr uint64_t kShardLifeTicks = 4 * 60 * 60;

// In a file, which a killed process cannot take with it.
struct Progress {
  std::atomic<uint64_t> ticks;
  // The last write of each key that was acknowledged; the next one may have been begun.
  std::atomic<uint64_t> written[kThreads][kKeys];
};

// What may only grow.
struct Grown {
  std::set<std::string> boundaries;
  size_t shards = 0;
  int64_t warm = 0;
  int kills = 0;
};

class TickingClock final : public Clock {
 public:
  explicit TickingClock(Progress* progress) : progress_(progress) {}
  absl::Time Now() const override {
    const auto ticks = static_cast<int64_t>(progress_->ticks.load());
    return absl::FromUnixSeconds(1'790'000'000) + ticks * kTick;
  }

 private:
  Progress* const progress_;
};

absl::Status Fault(std::string_view message) { return absl::InternalError(ToAbsl(message)); }

int64_t WriteNumber(const Item& item) {
  int64_t write = 0;
  item.Find("w")->number().ToInt64(&write);
  return write;
}

std::string MakeKey(int thread, int key) { return Concat("t", thread, "k", key); }

absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& folder, Clock* clock) {
  return Database::Open({.path = folder,
                         .write_buffer_bytes = 64 << 10,
                         .clock = clock,
                         .ttl_sweep_period = absl::ZeroDuration(),
                         .capacity = kCapacity});
}

absl::Status CreateTable(Database* database) {
  if (database->DescribeTable({.table_name = kTable}).ok()) return absl::OkStatus();
  CreateTableRequest create{.table_name = kTable, .billing_mode = BillingMode::kPayPerRequest};
  create.attribute_definitions = {{{"pk", Type::kString}}};
  create.key_schema = {{{"pk", KeyType::kHash}}};
  create.stream_specification =
      StreamSpecification{.stream_enabled = true, .stream_view_type = StreamViewType::kNewImage};
  return database->CreateTable(create).status();
}

// --- The writer

void WriteOneThread(Database* database, int thread, uint64_t seed, Progress* progress) {
  std::mt19937_64 random(seed * kThreads + static_cast<uint64_t>(thread));
  const uint64_t hot = random();
  while (true) {
    const uint64_t any = random() % 5 == 0 ? random() : hot + 7 * (random() % kHotKeys);
    const auto key = static_cast<int>(any % kKeys);
    std::atomic<uint64_t>& written = progress->written[thread][key];
    const uint64_t write = written + 1;
    ++progress->ticks;
    const absl::Status status =
        database
            ->PutItem({.table_name = kTable,
                       .item = {{"pk", Value::S(MakeKey(thread, key))},
                                {"w", Value::N(static_cast<int64_t>(write))}}})
            .status();
    if (status.ok()) written = write;
    if (status.ok() || IsThrottled(status)) continue;
    std::cerr << "the writer failed: " << status << std::endl;
    _exit(1);
  }
}

[[noreturn]] void WriteUntilKilled(const std::string& folder, uint64_t seed, Progress* progress) {
  TickingClock clock(progress);
  auto database = Open(folder, &clock);
  if (!database.ok() || !CreateTable(database->get()).ok()) _exit(1);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back(WriteOneThread, database->get(), thread, seed, progress);
  }
  for (std::thread& thread : threads) thread.join();
  _exit(1);
}

// --- What must be there after a kill

// The write that the key holds: the last acknowledged one, or the one behind it.
absl::Status CheckItem(Database* database, const std::string& key, std::atomic<uint64_t>* written) {
  // The table may just be throttled: its clock goes on.
  DYNOLITH_RETURN_IF_ERROR(database->SetCapacity(kTable, {}));
  DYNOLITH_ASSIGN_OR_RETURN(
      const GetItemOutput found,
      database->GetItem(
          {.table_name = kTable, .key = {{"pk", Value::S(key)}}, .consistent_read = true}));
  const auto held = static_cast<uint64_t>(found.item ? WriteNumber(*found.item) : 0);
  if (held != *written && held != *written + 1) {
    return Fault(Concat(key, " holds write ", held, "; ", written->load(), " was acknowledged"));
  }
  *written = held;
  return absl::OkStatus();
}

absl::Status CheckPartitions(Database* database, Grown* grown) {
  DYNOLITH_RETURN_IF_ERROR(database->SetCapacity(kTable, kCapacity));
  // A model begins with the first access.
  (void)database->GetItem({.table_name = kTable, .key = {{"pk", Value::S("none")}}});
  DYNOLITH_ASSIGN_OR_RETURN(const CapacityReport report, database->ReportCapacity(kTable));
  std::set<std::string> boundaries;
  std::set<uint64_t> ids;
  std::string last;
  for (const PartitionCapacity& partition : report.throughputs.at(0).partitions) {
    const bool is_first = boundaries.empty();
    if (is_first != partition.begin.hex.empty() || (!is_first && partition.begin.hex <= last)) {
      return Fault(Concat("a partition begins at \"", partition.begin.hex, "\" behind ", last));
    }
    if (!ids.insert(partition.id).second) return Fault(Concat("two partitions ", partition.id));
    last = partition.begin.hex;
    boundaries.insert(partition.begin.hex);
  }
  if (!std::includes(boundaries.begin(), boundaries.end(), grown->boundaries.begin(),
                     grown->boundaries.end())) {
    return Fault("partitions have been merged");
  }
  grown->boundaries = std::move(boundaries);
  DYNOLITH_ASSIGN_OR_RETURN(const TableDescription table,
                            database->DescribeTable({.table_name = kTable}));
  const int64_t warm = table.warm_throughput->write_units_per_second;
  if (warm < grown->warm) return Fault(Concat("warm for ", warm, ", before ", grown->warm));
  grown->warm = warm;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ShardDescription>> Shards(Database* database, const std::string& arn) {
  std::vector<ShardDescription> shards;
  DescribeStreamRequest describe;
  describe.stream_arn = arn;
  while (true) {
    DYNOLITH_ASSIGN_OR_RETURN(const auto page, database->DescribeStream(describe));
    const StreamDescription& stream = page.stream_description;
    shards.insert(shards.end(), stream.shards.begin(), stream.shards.end());
    if (!stream.last_evaluated_shard_id) return shards;
    describe.exclusive_start_shard_id = stream.last_evaluated_shard_id;
  }
}

// What is closed has two children, or one if it may have been closed for its age. A kill between
// the split of a shard and the keeping of the partitions' has it come again, now where a shard
// begins, which one child takes over (engine/stream/stream_log.h).
absl::Status CheckLineage(const std::vector<ShardDescription>& shards, bool may_be_old, int kills) {
  std::map<std::string, int> children;
  std::map<std::string, const ShardDescription*> by_id;
  for (const ShardDescription& shard : shards) {
    by_id[shard.shard_id] = &shard;
    if (shard.parent_shard_id) ++children[*shard.parent_shard_id];
  }
  for (const auto& [parent, count] : children) {
    if (!by_id.contains(parent)) return Fault(Concat("no shard ", parent));
  }
  int repeated = 0;
  for (const ShardDescription& shard : shards) {
    const bool is_closed = shard.sequence_number_range.ending_sequence_number.has_value();
    const int count = children[shard.shard_id];
    if (count == (is_closed ? 2 : 0) || (may_be_old && is_closed && count == 1)) continue;
    if (is_closed && count == 1 && ++repeated <= kills) continue;
    return Fault(Concat(is_closed ? "closed" : "open", " shard ", shard.shard_id, " has ", count,
                        " children"));
  }
  return absl::OkStatus();
}

// Adds the shard's records, by key, in their order.
absl::Status ReadShard(Database* database, const std::string& arn, const std::string& shard,
                       std::map<std::string, std::vector<int64_t>>* writes) {
  GetShardIteratorRequest begin;
  begin.stream_arn = arn;
  begin.shard_id = shard;
  DYNOLITH_ASSIGN_OR_RETURN(const auto begun, database->GetShardIterator(begin));
  std::optional<std::string> next = begun.shard_iterator;
  while (next) {
    DYNOLITH_ASSIGN_OR_RETURN(const GetRecordsOutput page,
                              database->GetRecords({.shard_iterator = *next}));
    for (const ChangeRecord& record : page.records) {
      const Item& image = *record.dynamodb.new_image;
      (*writes)[std::string(image.Find("pk")->payload())].push_back(WriteNumber(image));
    }
    if (page.records.empty()) break;
    next = page.next_shard_iterator;
  }
  return absl::OkStatus();
}

// Parents come before their children, so that each key's writes are in order.
absl::Status CheckStream(Database* database, Progress* progress, Grown* grown) {
  DYNOLITH_ASSIGN_OR_RETURN(const auto streams, database->ListStreams({.table_name = kTable}));
  const std::string arn = streams.streams.at(0).stream_arn;
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<ShardDescription> shards, Shards(database, arn));
  DYNOLITH_RETURN_IF_ERROR(CheckLineage(shards, progress->ticks > kShardLifeTicks, grown->kills));
  if (shards.size() < grown->shards) return Fault("shards are gone");
  grown->shards = shards.size();
  const auto open = std::count_if(shards.begin(), shards.end(), [](const ShardDescription& shard) {
    return !shard.sequence_number_range.ending_sequence_number;
  });
  if (static_cast<size_t>(open) < grown->boundaries.size()) {
    return Fault(Concat(open, " open shards of ", grown->boundaries.size(), " partitions"));
  }
  std::map<std::string, std::vector<int64_t>> writes;
  for (const ShardDescription& shard : shards) {
    DYNOLITH_RETURN_IF_ERROR(ReadShard(database, arn, shard.shard_id, &writes));
  }
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int key = 0; key < kKeys; ++key) {
      const std::vector<int64_t>& records = writes[MakeKey(thread, key)];
      const uint64_t written = progress->written[thread][key];
      bool agrees = records.size() == written;
      for (size_t i = 0; i < records.size(); ++i) {
        agrees = agrees && records[i] == static_cast<int64_t>(i + 1);
      }
      if (agrees) continue;
      return Fault(Concat(MakeKey(thread, key), ": ", records.size(), " records of ", written,
                          " writes, or not in order"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckStore(DatabaseImpl* database) {
  std::string found;
  DYNOLITH_RETURN_IF_ERROR(
      CheckAll(database->store(), *database->catalog(), [&](const std::string& line) {
        found += line + "\n";
      }).status());
  return found.empty() ? absl::OkStatus() : Fault(found);
}

absl::Status CheckAfterCrash(const std::string& folder, Progress* progress, Grown* grown) {
  TickingClock clock(progress);
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database, Open(folder, &clock));
  // It may have been killed before the table was there.
  DYNOLITH_RETURN_IF_ERROR(CreateTable(database.get()));
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int key = 0; key < kKeys; ++key) {
      DYNOLITH_RETURN_IF_ERROR(
          CheckItem(database.get(), MakeKey(thread, key), &progress->written[thread][key]));
    }
  }
  DYNOLITH_RETURN_IF_ERROR(CheckPartitions(database.get(), grown));
  DYNOLITH_RETURN_IF_ERROR(CheckStream(database.get(), progress, grown));
  return CheckStore(dynamic_cast<DatabaseImpl*>(database.get()));
}

// --- The rounds

Progress* ShareProgress(const std::string& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0 || ftruncate(descriptor, sizeof(Progress)) != 0) return nullptr;
  void* memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  return memory == MAP_FAILED ? nullptr : static_cast<Progress*>(memory);
}

std::string ProgressFile(const std::string& folder) { return folder + ".progress"; }

// Lets a writer try so often, then kills it. False if it ended by itself. The writer is this
// program anew: a forked copy would lack RocksDB's threads.
bool RunAndKill(const std::string& folder, uint64_t seed, uint64_t tries,
                const Progress& progress) {
  std::string write = "--write=" + folder;
  std::string with_seed = "--seed=" + std::to_string(seed);
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  char* const arguments[] = {program.data(), write.data(), with_seed.data(), nullptr};
  const uint64_t until = progress.ticks + tries;
  const pid_t child = fork();
  if (child == 0) {
    execv(program.c_str(), arguments);
    _exit(127);
  }
  int state = 0;
  while (progress.ticks < until && waitpid(child, &state, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (progress.ticks < until) return false;
  kill(child, SIGKILL);
  waitpid(child, &state, 0);
  return WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL;
}

bool RunRounds(uint64_t seed, int rounds, const std::string& folder, Progress* progress) {
  std::mt19937_64 random(seed);
  Grown grown;
  for (int round = 0; round < rounds; ++round) {
    // Half an hour of a peak warms the table.
    const uint64_t tries = round == 0 ? 2'500 : 100 + random() % 1'500;
    if (!RunAndKill(folder, random(), tries, *progress)) {
      std::cout << "round " << round << ": the writer ended by itself\n";
      return false;
    }
    ++grown.kills;
    const absl::Status status = CheckAfterCrash(folder, progress, &grown);
    if (!status.ok()) {
      std::cout << "round " << round << " failed: " << status << "; its data is in " << folder
                << "\n";
      return false;
    }
    std::cout << "round " << round << ": " << grown.boundaries.size() << " partitions, "
              << grown.shards << " shards, warm for " << grown.warm << std::endl;
  }
  constexpr size_t kAtFirst = 4;
  if (grown.boundaries.size() > kAtFirst && grown.shards > kAtFirst) return true;
  std::cout << "nothing was ever split: this tests nothing\n";
  return false;
}

int Main(int argc, char** argv) {
  uint64_t seed = std::random_device()();
  int rounds = 8;
  std::string write_folder;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const char* value = argv[i] + std::min(argument.find('=') + 1, argument.size());
    if (argument.starts_with("--seed=")) seed = std::strtoull(value, nullptr, 10);
    if (argument.starts_with("--rounds=")) rounds = std::atoi(value);
    if (argument.starts_with("--write=")) write_folder = value;
  }
  if (!write_folder.empty()) {
    Progress* progress = ShareProgress(ProgressFile(write_folder));
    if (progress == nullptr) return 1;
    WriteUntilKilled(write_folder, seed, progress);
  }
  std::cout << "split_crash_test --seed=" << seed << " --rounds=" << rounds << std::endl;
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("dynolith_split_crash_" + std::to_string(seed)))
          .string();
  std::filesystem::remove_all(folder);
  std::filesystem::remove(ProgressFile(folder));
  Progress* progress = ShareProgress(ProgressFile(folder));
  if (progress == nullptr || !RunRounds(seed, rounds, folder, progress)) return 1;
  std::filesystem::remove_all(folder);
  std::filesystem::remove(ProgressFile(folder));
  return 0;
}

}  // namespace
}  // namespace dynolith::crash

int main(int argc, char** argv) { return dynolith::crash::Main(argc, argv); }
