// The log lines of a server's events.
#ifndef DYNOLITH_TOOLS_SERVER_SERVER_LOG_H_
#define DYNOLITH_TOOLS_SERVER_SERVER_LOG_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "dynolith/bulk_transfer.h"
#include "tools/server/log.h"
#include "tools/server/wire/wire.h"

namespace dynolith {

// Thread-safe.
class ServerLog {
 public:
  // Borrows the log.
  explicit ServerLog(Log* log) : log_(log) {}

  // Empty if requests are not logged, so that they need not be timed.
  std::function<void(const http::ExchangeRecord&)> Recorder();
  void NoteFailure(const http::FailureRecord& record);
  void NoteBackgroundFailure(const absl::Status& failure);
  void NoteTraceEnd(const absl::Status& why);
  void NoteImportFault(const ImportFault& fault);
  // Logs each reason once, since a refused page repeats its requests; at most a hundred reasons.
  void NoteRefusal(std::string_view reason);

 private:
  Log* const log_;
  absl::Mutex mutex_;
  std::set<std::string, std::less<>> refusals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_SERVER_LOG_H_
