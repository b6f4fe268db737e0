// The CloudWatch of a server: what is measured of each of its databases, and the calls that read
// it.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_CLOUDWATCH_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_CLOUDWATCH_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/service/database_instance.h"
#include "api/service/named_databases.h"
#include "engine/partition/access_observer.h"
#include "tools/server/cloudwatch/call.h"
#include "tools/server/cloudwatch/collector.h"
#include "tools/server/cloudwatch/forms.h"
#include "tools/server/cloudwatch/monitor.h"
#include "tools/server/http/request.h"
#include "tools/server/http/response.h"

namespace dynolith::cloudwatch {

struct CloudwatchOptions {
  // How long after its end a minute appears (api/facts/cloudwatch.md §3).
  absl::Duration delay = absl::Minutes(1);
  // Of ARNs of alarms, where the database is not of another region.
  std::string region;
  std::string account;
  // Told of alarms that change their state; may be empty.
  std::function<void(const std::string& text)> note;
};

// Thread-safe. Databases have the name that NamedDatabases gives them; the first one's is empty.
class Cloudwatch {
 public:
  explicit Cloudwatch(CloudwatchOptions options) : options_(std::move(options)) {}

  // What a database is to be opened with: it counts the calls.
  std::shared_ptr<Collector> CollectorOf(std::string_view name);
  // There is no such database any more.
  void Forget(std::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);
  // Before the first call. Borrows.
  void Attach(NamedDatabases* databases) { databases_ = databases; }

  // Whether the request is a call of CloudWatch; `path` as for Answer.
  static bool IsCall(const http::Request& request, std::string_view path) {
    return FindForm(request, path).has_value();
  }
  struct Caller {
    std::string database;  // its name; empty: the first
    std::string region;    // of a database that the call makes; empty: the usual one
    absl::Status refusal;  // why it may not call; OK: it may
  };
  // Requires: IsCall. `path`: without the face's own folder. Opens or makes the database if
  // necessary, and waits for it.
  void Answer(const http::Request& request, std::string_view path, const Caller& caller,
              http::Response* response);

  // A call that was answered with status 400 before or in the database of that name.
  void NoteUserError(std::string_view name);
  // What is due in all databases that are open. Call it every few seconds, and when a clock has
  // been moved.
  void CatchUp();
  // A database is again what it was.
  void GoBack(std::string_view name);

 private:
  // The first database may be named after its region, too.
  std::string_view UsualName(std::string_view name) const;
  std::shared_ptr<Monitor> MonitorOf(std::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);
  // Calls `visit` with the database of that name, if it is open and nothing is to wait for.
  void WithOpen(std::string_view name,
                absl::FunctionRef<void(const DatabaseInstance::Use& use, Monitor* monitor)> visit);
  void CatchUpOne(std::string_view name);
  // Makes room for all, if there is little, where most is taken.
  void MakeRoom() ABSL_LOCKS_EXCLUDED(mutex_);
  CallResult Run(const CallText& call, const Caller& caller);

  const CloudwatchOptions options_;
  const std::shared_ptr<MemoryShare> memory_ = std::make_shared<MemoryShare>();
  std::atomic<NamedDatabases*> databases_ = nullptr;
  absl::Mutex mutex_;
  std::map<std::string, std::shared_ptr<Monitor>, std::less<>> monitors_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_CLOUDWATCH_H_
