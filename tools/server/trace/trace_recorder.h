// Records the accesses of a server's requests in a trace. A request appends its accesses to a
// buffer, and one thread writes blocks of them several times a second.
#ifndef DYNOLITH_TOOLS_SERVER_TRACE_TRACE_RECORDER_H_
#define DYNOLITH_TOOLS_SERVER_TRACE_TRACE_RECORDER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "engine/partition/access_observer.h"
#include "tools/server/trace/trace_files.h"
#include "tools/server/trace/trace_format.h"

namespace dynolith::trace {

struct RecorderOptions {
  TraceFilesOptions files;
  // Called once, from another thread, when the trace ends because it cannot be written.
  std::function<void(const absl::Status& why)> fail;
  // The size of each buffer; requests beyond it are dropped and counted.
  size_t buffer_bytes_max = 1 << 20;
};

// Thread-safe. Requests do not wait for a disk, and for another thread only while a record is
// copied.
class TraceRecorder final : public AccessObserver {
 public:
  // Errors: TraceFiles::Open's, StartThread's.
  static absl::StatusOr<std::unique_ptr<TraceRecorder>> Start(const RecorderOptions& options);
  // Writes the remaining records.
  ~TraceRecorder() override;
  TraceRecorder(const TraceRecorder&) = delete;
  TraceRecorder& operator=(const TraceRecorder&) = delete;

  void NoteAccesses(absl::Span<const ObservedAccess> accesses) override;
  void BeginCall(std::string_view operation) override;
  void EndCall(const ObservedEnd& end) override;

  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  struct Buffer {
    absl::Mutex mutex;
    std::string bytes ABSL_GUARDED_BY(mutex);
  };

  TraceRecorder(const RecorderOptions& options, TraceFiles files);

  void Define(const ObservedAccess& access) ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes the accesses of one request.
  void Add(Micros at, Operation operation, std::string_view uses) ABSL_LOCKS_EXCLUDED(mutex_);

  void Run();
  // Any failure, also a lack of memory, ends the recording.
  void WriteAll();
  absl::Status WriteTaken();
  absl::Status WriteBlocks(const std::vector<std::string>& taken);

  const RecorderOptions options_;
  const uint64_t serial_;  // of all recorders of this process
  // Threads are distributed over these.
  std::array<Buffer, 8> buffers_;
  std::atomic<bool> is_failed_ = false;
  std::atomic<uint64_t> dropped_ = 0;
  absl::Mutex mutex_;
  bool is_wanted_ ABSL_GUARDED_BY(mutex_) =
      false;  // whether a buffer is half full and must be written
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  // By the id of the table or index.
  std::unordered_map<uint64_t, Resource> resources_ ABSL_GUARDED_BY(mutex_);
  // Only of the thread.
  TraceFiles files_;
  uint64_t told_dropped_ = 0;
  std::thread writer_;
};

}  // namespace dynolith::trace

#endif  // DYNOLITH_TOOLS_SERVER_TRACE_TRACE_RECORDER_H_
