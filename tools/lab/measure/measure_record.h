// What a measurement has seen, in the form of a run's result.
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
  // `tables`: what they are called in the service.
  MeasureRecord(const Experiment& experiment, const std::vector<std::string>& tables);

  // Closes the seconds and intervals that have ended by then.
  void Advance(Micros now);

  AccessMoment& moment(size_t access) { return accesses_[access].moment; }
  AccessResult& access(size_t access) { return accesses_[access].result; }
  // A call, or these items of it, was served.
  void Served(const PlannedCall& call, const std::vector<const PlannedItem*>& items,
              const CallAnswer& answer);
  void Throttled(const PlannedCall& call, const std::vector<const PlannedItem*>& items,
                 const std::vector<ThrottlingReason>& reasons);
  // It has failed by a condition, as it was to. Answers name no units then: what its items would
  // cost by the service's rule is counted, and returned.
  double FailedCondition(const PlannedCall& call);
  void Failed(size_t access, uint64_t operations, const std::string& kind);
  // AccessRecord a request, and of a call; nanoseconds.
  void Latency(size_t access, int64_t latency);
  void CallTime(size_t access, int64_t time) {
    accesses_[access].result.latency->calls.Record(time);
  }

  // How many bytes each table and index holds from now on, by ResourceDesigns.
  void SetStored(const std::vector<int64_t>& bytes);

  // The result of a run that has ended then. Everything but `measured` is filled.
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
  std::vector<ResourceMoment> given_;          // what each resource has been given
  std::map<std::string, size_t> resource_at_;  // "table", "table/index", as the service calls them
  std::vector<size_t> targets_;                // of accesses: the resource that is asked
  Micros second_ = 0;                          // when this one began
  Micros closed_ = 0;                          // until when there are moments
};

// Which limit a reason names: "TableWriteKeyRangeThroughputExceeded".
ThroughputLimit ToThroughputLimit(const ThrottlingReason& reason);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_MEASURE_RECORD_H_
