// Records a measurement in the form of a run's result.
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_MEASURE_RECORD_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_MEASURE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/lab/experiment/experiment.h"
#include "tools/lab/measure/request_maker.h"
#include "tools/lab/measure/service_call.h"
#include "tools/lab/result/resource_record.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Thread-compatible. Times are those of the run; counts belong to the interval of the last Advance.
class MeasureRecord {
 public:
  // `tables`: their names in the service.
  MeasureRecord(const Experiment& experiment, const std::vector<std::string>& tables);

  // Closes the seconds and intervals that have ended by `now`.
  void Advance(Micros now);

  AccessMoment& moment(size_t access) { return accesses_[access].moment; }
  AccessResult& access(size_t access) { return accesses_[access].result; }
  // A call, or these items of it, was served.
  void Served(const PlannedCall& call, const std::vector<const PlannedItem*>& items,
              const CallAnswer& answer);
  void Throttled(const PlannedCall& call, const std::vector<const PlannedItem*>& items,
                 const std::vector<ThrottlingReason>& reasons);
  // A call whose condition was meant to fail did fail. Such answers name no units, so this counts
  // the units that the service charges by its rule, and returns them.
  double FailedCondition(const PlannedCall& call);
  void Failed(size_t access, uint64_t operations, const std::string& kind);
  // Record the latency of a request, and the duration of a call; nanoseconds.
  void Latency(size_t access, int64_t latency);
  void CallTime(size_t access, int64_t time) {
    accesses_[access].result.latency->calls.Record(time);
  }

  // Sets the stored bytes of each table and index, by ResourceDesigns.
  void SetStored(const std::vector<int64_t>& bytes);

  // The result of a run that ended at `end`. Everything but `measured` is filled.
  RunResult Finish(Micros end);

 private:
  struct AccessRecord {
    AccessResult result;
    AccessMoment moment;
    LatencyHistogram latencies;  // of this interval
  };

  void CloseInterval(Micros now);
  AccessKind ToAccessKind(const PlannedCall& call) const;

  const Experiment& experiment_;
  const RunIntervals intervals_;
  std::vector<AccessRecord> accesses_;
  std::vector<ResourceRecord> resources_;
  std::vector<ResourceMoment> given_;          // the capacity of each resource
  std::map<std::string, size_t> resource_at_;  // "table", "table/index", as the service calls them
  std::vector<size_t> targets_;                // by access: its resource
  Micros second_ = 0;                          // the beginning of the current second
  Micros closed_ = 0;                          // the end of the last closed interval
};

// The limit that a reason names, as in "TableWriteKeyRangeThroughputExceeded".
ThroughputLimit ToThroughputLimit(const ThrottlingReason& reason);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_MEASURE_RECORD_H_
