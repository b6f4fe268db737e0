// Counted work: the cost of an operation, independent of the machine. Tests assert these numbers.
#ifndef DYNOLITH_ENGINE_STORE_WORK_COUNTERS_H_
#define DYNOLITH_ENGINE_STORE_WORK_COUNTERS_H_

#include <cstdint>

namespace dynolith {

struct WorkCounters {
  uint64_t gets = 0;          // point reads
  uint64_t seeks = 0;         // cursor positionings
  uint64_t rows_read = 0;     // rows that a cursor or a point read returned
  uint64_t rows_written = 0;  // puts and deletes in committed batches
  uint64_t batches = 0;       // committed batches
  uint64_t item_copies = 0;   // whole items copied out of storage memory
  uint64_t bytes_copied = 0;  // their bytes

  friend WorkCounters operator-(WorkCounters after, const WorkCounters& before) {
    after.gets -= before.gets;
    after.seeks -= before.seeks;
    after.rows_read -= before.rows_read;
    after.rows_written -= before.rows_written;
    after.batches -= before.batches;
    after.item_copies -= before.item_copies;
    after.bytes_copied -= before.bytes_copied;
    return after;
  }
};

// The calling thread's counters since it started.
inline WorkCounters& ThreadWork() {
  thread_local WorkCounters counters;
  return counters;
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_WORK_COUNTERS_H_
