// Deliveries of tables' streams to targets, as Lambda's event source mappings make them: all
// mappings of a server, and what the admin endpoint shows of them.
//
//   GET /_dynolith/targets -> {"mappings": [{"table", "target", "enabled", "delivered", "filtered",
//     "given_up", "invocations", "failures", "waiting", "last_error", "shards": [{"shard", "lane",
//     "lanes", "next", "waiting", "age_seconds", "done", "last_error"}]}]}
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_STREAM_TARGETS_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_STREAM_TARGETS_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/database_instance.h"
#include "tools/server/targets/mapping.h"
#include "tools/server/targets/positions.h"
#include "tools/server/targets/stream_source.h"

namespace dynolith::targets {

struct StreamTargetsOptions {
  std::vector<Mapping> mappings;
  DatabaseInstance* database = nullptr;          // borrowed
  std::string file;                              // of the positions; empty: nothing is kept
  std::function<void(const std::string&)> note;  // a warning; from any thread
};

// Thread-safe once it has begun.
class StreamTargets {
 public:
  // What Open and Begin would fail with, before there is a database.
  static absl::Status Check(const std::vector<Mapping>& mappings, const std::string& file);
  // Errors: kFailedPrecondition, which names the file of the positions.
  static absl::StatusOr<std::unique_ptr<StreamTargets>> Open(StreamTargetsOptions options);
  ~StreamTargets();

  // Starts to deliver. A mapping at LATEST that is new begins behind all records that there are.
  // Errors: the file cannot be written; kInvalidArgument, no certificates; no thread.
  absl::Status Begin();
  // Ends what is running, within a moment. Positions are kept.
  void Stop();

  static bool IsPath(std::string_view path) { return path == "/_dynolith/targets"; }
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  class Delivery;

  StreamTargets(StreamTargetsOptions options, std::unique_ptr<Positions> positions);

  const StreamTargetsOptions options_;
  const std::unique_ptr<Positions> positions_;
  const StreamSource source_;
  std::atomic<bool> interrupted_ = false;
  std::vector<std::unique_ptr<Delivery>> deliveries_;
};

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_STREAM_TARGETS_H_
