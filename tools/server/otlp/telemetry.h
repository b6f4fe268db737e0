// Sends spans of calls and figures by OTLP over HTTP: beside the calls, which never wait for it.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_TELEMETRY_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_TELEMETRY_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/remote/http_connection.h"
#include "engine/process/background_work.h"
#include "tools/server/metrics/metric_families.h"
#include "tools/server/otlp/call_recorder.h"
#include "tools/server/otlp/export_client.h"
#include "tools/server/otlp/export_request.h"
#include "tools/server/otlp/settings.h"
#include "tools/server/otlp/span_queue.h"

namespace dynolith::otlp {

struct TelemetryOptions {
  Settings settings;
  double sample_ratio = 1;                     // of calls whose callers have not decided
  absl::Duration interval = absl::Minutes(1);  // between exports of figures
  // What there is to be sent by now; empty: nothing. From another thread.
  std::function<MetricFamilies()> metrics;
  std::function<void(const std::string&)> note;  // a warning; from any thread
};

// Thread-safe once it has begun.
class Telemetry {
 public:
  // Errors: no certificates.
  static absl::StatusOr<std::unique_ptr<Telemetry>> Make(TelemetryOptions options);
  ~Telemetry();

  CallRecorder& calls() { return calls_; }

  // Errors: no thread.
  absl::Status Begin();
  // After the last call: sends what is left, once, for at most half the time that an export may
  // take.
  void Stop();

  // Its own figures.
  void AddMetrics(MetricFamilies* families) const;

 private:
  // What is sent in one kind of requests.
  struct Signal {
    Signal(std::string_view its_name, std::string_view its_path) : name(its_name), path(its_path) {}
    const std::string_view name;  // "traces"
    const std::string_view path;
    std::unique_ptr<ExportClient> client;
    int failures_in_row = 0;
    std::string last_partial;  // what was said last of a part that was not taken
    std::atomic<uint64_t> exports = 0;
    std::atomic<uint64_t> failures = 0;  // of them
  };

  explicit Telemetry(TelemetryOptions options);

  void Keep(std::string span);
  // Pieces of work: return the time until the next one.
  absl::Duration SendSpans();
  absl::Duration SendMetrics();
  // One batch. False: it waits for `pause` to be sent again.
  bool SendBatch(absl::Duration* pause);
  ExportResult Export(Signal* signal, const std::string& request);
  absl::Duration BackOff(const ExportResult& result, int failures) const;
  void SayDropped();

  const TelemetryOptions options_;
  std::unique_ptr<client::TlsTrust> trust_;  // nullptr without TLS
  std::atomic<bool> interrupted_ = false;
  bool has_begun_ = false;
  std::atomic<bool> has_stopped_ = false;
  SpanQueue queue_;
  CallRecorder calls_;
  // Only of the work on spans.
  Signal traces_{"traces", "/v1/traces"};
  std::vector<std::string> batch_;  // that is being sent
  uint64_t told_dropped_ = 0;
  absl::Time told_at_ = absl::InfinitePast();
  // Only of that on figures.
  Signal metrics_{"metrics", "/v1/metrics"};
  SeriesStarts starts_;

  std::atomic<uint64_t> sent_ = 0;     // spans
  std::atomic<uint64_t> refused_ = 0;  // spans
  BackgroundThreads threads_{2};
  BackgroundWork spans_work_{&threads_, [this] { return SendSpans(); }};
  BackgroundWork metrics_work_{&threads_, [this] { return SendMetrics(); }};
};

}  // namespace dynolith::otlp

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_TELEMETRY_H_
