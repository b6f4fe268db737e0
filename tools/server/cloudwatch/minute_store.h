// What was measured, minute by minute, in bounded memory.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_MINUTE_STORE_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_MINUTE_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tools/server/cloudwatch/metric.h"
#include "tools/server/cloudwatch/statistic.h"

namespace dynolith::cloudwatch {

using Minute = int64_t;  // since 1970

// The memory of several stores together, and of the alarms on them. Thread-safe.
struct MemoryShare {
  size_t bytes_max = size_t{64} << 20;
  std::atomic<size_t> bytes = 0;  // in use; estimated
  // Of alarms, which are not forgotten when there is no room, and so have room of their own.
  size_t alarm_bytes_max = size_t{64} << 20;
  std::atomic<size_t> alarm_bytes = 0;
};

struct MinuteStoreOptions {
  // Older ones are forgotten, counted from the latest.
  Minute minutes_max = 15 * 24 * 60;
  // Beyond it the store's oldest minutes are forgotten.
  std::shared_ptr<MemoryShare> memory = std::make_shared<MemoryShare>();
};

// Thread-safe.
class MinuteStore {
 public:
  using Options = MinuteStoreOptions;
  explicit MinuteStore(Options options = {}) : options_(std::move(options)) {}
  ~MinuteStore() { options_.memory->bytes -= bytes(); }
  MinuteStore(const MinuteStore&) = delete;
  MinuteStore& operator=(const MinuteStore&) = delete;

  // Adds to what the series already has in that minute. Nothing is added to minutes that were
  // forgotten, nor if there is no room without forgetting this minute.
  void Add(const Series& series, Minute minute, const Statistic& statistic)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Forgets this minute and later ones.
  void DropFrom(Minute minute) ABSL_LOCKS_EXCLUDED(mutex_);
  // Forgets the older half of its minutes: room for other stores.
  void DropOlderHalf() ABSL_LOCKS_EXCLUDED(mutex_);

  // Of the minutes from `begin` until before `end`, those that have samples.
  std::vector<std::pair<Minute, Statistic>> Read(const Series& series, Minute begin,
                                                 Minute end) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Those with samples from `begin` until before `end`, in order.
  std::vector<Series> List(Minute begin, Minute end) const ABSL_LOCKS_EXCLUDED(mutex_);
  size_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Minutes = std::map<Minute, Statistic>;

  void Count(size_t before, size_t after) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Erases a part of a series, which may end it.
  std::map<Series, Minutes>::iterator Erase(std::map<Series, Minutes>::iterator series,
                                            Minutes::iterator begin, Minutes::iterator end)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropBefore(Minute minute) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The first minute that has samples. Requires: there is one.
  Minute FindOldest() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Until the memory suffices; minutes before `minute` only. False: it does not.
  bool MakeRoom(Minute minute) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  mutable absl::Mutex mutex_;
  std::map<Series, Minutes> series_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // its part of options_.memory
  Minute first_ ABSL_GUARDED_BY(mutex_) = 0;  // earlier ones are not kept
};

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_MINUTE_STORE_H_
