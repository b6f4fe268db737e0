// The requests of an experiment in the order of their times, independent of their results. A
// simulation and a measurement both use this schedule.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_REQUEST_SCHEDULE_H_
#define DYNOLITH_TOOLS_LAB_LOAD_REQUEST_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <tuple>
#include <vector>

#include "engine/partition/capacity.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/load/load_rate.h"

namespace dynolith::lab {

// By access: whether its requests draw random numbers of the schedule that other accesses draw
// from, too, because they share a load, or because its workers poll.
std::vector<bool> DrawsFromSchedule(const Experiment& experiment);

// Thread-compatible.
class RequestSchedule {
 public:
  // Borrows the experiment. `chosen`, by access: whether the caller needs its requests; nullptr:
  // all are needed. Others may come or not, and the chosen ones are the same as with all.
  RequestSchedule(const Experiment& experiment, uint64_t seed,
                  const std::vector<bool>* chosen = nullptr);

  // Begins the second at `now`. Requires: consecutive whole seconds.
  void BeginSecond(Micros now);
  // The time of the next request, which may be in a later second. kNever if there is none before
  // the next second begins.
  Micros next() const;
  // Removes the request at next() and returns its access. Requires: there is one.
  size_t Take();
  // Reports the consumption of a request of this access, for loads in units, which are held by
  // feedback. Not for a replay, which schedules nothing.
  void Consumed(size_t access, AccessKind kind, double units);

 private:
  // Accesses that share one load.
  struct Stream {
    Arrivals arrivals;
    AccessKind held = AccessKind::kRead;  // the kind of units that the load holds
    std::vector<size_t> accesses;
    std::vector<double> cumulative;  // of their shares
  };
  struct Worker {
    size_t access = 0;
    Micros task_end = 0;
    double wait = 0;
    bool polls = true;  // else it requests once
  };
  // A worker's next request.
  struct Turn {
    Micros at = 0;
    uint64_t order = 0;
    size_t worker = 0;

    friend bool operator>(const Turn& left, const Turn& right) {
      return std::tie(left.at, left.order) > std::tie(right.at, right.order);
    }
  };

  void MakeStreams();
  void MakeWorkers();
  void LeaveOut(const std::vector<bool>& chosen);
  void AddTurn(Micros at, size_t worker) { turns_.push({at, order_++, worker}); }
  Stream* NextStream() const;
  size_t TakeFrom(Stream* stream);
  size_t TakeTurn();

  const Experiment& experiment_;
  uint64_t random_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Stream*> stream_of_;  // by access
  std::vector<Worker> workers_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  uint64_t order_ = 0;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_REQUEST_SCHEDULE_H_
