// How far the records of streams have been delivered, over restarts: a file beside the data folder.
//
//   file    = {"dynolith_targets":1,"mappings":[mapping, …],"checksum":N}     ; one line
//   mapping = {"table":text,"target":text,"begin":number,"lanes":[lane, …]}
//   lane    = {"shard":id,"lane":N,"of":N,"next":number,"done":bool}
//             and with an open tumbling window {"window":seconds since 1970,"state":JSON as a text}
//   number  = a sequence number as clients see it, as a text
//
// "begin": where shards begin that have no lane: the end of all records when a mapping that starts
// at LATEST was made. "next": records before it are done with. A mapping without an option is kept:
// it goes on when it is there again.
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_POSITIONS_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_POSITIONS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/stream/sequence_numbers.h"

namespace dynolith::targets {

struct LaneKey {
  std::string shard;  // its id
  int lane = 0;
  int of = 1;  // lanes of the shard

  friend bool operator<(const LaneKey& a, const LaneKey& b) {
    return std::tie(a.shard, a.of, a.lane) < std::tie(b.shard, b.of, b.lane);
  }
};

struct LanePosition {
  SequenceNumber next = 0;  // 0: the first record that there is
  bool done = false;        // the shard is closed, and all of it is done with
  // An open tumbling window: its beginning, seconds since 1970, and its state, which is JSON.
  std::optional<int64_t> window;
  std::string state;
};

struct MappingPosition {
  std::optional<SequenceNumber> begin;
  std::map<LaneKey, LanePosition> lanes;
};

// The table and the target.
using MappingKey = std::pair<std::string, std::string>;
using AllPositions = std::map<MappingKey, MappingPosition>;

std::string PrintPositions(const AllPositions& positions);
// Errors: kInvalidArgument: damaged, or of another version.
absl::StatusOr<AllPositions> ParsePositions(std::string_view text);

// Thread-safe.
class Positions {
 public:
  // `file`: empty for a database in memory: then nothing is kept. Without a file there are none.
  // Errors: kFailedPrecondition, which names the file.
  static absl::StatusOr<std::unique_ptr<Positions>> Open(const std::string& file);

  MappingPosition Get(const MappingKey& mapping) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Changes what is known; with `keep` the file is replaced durably before this returns, else with
  // a later change. Errors: kUnavailable, which names the file: it is as it was, and the next
  // change tries again.
  absl::Status SetBegin(const MappingKey& mapping, SequenceNumber begin)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Set(const MappingKey& mapping, const LaneKey& lane, const LanePosition& position,
                   bool keep) ABSL_LOCKS_EXCLUDED(mutex_);
  // The lane's shard is gone.
  void Forget(const MappingKey& mapping, const LaneKey& lane) ABSL_LOCKS_EXCLUDED(mutex_);
  // Writes what has not been kept.
  absl::Status Keep() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  explicit Positions(const std::string& file) : file_(file) {}
  absl::Status Write() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string file_;
  mutable absl::Mutex mutex_;
  AllPositions all_ ABSL_GUARDED_BY(mutex_);
  bool is_changed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_POSITIONS_H_
