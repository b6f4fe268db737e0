// What is measured of one database, as CloudWatch shows it: collected metrics, provisioned
// capacity, and alarms.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_MONITOR_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_MONITOR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "dynolith/use_report.h"
#include "tools/server/cloudwatch/alarm.h"
#include "tools/server/cloudwatch/collector.h"
#include "tools/server/cloudwatch/metric.h"
#include "tools/server/cloudwatch/statistic.h"

namespace dynolith::cloudwatch {

struct MonitorOptions {
  CollectorOptions collector;
  // How long after its end a minute appears.
  absl::Duration delay;
  // Told of each alarm that changes its state; may be empty.
  std::function<void(const std::string& text)> note;
};

// A series in periods: the statistics of those that have samples, by their beginnings.
using Periods = std::vector<std::pair<absl::Time, Statistic>>;

// Thread-safe.
class Monitor {
 public:
  explicit Monitor(MonitorOptions options);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  Collector& collector() { return collector_; }

  // What is due by now: provisioned capacity every five minutes, and alarms every minute.
  void CatchUp(absl::Time now, const std::vector<UseReport>& tables) ABSL_LOCKS_EXCLUDED(mutex_);
  // The database is again what it was: forgets what was measured since this minute began.
  void GoBack(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

  // Periods of `period`, whole minutes, that begin from `begin` until before `end`, `begin` the
  // first of them; with what has appeared by now.
  Periods Read(const Series& series, absl::Time begin, absl::Time end, absl::Duration period,
               absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  // Those with samples since `since` that have appeared by now, in order.
  std::vector<Series> List(absl::Time since, absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

  // --- Alarms ---

  static constexpr size_t kAlarmsMax = 5'000;
  // False: there are too many, or no room for it (MemoryShare).
  bool PutAlarm(AlarmDefinition definition, absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  // All or none; the name of one that is not there, or empty.
  std::string DeleteAlarms(const std::vector<std::string>& names) ABSL_LOCKS_EXCLUDED(mutex_);
  // Calls `visit` with each by name; it must not call the monitor.
  void VisitAlarms(absl::FunctionRef<void(const Alarm& alarm)> visit) ABSL_LOCKS_EXCLUDED(mutex_);
  // Until the next evaluation. False: there is no such alarm.
  bool SetAlarmState(const std::string& name, AlarmState state, std::string_view reason,
                     std::string_view reason_data, absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Provisioned capacity is sampled so often.
  static constexpr Minute kSlot = 5;
  // The same value in one slot after the other.
  struct Steady {
    Minute first = 0;
    Minute last = 0;
    double value = 0;
  };

  MemoryShare& memory() const { return *options_.collector.store.memory; }
  // The first minute that has not appeared by then.
  Minute AppearedBefore(absl::Time now) const { return MinuteOf(now - options_.delay); }
  void Sample(const Series& series, Minute first, Minute last, double value)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SampleAll(absl::Time now, const std::vector<UseReport>& tables)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetState(const Verdict& verdict, absl::Time at, Alarm* alarm)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EvaluateAlarms(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // From which minute on alarms are evaluated that have not been since evaluated_.
  Minute FirstEvaluated(Minute now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Evaluate(const MinuteStore& collected, Minute at, Alarm* alarm)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // `collected`: of the collector, up to now.
  std::vector<std::pair<Minute, Statistic>> ReadMinutes(const MinuteStore& collected,
                                                        const Series& series, Minute begin,
                                                        Minute end)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const MonitorOptions options_;
  Collector collector_;
  absl::Mutex mutex_;
  std::map<Series, std::vector<Steady>> provisioned_ ABSL_GUARDED_BY(mutex_);
  Minute sampled_ ABSL_GUARDED_BY(mutex_) = 0;    // the beginning of the last slot; 0: none
  Minute evaluated_ ABSL_GUARDED_BY(mutex_) = 0;  // the last minute at which alarms were evaluated
  std::map<std::string, Alarm> alarms_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_MONITOR_H_
