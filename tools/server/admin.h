// The admin endpoint below /_dynolith/ over HTTP: admission, answers about the server, and the
// calls of api/service.
//
//   GET  /_dynolith/metrics                      -> text for Prometheus (metrics_text.h), of a
//                                                   database as below
//   POST /_dynolith/checkpoint                   -> {"folder": text}; backups are made of it
//   POST /_dynolith/checkpoint/remove            -> {}
//   GET  /_dynolith/, /_dynolith/page/...        -> a page for browsers
//   (tools/pages/live/live_page.h)
//   .../_dynolith/handovers                      -> tools/server/handover/handover_admin.h
//   .../_dynolith/targets                        -> tools/server/targets/stream_targets.h
//   .../_dynolith/kinesis                        -> tools/server/kinesis/kinesis_sender.h
//   GET  /_dynolith/shipping                     -> tools/server/shipping.h
//   .../_dynolith/cloudwatch                     -> tools/server/cloudwatch/cloudwatch.h
//   .../_dynolith/databases                      -> api/service/databases_admin.h
//   .../_dynolith/regions                        -> api/service/regions_admin.h
//   all others, of the database that the header x-dynolith-database names or else of the first
//                                                -> api/service/admin_calls.h, snapshot_admin.h
//   errors                                       -> 4xx or 500 {"error": text}
#ifndef DYNOLITH_TOOLS_SERVER_ADMIN_H_
#define DYNOLITH_TOOLS_SERVER_ADMIN_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/named_databases.h"
#include "tools/server/admin_guard.h"
#include "tools/server/handover/handovers.h"
#include "tools/server/http/server.h"
#include "tools/server/wire/wire.h"

namespace dynolith {

struct AdminOptions {
  NamedDatabases* databases = nullptr;
  AdminGuardOptions guard;
  std::string data_folder;  // of the first database; empty: it is in memory
  // Whether another process writes there, so that nothing there, nor beside it, is changed.
  bool only_reads = false;
  // The text of a database for Prometheus (metrics_text.h), or why there is none.
  std::function<absl::StatusOr<std::string>(DatabaseInstance&)> metrics = [](DatabaseInstance&) {
    return std::string();
  };
  // Answers requests that are permitted, and are in forms of their own; false: it is none of them.
  // May be empty.
  std::function<bool(const http::Request&, http::Response*)> foreign;
  // Is asked first, for requests that are permitted; false: the request is none of its own. May be
  // empty.
  std::function<bool(const AdminRequest&, JsonResponse*)> first;
  handover::Handovers* handovers = nullptr;  // nullptr: there are none. Borrowed
  // Answers all other paths.
  http::Handler* next = nullptr;
  // Called after each request of the endpoint; may be empty.
  std::function<void(const http::ExchangeRecord&)> record;
  // Called after each failure by the server's own fault; may be empty.
  std::function<void(const http::FailureRecord&)> fail;
};

// Answers callers that AdminGuard admits. Does not require signatures. Thread-safe.
class Admin final : public http::Handler {
 public:
  // The options' pointers must outlive the endpoint.
  explicit Admin(AdminOptions options)
      : guard_(std::move(options.guard)), options_(std::move(options)) {}

  http::Lane ChooseLane(const http::Request& request) const override;
  http::WorkOwner WorkOwnerFor(const http::Request& request) const override;
  bool HandleOnLoop(const http::Request& request, http::Response* response) override;
  http::Lane LaneAfterLoop(const http::Request& request) const override {
    return options_.next->LaneAfterLoop(request);  // its paths never leave the loop that way
  }
  void Begin(http::EventLoop* loop, std::shared_ptr<http::PendingAnswer> pending) override {
    options_.next->Begin(loop, std::move(pending));  // its paths are in other lanes
  }
  std::unique_ptr<http::LoopCompanion> MakeCompanion(http::EventLoop* loop) override {
    return options_.next->MakeCompanion(loop);
  }
  void Handle(const http::Request& request, http::Response* response) override;

  // Ends recordings that were started for viewers who have left. Call it every few seconds.
  void EndIdle();

 private:
  void Answer(const http::Request& request, http::Response* response);
  void Record(const http::Request& request, const http::Response& response,
              std::chrono::steady_clock::time_point start) const;
  // The database that the request names; nullptr if there is none, and then `answer` is an error.
  std::shared_ptr<DatabaseInstance> FindDatabase(const http::Request& request,
                                                 JsonResponse* answer) const;
  void AnswerMetrics(DatabaseInstance* database, JsonResponse* answer) const;
  void AnswerHandovers(const http::Request& request, const AdminRequest& asked,
                       JsonResponse* answer) const;
  void AnswerDatabase(const http::Request& request, const AdminRequest& asked,
                      JsonResponse* answer) const;
  void AnswerCheckpoint(const http::Request& request, JsonResponse* answer);
  void Checkpoint(JsonResponse* answer);
  void RemoveCheckpoint(JsonResponse* answer);

  const AdminGuard guard_;
  const AdminOptions options_;
  absl::Mutex checkpointing_;  // held while a checkpoint's folder is made or removed
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_ADMIN_H_
