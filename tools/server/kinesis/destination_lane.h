// One Kinesis destination of a table: its changes, one call after the other. A place is kept when
// everything before it has been sent, so a record is sent again rather than lost.
#ifndef DYNOLITH_TOOLS_SERVER_KINESIS_DESTINATION_LANE_H_
#define DYNOLITH_TOOLS_SERVER_KINESIS_DESTINATION_LANE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "tools/server/kinesis/batch.h"
#include "tools/server/kinesis/destination_source.h"
#include "tools/server/kinesis/kinesis_client.h"
#include "tools/server/kinesis/waiting_bytes.h"
#include "tools/server/targets/positions.h"

namespace dynolith::kinesis {

// What all lanes share. All pointers are borrowed.
struct LaneParts {
  const DestinationSource* source = nullptr;
  targets::Positions* positions = nullptr;
  WaitingBytes* waiting_bytes = nullptr;
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(const std::string&)> note;  // a warning
};

struct LaneReport {
  size_t waiting = 0;                 // records that have been read and are not sent
  std::optional<absl::Duration> age;  // of the oldest of them
  int64_t sent = 0;                   // records, also those that were sent again
  int64_t given_up = 0;               // records
  int64_t calls = 0;
  int64_t failures = 0;    // of calls, and calls that left out records
  std::string last_error;  // empty: the last call succeeded
};

// Step is for one thread at a time; the rest is thread-safe.
class DestinationLane {
 public:
  DestinationLane(LaneParts parts, Destination destination,
                  std::unique_ptr<KinesisConnection> connection);

  // How it is by now. Requires: the same key().
  void Update(const Destination& destination) ABSL_LOCKS_EXCLUDED(mutex_);
  // Reads, or calls once. Returns the time until the next step by the machine's clock.
  absl::Duration Step();
  // It is gone, and Step is not called any more: its places are, too.
  void Forget();

  Destination destination() const ABSL_LOCKS_EXCLUDED(mutex_);
  LaneReport Report() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  targets::LanePosition PositionOf(const targets::SourceShard& shard) const;
  void SetPosition(const std::string& shard, const targets::LanePosition& position, bool durably);

  // Asks whether the stream exists.
  absl::Duration Check(const Destination& destination);
  bool has_failed() const ABSL_LOCKS_EXCLUDED(mutex_);
  // What was kept for an attempt that failed is not sent: what is in closed shards. Those of the
  // next attempt are open.
  absl::Status DropFailed(const Destination& destination);

  // Goes to the first shard that is not done. False: there is none.
  bool FindShard(const Destination& destination);
  absl::Status Gather(const Destination& destination);
  absl::StatusOr<size_t> ReadOnce(const Destination& destination);
  absl::Duration Send(const Destination& destination, const std::vector<size_t>& batch);
  absl::Duration GiveUp(const Destination& destination, const absl::Status& why);
  // Leaves behind what is sent, and keeps the place.
  void Advance();
  // Leaves behind everything that has been read; what is not sent is read again.
  void DropWaiting();

  absl::Duration BackOff(const std::string& error);
  void SetError(const std::string& error) ABSL_LOCKS_EXCLUDED(mutex_);
  void UpdateReport() ABSL_LOCKS_EXCLUDED(mutex_);

  const LaneParts parts_;
  const targets::MappingKey key_;
  const std::unique_ptr<KinesisConnection> connection_;

  std::map<std::string, targets::LanePosition> positions_;  // by shard
  std::optional<targets::SourceShard> shard_;               // that is being read
  SequenceNumber read_position_ = 0;                        // all of it before has been read
  bool ended_ = false;                                      // it has been read to its end
  bool caught_up_ = false;                                  // the last read found nothing
  std::deque<WaitingRecord> waiting_;
  WaitingBytes::Part waiting_bytes_;
  int failures_in_row_ = 0;
  mutable absl::Mutex mutex_;
  Destination destination_ ABSL_GUARDED_BY(mutex_);
  // The last attempt to enable it failed, and more of it may be kept: a write that ran beside the
  // failure may open a shard once more.
  bool has_failed_ ABSL_GUARDED_BY(mutex_) = false;
  LaneReport report_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith::kinesis

#endif  // DYNOLITH_TOOLS_SERVER_KINESIS_DESTINATION_LANE_H_
