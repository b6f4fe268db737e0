// The child process of the crash test: writes until it is killed, and says what has been
// acknowledged.
#ifndef DYNOLITH_TESTS_CRASH_CRASH_WRITER_H_
#define DYNOLITH_TESTS_CRASH_CRASH_WRITER_H_

#include <cstdint>
#include <string>

#include "dynolith/database.h"

namespace dynolith::crash {

inline constexpr const char* kTable = "crash";
// Comes and goes; nobody writes into it.
inline constexpr const char* kRestoredTable = "restored";
// Makes writes expire, in the far future.
inline constexpr const char* kExpiryAttribute = "expires";
inline constexpr int kThreads = 4;
inline constexpr int kKeysPerThread = 40;

// What stands for one key's history in the shared memory: the number of the last write that was
// begun and of the last one that was acknowledged. Only the key's own thread writes it; it survives
// the killed writer.
struct KeyProgress {
  uint64_t begun = 0;
  uint64_t acknowledged = 0;
};

// The same of all backups.
struct BackupProgress {
  uint64_t begun = 0;
  uint64_t made = 0;
  uint64_t deletions_begun = 0;
  uint64_t deleted = 0;
};

struct Progress {
  KeyProgress keys[kThreads][kKeysPerThread];
  BackupProgress backups;
};

// The item that write number `write` leaves under a key: nullopt if it deletes it.
std::optional<Item> ItemAfter(int thread, int key, uint64_t write);
Item KeyItem(int thread, int key);

// `clock`: nullptr for the machine's.
absl::StatusOr<std::unique_ptr<Database>> OpenCrashDatabase(const std::string& folder,
                                                            Clock* clock = nullptr);

// Creates the table, with indexes, a stream and time to live, if it is not there, and switches its
// point-in-time recovery on.
absl::Status PrepareTable(Database* database);

struct WriterOptions {
  std::string folder;
  uint64_t seed = 0;
  // Whether point-in-time recovery goes off and on all the time.
  bool switches_recovery = false;
};

// Writes for ever; returns only if a write fails. Also adds and removes a global index all the
// time, and makes, restores and deletes backups.
[[noreturn]] void WriteUntilKilled(const WriterOptions& options, Progress* progress);

}  // namespace dynolith::crash

#endif  // DYNOLITH_TESTS_CRASH_CRASH_WRITER_H_
