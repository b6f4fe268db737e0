// The spans that wait to be sent. Callers never wait for whoever sends them: what finds no room is
// dropped and counted.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_SPAN_QUEUE_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_SPAN_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace dynolith::otlp {

struct SpanQueueBounds {
  size_t spans_max = 16'384;
  size_t bytes_max = size_t{16} << 20;
  // Of a batch.
  size_t batch_spans_max = 512;
  size_t batch_bytes_max = size_t{4} << 20;
};

// Thread-safe.
class SpanQueue {
 public:
  explicit SpanQueue(const SpanQueueBounds& bounds = {}) : bounds_(bounds) {}

  // Returns whether there is a whole batch just now, which somebody should take.
  bool Add(std::string span) ABSL_LOCKS_EXCLUDED(mutex_);
  // The first ones, as many as go into a batch; a single one is always one.
  std::vector<std::string> Take() ABSL_LOCKS_EXCLUDED(mutex_);

  bool has_batch() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Spans that found no room.
  uint64_t dropped() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const SpanQueueBounds bounds_;
  mutable absl::Mutex mutex_;
  std::deque<std::string> spans_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dynolith::otlp

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_SPAN_QUEUE_H_
