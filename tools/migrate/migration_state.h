// How far a migration has come, in a file, so that the next run continues there (README.md,
// "State").
#ifndef DYNOLITH_TOOLS_MIGRATE_MIGRATION_STATE_H_
#define DYNOLITH_TOOLS_MIGRATE_MIGRATION_STATE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/text/json_tree.h"

namespace dynolith::migrate {

// A segment of a parallel scan. Everything up to `after` is in TO.
struct SegmentState {
  bool is_done = false;
  std::string after;  // the key in the service's JSON; empty: not begun
};

// A shard of a stream.
struct ShardState {
  std::string parent;    // may be empty
  bool is_done = false;  // read to its end
  std::string after;     // all records up to this sequence number are in TO; empty: none is known
  std::string first;     // where its records begin, from which all are needed; empty: not known
  int64_t seen = 0;      // when it was last read or first known, seconds of the epoch by our clock
};

// A copy through a bucket. Calls with its token may be made twice.
struct BucketState {
  std::string token;     // empty: not begun
  std::string exported;  // the export's ARN; empty: not known to have begun
  std::string imported;  // the import's
};

struct TableState {
  bool is_being_made = false;  // before the call that makes it
  bool is_made = false;        // it is there, and is ours to fill
  BucketState bucket;
  std::vector<SegmentState> segments;
  uint64_t items = 0;    // written by the copy
  uint64_t changes = 0;  // written since
  uint64_t refused = 0;  // by rules, or by TO
  // The stream that is followed; empty: none, or positions are not known yet.
  std::string stream;
  std::map<std::string, ShardState> shards;
  // What changed may be unknown: both sides are compared, and what differs is written, before the
  // end.
  bool needs_second_scan = false;

  bool IsCopied() const;
};

struct MigrationState {
  std::map<std::string, TableState> tables;
  // TO is whole, and FROM may be forwarding calls already: it is not compared any more.
  bool is_forwarding = false;
  bool is_over = false;
};

// `what`: what is migrated, with everything that must be the same in the next run. The text ends
// with a line break.
std::string PrintState(const MigrationState& state, const JsonTree& what);
// Errors: kInvalidArgument: `text` is none, is damaged, of a newer version, or of another
// migration.
absl::StatusOr<MigrationState> ParseState(std::string_view text, const JsonTree& what);

// The state with its file, which one run holds at a time. Thread-safe.
class StateFile {
 public:
  // Reads the file, if there is one. Errors: kInvalidArgument as ParseState, and if it cannot be
  // read; kFailedPrecondition: another run holds it.
  static absl::StatusOr<std::unique_ptr<StateFile>> Open(const std::string& file,
                                                         const JsonTree& what);
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  // Whether there was a file.
  bool was_there() const { return was_there_; }
  const std::string& file() const { return file_; }

  void Change(const std::function<void(MigrationState* state)>& change) ABSL_LOCKS_EXCLUDED(mutex_);
  MigrationState Get() const ABSL_LOCKS_EXCLUDED(mutex_);
  TableState Get(const std::string& table) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Writes it durably, beside itself first. Errors: it cannot be written.
  absl::Status Save() ABSL_LOCKS_EXCLUDED(mutex_, saving_);
  // The same, if it has changed and was not written for 200 ms.
  absl::Status SaveNowAndThen() ABSL_LOCKS_EXCLUDED(mutex_, saving_);

 private:
  StateFile(std::string file, JsonTree what, int lock)
      : file_(std::move(file)), what_(std::move(what)), lock_(lock) {}

  const std::string file_;
  const JsonTree what_;
  const int lock_;  // a descriptor
  bool was_there_ = false;
  mutable absl::Mutex mutex_;
  MigrationState state_ ABSL_GUARDED_BY(mutex_);
  bool is_changed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time saved_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Mutex saving_ ABSL_ACQUIRED_BEFORE(mutex_);  // one writes the file at a time
};

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_MIGRATION_STATE_H_
