// Counts a database's calls, minute by minute of its clock: the metrics of AWS/DynamoDB.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_COLLECTOR_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_COLLECTOR_H_

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/partition/access_observer.h"
#include "tools/server/cloudwatch/metric.h"
#include "tools/server/cloudwatch/minute_store.h"
#include "tools/server/cloudwatch/statistic.h"

namespace dynolith::cloudwatch {

inline Minute MinuteOf(absl::Time time) {
  return absl::ToUnixSeconds(time) / 60 - (absl::ToUnixSeconds(time) % 60 < 0 ? 1 : 0);
}
inline absl::Time TimeOf(Minute minute) { return absl::FromUnixSeconds(minute * 60); }

struct CollectorOptions {
  MinuteStoreOptions store;
  // Called, on the call's thread, before a call that may change a table's provisioned capacity; may
  // be empty.
  std::function<void()> before_change;
};

// Thread-safe. A call waits for another thread only while that adds up a call, or a minute ends.
class Collector final : public AccessObserver {
 public:
  explicit Collector(CollectorOptions options)
      : options_(std::move(options)), store_(options_.store) {}

  void NoteAccesses(absl::Span<const ObservedAccess> accesses) override;
  void BeginCall(std::string_view operation) override;
  void EndCall(const ObservedEnd& end) override;
  void NoteReturnedItems(const TableSchema& table, int64_t items) override;
  void NoteRowFailure(const TableSchema& table, ErrorKind error) override;
  void NoteStreamRead(const ObservedStreamRead& read) override;
  void NoteExpired(const TableSchema& table, int64_t items, absl::Time at) override;
  // A call that was answered with status 400.
  void NoteUserError(absl::Time at);

  // What has been collected so far.
  const MinuteStore& Collect();
  // Forgets this minute and later ones, as after a return to an earlier state.
  void DropFrom(Minute minute);
  // Of what has been collected (MinuteStore).
  size_t bytes() const { return store_.bytes(); }
  void DropOlderHalf() { store_.DropOlderHalf(); }

 private:
  using Sums = std::map<Series, Statistic>;
  // Of a part, which hands on what it has then.
  static constexpr size_t kPartSeriesMax = 10'000;
  // Threads are distributed over these.
  struct Part {
    absl::Mutex mutex;
    Minute minute ABSL_GUARDED_BY(mutex) = 0;
    Sums sums ABSL_GUARDED_BY(mutex);
  };

  void Add(Minute minute, const Sums& sums);
  void HandOn(Part* part) ABSL_EXCLUSIVE_LOCKS_REQUIRED(part->mutex);

  const CollectorOptions options_;
  MinuteStore store_;
  std::array<Part, 8> parts_;
};

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_COLLECTOR_H_
