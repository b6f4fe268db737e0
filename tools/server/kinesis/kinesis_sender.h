// Sends the changes of tables to their Kinesis destinations: all of a database, and what the admin
// endpoint shows of them.
//
//   GET /_dynolith/kinesis -> {"endpoint": url, "destinations": [{"table", "stream", "status",
//     "sent", "waiting", "age_seconds", "calls", "failures", "given_up", "last_error"}]}
//
// "status" is GONE where the table is, and what is left is still sent.
#ifndef DYNOLITH_TOOLS_SERVER_KINESIS_KINESIS_SENDER_H_
#define DYNOLITH_TOOLS_SERVER_KINESIS_KINESIS_SENDER_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/database_instance.h"
#include "engine/process/background_work.h"
#include "tools/server/kinesis/destination_lane.h"
#include "tools/server/kinesis/destination_source.h"
#include "tools/server/kinesis/kinesis_client.h"
#include "tools/server/kinesis/waiting_bytes.h"
#include "tools/server/metrics/metric_families.h"
#include "tools/server/targets/positions.h"

namespace dynolith::kinesis {

struct KinesisSenderOptions {
  std::string url;                               // of an endpoint that speaks Kinesis
  DatabaseInstance* database = nullptr;          // borrowed; opened with sends_to_kinesis
  std::string file;                              // of the places; empty: nothing is kept
  std::function<void(const std::string&)> note;  // a warning; from any thread
};

// Thread-safe once it has begun.
class KinesisSender {
 public:
  // What Open would fail with, before there is a database. Without a URL nothing.
  static absl::Status Check(const std::string& url, const std::string& region,
                            const std::string& file);
  // Errors: kFailedPrecondition, which names the file of the places; those of KinesisClient::Open.
  static absl::StatusOr<std::unique_ptr<KinesisSender>> Open(KinesisSenderOptions options);
  ~KinesisSender();

  // Errors: no thread.
  absl::Status Begin();
  // Ends what is running, within a moment. Places are kept.
  void Stop();

  static bool IsPath(std::string_view path) { return path == "/_dynolith/kinesis"; }
  void Answer(const AdminRequest& request, JsonResponse* answer) const;
  void AddMetrics(MetricFamilies* families) const;

 private:
  struct LaneWork {
    LaneWork(std::unique_ptr<DestinationLane> made, BackgroundThreads* threads)
        : lane(std::move(made)), work(threads, [this] { return lane->Step(); }) {}
    const std::unique_ptr<DestinationLane> lane;
    BackgroundWork work;
  };
  using Lanes = std::map<targets::MappingKey, std::shared_ptr<LaneWork>>;

  KinesisSender(KinesisSenderOptions options, std::unique_ptr<targets::Positions> positions)
      : options_(std::move(options)),
        positions_(std::move(positions)),
        source_(options_.database) {}

  // Starts lanes for new destinations, and ends those of destinations that are gone.
  absl::Duration Look();
  absl::Status FollowDestinations() ABSL_LOCKS_EXCLUDED(mutex_);
  Lanes lanes() const ABSL_LOCKS_EXCLUDED(mutex_);

  const KinesisSenderOptions options_;
  const std::unique_ptr<targets::Positions> positions_;
  const DestinationSource source_;
  std::atomic<bool> interrupted_ = false;
  std::unique_ptr<KinesisClient> client_;
  WaitingBytes waiting_bytes_{kWaitingBytesMax};
  int looks_ = 0;
  bool has_failed_ = false;  // the last look
  mutable absl::Mutex mutex_;
  BackgroundThreads threads_{kThreadsMax};
  Lanes lanes_ ABSL_GUARDED_BY(mutex_);
  BackgroundWork look_{&threads_, [this] { return Look(); }};

  // As many calls run at once.
  static constexpr size_t kThreadsMax = 64;
  // Of records that all lanes together have read and not sent.
  static constexpr size_t kWaitingBytesMax = size_t{64} << 20;
};

}  // namespace dynolith::kinesis

#endif  // DYNOLITH_TOOLS_SERVER_KINESIS_KINESIS_SENDER_H_
