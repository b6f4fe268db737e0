// The changes of a table of FROM, from its stream, and their writes on TO (README.md, "Right in the
// end").
#ifndef DYNOLITH_TOOLS_MIGRATE_CHANGE_STREAM_H_
#define DYNOLITH_TOOLS_MIGRATE_CHANGE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/text/json_tree.h"
#include "tools/migrate/table_source.h"
#include "tools/migrate/work.h"

namespace dynolith::migrate {

// Switches the stream of the table on, if it is off, with new and old images, and reads the
// description anew. False: FROM has no streams, or refuses to, which is said.
absl::StatusOr<bool> SwitchStreamOn(Work* work, TableSource* source);

// For one thread, which may use several for its work.
class ChangeStream {
 public:
  // Requires: the table's state has this stream, or none yet.
  ChangeStream(Work* work, const TableSource* source) : work_(work), source_(source) {}

  // Notes positions in the state, from which on all changes after this call, and perhaps some
  // before it, are read; saves it. Errors: as Side::Caller::Ask.
  absl::Status NotePositions();

  struct Pass {
    uint64_t records = 0;
    bool is_at_end = true;  // all there was has been written
    double lag_seconds = 0;
  };
  // Reads what there is now, up to a page of each shard that may be read, and writes it to TO.
  // Shards are read after their parents. Errors: kDataLoss: records were lost before they were
  // read; as Side::Caller::Ask.
  absl::StatusOr<Pass> Follow();

 private:
  struct Shard {
    std::string iterator;  // empty: to be made by its position
  };

  absl::Status FindShards(Side::Caller* caller);
  absl::Status CheckKept() const;
  // `needs_all`: whether it is an error (kDataLoss) that records before the first one left, and
  // behind the position, were trimmed.
  absl::StatusOr<std::string> MakeIterator(Side::Caller* caller, const std::string& id,
                                           const ShardState& shard, bool needs_all);
  // A page of records; nullopt: the iterator has expired.
  absl::StatusOr<std::optional<JsonTree>> ReadPage(Side::Caller* caller,
                                                   const std::string& iterator);
  absl::StatusOr<Pass> FollowShard(const std::string& id);
  absl::StatusOr<bool> SkipPage(Side::Caller* caller, const std::string& id);
  // Says what a rule could not change.
  void Refuse(const absl::Status& status);
  absl::Status Apply(Side::Caller* to, const std::vector<JsonTree>& records);
  absl::Status ApplyKeys(Side::Caller* to, const std::vector<JsonTree>& records);

  Work* const work_;
  const TableSource* const source_;
  absl::Time looked_ = absl::InfinitePast();  // for shards
  absl::Mutex mutex_;
  std::map<std::string, Shard> shards_ ABSL_GUARDED_BY(mutex_);
  bool has_ended_one_ ABSL_GUARDED_BY(mutex_) = true;
};

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_CHANGE_STREAM_H_
