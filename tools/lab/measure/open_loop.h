// The calls of a run at their times: new requests at the times of their loads, independent of
// earlier ones, and retries. A late request counts its latency from the time when it was due, so
// there is no coordinated omission (Tene, 2013).
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_OPEN_LOOP_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_OPEN_LOOP_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/load/replay_source.h"
#include "tools/lab/load/request_schedule.h"
#include "tools/lab/load/retry_pace.h"
#include "tools/lab/measure/measure_record.h"
#include "tools/lab/measure/replay_maker.h"
#include "tools/lab/measure/request_maker.h"
#include "tools/lab/measure/service_call.h"
#include "tools/lab/model/cache_or_queue.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// A running request; it ends with the last of its calls.
struct RequestUnderWay {
  size_t access = 0;
  Micros due = 0;
  size_t calls_left = 0;
  bool is_spoiled = false;  // some call failed or was given up
};

struct CallUnderWay {
  PlannedCall planned;
  std::shared_ptr<RequestUnderWay> request;
  Micros at = 0;         // when it is to be sent
  int64_t attempts = 0;  // so far
  // Nanoseconds since the run began: from when its connection was free, and when it was sent.
  int64_t ready = 0;
  int64_t sent = 0;
};

// One run. Thread-safe.
class OpenLoop {
 public:
  using Clock = std::chrono::steady_clock;

  // All arguments are borrowed. `replay`: makes the requests of a replay; nullptr if the experiment
  // is not one.
  OpenLoop(const Experiment& experiment, const std::vector<std::string>& tables,
           RequestMaker* maker, const ReplayMaker* replay, uint64_t seed);

  // Waits for the next due call and takes it; nullopt when the run is over. The caller counts as
  // free since it called.
  std::optional<CallUnderWay> Next() ABSL_LOCKS_EXCLUDED(mutex_);
  // Call when the call is sent.
  void Send(CallUnderWay* call);
  // Call with the answer.
  void Finish(CallUnderWay call, const CallAnswer& answer) ABSL_LOCKS_EXCLUDED(mutex_);

  // The progress of the run, and figures of the calls since the last look, from which follows how
  // many connections they need. Durations are nanoseconds, `now` is Micros.
  struct State {
    Micros now = 0;
    bool is_over = false;
    uint64_t calls = 0;     // of the whole run
    int64_t elapsed = 0;    // since the last look
    uint64_t taken = 0;     // calls that were begun
    int64_t span = 0;       // the time within which these were due
    uint64_t late = 0;      // calls of these that began late because no connection was free
    uint64_t together = 1;  // the most calls of one request, which are due at the same time
    uint64_t answered = 0;
    int64_t in_call = 0;  // the sum of the durations of the answered calls
  };
  State Look() ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the run early.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);
  // Sets how many bytes each table and index holds now, by ResourceDesigns.
  void SetStored(const std::vector<int64_t>& bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  // Call after the last Finish. `measured` lacks the target, the connections and the phases before
  // the run.
  RunResult Result() ABSL_LOCKS_EXCLUDED(mutex_);
  // The part of the requests that waited for a connection for 10 ms or more.
  double waited_part() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct IsLater {
    bool operator()(const CallUnderWay& left, const CallUnderWay& right) const {
      return left.at > right.at;
    }
  };

  int64_t Elapsed() const;
  Micros Begin(Micros now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<CallUnderWay> Take(Micros now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // When the next new request is due, and its access.
  Micros Due() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<PlannedCall> CallsOfNext(size_t* access) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<CallUnderWay> TakeRequest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Wait(Micros until) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Push(CallUnderWay call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CountWait(const CallUnderWay& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Served(CallUnderWay call, const CallAnswer& answer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Throttled(CallUnderWay call, const CallAnswer& answer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Again(CallUnderWay call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void GoOn(CallUnderWay call, Micros at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndOfCall(const CallUnderWay& call, int64_t at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CountUnsent() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Experiment& experiment_;
  RequestMaker* const maker_;
  const ReplayMaker* const replay_maker_;
  const Clock::time_point begun_ = Clock::now();

  absl::Mutex mutex_;
  absl::CondVar leader_wakes_;
  absl::CondVar follower_wakes_;
  bool has_leader_ ABSL_GUARDED_BY(mutex_) = false;
  RequestSchedule schedule_ ABSL_GUARDED_BY(mutex_);
  std::optional<ReplaySource> replay_ ABSL_GUARDED_BY(mutex_);  // then nothing is scheduled
  std::vector<CacheOrQueue> caches_and_queues_ ABSL_GUARDED_BY(mutex_);
  std::priority_queue<CallUnderWay, std::vector<CallUnderWay>, IsLater> pending_
      ABSL_GUARDED_BY(mutex_);
  MeasureRecord record_ ABSL_GUARDED_BY(mutex_);
  LatencyHistogram lag_ ABSL_GUARDED_BY(mutex_);
  uint64_t random_ ABSL_GUARDED_BY(mutex_);
  RetryPace pace_ ABSL_GUARDED_BY(mutex_);
  Micros second_ ABSL_GUARDED_BY(mutex_) = 0;  // when the current second began
  Micros end_ ABSL_GUARDED_BY(mutex_);
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t calls_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t unsent_ ABSL_GUARDED_BY(mutex_) = 0;
  State since_look_ ABSL_GUARDED_BY(mutex_);
  int64_t looked_ ABSL_GUARDED_BY(mutex_) = 0;    // at the last Look
  Micros due_then_ ABSL_GUARDED_BY(mutex_) = 0;   // the latest due time of a call taken until then
  Micros due_until_ ABSL_GUARDED_BY(mutex_) = 0;  // the latest due time of a call taken until now
  uint64_t requests_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t waited_ ABSL_GUARDED_BY(mutex_) = 0;  // of these
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_OPEN_LOOP_H_
