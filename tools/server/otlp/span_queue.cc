#include "tools/server/otlp/span_queue.h"

#include <utility>

namespace dynolith::otlp {

bool SpanQueue::Add(std::string span) {
  absl::MutexLock lock(&mutex_);
  if (spans_.size() >= bounds_.spans_max || bytes_ + span.size() > bounds_.bytes_max) {
    ++dropped_;
    return false;
  }
  bytes_ += span.size();
  spans_.push_back(std::move(span));
  // Once for each batch, so that not every caller wakes who sends.
  return spans_.size() % bounds_.batch_spans_max == 0;
}

std::vector<std::string> SpanQueue::Take() {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> batch;
  size_t bytes = 0;
  while (!spans_.empty() && batch.size() < bounds_.batch_spans_max) {
    const size_t size = spans_.front().size();
    if (!batch.empty() && bytes + size > bounds_.batch_bytes_max) break;
    bytes += size;
    bytes_ -= size;
    batch.push_back(std::move(spans_.front()));
    spans_.pop_front();
  }
  return batch;
}

bool SpanQueue::has_batch() const {
  absl::MutexLock lock(&mutex_);
  return spans_.size() >= bounds_.batch_spans_max;
}

uint64_t SpanQueue::dropped() const {
  absl::MutexLock lock(&mutex_);
  return dropped_;
}

}  // namespace dynolith::otlp
