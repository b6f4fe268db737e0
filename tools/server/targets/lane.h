// One lane: the records of a shard, or of those of its partition keys that fall to the lane, one
// batch after the other. A place is kept when everything before it is done with, so a batch is
// delivered again rather than lost.
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_LANE_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_LANE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "tools/server/targets/event_record.h"
#include "tools/server/targets/mapping.h"
#include "tools/server/targets/positions.h"
#include "tools/server/targets/stream_source.h"
#include "tools/server/targets/target.h"

namespace dynolith::targets {

// What the lanes of a mapping share. All pointers are borrowed.
struct LaneParts {
  const Mapping* mapping = nullptr;
  const StreamSource* source = nullptr;
  Positions* positions = nullptr;
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(const std::string&)> note;  // a warning
};

struct LaneReport {
  SequenceNumber next = 0;
  bool done = false;
  size_t waiting = 0;                 // records that have been read and are not done with
  std::optional<absl::Duration> age;  // of the oldest of them
  int64_t delivered = 0;              // records
  int64_t filtered = 0;               // records that no filter let through
  int64_t given_up = 0;               // records
  int64_t invocations = 0;
  int64_t failures = 0;    // of invocations
  std::string last_error;  // empty: the last invocation succeeded
};

// Step is for one thread at a time; the rest is thread-safe.
class Lane {
 public:
  // `at`: where it begins.
  Lane(LaneParts parts, SourceShard shard, LaneKey key, LanePosition at,
       std::unique_ptr<Target> target);

  // Reads, or invokes the target once. Returns the time until the next step by the machine's clock;
  // infinite: the shard is done.
  absl::Duration Step();

  bool done() const { return done_.load(); }
  LaneReport Report() const ABSL_LOCKS_EXCLUDED(mutex_);
  const SourceShard& shard() const { return shard_; }
  const LaneKey& key() const { return key_; }

 private:
  // The first records that wait, as they are delivered together.
  struct Segment {
    size_t records = 0;
    bool is_final = false;     // of a tumbling window: without records
    bool is_early = false;     // since the state is too large
    std::string_view give_up;  // the condition for which it is given up; empty: it is not
    int retries = 0;
    int64_t invocations = 0;
    int status = 0;  // of its last answer
    std::string function_error;
    std::string error;
  };
  // How much of a segment an answer says is done.
  struct Verdict {
    size_t done = 0;
    std::string error;  // empty: all
    std::optional<std::string> state;
  };

  absl::Status Gather(absl::Time now);
  // One read. Returns the number of records that there were, whoever's they are.
  absl::StatusOr<size_t> ReadOnce();
  void Take(const OperationContext& context, SequenceNumber number, const RecordView& record);
  // Makes a segment of what is to be delivered now. False: nothing.
  bool FormSegment(absl::Time now);
  bool IsWindowOver(absl::Time now) const;
  size_t CountTogether(bool* is_full) const;
  absl::Duration Finish();

  absl::Duration Deliver(absl::Time now);
  // Splits what is too old off the first segment, which is then given up.
  void SplitTooOld(absl::Time now);
  std::string EventOf(const Segment& segment) const;
  std::vector<const EventRecord*> RecordsOf(const Segment& segment) const;
  Verdict Judge(const Segment& segment, const std::string& answer) const;
  Verdict JudgeFailures(const Segment& segment, const JsonTree& failures) const;
  absl::Duration Succeed(absl::Time now, const Verdict& verdict);
  // `is_counted`: as an attempt. `is_cut`: the answer has said where the first segment begins.
  absl::Duration Fail(absl::Time now, const std::string& error, bool is_counted,
                      bool is_cut = false);
  absl::Duration GiveUp(absl::Time now);
  // Once their place has been kept.
  void CountDelivered(size_t records) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Duration BackOff(absl::Time now, const std::string& error);
  // The first segment is done with; a final one closes its window.
  void EndSegment(absl::Time now);
  // The first records are done with.
  void Advance(size_t records, absl::Time now);
  void KeepPosition(bool durably);
  void SetError(const std::string& error) ABSL_LOCKS_EXCLUDED(mutex_);
  void UpdateReport(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  int64_t WindowOf(const EventRecord& record) const;

  const LaneParts parts_;
  const Mapping& mapping_;
  const SourceShard shard_;
  const LaneKey key_;
  const std::unique_ptr<Target> target_;
  const bool has_windows_;

  LanePosition at_;
  SequenceNumber read_position_;  // all before it has been read
  bool ended_ = false;            // the shard has been read to its end
  bool caught_up_ = false;        // the last read found nothing
  std::deque<EventRecord> pending_;
  size_t pending_bytes_ = 0;
  absl::Time first_seen_;         // of the first that waits
  std::deque<Segment> segments_;  // of the batch that is being delivered
  int failures_in_row_ = 0;
  absl::Time next_try_ = absl::InfinitePast();
  std::atomic<bool> done_ = false;
  mutable absl::Mutex mutex_;
  LaneReport report_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_LANE_H_
